"""Fractions as people write them, `1½` and `1 1/2`, as two numbers with a slash of their own."""

import re
from fractions import Fraction
from unicodedata import numeric

SLASH = "\u2044"
"""Stands between the two numbers of a fraction; a text may have it of its own, with any number
behind it or none.
"""
_WHOLE = r"\d{1,3}(?:[,'\s]\d{3})+|\d+"
_EACH = "\u00bc-\u00be\u2150-\u215e"
_VULGAR = rf"(?:(?<![\d.,])({_WHOLE})\s?)?([{_EACH}])"
_PLAIN = rf"(?<![\w.,/:-])(?:({_WHOLE})[ -])?([1-9]\d?)/([1-9]\d?)(?![\w/]|[.:,-]\w)"


def with_vulgar(text: str) -> str:
    """Return a text with its fractions of one character as two numbers: `1½` is three halves."""

    def improper(found: re.Match[str]) -> str:
        return _improper(found[1], Fraction(numeric(found[2])).limit_denominator(10))

    # Of what goes on right behind a fraction no number is made: nobody reads `½½`.
    apart = re.sub(rf"[{_EACH}](?=[\d{_EACH}])", rf"\g<0>{SLASH}", text)
    return re.sub(_VULGAR, improper, apart)


def with_plain(text: str) -> str:
    """Return a text that has no dates with its fractions below one, such as `1/2`, alike."""

    def improper(found: re.Match[str]) -> str:
        part = Fraction(int(found[2]), int(found[3]))
        return _improper(found[1], part) if part < 1 else found[0]

    return re.sub(_PLAIN, improper, text)


def _improper(whole: str | None, part: Fraction) -> str:
    number = int(re.sub(r"\D", "", whole or "0")) + part
    return f"{number.numerator}{SLASH}{number.denominator}"
