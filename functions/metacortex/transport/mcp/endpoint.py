"""MCP over Streamable HTTP and stdio: the one file that knows the MCP SDK.

Stateless, one JSON answer a request, in both protocol eras. A low-level server is kept for each set
of tools, since what is listed and said depends on the profile; its session manager is started by
the first request, since no lifespan hook may be relied on.
"""

import asyncio
import logging
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    PARSE_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ErrorData,
    JSONRPCError,
    ListToolsResult,
    PaginatedRequestParams,
    RequestParams,
    TextContent,
)
from mcp_types import Tool as ListedTool
from pydantic import ValidationError
from starlette.types import Receive, Scope, Send

from metacortex.domain.client import Principal
from metacortex.domain.errors import MetaCortexError
from metacortex.domain.json import JSON
from metacortex.service.activity import Call
from metacortex.service.services import Services
from metacortex.transport.body import BODY_LIMIT
from metacortex.transport.errors import INTERNAL, error_for_event, sentence_of, shown
from metacortex.transport.mcp.calls import Exchange, call_tool, note_failure, observed, refused
from metacortex.transport.mcp.prompt import Prompt
from metacortex.transport.mcp.readings import (
    LIST_TTL_MS,
    Answering,
    Readings,
    check_given,
    readings_of,
)
from metacortex.transport.mcp.resource import Resource
from metacortex.transport.mcp.tool import Tool, instructions

logger = logging.getLogger(__name__)

Context: TypeAlias = ServerRequestContext[Any, Any]
Handler: TypeAlias = Callable[[Context, RequestParams], Awaitable[dict[str, Any]]]
SCOPE_KEY = "metacortex.exchange"
# The door compares host and origin against the profile; the SDK's own check knows only localhost.
_SECURITY = TransportSecuritySettings(enable_dns_rebinding_protection=False)

_OBSERVED_METHODS = ("tools/call", "resources/read", "prompts/get")
_observed: ContextVar[Exchange] = ContextVar("observed")
"""The exchange of the call that runs in this task: over standard input and output several run
in one session, and the SDK hands a tool no more than the session's context.
"""


@dataclass(frozen=True, slots=True)
class McpEndpoint:
    """Serves tools, resources and prompts to authenticated principals, each those that it may.

    `extend` may register further handlers with each server that is built; tests use it for fixture
    tools, resources and prompts, which then pass the same door and leave the same events.
    """

    name: str
    version: str
    tools: tuple[Tool, ...]
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    extend: Callable[[Server[Any]], None] | None = None
    _sessions: dict[object, "_Sessions"] = field(default_factory=dict)

    async def serve_http(
        self, exchange: Exchange, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer one POST whose body and headers the door has checked."""
        manager = await self._running_manager(exchange.principal)
        await manager.handle_request({**scope, SCOPE_KEY: exchange}, receive, send)

    async def serve_stdio(self, services: Services, principal: Principal) -> None:
        """Serve one principal on standard input and output until the input ends."""
        from mcp.server.stdio import stdio_server

        def exchange_of(_: Context) -> Exchange:
            return Exchange(services, principal)

        server = self._built(principal, exchange_of)
        async with stdio_server() as (lines, answers), asyncio.TaskGroup() as tasks:
            read, readable = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            tasks.create_task(_answer_unreadable(lines, read, answers.send))
            await server.run(readable, answers, server.create_initialization_options())

    async def _running_manager(self, principal: Principal) -> StreamableHTTPSessionManager:
        key = (principal.tools, principal.default_filter_state, principal.write_states)
        sessions = self._sessions.get(key)
        if sessions is None or not sessions.serve_this_loop:
            server = sessions.server if sessions else self._built(principal, _exchange_of)
            sessions = self._sessions[key] = _Sessions(server)
        await sessions.started.wait()
        return sessions.manager

    def _built(
        self, principal: Principal, exchange_of: Callable[[Context], Exchange]
    ) -> Server[Any]:
        mine = {tool.name: tool for tool in self.tools if tool.name in principal.tools}
        listed = ListToolsResult(
            tools=[ListedTool.model_validate(tool.listed(principal)) for tool in mine.values()],
            ttl_ms=LIST_TTL_MS,
            cache_scope="private",
        )

        async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
            return listed

        async def call(_: Context, params: CallToolRequestParams) -> CallToolResult:
            return await _called(mine, params)

        server: Server[Any] = Server(
            self.name,
            version=self.version,
            instructions=instructions(mine.values()),
            on_list_tools=list_tools,
            on_call_tool=call,
            # No argument of a tool is repeated in a header, so the SDK has none to compare.
            get_tool_input_schema=lambda _: None,
        )
        _add_readings(server, readings_of(principal, self.resources, self.prompts))
        if self.extend is not None:
            self.extend(server)
        # In place of the SDK's tracing, which costs every call and reports to nobody here.
        server.middleware[:] = [_Observed(exchange_of)]
        return server


async def _answer_unreadable(
    lines: AsyncIterable[SessionMessage | Exception],
    read: MemoryObjectSendStream[SessionMessage | Exception],
    answer: Callable[[SessionMessage], Awaitable[None]],
) -> None:
    """Pass on what could be read. To the rest the SDK answers nothing, and its sender waits."""
    async with read:
        async for line in lines:
            if isinstance(line, Exception):
                error = ErrorData(code=PARSE_ERROR, message="Parse error")
                await answer(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error)))
            else:
                await read.send(line)


class _Sessions:
    """A server and its session manager, which serves as long as the loop that began it."""

    def __init__(self, server: Server[Any]) -> None:
        self.server = server
        self.manager = StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            security_settings=_SECURITY,
            max_request_body_size=BODY_LIMIT,
        )
        self.started = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    @property
    def serve_this_loop(self) -> bool:
        """Whether requests of the running loop can be handed over."""
        return not self._task.done() and self._task.get_loop() is asyncio.get_running_loop()

    async def _run(self) -> None:
        async with self.manager.run():
            self.started.set()
            # Until the loop ends and cancels what still runs in it.
            await asyncio.Event().wait()


def _exchange_of(context: Context) -> Exchange:
    assert context.request is not None
    exchange = context.request.scope[SCOPE_KEY]
    assert isinstance(exchange, Exchange)
    return exchange


@dataclass(frozen=True, slots=True)
class _Observed:
    """The middleware that leaves one event for each call of a tool, reading of a resource and
    prompt, whatever comes of it, and lets no fault of our own out.
    """

    exchange_of: Callable[[Context], Exchange]

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        try:
            return await self._answer(ctx, call_next)
        except (MCPError, ValidationError):
            raise
        except Exception:
            # The boundary: a fault of our own becomes -32603, and its details stay here.
            logger.exception("A request failed unexpectedly")
            raise MCPError(code=INTERNAL_ERROR, message="Internal server error") from None

    async def _answer(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        # A notification asks for no answer and runs no tool, whatever method it names.
        if ctx.method not in _OBSERVED_METHODS or ctx.request_id is None:
            return await call_next(ctx)
        exchange = self.exchange_of(ctx)
        _observed.set(exchange)
        given = (ctx.params or {}).get("name") if ctx.method == "tools/call" else ctx.method
        name = given if isinstance(given, str) else ""
        async with observed(exchange.services, exchange.principal, name) as exchange.call:
            try:
                if ctx.method == "prompts/get":
                    check_given(ctx.params or {})
                return await call_next(ctx)
            except MetaCortexError as error:
                note_failure(exchange.call, error)
                raise _as_protocol_error(error, ctx.params or {}) from None
            except (MCPError, ValidationError) as error:
                if exchange.call.error is None:
                    exchange.call.error = _protocol_error(error)
                raise


def _as_protocol_error(error: MetaCortexError, params: Mapping[str, Any]) -> MCPError:
    how = shown(error)
    code = INTERNAL_ERROR if how.status >= 500 else INVALID_PARAMS
    told = {name: params[name] for name in ("uri", "name") if name in params}
    return MCPError(code, sentence_of(error), {"code": how.code, **told})


def _protocol_error(error: MCPError | ValidationError) -> dict[str, JSON]:
    if isinstance(error, MCPError) and error.error.code == INTERNAL_ERROR:
        return INTERNAL
    return {"name": "invalid_input", "message": "Invalid request parameters", "status_code": 400}


async def _called(tools: Mapping[str, Tool], params: CallToolRequestParams) -> CallToolResult:
    exchange, call = _in_progress()
    tool = tools.get(params.name)
    if tool is None:
        error = refused(params.name)
        call.error = error_for_event(error)
        raise MCPError(code=INVALID_PARAMS, message=error.sentence)
    outcome = await call_tool(
        tool, exchange.services, exchange.principal, params.arguments or {}, call
    )
    return CallToolResult(
        content=[TextContent(type="text", text=outcome.text)],
        structured_content=outcome.structured,
        is_error=outcome.failed,
    )


def _add_readings(server: Server[Any], readings: Readings) -> None:
    """Register the methods of resources and prompts where there are any, by which a server says
    that it has some. Their answers are JSON, which the SDK checks and shapes for the era.
    """
    for method, listed in readings.lists().items():
        server.add_request_handler(method, RequestParams, _always(listed))
    for method, answer in readings.answers().items():
        server.add_request_handler(method, RequestParams, _answered_by(answer))


def _always(listed: dict[str, JSON]) -> Handler:
    async def handle(_: Context, __: RequestParams) -> dict[str, Any]:
        return listed

    return handle


def _answered_by(answer: Answering) -> Handler:
    async def handle(context: Context, _: RequestParams) -> dict[str, Any]:
        exchange, call = _in_progress()
        return await answer(exchange, call, context.params or {})

    return handle


def _in_progress() -> tuple[Exchange, Call]:
    exchange = _observed.get()
    assert exchange.call is not None
    return exchange, exchange.call
