"""Numbers, versions, dates and times of day, each as one term however it is written."""

import re

_THOUSANDS = re.compile(r"\d{1,3}(?:[,']\d{3})+(?:\.\d+)?")
_DECIMAL_COMMA = re.compile(r"\d+,\d{1,2}")
_DOTTED = re.compile(r"[vV]?(\d+(?:\.\d+)+)")
_POINTED_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")
_TIME = re.compile(r"([01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?")
_YEAR_FIRST = re.compile(r"((?:19|20)\d\d)[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[tT][\d:.]+[zZ]?)?")
_DAY_FIRST = re.compile(r"(\d{1,2})[./](\d{1,2})[./]((?:19|20)\d\d)")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)", re.IGNORECASE)


def number_terms(text: str) -> list[str]:
    """Return the terms of a text that is all a number, version, date or time; else none.

    A date gives itself as in ISO 8601, its month and its year; of one with slashes the day is
    known only where no month has that number.
    """
    if not text[-1:].isalnum() or not any(map(str.isdigit, text)):
        return []
    if date := _date(text):
        return date
    if ordinal := _ORDINAL.fullmatch(text):
        return [ordinal[1]]
    if _TIME.fullmatch(text):
        return [text.zfill(5)] if len(text) < 6 else [text.zfill(8), text.zfill(8)[:5]]
    if _THOUSANDS.fullmatch(text):
        return [text.replace(",", "").replace("'", "")]
    if _DECIMAL_COMMA.fullmatch(text):
        return [text.replace(",", ".")]
    return _version(text)


def _version(text: str) -> list[str]:
    version = _DOTTED.fullmatch(text)
    if not version:
        return []
    parts = version[1].split(".")
    terms = [version[1]]
    if len(parts) > 2:
        terms.append(".".join(parts[:2]))
    if _POINTED_THOUSANDS.fullmatch(text):
        terms.append("".join(parts))
    return terms


def _date(text: str) -> list[str]:
    if found := _YEAR_FIRST.fullmatch(text):
        year, month, day = found[1], int(found[2]), int(found[3] or 0)
    elif found := _DAY_FIRST.fullmatch(text):
        day, month, year = int(found[1]), int(found[2]), found[3]
        if month > 12 or ("/" in text and day <= 12):
            day, month = month, day
    else:
        return []
    if not 1 <= month <= 12 or day > 31:
        return []
    terms = [f"{year}-{month:02}-{day:02}"] if day else []
    return [*terms, f"{year}-{month:02}", year]
