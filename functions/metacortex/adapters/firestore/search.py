"""A search in Firestore: both legs at once, each over few of the memories that pass the filter,
what their neighbours lend them, and their order.

Every memory that was read is scored by both legs in the process, whichever of them found it. One
that only words or a session have found is as near as its first window: its further ones were not
read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from metacortex.adapters.firestore.known import Known
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.meaning import NO_MEANING, Meaning, look_for_meaning
from metacortex.adapters.firestore.narrowed import read_narrowed
from metacortex.adapters.firestore.parts import Part, parts
from metacortex.adapters.firestore.patience import Patience
from metacortex.adapters.firestore.queries import is_pushed, may_be_stored
from metacortex.adapters.firestore.sessions import Run, runs_around
from metacortex.adapters.firestore.statistics import Statistics
from metacortex.adapters.firestore.together import both
from metacortex.adapters.firestore.whole import read_whole, run_within, weigh
from metacortex.adapters.firestore.words import NO_WORDS, Weighing, Words, look_for_words
from metacortex.domain.explanation import Evidence, explained
from metacortex.domain.neighbours import LENDERS, with_neighbours
from metacortex.domain.question import Found, Question
from metacortex.domain.ranking import EACH_LEG, Candidate, crowd, nearness, ranked, relevance
from metacortex.domain.search import Match, MemoryFilter, Mode
from metacortex.domain.words.bm25 import words_share


@dataclass(frozen=True, slots=True)
class Scored:
    """A memory with what each leg says of it, None where the leg was not asked; and the crowd that
    it may stand out from.
    """

    known: Known
    near: float | None
    words: float | None
    crowd: float

    @property
    def relevance(self) -> float:
        """How relevant it is by itself."""
        return relevance(self.near, self.words, self.crowd)

    @property
    def newest_first(self) -> tuple[int, str]:
        """What equals are ordered by."""
        return -self.known.memory.created_at, self.known.memory.id


async def find(
    tenant: Tenant,
    statistics: Statistics,
    patience: Patience,
    question: Question,
    where: MemoryFilter,
    limit: int,
) -> Found:
    """Return what is found, as `MemoryStore.find` tells."""
    if not may_be_stored(where):
        return Found(())
    over = [*parts(tenant, where, with_vectors=question.vector is not None)]
    known = await _all_that_pass(tenant, over, statistics, question, where)
    if known is not None:
        return _found_among(known, question, limit)
    return await _found_by_legs(tenant, over, statistics, patience, question, where, limit)


async def _all_that_pass(
    tenant: Tenant,
    over: Sequence[Part],
    statistics: Statistics,
    question: Question,
    where: MemoryFilter,
) -> dict[str, Known] | None:
    """Return all memories that pass the filter where they are to be read, else None."""
    known = None
    if question.terms is not None or question.vector is None:
        known = await read_whole(tenant, over, statistics, question, where)
    if known is None and not is_pushed(where):
        known = await read_narrowed(tenant, over, statistics, question, where)
    return known


def _found_among(known: Mapping[str, Known], question: Question, limit: int) -> Found:
    """Return what is found where all that passes the filter is known."""
    densest = _crowd(known.values(), question)
    pool = _scored(known, question, weigh(known, question.terms or ()), densest)
    candidates = _candidates(pool.values())
    runs = [run_within(known, one) for one in _lenders(candidates)]
    return _found(pool, candidates, runs, question, limit)


async def _found_by_legs(
    tenant: Tenant,
    over: Sequence[Part],
    statistics: Statistics,
    patience: Patience,
    question: Question,
    where: MemoryFilter,
    limit: int,
) -> Found:
    meaning, words = await both(
        _meaning(tenant, patience, question, where, limit),
        _words(over, statistics, question, where),
    )
    degraded: tuple[str, ...] = ()
    if meaning is None:
        degraded = (Mode.MEANING.value,)
        meaning, question = NO_MEANING, replace(question, vector=None)
    known = {**words.candidates, **meaning.candidates}
    densest = _crowd(known.values(), question)
    pool = _scored(known, question, words.weighing, densest)
    candidates = _candidates(pool.values())
    runs = await runs_around(over, _lenders(candidates), question, where)
    around = {id_: known for run in runs for id_, known in run.items() if id_ not in pool}
    pool |= _scored(around, question, words.weighing, densest)
    found = _found(pool, candidates, runs, question, limit)
    if found.best is None and words.memories:
        found = replace(found, best=0.0)
    incomplete = meaning.incomplete or _may_lack(found, meaning, words, question, densest, limit)
    return replace(found, incomplete=incomplete, degraded=degraded)


async def _meaning(
    tenant: Tenant, patience: Patience, question: Question, where: MemoryFilter, limit: int
) -> Meaning | None:
    """Return what is nearest, or None where the words of the question are to answer alone."""
    if question.vector is None:
        return NO_MEANING
    meaning = look_for_meaning(tenant, patience.permits, question, question.vector, where, limit)
    return await (patience.wait(meaning) if question.terms else meaning)


async def _words(
    over: Sequence[Part], statistics: Statistics, question: Question, where: MemoryFilter
) -> Words:
    if not question.terms:
        return NO_WORDS
    return await look_for_words(over, statistics, question, question.terms, where)


def _scored(
    memories: Mapping[str, Known], question: Question, weighing: Weighing, densest: float
) -> dict[str, Scored]:
    return {
        id_: Scored(known, _near(known, question), _share(known, question, weighing), densest)
        for id_, known in memories.items()
    }


def _crowd(memories: Iterable[Known], question: Question) -> float:
    return crowd(_near(known, question) or 0.0 for known in memories)


def _near(known: Known, question: Question) -> float | None:
    if question.vector is None:
        return None
    return 0.0 if known.cosine is None else nearness(known.cosine, question.unrelated)


def _share(known: Known, question: Question, weighing: Weighing) -> float | None:
    if question.terms is None:
        return None
    held = known.held
    return words_share(weighing.weights, held.counts, held.length, weighing.average_length)


def _candidates(pool: Iterable[Scored]) -> list[Scored]:
    """Return the best of each leg, the most relevant first."""
    chosen: dict[str, Scored] = {}
    for legs in ([(one.near, one) for one in pool], [(one.words, one) for one in pool]):
        said = [(share, one) for share, one in legs if share]
        said.sort(key=lambda each: (-each[0], *each[1].newest_first))
        chosen.update((one.known.memory.id, one) for _, one in said[:EACH_LEG])
    return sorted(chosen.values(), key=lambda one: (-one.relevance, *one.newest_first))


def _lenders(candidates: Sequence[Scored]) -> list[Known]:
    """Return those of the most relevant that are in a session."""
    best = (one.known for one in candidates[:LENDERS])
    return [known for known in best if known.memory.session_id is not None]


def _found(
    pool: Mapping[str, Scored],
    candidates: Iterable[Scored],
    runs: Sequence[Run],
    question: Question,
    limit: int,
) -> Found:
    """Return what is found among the candidates and those around the best of them."""
    own = {one.known.memory.id: one.relevance for one in candidates}
    own |= {id_: pool[id_].relevance for run in runs for id_ in run}
    gained = with_neighbours(own, [[*run] for run in runs])
    candidates_by_id = {id_: _candidate(pool[id_], relevance) for id_, relevance in gained.items()}
    ranking = ranked(candidates_by_id.values(), question.now, question.floor)
    matches = tuple(
        _match(pool[each.id], each.score, candidates_by_id[each.id], question)
        for each in ranking.matches[:limit]
    )
    # Where memories pass, but none has anything of what was asked, the best score is 0.
    return Found(matches, ranking.best if gained else 0.0 if pool else None, ranking.below)


def _candidate(one: Scored, relevance: float) -> Candidate:
    memory = one.known.memory
    return Candidate(memory.id, relevance, memory.created_at, memory.importance)


def _match(one: Scored, score: float, candidate: Candidate, question: Question) -> Match:
    memory = one.known.memory
    if not question.explain:
        return Match(memory, score)
    terms = tuple(term for term in question.terms or () if term in one.known.held.counts)
    evidence = Evidence(one.known.cosine, one.near, one.words, terms, one.crowd)
    return Match(memory, score, explained(evidence, candidate, question.now))


def _may_lack(
    found: Found, meaning: Meaning, words: Words, question: Question, densest: float, limit: int
) -> bool:
    """Whether a memory that no words have found might stand among the matches."""
    if not words.unseen or len(meaning.read | words.read) >= words.memories:
        return False
    near = None if question.vector is None else nearness(meaning.unseen, question.unrelated)
    least = found.matches[-1].score if len(found.matches) == limit else question.floor
    return relevance(near, words.unseen, densest) >= least
