"""The meaning leg of a search in Firestore: first in the vector index alone, then wider, until
there are candidates enough.

Where meaning is all that is asked, the best are to be certain: each nearer than everything that no
query has returned. Beside words it will do that as many candidates pass as are wanted, or that
every record was returned, however many windows there are: an order by both legs hangs little on who
comes last in one. Where a filter that the index does not know (such as valid time) drops what it
returned, or windows and equal cosines crowd together, the leg reads on: all of what passes the
pushed filters where that is little, else ever more of the nearest, up to what Firestore returns at
most; if that does not do, the result is incomplete.
"""

from asyncio import Semaphore
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from metacortex.adapters.firestore.documents import SCORED_FIELDS
from metacortex.adapters.firestore.known import Known, passing
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.queries import Leg, Row, best_cosines, legs
from metacortex.adapters.firestore.together import together
from metacortex.adapters.firestore.vectors import read_named
from metacortex.domain.question import Question
from metacortex.domain.ranking import EACH_LEG, nearness
from metacortex.domain.search import MemoryFilter
from metacortex.domain.vector import Vector

WIDER = (100, 300, 1_000)
"""How many rows a query is asked for when its first answer does not do; the last is Firestore's
limit.
"""
READ_WHOLE = 2_000
"""Up to this many rows are read and scored in the process."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the queries have returned: the memories that pass, which records were read, how near a
    vector may still be that none of them returned, whether every record is among those that were
    read, and whether a bound was reached.
    """

    candidates: Mapping[str, Known]
    read: frozenset[str]
    unseen: float
    all_are_known: bool
    incomplete: bool = False

    @property
    def open(self) -> bool:
        """Whether a candidate may be nearer by a window that no query has returned."""
        return any(
            known.windows > 1 and (known.cosine or 0.0) < self.unseen
            for known in self.candidates.values()
        )


NO_MEANING = Meaning({}, frozenset(), -inf, all_are_known=False)
"""Where it is not asked."""


@dataclass(frozen=True, slots=True)
class _Asked:
    tenant: Tenant
    question: Question
    vector: Vector
    where: MemoryFilter
    limit: int
    permits: Semaphore

    def does(self, seen: Meaning) -> bool:
        """Whether what was seen is enough."""
        if nearness(seen.unseen, self.question.unrelated) == 0.0:
            return True
        if self.question.terms is not None:
            return seen.all_are_known or len(seen.candidates) >= self.limit
        nearest = sorted((known.cosine or 0.0 for known in seen.candidates.values()), reverse=True)
        if len(nearest) >= EACH_LEG and nearest[EACH_LEG - 1] > seen.unseen:
            return True
        return seen.all_are_known and not seen.open


async def look_for_meaning(
    tenant: Tenant,
    permits: Semaphore,
    question: Question,
    vector: Vector,
    where: MemoryFilter,
    limit: int,
) -> Meaning:
    """Return the nearest memories, of which `limit` are wanted at least."""
    asked = _Asked(tenant, question, vector, where, limit, permits)
    over = [*legs(tenant, question.space, where)]
    seen = await _nearest(asked, over, EACH_LEG + 1)
    if asked.does(seen):
        return seen
    if len(seen.candidates) < len(seen.read) and await _are_few(over):
        return await _everything(asked, over)
    for most in WIDER:
        seen = await _nearest(asked, over, most)
        if asked.does(seen):
            return seen
    if await _are_few(over):
        return await _everything(asked, over)
    return replace(seen, incomplete=True)


async def _nearest(asked: _Asked, over: Sequence[Leg], most: int) -> Meaning:
    answers = await together(leg.nearest(asked.vector, most, asked.permits) for leg in over)
    cut = [(leg, rows) for leg, rows in zip(over, answers, strict=True) if len(rows) == most]
    unseen = max((rows[-1].cosine for _, rows in cut), default=-inf)
    all_are_known = all(leg.over_windows for leg, _ in cut)
    return await _seen(asked, answers, unseen, all_are_known=all_are_known)


async def _everything(asked: _Asked, over: Sequence[Leg]) -> Meaning:
    answers = await together(leg.everything(asked.vector) for leg in over)
    return await _seen(asked, answers, -inf, all_are_known=True)


async def _are_few(over: Iterable[Leg]) -> bool:
    return sum(await together(leg.count() for leg in over)) <= READ_WHOLE


async def _seen(
    asked: _Asked, answers: Sequence[Sequence[Row]], unseen: float, *, all_are_known: bool
) -> Meaning:
    """Collapse rows by memory, read what no row brought along, and check each against the filter.

    Windows are checked too: their copies of the filtered fields may lag behind the record.
    """
    rows = [row for rows in answers for row in rows]
    best = best_cosines(rows)
    records = {row.memory_id: row.record for row in rows if row.record is not None}
    missing = [asked.tenant.memory(id_) for id_ in best if id_ not in records]
    records.update(await read_named(asked.tenant.client, missing, SCORED_FIELDS))
    in_space = {
        memory_id: record
        for memory_id, record in records.items()
        if record["space"] == str(asked.question.space)
    }
    passed = passing(in_space, best, asked.question, asked.where)
    return Meaning(passed, frozenset(in_space), unseen, all_are_known)
