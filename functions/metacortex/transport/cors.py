"""What browsers need to read an answer (contract C24 to C26)."""

from starlette.types import Message, Send

_ALWAYS = (
    (
        b"access-control-allow-headers",
        b"Authorization, Content-Type, Accept, Cache-Control, Mcp-Protocol-Version, "
        b"Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID",
    ),
    (b"access-control-expose-headers", b"WWW-Authenticate, Mcp-Session-Id"),
    (b"access-control-max-age", b"3600"),
    (b"vary", b"Origin"),
)


def with_cors(send: Send, origin: str, method: str) -> Send:
    """Return a `send` whose answers an admitted origin may read, where `method` is served."""
    headers = [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-methods", f"{method}, OPTIONS".encode()),
        *_ALWAYS,
    ]

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *headers]}
        await send(message)

    return sent
