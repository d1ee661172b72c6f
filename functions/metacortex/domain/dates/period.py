"""Periods: what a date covers on the time axis, and what it means as a start, an end or a bound.

They lie in the years 0001 to 9999 of UTC: what reaches beyond is cut there, so that the first and
the last day that people write for "always" can be stored and shown.
"""

from calendar import monthrange
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

from metacortex.domain.dates.zone import instant
from metacortex.domain.moment import Milliseconds, Moment, Precision

FIRST: Milliseconds = -62_135_596_800_000
"""0001-01-01T00:00:00.000Z."""
LAST: Milliseconds = 253_402_300_799_999
"""9999-12-31T23:59:59.999Z."""


class Unit(StrEnum):
    """What people count time in."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"


MONTHS = {Unit.YEAR: 12, Unit.QUARTER: 3, Unit.MONTH: 1}
DAYS = {Unit.WEEK: 7, Unit.DAY: 1}
SPANS: dict[Unit, Milliseconds] = {Unit.HOUR: 3_600_000, Unit.MINUTE: 60_000, Unit.SECOND: 1_000}
INSTANTS: dict[Precision, Milliseconds] = {
    Precision.HOUR: 3_600_000,
    Precision.MINUTE: 60_000,
    Precision.SECOND: 1_000,
    Precision.MILLISECOND: 1,
}
"""How long a time of day is, by its precision."""
# A week has days for its bounds, a quarter months: they can be written with no loss.
_JUST_NOW: Milliseconds = 1_000
_PRECISIONS = {Unit.QUARTER: Precision.MONTH, Unit.WEEK: Precision.DAY}


@dataclass(frozen=True, slots=True)
class Period:
    """From `start`, included, to `end`, excluded; never empty. Each argument has its own reading:

    - `valid_from`, and what is *since* or *from* it: `begins`.
    - `valid_until`, and what is *until* or *through* it: `ends`.
    - `created_after` and every other *after*: `after`, included.
    - `created_before` and every other *before*: `before`, excluded.
    - `as_of`, `known_at`: `as_of(now)`.
    - what is *in* or *during* it: `start` and `end`.
    """

    start: Milliseconds
    end: Milliseconds
    precision: Precision
    """The precision of the two bounds."""
    from_now: bool = False
    """Whether it was told from the present, as `last week` is."""

    @property
    def begins(self) -> Moment:
        """The moment at which something begins that holds from here: the first millisecond."""
        return Moment(self.start, self.precision)

    @property
    def ends(self) -> Moment:
        """The moment, itself excluded, at which something ends that holds until here.

        Until `2026-08` takes in all of August and ends where September begins; a time of day is
        the instant itself: until `10:15` ends there, not a minute later.
        """
        return Moment(self.start if self._is_instant else min(self.end, LAST), self.precision)

    @property
    def after(self) -> Milliseconds:
        """The first millisecond after it: after `2023` begins where 2023 ends.

        After a time of day begins there. What is told from now is a reach back and belongs to it:
        after `last week` begins with last week, as do after `yesterday` and `last 7 days`.
        """
        return self.start if self.from_now else self.ends.at

    @property
    def before(self) -> Milliseconds:
        """The first millisecond that is no more before it: before `2023` ends where 2023 begins."""
        return self.start

    def as_of(self, now: Milliseconds) -> Milliseconds:
        """Return the one moment at which to look at the world.

        A period that `now` lies in means now, any other its last millisecond: as of `2025` is how
        things stood when 2025 ended. A time of day is the instant itself, but that `now` was read
        a moment before.
        """
        if self.from_now and 0 <= now - self.start < _JUST_NOW:
            return now
        if self._is_instant:
            return self.start
        return now if self.start <= now < self.end else self.end - 1

    @property
    def _is_instant(self) -> bool:
        return self.end - self.start == INSTANTS.get(self.precision)


def calendar_period(unit: Unit, day: date, zone: tzinfo) -> Period:
    """Return the day, week from Monday, month, quarter or year that `day` lies in.

    A day that its zone skipped whole, as Samoa did one, is the day after it.
    """
    first = _first_day(unit, day)
    try:
        after = instant(datetime.combine(shifted(unit, first, 1), time()), zone)
    except OverflowError:
        # The calendar of the standard library ends with 9999.
        after = LAST + 1
    start = instant(datetime.combine(first, time()), zone)
    if after <= start:
        after = start + 24 * SPANS[Unit.HOUR]
    return bounded(start, after, _PRECISIONS.get(unit) or Precision(unit))


def bounded(start: Milliseconds, end: Milliseconds, precision: Precision) -> Period:
    """Return the part of a period that lies in the years 0001 to 9999.

    Raises:
        OverflowError: there is none.
    """
    start, end = max(start, FIRST), min(end, LAST + 1)
    if start >= end:
        raise OverflowError
    return Period(start, end, precision)


def shifted(unit: Unit, day: date, count: int) -> date:
    """Return the day `count` years, quarters, months, weeks or days later, or earlier if negative.

    Where the month is too short, its last day.

    Raises:
        OverflowError: it is not in the years 0001 to 9999.
    """
    if unit in DAYS:
        return day + timedelta(days=count * DAYS[unit])
    year, month = divmod(_month_number(day) + count * MONTHS[unit], 12)
    if not MINYEAR <= year <= MAXYEAR:
        raise OverflowError
    first = date(year, month + 1, 1)
    return first + timedelta(days=min(day.day, monthrange(year, month + 1)[1]) - 1)


def _first_day(unit: Unit, day: date) -> date:
    if unit in DAYS:
        return day - timedelta(days=day.weekday() if unit is Unit.WEEK else 0)
    year, month = divmod(_month_number(day) // MONTHS[unit] * MONTHS[unit], 12)
    return date(year, month + 1, 1)


def _month_number(day: date) -> int:
    return day.year * 12 + day.month - 1
