"""Dates within a value: a day, month, quarter or year, a time of day, a day of the week.

A month takes in its days, so two dates agree where one lies in the other.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC

from metacortex.domain.dates.parsing import parse_period
from metacortex.domain.errors import InvalidInput
from metacortex.domain.words.folding import folded
from metacortex.domain.words.telling_words import BEFORE_YEARS, DAYS, MONTHS, UNSURE_MONTHS
from metacortex.domain.words.written_numbers import number_terms

_YEAR = r"(?:19|20)\d\d"
_ISO = (
    rf"(?<![\w-]){_YEAR}-\d\d(?:-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
    r"(?: ?(?:z|utc|[+-]\d\d:?\d\d))?)?)?(?![\w-])"
)
_NUMERIC = rf"(?<![\w.-])(?:{_YEAR}([/.])\d\d?\1\d\d?|\d\d?([/.])\d\d?\2{_YEAR})(?![\w-])"
_QUARTER = rf"(?<!\w)(?:q[1-4][ -]?{_YEAR}|{_YEAR}[ -]?q[1-4])(?!\w)"
_TOLD = (
    r"(?<![\w.-])(?:(?P<day>\d\d?)(?:st|nd|rd|th|er|\.)?(?: of| de)? )?(?P<month>[^\W\d_]{3,10})\.?"
    rf"(?: (?P<late>\d\d?)(?:st|nd|rd|th)?(?![\d:]))?(?:,? (?:de |del |of )?(?P<year>{_YEAR}))?"
    r"(?![\w-])"
)
_CLOCK = (
    r"(?<![\w:.])(?:(?P<hour>[01]?\d|2[0-3])(?:[:h](?P<minute>[0-5]\d))(?::[0-5]\d)?"
    r"|(?P<bare>[01]?\d|2[0-3])(?=\s?(?:[ap]\.?m\b|uhr)))(?:\s?(?P<half>[ap]\.?m\b\.?|uhr|h))?"
    r"(?![\w:])"
)
_BARE_YEAR = rf"(?<![\w.,/-]){_YEAR}(?![\w.,/%-])"
_SINCE_YEAR = rf"(?<!\w)(?:{'|'.join(sorted(BEFORE_YEARS))}) (?P<year>{_YEAR})(?![\w.,/%-])"


_PARTS = {"beginning": (0, 1), "start": (0, 1), "early": (0, 2), "anfang": (0, 2)} | {
    "mid": (1, 3),
    "middle": (1, 3),
    "mitte": (1, 3),
    "late": (2, 4),
    "end": (3, 4),
    "ende": (3, 4),
}
"""Which quarters of a period a word before it means."""
_LONGEST_DAY = 90_000_000


@dataclass(frozen=True, slots=True)
class Dated:
    """From `start`, included, to `end`, excluded, on the scale of this sort."""

    sort: str
    start: int
    end: int

    def meets(self, other: "Dated") -> bool:
        """Whether a moment can lie in both."""
        return self.start < other.end and other.start < self.end


def dates_in(text: str, *, with_years: bool) -> tuple[tuple[Dated, ...], str]:
    """Return the dates of a text in lower case, and the text without them; with bare years, or only
    those behind a word such as `since`.
    """
    found: list[Dated] = []

    def taken(read: Callable[[re.Match[str]], Dated | None]) -> Callable[[re.Match[str]], str]:
        def replaced(match: re.Match[str]) -> str:
            dated = read(match)
            if dated is None:
                return match[0]
            before = match.string[: match.start()].split()[-2:]
            found.append(_part(dated, before))
            return " "

        return replaced

    for pattern, read in _FORMS:
        text = re.sub(pattern, taken(read), text)
    if with_years:
        text = re.sub(_BARE_YEAR, taken(lambda match: _calendar(match[0])), text)
    text = re.sub(r"[^\W\d_]+(?:-feira)?", taken(_weekday), text)
    return tuple(found), text


def _part(dated: Dated, before: Sequence[str]) -> Dated:
    """Return the part of a year, quarter or month that the words before it name: `early 2026`."""
    words = [word for word in before if word not in ("of", "the", "in")]
    part = _PARTS.get(words[-1]) if words else None
    length = dated.end - dated.start
    if part is None or dated.sort != "calendar" or length <= _LONGEST_DAY:
        return dated
    first, last = part
    return Dated(dated.sort, dated.start + length * first // 4, dated.start + length * last // 4)


def _calendar(text: str) -> Dated | None:
    try:
        period = parse_period("", text, 0, UTC)
    except InvalidInput:
        return None
    return Dated("calendar", period.start, period.end)


def _numeric(match: re.Match[str]) -> Dated | None:
    terms = number_terms(match[0])
    return _calendar(terms[0]) if terms else None


def _told(match: re.Match[str]) -> Dated | None:
    word = folded(match["month"])
    day = match["day"] or match["late"]
    if word not in MONTHS or (word in UNSURE_MONTHS and not (day or match["year"])):
        return None
    month = int(MONTHS[word])
    if match["year"]:
        text = f"{match['year']}-{month:02}"
        return _calendar(f"{text}-{int(day):02}" if day else text)
    first = 31 * month + (int(day) - 1 if day else 0)
    return Dated("season", first, first + (1 if day else 31))


def _clock(match: re.Match[str]) -> Dated | None:
    hour, half = int(match["hour"] or match["bare"]), (match["half"] or "")[:1]
    if half in ("a", "p"):
        hour = hour % 12 + (12 if half == "p" else 0)
    minute = 60 * hour + int(match["minute"] or 0)
    return Dated("clock", minute, minute + 1)


def _weekday(match: re.Match[str]) -> Dated | None:
    day = DAYS.get(folded(match[0]), "")
    return Dated("weekday", int(day), int(day) + 1) if day.isdigit() else None


_FORMS: tuple[tuple[str, Callable[[re.Match[str]], Dated | None]], ...] = (
    (_ISO, lambda match: _calendar(match[0])),
    (_NUMERIC, _numeric),
    (_QUARTER, lambda match: _calendar(match[0])),
    (_TOLD, _told),
    (_CLOCK, _clock),
    (_SINCE_YEAR, lambda match: _calendar(match["year"])),
)
