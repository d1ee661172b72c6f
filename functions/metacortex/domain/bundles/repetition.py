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
    def flat(self) -> str:
        """The text on one line, without case."""
        return " ".join(self._text.casefold().split())

    def hold(self, other: "Words") -> bool:
        """Whether the other text stands whole in this one, and no sentence runs on beyond its ends:
        who says that it is wrong that we use Redis does not say that we use it.
        """
        at = self.flat.find(other.flat)
        if at < 0 or not other.flat:
            return False
        before, after = self.flat[:at].rstrip(), self.flat[at + len(other.flat) :].lstrip()
        return not (before[-1:].isalnum() or (after[:1].isalnum() and other.flat[-1:].isalnum()))

    def share_in(self, other: "Words") -> float:
        """Return the share of its terms that the other text has too."""
        return len(self.terms & other.terms) / len(self.terms) if self.terms else 0.0


class Told:
    """What several texts tell, to ask of many others whether it is told already."""

    def __init__(self, texts: Iterable[Words]) -> None:
        self._texts = [*texts]
        self._lines = "\n".join(text.flat for text in self._texts)

    def hold(self, other: Words) -> bool:
        """Whether the other text stands whole in one of these."""
        # Most stand nowhere, and to look through all at once tells that soonest.
        return other.flat in self._lines and any(text.hold(other) for text in self._texts)


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
