"""Dates told from the present: `yesterday`, `3 days ago`, `last week`, `past 24 hours`.

One law for what is so many days, weeks, months or years away: it is the whole unit. `3 days ago` is
a day, `2 months ago` a calendar month; `last week` is one week ago, from Monday. Hours, minutes and
seconds are counted from the very moment: `5 hours ago` is an instant.

A stretch, such as `last 7 days`, holds now and reaches so many units back or on. Its bounds are cut
to whole days, or to minutes where it is counted in hours, so that it is never shorter than asked.
"""

import re
from collections.abc import Callable
from datetime import date, tzinfo

from metacortex.domain.dates.calendar_dates import WEEKDAYS
from metacortex.domain.dates.period import (
    INSTANTS,
    SPANS,
    Period,
    Unit,
    bounded,
    calendar_period,
    shifted,
)
from metacortex.domain.dates.zone import wall_clock
from metacortex.domain.moment import Milliseconds, Precision

_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
}
_DAYS_FROM_TODAY = {"yesterday": -1, "today": 0, "tomorrow": 1}
_TURNS = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1}
_SHORT_UNITS = {"hr": Unit.HOUR, "min": Unit.MINUTE, "sec": Unit.SECOND}

_NUMBER = rf"(?P<number>[0-9]{{1,6}}|{'|'.join(_NUMBERS)})"
_UNIT = rf"(?P<unit>{'|'.join([*Unit, *_SHORT_UNITS])})"
_TURN = rf"(?:the )?(?P<turn>{'|'.join(_TURNS)})"


def relative_period(text: str, now: Milliseconds, zone: tzinfo) -> Period | None:
    """Return what `text`, in lower case, tells from now; None where it does not.

    Raises:
        OverflowError: it is not in the years 0001 to 9999.
    """
    if text == "now":
        return bounded(now, now + 1, Precision.MILLISECOND)
    if (days := _DAYS_FROM_TODAY.get(text)) is not None:
        return _away(Unit.DAY, days, now, zone)
    for pattern, read in _FORMS:
        if told := re.fullmatch(pattern, text):
            return read(told, now, zone)
    return None


def _ago(told: re.Match[str], now: Milliseconds, zone: tzinfo) -> Period:
    return _counted(_unit(told), -_number(told), now, zone)


def _ahead(told: re.Match[str], now: Milliseconds, zone: tzinfo) -> Period:
    return _counted(_unit(told), _number(told), now, zone)


def _turn_of_many(told: re.Match[str], now: Milliseconds, zone: tzinfo) -> Period:
    return _stretch(_unit(told), _TURNS[told["turn"]] * _number(told), now, zone)


def _turn_of_one(told: re.Match[str], now: Milliseconds, zone: tzinfo) -> Period:
    """The last week is a calendar week, the past week and the last hour are stretches up to now."""
    unit, turn = _unit(told), _TURNS[told["turn"]]
    up_to_now = unit in SPANS or (told["turn"], unit) == ("last", Unit.DAY)
    if turn and (up_to_now or told["turn"] in ("past", "coming")):
        return _stretch(unit, turn, now, zone)
    return _away(unit, turn, now, zone)


def _last_weekday(told: re.Match[str], now: Milliseconds, zone: tzinfo) -> Period:
    today = _today(now, zone)
    back = (today.weekday() - WEEKDAYS.index(told["weekday"])) % 7 or 7
    return calendar_period(Unit.DAY, shifted(Unit.DAY, today, -back), zone)


_Reader = Callable[[re.Match[str], Milliseconds, tzinfo], Period]
_FORMS: tuple[tuple[str, _Reader], ...] = (
    (rf"{_NUMBER} {_UNIT}s? ago", _ago),
    (rf"in {_NUMBER} {_UNIT}s?", _ahead),
    (rf"{_NUMBER} {_UNIT}s? from now", _ahead),
    (rf"(?:the )?(?P<turn>last|past|previous|next|coming) {_NUMBER} {_UNIT}s?", _turn_of_many),
    (rf"{_TURN} {_UNIT}", _turn_of_one),
    # Which day the next Friday is, people do not agree on.
    (rf"last (?P<weekday>{'|'.join(WEEKDAYS)})", _last_weekday),
)


def _counted(unit: Unit, count: int, now: Milliseconds, zone: tzinfo) -> Period:
    """Return the whole unit of the calendar, or the instant, that is `count` units from now."""
    if unit not in SPANS:
        return _away(unit, count, now, zone)
    at = now + count * SPANS[unit]
    return bounded(at, at + 1, Precision.MILLISECOND)


def _away(unit: Unit, count: int, now: Milliseconds, zone: tzinfo) -> Period:
    """Return the whole unit of the calendar or the clock that is `count` units from the present."""
    if unit not in SPANS:
        return calendar_period(unit, shifted(unit, _today(now, zone), count), zone)
    return _of_clock(now + count * SPANS[unit], Precision(unit), zone)


def _stretch(unit: Unit, count: int, now: Milliseconds, zone: tzinfo) -> Period:
    """Return what lies between the present and `count` units from it, both included."""
    if unit in SPANS:
        precision = Precision.MINUTE if unit is Unit.HOUR else Precision.SECOND
        ends = [_of_clock(at, precision, zone) for at in sorted((now, now + count * SPANS[unit]))]
    else:
        precision, today = Precision.DAY, _today(now, zone)
        days = sorted((today, shifted(unit, today, count)))
        ends = [calendar_period(Unit.DAY, day, zone) for day in days]
    return bounded(ends[0].start, ends[1].end, precision)


def _of_clock(at: Milliseconds, precision: Precision, zone: tzinfo) -> Period:
    """Return the hour, minute or second that the clocks show at a moment."""
    length = INSTANTS[precision]
    wall = wall_clock(at, zone)
    since_the_hour = (wall.minute * 60 + wall.second) * 1_000 + wall.microsecond // 1_000
    start = at - since_the_hour % length
    return bounded(start, start + length, precision)


def _today(now: Milliseconds, zone: tzinfo) -> date:
    return wall_clock(now, zone).date()


def _unit(told: re.Match[str]) -> Unit:
    return _SHORT_UNITS.get(told["unit"]) or Unit(told["unit"])


def _number(told: re.Match[str]) -> int:
    return _NUMBERS.get(told["number"]) or int(told["number"])
