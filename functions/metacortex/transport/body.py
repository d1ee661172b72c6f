"""Bodies: how much of one is read, and whether it is a JSON-RPC message (C9, C30, C31)."""

from collections.abc import Mapping

from pydantic_core import from_json
from starlette.types import Message, Receive, Scope

from metacortex.domain.json import JSON

BODY_LIMIT = 1_048_576
LONGEST_METHOD = 128
"""Longer ones are no method of any version, and an answer would repeat them."""
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602


class BodyTooLarge(Exception):
    """The body passes the limit."""


class Disconnected(Exception):
    """The caller went away before the body was whole."""


class NotJsonRpc(Exception):
    """The body is not one JSON-RPC request or notification."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def declares_too_much(scope: Scope) -> bool:
    """Whether `Content-Length` alone tells that the body passes the limit."""
    declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    return declared.strip().isdigit() and int(declared) > BODY_LIMIT


async def read_body(receive: Receive) -> bytes:
    """Read a body, and stop as soon as it passes the limit.

    Raises:
        BodyTooLarge, Disconnected: as they say.
    """
    blocks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        block = message.get("body", b"")
        size += len(block)
        if size > BODY_LIMIT:
            raise BodyTooLarge
        blocks.append(block)
        if not message.get("more_body", False):
            return b"".join(blocks)


def check_json_rpc(body: bytes) -> None:
    """Hold a body to be one JSON-RPC request or notification in UTF-8.

    Raises:
        NotJsonRpc: it is not, and says in which way.
    """
    try:
        message = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise NotJsonRpc(PARSE_ERROR, "Parse error") from None
    if not isinstance(message, dict):
        raise NotJsonRpc(
            INVALID_REQUEST, "Body must be a single JSON-RPC request or notification object"
        )
    _check_members(message)


def _check_members(message: Mapping[str, JSON]) -> None:
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        raise NotJsonRpc(INVALID_REQUEST, "A JSON-RPC message needs jsonrpc '2.0' and a method")
    if len(str(message["method"])) > LONGEST_METHOD:
        raise NotJsonRpc(INVALID_REQUEST, f"A method has at most {LONGEST_METHOD} characters")
    request_id = message.get("id", "")
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        raise NotJsonRpc(
            INVALID_REQUEST, "The id of a JSON-RPC request must be a string or an integer"
        )
    if not isinstance(message.get("params", {}), dict):
        raise NotJsonRpc(INVALID_PARAMS, "The params of a JSON-RPC message must be an object")


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives `body` again, and then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
