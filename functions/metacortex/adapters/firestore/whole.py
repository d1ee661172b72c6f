"""Where few memories pass what is pushed, all of them are read: that is less than to ask for the
best of each leg, and nothing is left to chance.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from metacortex.adapters.firestore.known import Known, scored
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.parts import Part
from metacortex.adapters.firestore.queries import Leg, best_cosines, legs
from metacortex.adapters.firestore.statistics import Statistics
from metacortex.adapters.firestore.together import both, together
from metacortex.adapters.firestore.words import Weighing
from metacortex.domain.neighbours import REACH
from metacortex.domain.question import Question
from metacortex.domain.search import MemoryFilter
from metacortex.domain.vector import Vector
from metacortex.domain.words.bm25 import term_weights

FEW = 100
"""Records and windows together."""


async def read_whole(
    tenant: Tenant,
    over: Sequence[Part],
    statistics: Statistics,
    question: Question,
    where: MemoryFilter,
) -> dict[str, Known] | None:
    """Return all memories that pass the filter, or None where there are more than a few."""
    vector = question.vector
    windows: list[Leg] = []
    if vector is not None:
        windows = [leg for leg in legs(tenant, question.space, where) if leg.over_windows]
    if await statistics.rows(over, windows, FEW) > FEW:
        return None
    # One more than may be: others may have written since it was counted.
    answers, of_windows = await both(
        together(part.everything(FEW + 1) for part in over),
        _windows(windows, vector),
    )
    records = [record for answer in answers for record in answer]
    if of_windows is None or len(records) > FEW:
        return None
    return scored(records, question, where, of_windows)


def weigh(known: Mapping[str, Known], terms: Sequence[str]) -> Weighing:
    """Return what terms weigh among these memories."""
    frequencies = Counter(term for each in known.values() for term in each.held.counts)
    length = sum(each.held.length for each in known.values())
    weights = term_weights(terms, frequencies, len(known))
    return Weighing(weights, length / len(known) if length else 1.0)


def run_within(known: Mapping[str, Known], one: Known) -> Mapping[str, Known]:
    """Return a memory with those around it in its session."""
    session = sorted(
        (each.memory.created_at, id_)
        for id_, each in known.items()
        if each.memory.session_id == one.memory.session_id
    )
    at = session.index((one.memory.created_at, one.memory.id))
    return {id_: known[id_] for _, id_ in session[max(0, at - REACH) : at + REACH + 1]}


async def _windows(windows: Sequence[Leg], vector: "Vector | None") -> dict[str, float] | None:
    """Return the cosine of the best further window of each memory, or None if there are many."""
    if vector is None:
        return {}
    answers = await together(leg.everything(vector, FEW + 1) for leg in windows)
    if any(len(rows) > FEW for rows in answers):
        return None
    return best_cosines(row for rows in answers for row in rows)
