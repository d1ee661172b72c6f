"""Requests that were turned away at the door, and how many of them get an event of their own."""

from dataclasses import dataclass

from metacortex.domain.moment import Milliseconds

REJECTIONS_A_MINUTE = 60
MINUTE: Milliseconds = 60_000
KEYS_KEPT = 1_000
"""More clients and reasons than this in one minute are an attack with made-up ids; they share one
count.
"""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A request that was turned away at the door."""

    tenant: str
    client_id: str
    method: str
    path: str
    status_code: int
    reason: str


class Throttle:
    """Counts rejections by client and reason in minutes that begin with the first one."""

    def __init__(self) -> None:
        self._minutes: dict[tuple[str, str, str], _Minute] = {}

    def admits(self, rejection: Rejection, now: Milliseconds) -> bool:
        """Count a rejection, and tell whether it gets an event of its own."""
        key = (rejection.tenant, rejection.client_id, rejection.reason)
        if key not in self._minutes and len(self._minutes) >= KEYS_KEPT:
            key = (rejection.tenant, "", rejection.reason)
        minute = self._minutes.setdefault(key, _Minute(rejection, now + MINUTE))
        admitted = minute.admitted < REJECTIONS_A_MINUTE
        minute.admitted += admitted
        minute.left_out += not admitted
        return admitted

    def ended(self, now: Milliseconds | None) -> list[tuple[Rejection, int]]:
        """Forget the minutes that have ended, all where `now` is None; return those that left
        something out.
        """
        over = [
            key
            for key, minute in self._minutes.items()
            if now is None or not minute.ends - MINUTE <= now < minute.ends
        ]
        minutes = [self._minutes.pop(key) for key in over]
        return [(minute.first, minute.left_out) for minute in minutes if minute.left_out]


@dataclass(slots=True)
class _Minute:
    first: Rejection
    ends: Milliseconds
    admitted: int = 0
    left_out: int = 0
