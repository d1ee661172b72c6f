"""Exact vector search: in a cached matrix or, where that would not fit, straight from the file."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metacortex.adapters.sqlite.cache import MatrixCache
from metacortex.adapters.sqlite.matrix import Matrix, follow, load, progress_of
from metacortex.adapters.sqlite.ranking import Ranking, best, cosine, rank
from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, load_memory
from metacortex.adapters.sqlite.windows import WINDOW_COLUMNS, Floats, Names, read_windows
from metacortex.domain.search import Match, MemoryFilter, score_of
from metacortex.domain.text import is_unicode
from metacortex.domain.vector import EmbeddingSpace, Vector

_BYTES_BESIDE_VECTOR = 44
"""What the columns of one window take."""

_COUNT_WINDOWS = (
    "SELECT count(*) FROM memories AS m CROSS JOIN vectors AS v ON v.memory = m.key"
    " WHERE m.tenant = ?"
    " AND m.space = (SELECT key FROM embedding_spaces WHERE model = ? AND dimension = ?)"
)
_SELECT_PASSING = (
    f"SELECT {WINDOW_COLUMNS} FROM memories AS m CROSS JOIN vectors AS v ON v.memory = m.key"
    " WHERE m.tenant = :tenant"
    " AND m.space ="
    " (SELECT key FROM embedding_spaces WHERE model = :model AND dimension = :dimension)"
    " AND m.branch_state = :branch_state"
    " AND (:topic IS NULL OR m.topic = :topic)"
    " AND (:namespaces IS NULL OR m.namespace IN (SELECT value FROM json_each(:namespaces)))"
    " AND (m.valid_from IS NULL OR m.valid_from <= :valid_at)"
    " AND (m.valid_until IS NULL OR m.valid_until > :valid_at)"
    " ORDER BY m.seq, m.key, v.n"
)
_SELECT_IDS = "SELECT key, id FROM memories WHERE key IN (SELECT value FROM json_each(?))"
_SELECT_MEMORIES = (
    f"SELECT key, {MEMORY_COLUMNS} FROM memories WHERE key IN (SELECT value FROM json_each(?))"
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched for, and where."""

    tenant: str
    space: EmbeddingSpace
    query: Vector
    where: MemoryFilter
    limit: int


def find_nearest(
    connection: sqlite3.Connection, cache: MatrixCache, question: Question
) -> tuple[Match, ...]:
    """Return the nearest memories of one snapshot, which must not have begun before this call."""
    query = np.frombuffer(question.query, dtype=np.float32)
    matrix = _matrix(connection, cache, question)
    rankings = (
        _rankings_from_file(connection, question, query)
        if matrix is None
        else _rankings_from_matrix(matrix, question, query)
    )
    return _matches(connection, best(rankings, question.limit), question.limit)


def _matrix(
    connection: sqlite3.Connection, cache: MatrixCache, question: Question
) -> Matrix | None:
    """Return the matrix of this snapshot, or None where it is larger than the whole cache.

    The snapshot begins under the slot's lock, with the reading of the progress, so it is never
    older than the matrix that another thread has left there.
    """
    tenant, space = question.tenant, question.space
    slot = cache.slot((tenant, space))
    with slot.lock:
        progress = progress_of(connection, tenant)
        if slot.matrix is not None and slot.matrix.progress.generation == progress.generation:
            slot.matrix = follow(connection, tenant, space, slot.matrix, progress)
        elif _size(connection, tenant, space) <= cache.budget:
            slot.matrix = load(connection, tenant, space, progress)
        else:
            slot.matrix = None
        matrix = slot.matrix
    cache.trim()
    return matrix


def _size(connection: sqlite3.Connection, tenant: str, space: EmbeddingSpace) -> int:
    found = connection.execute(_COUNT_WINDOWS, (tenant, space.model, space.dimension)).fetchone()
    return int(found[0]) * (4 * space.dimension + _BYTES_BESIDE_VECTOR)


def _rankings_from_matrix(matrix: Matrix, question: Question, query: Floats) -> Iterator[Ranking]:
    for block in matrix.blocks:
        windows = block.used
        rows = windows.passing(question.where, matrix.names)
        if len(rows):
            yield rank(windows, rows, query, question.limit)


def _rankings_from_file(
    connection: sqlite3.Connection, question: Question, query: Floats
) -> Iterator[Ranking]:
    where = question.where
    if where.topic is not None and not is_unicode(where.topic):
        return
    passing = connection.execute(
        _SELECT_PASSING,
        {
            "tenant": question.tenant,
            "model": question.space.model,
            "dimension": question.space.dimension,
            "branch_state": where.branch_state.value,
            "topic": where.topic,
            "namespaces": None if where.namespaces is None else json.dumps(where.namespaces),
            "valid_at": where.valid_at,
        },
    )
    for windows in read_windows(passing, question.space.dimension, Names()):
        yield rank(windows, np.arange(len(windows)), query, question.limit)


def _matches(connection: sqlite3.Connection, ranking: Ranking, limit: int) -> tuple[Match, ...]:
    score_by_key = dict(zip(ranking.keys.tolist(), ranking.scores.tolist(), strict=True))
    chosen = json.dumps(_without_ties(connection, ranking, limit))
    found = [
        Match(load_memory(cells), score_of(cosine(score_by_key[key])))
        for key, *cells in connection.execute(_SELECT_MEMORIES, (chosen,))
    ]
    return tuple(
        sorted(found, key=lambda match: (-match.score, -match.memory.created_at, match.memory.id))
    )


def _without_ties(connection: sqlite3.Connection, ranking: Ranking, limit: int) -> list[int]:
    """Return the keys of the first `limit`; the ids decide among those that stand equal."""
    keys: list[int] = ranking.keys.tolist()
    if len(keys) <= limit:
        return keys
    id_by_key = dict(connection.execute(_SELECT_IDS, (json.dumps(keys),)))
    places = zip((-ranking.scores).tolist(), (-ranking.created_at).tolist(), keys, strict=True)
    ordered = sorted(places, key=lambda place: (*place[:2], id_by_key[place[2]]))
    return [key for _, _, key in ordered[:limit]]
