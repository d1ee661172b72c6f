"""Repetition: when one text says what another says already, word for word.

Texts that only resemble each other are never taken for the same: two deadlines that differ in a
number are two truths.
"""

from collections.abc import Iterable
from functools import cached_property

from metacortex.domain.search import Match
from metacortex.domain.words.terms import terms_of

_READ = 8_000
"""The terms of a longer text are those of its beginning."""


class Words:
    """The words of a text, to compare with those of others."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its terms."""
        return frozenset(terms_of(self._text[:_READ]))

    @cached_property
    def _flat(self) -> str:
        return " ".join(self._text.casefold().split())

    def hold(self, other: "Words") -> bool:
        """Whether the other text stands whole in this one, and no sentence runs on beyond its ends:
        who says that it is wrong that we use Redis does not say that we use it.
        """
        at = self._flat.find(other._flat)
        if at < 0 or not other._flat:
            return False
        before, after = self._flat[:at].rstrip(), self._flat[at + len(other._flat) :].lstrip()
        return not (before[-1:].isalnum() or (after[:1].isalnum() and other._flat[-1:].isalnum()))

    def share_in(self, other: "Words") -> float:
        """Return the share of its terms that the other text has too."""
        return len(self.terms & other.terms) / len(self.terms) if self.terms else 0.0


def without_recalls(ranked: Iterable[Match]) -> list[Match]:
    """Return the matches that are no copies of others among them: of a memory and what was saved
    when it had been recalled, the memory; of several such copies, the first.
    """
    matches = [*ranked]
    told = {match.memory.id for match in matches}
    kept = []
    for match in matches:
        sources = frozenset(match.memory.recalled_from)
        if not sources & told:
            kept.append(match)
            told |= sources
    return kept
