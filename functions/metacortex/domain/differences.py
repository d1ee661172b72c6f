"""Differences: why a text that resembles another may not say the same.

The words that only one of two texts has are told by their kinds. Their order has no say, so a
sentence that was turned round differs in its wording alone.
"""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from metacortex.domain.statement import Mark, MarkKind, marks_of, plain_words

_READ = 8_000
"""Of a longer text its beginning is compared."""


class Difference(StrEnum):
    """What one text has and the other has not, or has differently."""

    NUMBER = "number"
    DATE = "date"
    """A day, month, year or time of day."""
    NEGATION = "negation"
    NAME = "name"
    """A capitalised word or an identifier."""
    VERSION = "version"
    WORDING = "wording"
    """Nothing of these, but not the same words either."""
    NOTHING = "nothing"
    """The same text again, but for case, spaces and punctuation."""


_KINDS = {
    MarkKind.NUMBER: Difference.NUMBER,
    MarkKind.DATE: Difference.DATE,
    MarkKind.NEGATION: Difference.NEGATION,
    MarkKind.NAME: Difference.NAME,
    MarkKind.VERSION: Difference.VERSION,
}


def differences(one: str, other: str) -> tuple[Difference, ...]:
    """Return what two texts differ in, in the order of `Difference`: `nothing` and `wording` only
    where there is nothing else.
    """
    if plain_words(one) == plain_words(other):
        return (Difference.NOTHING,)
    marks, others = marks_of(one[:_READ]), marks_of(other[:_READ])
    left, right = _only_in(marks, others), _only_in(others, marks)
    kinds = {mark.kind for mark in (*left, *right)}
    if _exchanged_openings(left, right):
        kinds.add(MarkKind.NAME)
    found = tuple(difference for kind, difference in _KINDS.items() if kind in kinds)
    return found or (Difference.WORDING,)


def _only_in(marks: Iterable[Mark], others: Iterable[Mark]) -> list[Mark]:
    left = Counter(mark.key for mark in marks) - Counter(mark.key for mark in others)
    by_key = {mark.key: mark for mark in marks}
    return [by_key[key] for key in left]


def _exchanged_openings(left: Iterable[Mark], right: Iterable[Mark]) -> bool:
    """Whether all that differs in words is how a sentence opens: it has another subject then."""
    words, others = (
        [mark.kind for mark in marks if mark.kind in (MarkKind.WORD, MarkKind.OPENING)]
        for marks in (left, right)
    )
    return words == others == [MarkKind.OPENING]
