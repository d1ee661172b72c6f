"""Points in time: whole milliseconds since the Unix epoch, in UTC, shown as ISO-8601.

One integer leaves no room for the host's time zone, and sorts and stores alike on every engine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from metacortex.domain.json import JSON

Milliseconds = int
"""A point in time, or a span, in whole milliseconds."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Precision(StrEnum):
    """How exactly a moment of valid time is known."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"
    MILLISECOND = "ms"


@dataclass(frozen=True, slots=True)
class Moment:
    """A point of valid time: the first millisecond of what was given, and how much was given."""

    at: Milliseconds
    precision: Precision = Precision.MILLISECOND


def moment_json(moment: Moment | None) -> dict[str, JSON] | None:
    """Return a moment as it is stored and hashed."""
    return {"at": moment.at, "precision": moment.precision.value} if moment else None


def read_moment(stored: JSON) -> Moment | None:
    """Return the moment that `moment_json` made this of."""
    if not isinstance(stored, Mapping):
        return None
    at = stored["at"]
    assert isinstance(at, int | float)
    return Moment(int(at), Precision(str(stored["precision"])))


def day(at: Milliseconds) -> str:
    """Return the day of `at` as `2026-03-14`."""
    return (_EPOCH + timedelta(milliseconds=at)).date().isoformat()


def iso(at: Milliseconds) -> str:
    """Return `at` as `2026-03-14T12:00:00.000Z`."""
    moment = _EPOCH + timedelta(milliseconds=at)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
