"""Resemblance: which stored memories a text is like, and why it is not the same.

A text resembles another that has many of its words and much of its meaning. That tells nothing of
whether both hold: two deadlines that differ by a day resemble each other more than two wordings of
one. So nothing follows from it but a hint.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from metacortex.domain.bundles.repetition import Words
from metacortex.domain.differences import Difference, differences
from metacortex.domain.memory import Memory
from metacortex.domain.ranking import nearness
from metacortex.domain.search import Match

RESEMBLES = 0.525
"""From here on a text resembles another: measured with two models, see `bench/README.md`."""
SHARED = 0.25
"""At least so much of the words must be shared: where a model does not know a language, it finds
all of its texts alike.
"""
MOST_SIMILAR = 3
"""How many are named."""
LENGTHS = 2
"""A text of more than so many times the words of another is about more: a sentence does not
resemble the document that it stands in.
"""


@dataclass(frozen=True, slots=True)
class Similar:
    """A memory that a text resembles. `score` is in [0, 1], higher is more alike."""

    memory: Memory
    score: float
    differs: tuple[Difference, ...]


def similar_to(text: str, nearest: Iterable[Match], unrelated: float) -> tuple[Similar, ...]:
    """Return which of the nearest memories a text resembles, the most alike first, equals newest
    first; their scores are cosines, and `unrelated` is that of unrelated texts.
    """
    words = Words(text)
    alike = (
        (_likeness(words, Words(match.memory.text), nearness(match.score, unrelated)), match.memory)
        for match in nearest
    )
    found = [(score, memory) for score, memory in alike if score >= RESEMBLES]
    found.sort(key=lambda each: (-each[0], -each[1].created_at, each[1].id))
    return tuple(
        Similar(memory, score, differences(memory.text, text))
        for score, memory in found[:MOST_SIMILAR]
    )


def _likeness(words: Words, others: Words, near: float) -> float:
    """Return how alike two texts are: the mean of how near their meanings are and how many of their
    words they share.
    """
    shorter, longer = sorted((len(words.terms), len(others.terms)))
    shared = 2 * len(words.terms & others.terms) / max(shorter + longer, 1)
    if longer > LENGTHS * shorter or shared < SHARED:
        return 0.0
    # Engines add up in different orders, so their last digits tell nothing.
    return round((near + shared) / 2, 6)
