"""Time zones: between a moment and what the clocks of a place show.

A zone is always handed in; the host's own never matters. A time that the clocks showed twice is the
first of the two, and one that they skipped is as much later as they skipped.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from metacortex.domain.errors import InvalidInput
from metacortex.domain.moment import Milliseconds

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - of times without a zone only differences are taken
_MILLISECOND = timedelta(milliseconds=1)
_NO_ZONES = frozenset(("localtime", "posixrules", "posix", "right", "Factory"))
"""What lies beside the zones in the database: the host's own, and copies with leap seconds."""


def zone_of(name: str) -> tzinfo:
    """Return the time zone with this name of the IANA database: the host's, or where it has none
    that of the package tzdata.

    The host's own zone has no name here.

    Raises:
        InvalidInput: there is no such zone.
    """
    if name.upper() in ("UTC", "Z"):
        return UTC
    try:
        if name.split("/")[0] not in _NO_ZONES:
            return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        pass
    raise InvalidInput("timezone must be a name such as Europe/Berlin or UTC")


def instant(wall: datetime, zone: tzinfo) -> Milliseconds:
    """Return when the clocks of `zone` show `wall`, a time that names no zone itself."""
    # Taken apart by hand: the first hour of the year 1 in Tokyo has no datetime in UTC.
    offset = wall.replace(tzinfo=zone, fold=0).utcoffset() or timedelta()
    return (wall - _EPOCH - offset) // _MILLISECOND


def wall_clock(at: Milliseconds, zone: tzinfo) -> datetime:
    """Return what the clocks of `zone` show, with the zone.

    Raises:
        OverflowError: it is not in the years 0001 to 9999.
    """
    return (_EPOCH.replace(tzinfo=UTC) + at * _MILLISECOND).astimezone(zone)
