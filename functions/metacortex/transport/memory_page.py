"""The page of one memory: what the address in a connector's citation leads to.

It asks for the token of its endpoint, shows the memory as text, and loads and runs nothing.
"""

import base64
from dataclasses import dataclass
from hashlib import sha256
from html import escape

from starlette.responses import HTMLResponse, JSONResponse, Response

from metacortex.domain.client import Principal
from metacortex.domain.errors import MetaCortexError, NotFound
from metacortex.domain.json import JSON
from metacortex.domain.memory import Memory
from metacortex.service.activity import Call
from metacortex.service.services import Services
from metacortex.transport.door import Guest
from metacortex.transport.errors import sentence_of, shown
from metacortex.transport.mcp.calls import note_failure, observed
from metacortex.transport.mcp.tools.connector import FETCH
from metacortex.transport.mcp.tools.memories import FETCH_CONTEXT
from metacortex.transport.mcp.tools.observing import told
from metacortex.transport.routes import MemoryPath
from metacortex.transport.wire import compact, metadata_json, title_of

READERS = frozenset((FETCH.name, FETCH_CONTEXT.name))
"""A profile with one of these tools can read the same memory by it."""

_STYLE = (
    ":root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5}"
    "body{max-width:45rem;margin:2rem auto;padding:0 1rem}"
    "pre{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere}"
    "dt{font-weight:bold}dd{overflow-wrap:anywhere}"
)
_STYLE_HASH = base64.b64encode(sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    # Its own style is all that a page may use; the rest is not covered by default-src.
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """The page of one memory, for the admin or for one client."""

    target: MemoryPath
    method: str = "GET"

    def wrong_method(self) -> Response:
        """Return the answer to a method that is not GET."""
        return JSONResponse({"error": "Method not allowed"}, 405, {"Allow": self.method})

    async def welcome(self, guest: Guest) -> None:
        """Show the memory, or say that it is not there."""
        services, principal = guest.served.services, guest.principal
        async with observed(services, principal, FETCH.name) as call:
            response = await self._response(services, principal, call)
        await response(guest.scope, guest.receive, guest.send)

    async def _response(self, services: Services, principal: Principal, call: Call) -> Response:
        memory_id = self.target.memory_id
        call.request = {"document_id": services.activity.label(memory_id), "page": True}
        try:
            if not principal.tools & READERS:
                raise NotFound("Document not found")
            memory = await services.memories.fetch(principal, memory_id)
        except MetaCortexError as error:
            note_failure(call, error)
            return _refusal(error)
        call.response, call.shown = told(services.activity, memory), (memory.id,)
        return HTMLResponse(_html(memory), headers=_HEADERS)


def _refusal(error: MetaCortexError) -> Response:
    # A page that is not there is answered as any path that names nothing.
    sentence = "Not found" if isinstance(error, NotFound) else sentence_of(error)
    return JSONResponse({"error": sentence}, shown(error).status)


def _html(memory: Memory) -> str:
    title = escape(title_of(memory))
    rows = "".join(_row(name, value) for name, value in metadata_json(memory).items())
    return (
        '<!doctype html><html><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>"
        f'<body><h1 dir="auto">{title}</h1><pre dir="auto">{escape(memory.content)}</pre>'
        f"<dl>{rows}</dl></body></html>"
    )


def _row(name: str, value: JSON) -> str:
    members = value if isinstance(value, list) else [value]
    texts = (each if isinstance(each, str) else compact(each) for each in members)
    return f"<dt>{escape(name)}</dt>" + "".join(f"<dd>{escape(text)}</dd>" for text in texts)
