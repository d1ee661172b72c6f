"""How errors are shown: one table of codes and statuses, for MCP results and events alike (contract
C51).
"""

from dataclasses import dataclass

from metacortex.domain.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    MetaCortexError,
    NotFound,
    OperatorError,
    TooLarge,
    Unavailable,
)
from metacortex.domain.json import JSON


@dataclass(frozen=True, slots=True)
class Shown:
    """The code that a client reads, and the status that an event tells."""

    code: str
    status: int


SHOWN: dict[type[MetaCortexError], Shown] = {
    InvalidInput: Shown("invalid_input", 400),
    Forbidden: Shown("forbidden", 403),
    NotFound: Shown("not_found", 404),
    Conflict: Shown("conflict", 409),
    TooLarge: Shown("too_large", 413),
    Unavailable: Shown("unavailable", 503),
    OperatorError: Shown("unavailable", 503),
}
INTERNAL: dict[str, JSON] = {
    "name": "internal",
    "message": "Internal server error",
    "status_code": 500,
}
"""The `error` object of an event whose call ended in a fault of our own."""


def shown(error: MetaCortexError) -> Shown:
    """Return how `error` is shown: its own entry, or that of the nearest class above it."""
    return next(SHOWN[kind] for kind in type(error).__mro__ if kind in SHOWN)


def sentence_of(error: MetaCortexError) -> str:
    """Return the sentence for the caller.

    What only the operator can mend is told to the operator alone.
    """
    if isinstance(error, OperatorError):
        return "The memory store cannot be used as it is; the reason is in the server's log"
    return error.sentence


def error_for_event(error: MetaCortexError) -> dict[str, JSON]:
    """Return the `error` object of an event."""
    how = shown(error)
    return {"name": how.code, "message": sentence_of(error), "status_code": how.status}


def error_for_caller(error: MetaCortexError) -> dict[str, JSON]:
    """Return the `structuredContent` of a failure that the caller can act on."""
    return {"error": {"code": shown(error).code, "message": sentence_of(error)}}
