"""The words leg of a search in Firestore, which has no full-text search: a bounded set of
candidates, found by the rarest terms of the query, to be scored in the process.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metacortex.adapters.firestore.known import Known, scored
from metacortex.adapters.firestore.parts import Part
from metacortex.adapters.firestore.statistics import Statistics
from metacortex.adapters.firestore.terms import term_key
from metacortex.adapters.firestore.together import together
from metacortex.domain.question import Question
from metacortex.domain.search import MemoryFilter
from metacortex.domain.words.bm25 import term_weights

MOST_ASKED = 12
"""How many terms of a query are looked for. Of more, the longest are taken, being the rarest; the
others have no say.
"""
MOST_CANDIDATES = 60
"""How many memories the terms that are looked for may find. With it a search stays within 250 reads
at 10,000 memories: see docs/architecture.md.
"""


@dataclass(frozen=True, slots=True)
class Weighing:
    """What each term weighs, and how long a memory is on average."""

    weights: Mapping[str, float]
    average_length: float


@dataclass(frozen=True, slots=True)
class Words:
    """What the terms weigh, how many memories there are, the candidates among them, and which
    records were read; `unseen` is the largest share of the query that a memory may hold which is
    none of them.
    """

    weighing: Weighing
    memories: int
    candidates: Mapping[str, Known]
    read: frozenset[str]
    unseen: float


NO_WORDS = Words(Weighing({}, 1.0), 0, {}, frozenset(), 0.0)
"""What the words of a question without any come to."""


async def look_for_words(
    parts: Sequence[Part],
    statistics: Statistics,
    question: Question,
    terms: Sequence[str],
    where: MemoryFilter,
) -> Words:
    """Return what the words of a question come to."""
    key_by_term = {term: term_key(term) for term in _asked(terms)}
    figures = await statistics.of(parts, [*key_by_term.values()])
    frequencies = {term: figures.frequencies[key] for term, key in key_by_term.items()}
    weights = term_weights(key_by_term, frequencies, figures.memories)
    chosen = _rarest(frequencies)
    keys = [key_by_term[term] for term in chosen]
    # One more than may be, to see whether there are more.
    answers = await together(part.holding(keys, MOST_CANDIDATES + 1) for part in parts)
    records = [record for answer in answers for record in answer]
    cut = any(len(answer) > MOST_CANDIDATES for answer in answers)
    left = sum(weight for term, weight in weights.items() if term not in chosen)
    return Words(
        Weighing(weights, figures.average_length),
        figures.memories,
        scored(records, question, where),
        frozenset(id_ for id_, _ in records),
        1.0 if cut else left / (sum(weights.values()) or 1.0),
    )


def _asked(terms: Sequence[str]) -> list[str]:
    return sorted(terms, key=lambda term: -len(term.encode()))[:MOST_ASKED]


def _rarest(frequencies: Mapping[str, int]) -> list[str]:
    """Return terms, rarest first, as long as they find no more together than may be; at least one.

    One that nothing holds costs nothing, and a memory that has just been written may hold it.
    """
    chosen: list[str] = []
    found = 0
    for term in sorted(frequencies, key=lambda term: frequencies[term]):
        found += frequencies[term]
        if found > max(MOST_CANDIDATES, frequencies[term]):
            break
        chosen.append(term)
    return chosen
