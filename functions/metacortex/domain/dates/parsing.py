"""Dates as people and models write them: read into a `Period`, and a `Moment` written as known.

What says less than a moment keeps how little it says: `2026-08` is a month, not its first midnight.
Read are the forms of ISO-8601 from `2026` to `2026-08-03T10:15:30.123+02:00`, weeks and quarters;
dates with an English month; and what is told from now, such as `3 days ago`. What could be read in
two ways is refused, never guessed. Nothing depends on the host's zone or locale.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache

from metacortex.domain.dates.calendar_dates import calendar_date
from metacortex.domain.dates.period import FIRST, INSTANTS, Period, Unit, bounded, shifted
from metacortex.domain.dates.relative_dates import relative_period
from metacortex.domain.dates.zone import instant, wall_clock
from metacortex.domain.errors import InvalidInput
from metacortex.domain.moment import Milliseconds, Moment, Precision

_LONGEST = 64
_CLOCK = (
    r"(?P<day>.+?)(?:(?P<t>t)|,? at |,? )(?P<hour>[0-9]{1,2})"
    r"(?:(?P<colon>:?)(?P<minute>[0-9]{2})"
    r"(?:(?P=colon)(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,12}))?)?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?"
    r" ?(?P<zone>z|utc|gmt|[+-][0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2})?)?)?"
)
_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]*)?"
_YEAR_LAST = r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?![0-9]).*"
# How many characters of 2026-08-03T10:15:30.123 each takes.
_LENGTHS = {
    Precision.YEAR: 4,
    Precision.MONTH: 7,
    Precision.DAY: 10,
    Precision.HOUR: 13,
    Precision.MINUTE: 16,
    Precision.SECOND: 19,
    Precision.MILLISECOND: 23,
}


def parse_period(name: str, text: str, now: Milliseconds, zone: tzinfo) -> Period:
    """Return what the date `text` covers, for the argument `name`; `Period` says how to use it.

    `zone` is that of the reader, for a text that names none.

    Raises:
        InvalidInput: it is no date, none that exists, none in the years 0001 to 9999, or could be
            read in two ways.
    """
    tidy = "" if len(text) > _LONGEST else " ".join(text.replace("\u2212", "-").lower().split())
    try:
        period = _read(tidy, now, zone)
    except OverflowError:
        raise InvalidInput(f"{name} must lie in the years 0001 to 9999") from None
    except ValueError:
        raise InvalidInput(f"{name} is a day or time that does not exist") from None
    if period is None:
        raise InvalidInput(f"{name} {_how_to_write(tidy)}")
    return period


def as_written(moment: Moment, zone: tzinfo = UTC) -> str:
    """Return a moment as `zone` writes it, no more exact than it is known: `2026-08`.

    Read again in the same zone it is the same millisecond. The first of a month elsewhere is none
    in this zone, and is written as exactly as that needs.
    """
    return _shortest(moment, zone, _begins)


def as_written_until(moment: Moment, zone: tzinfo = UTC) -> str:
    """Return an end, which is itself excluded, by the last that it takes in: until `2026-08`.

    Read again in the same zone, its `ends` is the same millisecond.
    """
    return _shortest(moment, zone, _ends)


def _read(text: str, now: Milliseconds, zone: tzinfo) -> Period | None:
    if period := _calendar_or_relative(text, now, zone):
        return period
    clock = re.fullmatch(_CLOCK, text)
    if clock is None or (clock["colon"] == "" and clock["t"] is None):
        return None
    zone = _zone(clock["zone"]) if clock["zone"] else zone
    period = _calendar_or_relative(clock["day"], now, zone)
    day = period and _only_day(period, zone)
    return replace(_time_of(day, clock, zone), from_now=period.from_now) if period and day else None


def _calendar_or_relative(text: str, now: Milliseconds, zone: tzinfo) -> Period | None:
    if told := relative_period(text, now, zone):
        return replace(told, from_now=True)
    return calendar_date(text, zone)


def _only_day(period: Period, zone: tzinfo) -> date | None:
    """Return the day that a period is, None for any other."""
    first, last = (wall_clock(at, zone).date() for at in (period.start, period.end - 1))
    return first if period.precision is Precision.DAY and first == last else None


def _zone(text: str) -> tzinfo:
    if text[0] not in "+-":
        return UTC
    # Refuses what no clock shows, such as +02:75.
    ahead = time.fromisoformat(text[1:])
    offset = timedelta(hours=ahead.hour, minutes=ahead.minute, seconds=ahead.second)
    return timezone(-offset if text[0] == "-" else offset)


def _time_of(day: date, clock: re.Match[str], zone: tzinfo) -> Period:
    minute, second = int(clock["minute"] or 0), int(clock["second"] or 0)
    microsecond = int((clock["fraction"] or "")[:3].ljust(3, "0")) * 1_000
    hour = _hour(clock)
    if hour == 24 and not (minute or second or microsecond):
        day, hour = shifted(Unit.DAY, day, 1), 0
    start = instant(datetime.combine(day, time(hour, minute, second, microsecond)), zone)
    precision = _precision(clock)
    return bounded(start, start + INSTANTS[precision], precision)


def _hour(clock: re.Match[str]) -> int:
    hour = int(clock["hour"])
    if clock["half"] is None:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError
    return hour % 12 + (12 if clock["half"] == "p" else 0)


def _precision(clock: re.Match[str]) -> Precision:
    for part, precision in (
        ("fraction", Precision.MILLISECOND),
        ("second", Precision.SECOND),
        ("minute", Precision.MINUTE),
    ):
        if clock[part] is not None:
            return precision
    return Precision.HOUR


def _how_to_write(text: str) -> str:
    if found := re.fullmatch(_YEAR_LAST, text):
        return _why_year_first(found)
    advice = "must be a date such as 2026-08 or 2026-08-03T10:00:00Z"
    return f"{advice}, not a number" if re.fullmatch(_NUMBER, text) else advice


def _why_year_first(found: re.Match[str]) -> str:
    first, second, year = int(found[1]), int(found[3]), found[4]
    # Of three numbers of two digits any may be the year.
    two_ways = len(year) == 2 or max(first, second) <= 12
    if two_ways:
        return "could be read in two ways; write the year first, such as 2026-08-03"
    return "must be written with the year first, such as 2026-08-03"


def _begins(period: Period) -> Moment:
    return period.begins


def _ends(period: Period) -> Moment:
    return period.ends


# Each text of a moment is read again, and a bundle weighs and then shows the same ones.
@lru_cache(4_096)
def _shortest(moment: Moment, zone: tzinfo, role: Callable[[Period], Moment]) -> str:
    """Return the shortest text that, read in this role, is the moment's own millisecond. What is
    no day of the zone is told to the second: fewer programs read an hour by itself.
    """
    finer = [*Precision][[*Precision].index(moment.precision) + 1 :]
    told = [each for each in finer if each not in (Precision.HOUR, Precision.MINUTE)]
    texts = (
        _cut(at, precision, zone)
        for precision in (moment.precision, *told)
        for at in (moment.at, max(moment.at - 1, FIRST))
    )
    return next(
        text for text in texts if role(parse_period("", text, moment.at, zone)).at == moment.at
    )


def _cut(at: Milliseconds, precision: Precision, zone: tzinfo) -> str:
    """Return what the clocks of `zone` show, to this precision."""
    try:
        wall = wall_clock(at, zone)
    except OverflowError:
        # There the year is 0 or 10000.
        wall = wall_clock(at, UTC)
    text = wall.isoformat(timespec="milliseconds")
    length = _LENGTHS[precision]
    return text[:length] + (text[23:].replace("+00:00", "Z") if precision in INSTANTS else "")
