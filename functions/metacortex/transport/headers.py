"""Content negotiation: what a request may be written in and what it accepts (contract C28, C29)."""

from starlette.types import Scope

JSON_TYPE = "application/json"
# What the SDK wants to see of every client, letter by letter. Only JSON is ever answered.
_WANTED = (
    (b"accept", b"application/json, text/event-stream"),
    (b"content-type", JSON_TYPE.encode()),
)
# A session of some earlier server means nothing here, and what is wanted stands there once.
_DROPPED = (b"accept", b"content-type", b"mcp-session-id")


def accepts_json(scope: Scope) -> bool:
    """Whether the caller can read JSON. A request without `Accept` can read anything."""
    values = [value.decode("latin-1") for name, value in scope["headers"] if name == b"accept"]
    return not values or any(
        _admits_json(media_range) for value in values for media_range in value.split(",")
    )


def _admits_json(media_range: str) -> bool:
    kind, *parameters = (part.strip().lower() for part in media_range.split(";"))
    refused = any(
        parameter.replace(" ", "") in ("q=0", "q=0.0", "q=0.00", "q=0.000")
        for parameter in parameters
    )
    return kind in ("*/*", "application/*", JSON_TYPE) and not refused


def is_json(scope: Scope) -> bool:
    """Whether the body says that it is JSON, parameters aside."""
    values = [value for name, value in scope["headers"] if name == b"content-type"]
    return (
        len(values) == 1 and values[0].decode("latin-1").split(";")[0].strip().lower() == JSON_TYPE
    )


def for_sdk(scope: Scope) -> Scope:
    """Return the scope with the headers that the SDK is to see."""
    kept = [(name, value) for name, value in scope["headers"] if name not in _DROPPED]
    return {**scope, "headers": [*kept, *_WANTED]}
