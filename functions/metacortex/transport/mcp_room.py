"""An MCP endpoint behind the door: one POST with one JSON-RPC message (contract C28 to C31)."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import JSONResponse, Response
from starlette.types import Message, Send

from metacortex.transport import address
from metacortex.transport.body import (
    BodyTooLarge,
    NotJsonRpc,
    check_json_rpc,
    read_body,
    replayed,
)
from metacortex.transport.door import Guest, Refused, too_large
from metacortex.transport.headers import accepts_json, for_sdk, is_json
from metacortex.transport.mcp.calls import Exchange
from metacortex.transport.routes import McpPath

METHOD_NOT_ALLOWED = -32000


@dataclass(frozen=True, slots=True)
class McpRoom:
    """One endpoint, the admin's or a client's."""

    target: McpPath
    method: str = "POST"

    def wrong_method(self) -> Response:
        """Return the answer to a method that is not POST."""
        return _json_rpc_error(
            METHOD_NOT_ALLOWED, "Method not allowed.", 405, {"Allow": self.method}
        )

    async def welcome(self, guest: Guest) -> None:
        """Read the message and hand it to the SDK."""
        _check_media_types(guest)
        body = await _body(guest)
        served, scope = guest.served, guest.scope
        address.present.set(served.public_url or address.asked_at(scope, self.target.prefix))
        exchange = Exchange(served.services, guest.principal)
        await served.mcp.serve_http(
            exchange,
            for_sdk(scope),
            replayed(body, guest.receive),
            _noting_protocol_faults(guest, exchange),
        )


def _check_media_types(guest: Guest) -> None:
    if not accepts_json(guest.scope):
        raise Refused(JSONResponse({"error": "Accept must admit application/json"}, 406))
    if not is_json(guest.scope):
        raise Refused(JSONResponse({"error": "Content-Type must be application/json"}, 415))


async def _body(guest: Guest) -> bytes:
    try:
        body = await read_body(guest.receive)
        check_json_rpc(body)
    except BodyTooLarge:
        raise Refused(too_large(), "body_too_large") from None
    except NotJsonRpc as fault:
        answer = _json_rpc_error(fault.code, fault.message, 400)
        raise Refused(answer, "bad_request") from None
    return body


def _noting_protocol_faults(guest: Guest, exchange: Exchange) -> Send:
    """Return a `send` that leaves the event of a 400 by the SDK, unless the request was a tool call
    with its own.
    """

    async def sent(message: Message) -> None:
        if (
            message["type"] == "http.response.start"
            and message["status"] == 400
            and exchange.call is None
        ):
            await guest.reject(400, "bad_request")
        await guest.send(message)

    return sent


def _json_rpc_error(
    code: int, message: str, status: int, headers: Mapping[str, str] | None = None
) -> Response:
    body = {"jsonrpc": "2.0", "error": {"code": code, "message": message}, "id": None}
    return JSONResponse(body, status, headers)
