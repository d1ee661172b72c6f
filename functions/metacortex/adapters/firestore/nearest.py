"""Vector search in Firestore: first in the index alone, then wider, until the matches are certain.

Matches are certain when each is nearer than everything that no query has returned. Where a filter
that the index does not know (valid time) drops what it returned, or windows and equal scores crowd
together, a search reads on: all of what passes the pushed filters where that is little, else ever
more of the nearest, up to what Firestore returns at most; if that does not do, the result is
incomplete.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeVar

from metacortex.adapters.firestore.documents import load_memory
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.lookup import get_memories
from metacortex.adapters.firestore.queries import Leg, Row, legs
from metacortex.adapters.firestore.upkeep import count_of
from metacortex.domain.memory import Memory
from metacortex.domain.search import Match, MemoryFilter, score_of
from metacortex.domain.text import is_unicode
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import Nearest

T = TypeVar("T")

WIDER = (100, 300, 1_000)
"""How many rows a query is asked for when its first answer does not do; the last is Firestore's
limit.
"""
READ_WHOLE = 2_000
"""Up to this many rows are read and scored in the process."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched for, and where."""

    space: EmbeddingSpace
    query: Vector
    where: MemoryFilter
    limit: int


@dataclass(frozen=True, slots=True)
class Seen:
    """What the queries have returned: the memories that pass, best first, and how near a memory may
    still be that none of them returned; how many were dropped by what the index does not know.
    """

    candidates: Sequence[Match]
    unseen: float
    dropped: int

    def settles(self, limit: int) -> bool:
        """Whether the first `limit` candidates are certain."""
        if self.unseen == -inf:
            return True
        return len(self.candidates) >= limit and self.candidates[limit - 1].score > self.unseen

    def found(self, limit: int, *, incomplete: bool = False) -> Nearest:
        """Return the first `limit` candidates as the answer."""
        return Nearest(tuple(self.candidates[:limit]), incomplete)


async def find_nearest(tenant: Tenant, question: Question) -> Nearest:
    """Return the nearest memories, as `MemoryStore.find_nearest` tells."""
    if not is_unicode(question.where.topic or ""):
        return Nearest(())
    asked = [*legs(tenant, question.space, question.where)]
    seen = await _nearest(tenant, question, asked, question.limit + 1)
    if seen.settles(question.limit):
        return seen.found(question.limit)
    if seen.dropped and await _are_few(asked):
        return (await _everything(tenant, question, asked)).found(question.limit)
    for limit in WIDER:
        seen = await _nearest(tenant, question, asked, limit)
        if seen.settles(question.limit):
            return seen.found(question.limit)
    if await _are_few(asked):
        return (await _everything(tenant, question, asked)).found(question.limit)
    return seen.found(question.limit, incomplete=True)


async def _nearest(tenant: Tenant, question: Question, asked: Sequence[Leg], limit: int) -> Seen:
    answers = await _together(leg.nearest(question.query, limit) for leg in asked)
    full = (rows[-1].cosine for rows in answers if len(rows) == limit)
    unseen = max((score_of(cosine) for cosine in full), default=-inf)
    return await _seen(tenant, question, [row for rows in answers for row in rows], unseen)


async def _everything(tenant: Tenant, question: Question, asked: Sequence[Leg]) -> Seen:
    answers = await _together(leg.everything(question.query) for leg in asked)
    return await _seen(tenant, question, [row for rows in answers for row in rows], -inf)


async def _are_few(asked: Iterable[Leg]) -> bool:
    return sum(await _together(count_of(leg.pushed_part) for leg in asked)) <= READ_WHOLE


async def _together(calls: Iterable[Coroutine[None, None, T]]) -> list[T]:
    """Await calls at once; where one fails, none goes on unheard."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from failed
    return [task.result() for task in tasks]


async def _seen(tenant: Tenant, question: Question, rows: Sequence[Row], unseen: float) -> Seen:
    """Collapse rows by memory, read what no row brought along, and check each against the filter.

    Windows are checked too: their copies of the filtered fields may lag behind the record.
    """
    best: dict[str, float] = {}
    for row in rows:
        best[row.memory_id] = max(best.get(row.memory_id, -inf), row.cosine)
    records = {row.memory_id: row.record for row in rows if row.record is not None}
    missing = [memory_id for memory_id in best if memory_id not in records]
    records.update(await get_memories(tenant, missing))
    candidates = [
        # What is shown equal stands as equal: opposite meanings all score zero.
        Match(load_memory(memory_id, record), score_of(best[memory_id]))
        for memory_id, record in records.items()
        if record["space"] == str(question.space)
    ]
    passing = [match for match in candidates if _passes(match.memory, question.where)]
    passing.sort(key=lambda match: (-match.score, -match.memory.created_at, match.memory.id))
    return Seen(passing, unseen, len(candidates) - len(passing))


def _passes(memory: Memory, where: MemoryFilter) -> bool:
    started = memory.valid_from is None or memory.valid_from.at <= where.valid_at
    ended = memory.valid_until is not None and memory.valid_until.at <= where.valid_at
    return (
        memory.branch_state is where.branch_state
        and (where.namespaces is None or memory.namespace in where.namespaces)
        and where.topic in (None, memory.topic)
        and started
        and not ended
    )
