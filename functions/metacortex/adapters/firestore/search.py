"""A search in Firestore: both legs at once, each over few of the memories that pass the filter,
what their neighbours lend them, and their order.

Every memory that was read is scored by both legs in the process, whichever of them found it. One
that only words or a session have found is as near as its first window: its further ones were not
read.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from metacortex.adapters.firestore.known import Known
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.meaning import Meaning, look_for_meaning
from metacortex.adapters.firestore.parts import Part, parts
from metacortex.adapters.firestore.sessions import Run, runs_around
from metacortex.adapters.firestore.statistics import Statistics
from metacortex.adapters.firestore.words import NO_WORDS, Words, look_for_words
from metacortex.domain.bm25 import words_share
from metacortex.domain.neighbours import LENDERS, with_neighbours
from metacortex.domain.question import Found, Question
from metacortex.domain.ranking import EACH_LEG, Candidate, nearness, ranked, relevance
from metacortex.domain.search import Match, MemoryFilter
from metacortex.domain.text import is_unicode


@dataclass(frozen=True, slots=True)
class Scored:
    """A memory with what each leg says of it; None where the leg was not asked."""

    known: Known
    near: float | None
    words: float | None

    @property
    def relevance(self) -> float:
        """How relevant it is by itself."""
        return relevance(self.near, self.words)

    @property
    def newest_first(self) -> tuple[int, str]:
        """What equals are ordered by."""
        return -self.known.memory.created_at, self.known.memory.id


async def find(
    tenant: Tenant, statistics: Statistics, question: Question, where: MemoryFilter, limit: int
) -> Found:
    """Return what is found, as `MemoryStore.find` tells."""
    if not is_unicode(where.topic or ""):
        return Found(())
    over = [*parts(tenant, where, with_vectors=question.vector is not None)]
    meaning, words = await asyncio.gather(
        _meaning(tenant, question, where, limit), _words(over, statistics, question, where)
    )
    pool = _scored({**words.candidates, **meaning.candidates}, question, words)
    candidates = _candidates(pool.values())
    lenders = [one.known for one in candidates[:LENDERS]]
    runs = await runs_around(over, lenders, question, where)
    around = {id_: known for run in runs for id_, known in run.items() if id_ not in pool}
    pool |= _scored(around, question, words)
    weighed = {one.known.memory.id: one for one in candidates} | {
        id_: pool[id_] for run in runs for id_ in run
    }
    ranking = ranked(_weighed(weighed, runs), question.now, question.floor)
    found = ranking.matches[:limit]
    matches = tuple(Match(pool[each.id].known.memory, each.score) for each in found)
    # Where memories pass, but none has anything of what was asked, the best score is 0.
    best = ranking.best if weighed else 0.0 if pool or words.memories else None
    incomplete = meaning.incomplete or _may_lack(matches, meaning, words, question, limit)
    return Found(matches, best, ranking.below, incomplete)


async def _meaning(tenant: Tenant, question: Question, where: MemoryFilter, limit: int) -> Meaning:
    if question.vector is None:
        return Meaning({}, frozenset(), -inf)
    return await look_for_meaning(tenant, question, question.vector, where, limit)


async def _words(
    over: Sequence[Part], statistics: Statistics, question: Question, where: MemoryFilter
) -> Words:
    if not question.terms:
        return NO_WORDS
    return await look_for_words(over, statistics, question, question.terms, where)


def _scored(memories: Mapping[str, Known], question: Question, words: Words) -> dict[str, Scored]:
    return {
        id_: Scored(known, _near(known, question), _share(known, question, words))
        for id_, known in memories.items()
    }


def _near(known: Known, question: Question) -> float | None:
    if question.vector is None:
        return None
    return 0.0 if known.cosine is None else nearness(known.cosine, question.unrelated)


def _share(known: Known, question: Question, words: Words) -> float | None:
    if question.terms is None:
        return None
    held = known.held
    return words_share(words.weights, held.counts, held.length, words.average_length)


def _candidates(pool: Iterable[Scored]) -> list[Scored]:
    """Return the best of each leg, the most relevant first."""
    chosen: dict[str, Scored] = {}
    for legs in ([(one.near, one) for one in pool], [(one.words, one) for one in pool]):
        said = [(share, one) for share, one in legs if share]
        said.sort(key=lambda each: (-each[0], *each[1].newest_first))
        chosen.update((one.known.memory.id, one) for _, one in said[:EACH_LEG])
    return sorted(chosen.values(), key=lambda one: (-one.relevance, *one.newest_first))


def _weighed(weighed: Mapping[str, Scored], runs: Sequence[Run]) -> Iterable[Candidate]:
    own = {id_: one.relevance for id_, one in weighed.items()}
    for id_, gained in with_neighbours(own, [[*run] for run in runs]).items():
        memory = weighed[id_].known.memory
        yield Candidate(id_, gained, memory.created_at, memory.importance)


def _may_lack(
    matches: Sequence[Match], meaning: Meaning, words: Words, question: Question, limit: int
) -> bool:
    """Whether a memory that no words have found might stand among the matches."""
    if not words.unseen or len(meaning.read | words.read) >= words.memories:
        return False
    near = None if question.vector is None else nearness(meaning.unseen, question.unrelated)
    least = matches[-1].score if len(matches) == limit else question.floor
    return relevance(near, words.unseen) >= least
