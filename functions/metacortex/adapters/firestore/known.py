"""What a search has read of memories: records, how near they are, and whether they pass."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, inf
from typing import Any

from metacortex.adapters.firestore.documents import load_memory
from metacortex.adapters.firestore.layout import VECTOR_FIELD
from metacortex.adapters.firestore.terms import Held, held_terms
from metacortex.domain.memory import Memory
from metacortex.domain.question import Question
from metacortex.domain.search import MemoryFilter, passes
from metacortex.domain.vector import Vector

NO_WINDOWS: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that passes the filter, what it holds of the question's terms, its cosine, None
    without a vector in the space, and how many windows it has.
    """

    memory: Memory
    held: Held
    cosine: float | None
    windows: int


def passing(
    records: Mapping[str, dict[str, Any]],
    cosines: Mapping[str, float],
    question: Question,
    where: MemoryFilter,
) -> dict[str, Known]:
    """Return those records, by their ids, that pass the whole filter."""
    terms = question.terms or ()
    loaded = (
        Known(
            load_memory(id_, record),
            held_terms(record, terms),
            cosines.get(id_),
            record["windows"],
        )
        for id_, record in records.items()
    )
    return {known.memory.id: known for known in loaded if passes(known.memory, where)}


def scored(
    records: Iterable[tuple[str, dict[str, Any]]],
    question: Question,
    where: MemoryFilter,
    of_windows: Mapping[str, float] = NO_WINDOWS,
) -> dict[str, Known]:
    """Return those records that pass, scored by the vectors that they hold and by what is known of
    their further windows.
    """
    by_id, cosines = {}, {}
    for id_, record in records:
        vector = record.pop(VECTOR_FIELD, None)
        if question.vector is not None and record["space"] == str(question.space):
            cosines[id_] = max(cosine_of(question.vector, vector), of_windows.get(id_, -inf))
        by_id[id_] = record
    return passing(by_id, cosines, question, where)


def cosine_of(query: Vector, vector: Sequence[float]) -> float:
    """Return the cosine as Firestore does: vectors of 32 bits miss unit length in the digits that a
    score shows.
    """
    product = sum(a * b for a, b in zip(query, vector, strict=True))
    return float(product / (hypot(*query) * hypot(*vector)))
