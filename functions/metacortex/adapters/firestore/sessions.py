"""What stands around a memory in its session, in Firestore: two queries for each, of few records.

Only what passes the filter belongs to a run. A record that valid time excludes is left out, and the
run is shorter by it.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from metacortex.adapters.firestore.known import Known, scored
from metacortex.adapters.firestore.layout import ORDER_FIELD
from metacortex.adapters.firestore.parts import AFTER, BEFORE, Part, Records
from metacortex.adapters.firestore.together import both, together
from metacortex.domain.memory import Memory
from metacortex.domain.neighbours import REACH
from metacortex.domain.question import Question
from metacortex.domain.search import MemoryFilter

Run: TypeAlias = Mapping[str, Known]
"""Memories that follow each other in a session, by their ids in order."""


async def runs_around(
    parts: Sequence[Part], lenders: Sequence[Known], question: Question, where: MemoryFilter
) -> list[Run]:
    """Return the run around each of these memories, which are in sessions."""
    return await together(_run(parts, known, question, where) for known in lenders)


async def _run(parts: Sequence[Part], known: Known, question: Question, where: MemoryFilter) -> Run:
    before, after = await both(
        _beside(parts, known.memory, BEFORE), _beside(parts, known.memory, AFTER)
    )
    around = scored([*reversed(before), *after], question, where)
    earlier = {id_ for id_, _ in before}
    run = {id_: each for id_, each in around.items() if id_ in earlier}
    run[known.memory.id] = known
    return run | {id_: each for id_, each in around.items() if id_ not in earlier}


async def _beside(parts: Sequence[Part], memory: Memory, way: str) -> Records:
    answers = await together(part.beside(memory, way, REACH) for part in parts)
    found = [record for answer in answers for record in answer]
    found.sort(key=lambda each: (each[1][ORDER_FIELD], each[0]), reverse=way == BEFORE)
    return found[:REACH]
