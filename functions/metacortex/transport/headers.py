"""Content negotiation: what a request may be written in and what it accepts (contract C28, C29)."""

import re

from starlette.types import Scope

JSON_TYPE = "application/json"
_COVERING_JSON = (JSON_TYPE, "application/*", "*/*")
_NO_WEIGHT = re.compile(r"q\s*=\s*0(\.0*)?")
# What the SDK wants to see of every client, letter by letter. Only JSON is ever answered.
_WANTED = (
    (b"accept", b"application/json, text/event-stream"),
    (b"content-type", JSON_TYPE.encode()),
)
# A session of some earlier server means nothing here, and what is wanted stands there once.
_DROPPED = (b"accept", b"content-type", b"mcp-session-id")


def accepts_json(scope: Scope) -> bool:
    """Whether the caller can read JSON. A request without `Accept` can read anything; otherwise the
    most specific range that covers JSON decides (RFC 9110, 12.5.1).
    """
    values = [value.decode("latin-1") for name, value in scope["headers"] if name == b"accept"]
    admitted = dict(_read_range(each) for value in values for each in value.split(","))
    if not values:
        return True
    return next((admitted[kind] for kind in _COVERING_JSON if kind in admitted), False)


def _read_range(media_range: str) -> tuple[str, bool]:
    """Return a media range and whether it is admitted."""
    kind, *parameters = (part.strip().lower() for part in media_range.split(";"))
    return kind, not any(_NO_WEIGHT.fullmatch(parameter) for parameter in parameters)


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
