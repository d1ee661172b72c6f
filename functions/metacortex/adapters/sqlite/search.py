"""A search over one tenant: both legs over all memories that pass the filter, the candidates of
each, what their neighbours lend them, and their order.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from metacortex.adapters.sqlite.cache import Cache
from metacortex.adapters.sqlite.chunks import (
    Chunk,
    Corpus,
    follow,
    load,
    read_chunks,
    size_of,
)
from metacortex.adapters.sqlite.legs import NO_VECTOR, Looked, look
from metacortex.adapters.sqlite.pool import Pool, Seen
from metacortex.adapters.sqlite.progress import progress_of
from metacortex.adapters.sqlite.recent import recent_of
from metacortex.adapters.sqlite.records import Floats, Names
from metacortex.adapters.sqlite.terms import digest_of
from metacortex.domain.explanation import Evidence, Explanation, explained
from metacortex.domain.neighbours import LENDERS, with_neighbours
from metacortex.domain.question import Found, Question
from metacortex.domain.ranking import Candidate, crowd, nearness, ranked, relevance
from metacortex.domain.search import Match, MemoryFilter
from metacortex.domain.vector import EmbeddingSpace


def search(
    connection: sqlite3.Connection,
    cache: Cache,
    tenant: str,
    question: Question,
    where: MemoryFilter,
    limit: int,
) -> Found:
    """Return what is found in one snapshot."""
    query = None if question.vector is None else np.frombuffer(question.vector, dtype=np.float32)
    corpus = corpus_of(connection, cache, tenant, question.space)
    looked = [*_looked(connection, corpus, tenant, question, query, where)]
    weighing = _Weighing(Pool(connection, looked), question, query)
    relevance_by_id, seen = weighing.with_neighbours()
    candidate_by_id = {
        one.id: Candidate(one.id, relevance_by_id[one.id], one.created_at, one.importance)
        for one in seen
    }
    ranking = ranked(candidate_by_id.values(), question.now, question.floor)
    seen_by_id = {one.id: one for one in seen}
    chosen = [(seen_by_id[each.id], each.score) for each in ranking.matches[:limit]]
    keys = [one.key for one, _ in chosen]
    memory_by_key = recent_of(connection, cache, tenant).of(connection, keys)

    def explanation_of(one: Seen) -> Explanation | None:
        if not question.explain:
            return None
        return explained(weighing.evidence(one), candidate_by_id[one.id], question.now)

    matches = [Match(memory_by_key[one.key], score, explanation_of(one)) for one, score in chosen]
    # Where memories pass, but none has anything of what was asked, the best score is 0.
    best = ranking.best if seen else 0.0 if weighing.pool.size else None
    return Found(tuple(matches), best, ranking.below)


def _looked(
    connection: sqlite3.Connection,
    corpus: Corpus | None,
    tenant: str,
    question: Question,
    query: Floats | None,
    where: MemoryFilter,
) -> Iterator[Looked]:
    digests = [*map(digest_of, question.terms or ())]
    names = corpus.names if corpus else Names()
    chunks: Iterable[Chunk] = (
        corpus.chunks
        if corpus
        else read_chunks(connection, tenant, question.space, names, where=where)
    )
    for chunk in chunks:
        records = chunk.records.used
        passing = records.passing(where, names)
        if passing.any():
            yield look(chunk, records, passing, query, digests, stays=corpus is not None)


def corpus_of(
    connection: sqlite3.Connection, cache: Cache, tenant: str, space: EmbeddingSpace
) -> Corpus | None:
    """Return the corpus of this snapshot, or None where it is larger than the whole cache, or where
    the snapshot is older than the corpus that another thread has left there.

    One that begins under the slot's lock, with the reading of the progress, never is.
    """
    slot = cache.slot(Corpus, (tenant, space))
    with slot.lock:
        progress = progress_of(connection, tenant)
        if slot.held is not None and slot.held.progress == progress:
            return slot.held
        if slot.held is not None and slot.held.progress > progress:
            return None
        if slot.held is not None and slot.held.progress.generation == progress.generation:
            slot.held = follow(connection, tenant, space, slot.held, progress)
        elif slot.outgrown != progress.generation and (
            size_of(connection, tenant, space) <= cache.budget
        ):
            slot.held = load(connection, tenant, space, progress)
        else:
            slot.held, slot.outgrown = None, progress.generation
        corpus = slot.held
    cache.trim()
    return corpus


class _Weighing:
    """How relevant the candidates of one search are, each by both legs."""

    def __init__(self, pool: Pool, question: Question, query: Floats | None) -> None:
        self.pool = pool
        self._question = question
        self._query = query
        self._cosines = pool.nearest()
        self._crowd = crowd(
            nearness(cosine, question.unrelated) for cosine in self._cosines.values()
        )
        terms = question.terms
        self._words = (
            None if terms is None else np.concatenate([np.empty(0), *pool.words(len(terms))])
        )

    def with_neighbours(self) -> tuple[dict[str, float], Sequence[Seen]]:
        """Return the relevance of each candidate, and of those that the best lend some to, by id;
        and what is known of all of them.
        """
        seen = self.pool.seen(self._candidates())
        own = self._relevances([*seen.values()])
        best = sorted(seen.values(), key=lambda one: (-own[one.id], -one.created_at, one.id))
        runs = [self.pool.run(one) for one in best[:LENDERS] if one.session >= 0]
        around = self.pool.seen({place for run in runs for place in run} - seen.keys())
        own |= self._relevances([*around.values()])
        seen |= around
        ids = [[seen[place].id for place in run] for run in runs]
        return with_neighbours(own, ids), [*seen.values()]

    def evidence(self, one: Seen) -> Evidence:
        """Return what each leg says of a memory that has been weighed."""
        cosine = self._cosines.get(one.place, NO_VECTOR)
        terms = self._question.terms or ()
        return Evidence(
            None if cosine == NO_VECTOR else cosine,
            self._near(one),
            self._share(one),
            tuple(terms[n] for n in self.pool.held(one.place)),
            self._crowd,
        )

    def _candidates(self) -> set[int]:
        unrelated = self._question.unrelated
        near = np.fromiter(self._cosines.values(), float, len(self._cosines)) - unrelated
        places = np.fromiter(self._cosines, np.intp, len(self._cosines))
        candidates = set(self.pool.best(places, near))
        if self._words is not None:
            holders = np.flatnonzero(self._words)
            candidates.update(self.pool.best(holders, self._words[holders]))
        return candidates

    def _relevances(self, seen: Sequence[Seen]) -> dict[str, float]:
        """Return how relevant these memories are by themselves, by id."""
        self._learn({one.place for one in seen} - self._cosines.keys())
        return {one.id: relevance(self._near(one), self._share(one), self._crowd) for one in seen}

    def _near(self, one: Seen) -> float | None:
        if self._query is None:
            return None
        return nearness(self._cosines[one.place], self._question.unrelated)

    def _share(self, one: Seen) -> float | None:
        return None if self._words is None else float(self._words[one.place])

    def _learn(self, places: AbstractSet[int]) -> None:
        """Find the cosines of memories that are no candidates by meaning."""
        if self._query is not None and places:
            self._cosines |= self.pool.cosines(places, self._query, self._question.space)
