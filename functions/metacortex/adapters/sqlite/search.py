"""A search over one tenant: both legs over all memories that pass the filter, the candidates of
each, what their neighbours lend them, and their order.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metacortex.adapters.sqlite.cache import CorpusCache
from metacortex.adapters.sqlite.chunks import (
    Chunk,
    Corpus,
    follow,
    load,
    progress_of,
    read_chunks,
    size_of,
)
from metacortex.adapters.sqlite.legs import Looked, Scores, look
from metacortex.adapters.sqlite.records import Codes, Floats, Integers, Names
from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, load_memory
from metacortex.adapters.sqlite.terms import digest_of
from metacortex.domain.bm25 import K1, B, term_weight
from metacortex.domain.neighbours import LENDERS, REACH, with_neighbours
from metacortex.domain.question import Found, Question
from metacortex.domain.ranking import EACH_LEG, TRUST, Candidate, ranked
from metacortex.domain.search import Match, MemoryFilter
from metacortex.domain.vector import EmbeddingSpace

_SELECT_IDS = "SELECT key, id FROM memories WHERE key IN (SELECT value FROM json_each(?))"
_SELECT_MEMORIES = (
    f"SELECT {MEMORY_COLUMNS} FROM memories WHERE key IN (SELECT value FROM json_each(?))"
)


@dataclass(frozen=True, slots=True)
class Pool:
    """The memories that pass a filter, of all chunks: parallel arrays."""

    keys: Integers
    created_at: Integers
    importances: Floats
    sessions: Codes
    relevances: Scores
    """By both legs, without neighbours."""
    legs: tuple[Scores, ...]
    """What each leg that was asked says alone."""


def search(
    connection: sqlite3.Connection,
    cache: CorpusCache,
    tenant: str,
    question: Question,
    where: MemoryFilter,
    limit: int,
) -> Found:
    """Return what is found in one snapshot, which must not have begun before this call."""
    pool = _pool([*_looked(connection, cache, tenant, question, where)], question)
    found = _with_neighbours(pool, _candidates(pool))
    key_by_row = {row: int(pool.keys[row]) for row in found}
    ids = _ids(connection, [*key_by_row.values()])
    row_by_id = {ids[key]: row for row, key in key_by_row.items()}
    ranking = ranked(
        (
            Candidate(id_, found[row], int(pool.created_at[row]), float(pool.importances[row]))
            for id_, row in row_by_id.items()
        ),
        question.now,
        question.floor,
    )
    chosen = {match.id: match.score for match in ranking.matches[:limit]}
    keys = [key_by_row[row_by_id[id_]] for id_ in chosen]
    return Found(_matches(connection, chosen, keys), ranking.best, ranking.below)


def _looked(
    connection: sqlite3.Connection,
    cache: CorpusCache,
    tenant: str,
    question: Question,
    where: MemoryFilter,
) -> Iterator[Looked]:
    digests = [*map(digest_of, question.terms or ())]
    query = None if question.vector is None else np.frombuffer(question.vector, dtype=np.float32)
    corpus = _corpus(connection, cache, tenant, question.space)
    names = corpus.names if corpus else Names()
    chunks: Iterable[Chunk] = (
        corpus.chunks
        if corpus
        else read_chunks(connection, tenant, question.space, names, where=where)
    )
    for chunk in chunks:
        passing = chunk.records.used.passing(where, names)
        if passing.any():
            yield look(chunk, passing, query, digests, EACH_LEG)


def _corpus(
    connection: sqlite3.Connection, cache: CorpusCache, tenant: str, space: EmbeddingSpace
) -> Corpus | None:
    """Return the corpus of this snapshot, or None where it is larger than the whole cache.

    The snapshot begins under the slot's lock, with the reading of the progress, so it is never
    older than the corpus that another thread has left there.
    """
    slot = cache.slot((tenant, space))
    with slot.lock:
        progress = progress_of(connection, tenant)
        if slot.corpus is not None and slot.corpus.progress.generation == progress.generation:
            slot.corpus = follow(connection, tenant, space, slot.corpus, progress)
        elif size_of(connection, tenant, space) <= cache.budget:
            slot.corpus = load(connection, tenant, space, progress)
        else:
            slot.corpus = None
        corpus = slot.corpus
    cache.trim()
    return corpus


def _pool(looked: Sequence[Looked], question: Question) -> Pool:
    near = words = None
    if question.vector is not None:
        near = _joined([_nearness(each.cosines, question.unrelated) for each in looked], np.float64)
    if question.terms is not None:
        words = _joined([*_words_shares(looked, len(question.terms))], np.float64)
    return Pool(
        _joined([each.keys for each in looked], np.int64),
        _joined([each.created_at for each in looked], np.int64),
        _joined([each.importances for each in looked], np.float32),
        _joined([each.sessions for each in looked], np.int32),
        _relevances(near, words, sum(len(each.keys) for each in looked)),
        tuple(leg for leg in (near, words) if leg is not None),
    )


def _nearness(cosines: Scores, unrelated: float) -> Scores:
    """Do what `ranking.nearness` does, for many."""
    near: Scores = np.clip((cosines - unrelated) / (1.0 - unrelated), 0.0, 1.0)
    return near


def _words_shares(looked: Sequence[Looked], terms: int) -> Iterator[Scores]:
    """Do what `bm25.words_share` does, for many: yield the shares of each chunk's memories."""
    memories = sum(len(each.keys) for each in looked)
    length = sum(int(each.lengths.sum()) for each in looked)
    weights = [
        term_weight(sum(len(each.holders[n].places) for each in looked), memories)
        for n in range(terms)
    ]
    whole = sum(weights)
    for each in looked:
        held = np.zeros(len(each.keys))
        slack = K1 * (1.0 - B + B * each.lengths * (memories / max(length, 1)))
        for weight, holders in zip(weights, each.holders, strict=True):
            counts = holders.counts
            share = np.minimum(1.0, counts * (1.0 + K1) / (counts + slack[holders.places]))
            held[holders.places] += weight * (0.5 + 0.5 * share)
        yield np.minimum(1.0, held / whole) if whole else held


def _relevances(near: Scores | None, words: Scores | None, memories: int) -> Scores:
    """Do what `ranking.relevance` does, for many."""
    if words is None:
        return np.zeros(memories) if near is None else near
    return words if near is None else 1.0 - (1.0 - words) * (1.0 - TRUST * near)


def _candidates(pool: Pool) -> list[int]:
    """Return where the best of each leg stand, the most relevant first."""
    chosen: set[int] = set()
    for leg in pool.legs:
        rows = np.flatnonzero(leg > 0.0)
        if len(rows) > EACH_LEG:
            rows = rows[leg[rows] >= np.partition(leg[rows], -EACH_LEG)[-EACH_LEG]]
            # Equals are cut newest first, so that nothing hangs on the order of the rows.
            order = np.lexsort((-pool.keys[rows], -pool.created_at[rows], -leg[rows]))
            rows = rows[order[:EACH_LEG]]
        chosen.update(rows.tolist())
    return sorted(chosen, key=lambda row: (-pool.relevances[row], -pool.created_at[row]))


def _with_neighbours(pool: Pool, candidates: Sequence[int]) -> dict[int, float]:
    """Return the relevance of each candidate, and of those that the best lend some to, by where
    they stand.
    """
    runs = [_run(pool, row) for row in candidates[:LENDERS] if pool.sessions[row] >= 0]
    rows = dict.fromkeys([*candidates, *(row for run in runs for row in run)])
    return with_neighbours({row: float(pool.relevances[row]) for row in rows}, runs)


def _run(pool: Pool, row: int) -> list[int]:
    """Return a memory with those around it in its session, in their order."""
    session = np.flatnonzero(pool.sessions == pool.sessions[row])
    session = session[np.lexsort((pool.keys[session], pool.created_at[session]))]
    place = int(np.flatnonzero(session == row)[0])
    around: list[int] = session[max(0, place - REACH) : place + REACH + 1].tolist()
    return around


def _ids(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, str]:
    return dict(connection.execute(_SELECT_IDS, (json.dumps(keys),)))


def _matches(
    connection: sqlite3.Connection, score_by_id: Mapping[str, float], keys: Sequence[int]
) -> tuple[Match, ...]:
    loaded = (
        load_memory(cells) for cells in connection.execute(_SELECT_MEMORIES, (json.dumps(keys),))
    )
    memory_by_id = {memory.id: memory for memory in loaded}
    return tuple(Match(memory_by_id[id_], score) for id_, score in score_by_id.items())


def _joined(parts: Sequence[npt.NDArray[Any]], kind: type[Any]) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=kind), *parts])
