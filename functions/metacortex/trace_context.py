"""Which trace the present request belongs to, as its caller or the platform said."""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TraceContext:
    """A place in a trace: the ids in lower-case hexadecimal, of 32 and 16 digits, and whether the
    trace is kept.
    """

    trace_id: str
    span_id: str
    sampled: bool


present: ContextVar[TraceContext | None] = ContextVar("present", default=None)
"""That of the request that this task serves; None where nobody said."""
