"""Events: what was asked and answered, and what was turned away at the door.

They never hold what was said.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from metacortex.domain.json import JSON
from metacortex.domain.moment import Milliseconds, iso

RETENTION: Milliseconds = 90 * 24 * 60 * 60 * 1000
PREVIEW_LENGTH = 160
NAME_LENGTH = 128
"""Ids and names that a caller made up are cut to this many code points."""


class EventType(StrEnum):
    """What an event tells of."""

    TOOL_CALL = "tool_call"
    REQUEST = "request"


class EventStatus(StrEnum):
    """How it ended."""

    SUCCESS = "success"
    ERROR = "error"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Event:
    """One observed tool call or rejection.

    `body` holds the keys that its type adds, without nulls at any level.
    """

    id: str
    type: EventType
    timestamp: Milliseconds
    client_id: str
    status: EventStatus
    latency: Milliseconds
    body: Mapping[str, JSON]

    @property
    def expires_at(self) -> Milliseconds:
        """When the store may forget it."""
        return self.timestamp + RETENTION

    def as_json(self) -> dict[str, JSON]:
        """Return the event as it is printed."""
        return {
            "event_id": self.id,
            "event_type": self.type.value,
            "timestamp": self.timestamp,
            "expires_at": iso(self.expires_at),
            "client_id": self.client_id,
            "status": self.status.value,
            "latency_ms": self.latency,
            **self.body,
        }


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events to list. An absent part does not filter."""

    client_id: str | None = None
    type: EventType | None = None
    status: EventStatus | None = None
    tool_name: str | None = None
    since: Milliseconds | None = None
    """Only events at or after this moment."""


def without_nulls(value: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return a copy that leaves out every key whose value is null, at every level."""
    return {
        name: without_nulls(inner) if isinstance(inner, Mapping) else inner
        for name, inner in value.items()
        if inner is not None
    }


def preview(query: str) -> str:
    """Return the first 160 code points of a query, with `...` where it goes on."""
    return query if len(query) <= PREVIEW_LENGTH else query[:PREVIEW_LENGTH] + "..."
