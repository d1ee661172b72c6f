"""The ASGI application: which endpoint a request is for."""

from collections.abc import Callable

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from metacortex import trace_context
from metacortex.domain.json import JSON
from metacortex.transport.body import declares_too_much
from metacortex.transport.door import Room, Served, Visit, too_large
from metacortex.transport.mcp_room import McpRoom
from metacortex.transport.memory_page import MemoryPage
from metacortex.transport.routes import HealthPath, McpPath, MemoryPath, route
from metacortex.transport.trace_headers import trace_of

HEALTH: JSON = {
    "ok": True,
    "service": "metacortex",
    "endpoints": ["/mcp", "/clients/:clientId/mcp"],
}


class App:
    """The whole HTTP surface.

    `connect` is called at the first need and may raise `ConfigurationError` each time;
    `function_name` is the name under which the platform may put this app on its paths.
    """

    def __init__(self, connect: Callable[[], Served], function_name: str | None = None) -> None:
        self._connect = connect
        self._function_name = function_name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Lifespan messages are acknowledged and mean nothing: a platform may
        never send them.
        """
        if scope["type"] == "lifespan":
            await _acknowledge_lifespan(receive, send)
        elif scope["type"] == "http":
            trace_context.present.set(trace_of(scope))
            await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        target = route(scope, self._function_name)
        if isinstance(target, McpPath | MemoryPath):
            room: Room = McpRoom(target) if isinstance(target, McpPath) else MemoryPage(target)
            await Visit(self._connect, room, scope, receive, send).serve()
        elif declares_too_much(scope):
            await too_large()(scope, receive, send)
        elif isinstance(target, HealthPath) and scope["method"] in ("GET", "HEAD"):
            await JSONResponse(HEALTH)(scope, receive, send)
        elif isinstance(target, HealthPath):
            await JSONResponse({"error": "Method not allowed"}, 405, {"Allow": "GET"})(
                scope, receive, send
            )
        else:
            await JSONResponse({"error": "Not found"}, 404)(scope, receive, send)


async def _acknowledge_lifespan(receive: Receive, send: Send) -> None:
    while True:
        kind = (await receive())["type"]
        await send({"type": f"{kind}.complete"})
        if kind == "lifespan.shutdown":
            return
