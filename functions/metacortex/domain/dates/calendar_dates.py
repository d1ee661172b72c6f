"""Dates of the calendar: `2026`, `2026-08`, `2026-W32`, `2026-Q3`, `20260803`, `3 August 2026`."""

import re
from datetime import date, tzinfo

from metacortex.domain.dates.period import Period, Unit, calendar_period

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

# Kept as text: `re` compiles and keeps each at its first use, which a server's start needs none of.
_DATES = (
    r"(?P<year>[0-9]{4})"
    r"(?:(?P<dash>[-/])(?P<month>[0-9]{1,2})(?:(?P=dash)(?P<day>[0-9]{1,2}))?)?",
    r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})",
    r"(?:(?P<day>[0-9]{1,2})(?:st|nd|rd|th|\.)?[ -](?:of )?)?"
    r"(?P<month>[a-z]{3,9})\.?,?[ -](?P<year>[0-9]{4})",
    r"(?P<month>[a-z]{3,9})\.? (?P<day>[0-9]{1,2})(?:st|nd|rd|th)?,? (?P<year>[0-9]{4})",
)
_QUARTERS = (
    r"(?P<year>[0-9]{4})[- ]?q(?P<quarter>[1-4])",
    r"q(?P<quarter>[1-4])[- ]?(?P<year>[0-9]{4})",
)
_WEEK = r"(?P<year>[0-9]{4})-?w(?P<week>[0-9]{2})(?:-?(?P<day>[1-7]))?"
_WEEKDAY = r"(?P<weekday>[a-z]{3,9})\.?,? (?P<rest>.+)"


def calendar_date(text: str, zone: tzinfo) -> Period | None:
    """Return the day, week, month, quarter or year that `text`, in lower case, names.

    A weekday may stand before a day, and must be the right one. None where it is no such date.

    Raises:
        OverflowError, ValueError: there is no such day, or not in the years 0001 to 9999.
    """
    named = re.fullmatch(_WEEKDAY, text)
    if named and (weekday := _place(named["weekday"], WEEKDAYS)):
        return _on_weekday(weekday, named["rest"], zone)
    found = _unit_and_day(text)
    return found and calendar_period(*found, zone)


def _on_weekday(weekday: int, text: str, zone: tzinfo) -> Period | None:
    found = _unit_and_day(text)
    if found is None or found[0] is not Unit.DAY:
        return None
    if found[1].isoweekday() != weekday:
        raise ValueError
    return calendar_period(*found, zone)


def _unit_and_day(text: str) -> tuple[Unit, date] | None:
    """Return what `text` names and a day in it."""
    for pattern in _DATES:
        if (named := re.fullmatch(pattern, text)) and (found := _date(named)):
            return found
    for pattern in _QUARTERS:
        if named := re.fullmatch(pattern, text):
            return Unit.QUARTER, date(int(named["year"]), int(named["quarter"]) * 3, 1)
    if named := re.fullmatch(_WEEK, text):
        year, week, day = int(named["year"]), int(named["week"]), named["day"]
        return Unit.DAY if day else Unit.WEEK, date.fromisocalendar(year, week, int(day or 1))
    return None


def _date(named: re.Match[str]) -> tuple[Unit, date] | None:
    year, month, day = named["year"], named["month"], named["day"]
    if month is None:
        return Unit.YEAR, date(int(year), 1, 1)
    number = int(month) if month.isdecimal() else _place(month, MONTHS)
    if number is None:
        return None
    return Unit.DAY if day else Unit.MONTH, date(int(year), number, int(day or 1))


def _place(word: str, names: tuple[str, ...]) -> int | None:
    """Return the place from 1 of the name that `word` is, or begins: both `aug` and `august`."""
    places = (place for place, name in enumerate(names, start=1) if name.startswith(word))
    return next(places, None)
