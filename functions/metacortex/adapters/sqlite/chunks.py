"""All memories of a tenant as arrays, as they stood at one moment; and how they follow writes.

A corpus never changes: a later one shares its chunks, so that a search may go on with the one that
it began with.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metacortex.adapters.sqlite.columns import Growing, growing
from metacortex.adapters.sqlite.conditions import condition_of
from metacortex.adapters.sqlite.postings import Postings, Segment, read_terms
from metacortex.adapters.sqlite.progress import Progress, changed_since
from metacortex.adapters.sqlite.records import GONE, STATES, Codes, Floats, Integers, Names, Records
from metacortex.adapters.sqlite.terms import CELL
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.search import MemoryFilter
from metacortex.domain.vector import EmbeddingSpace
from metacortex.domain.words.terms import TERM_SPACE

CHUNK = 65_536
"""About how many windows or memories are scored in one piece: few calls of the product, and growing
copies little.
"""
BATCH = 4_096
"""How many memories are read in one piece."""

_BYTES_OF_ID = 81
_BYTES_OF_RECORD = 84 + _BYTES_OF_ID
_BYTES_OF_POSTING = 14

_MEASURE = "SELECT count(*), coalesce(sum(length(terms)), 0) FROM memories WHERE tenant = ?"
_COUNT_WINDOWS = (
    "SELECT count(*) FROM memories AS m CROSS JOIN vectors AS v ON v.memory = m.key"
    " WHERE m.tenant = ?"
    " AND m.space = (SELECT key FROM embedding_spaces WHERE model = ? AND dimension = ?)"
)
_SELECT_ARRIVED = (
    "SELECT key, id, created_at,"
    " coalesce(valid_from, -9223372036854775808), coalesce(valid_until, 9223372036854775807),"
    " namespace, topic, branch_state, session_id, kind, tags, written_by_client, importance,"
    " iif(term_space = ?, length, 0), iif(term_space = ?, terms, NULL)"
    " FROM memories WHERE tenant = ? AND seq > ? AND {condition}"
    # What is filtered by stands together, so that its vectors can be multiplied without gathering.
    " ORDER BY namespace, topic, seq, key"
)
_EVERYTHING = "TRUE"
_SELECT_VECTORS = (
    "SELECT v.memory, v.vector FROM memories AS m CROSS JOIN vectors AS v ON v.memory = m.key"
    " WHERE m.key IN (SELECT value FROM json_each(?)) AND m.space ="
    " (SELECT key FROM embedding_spaces WHERE model = ? AND dimension = ?)"
    " ORDER BY v.memory, v.n"
)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Parallel arrays, one row for each window. Those of one memory stand together."""

    rows: Codes
    """Where the memory of each window stands in the records of the chunk."""
    vectors: Floats


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a tenant's memories: what they are filtered by, their vectors in one space, and
    the postings of their terms.
    """

    records: Growing[Records]
    vectors: Growing[Vectors]
    postings: Postings

    @property
    def nbytes(self) -> int:
        """How much memory the arrays take."""
        ids = self.records.size * _BYTES_OF_ID
        return ids + self.records.nbytes + self.vectors.nbytes + self.postings.nbytes

    @property
    def is_full(self) -> bool:
        """Whether what arrives should go to another chunk."""
        return max(self.records.size, self.vectors.size) >= CHUNK

    def with_rows(self, arrived: "Chunk") -> "Chunk":
        """Return the chunk with the memories of another behind its own."""
        offset = self.records.size
        vectors = arrived.vectors.used
        postings = self.postings
        for segment in arrived.postings.segments:
            moved = Segment(segment.digests, segment.rows + np.int32(offset), segment.counts)
            postings = postings.with_segment(moved)
        return Chunk(
            self.records.with_rows(arrived.records.used),
            self.vectors.with_rows(Vectors(vectors.rows + np.int32(offset), vectors.vectors)),
            postings,
        )


@dataclass(frozen=True, slots=True)
class Corpus:
    """The memories of one tenant, with their vectors in one space, as they stood at `progress`."""

    progress: Progress
    chunks: tuple[Chunk, ...] = ()
    names: Names = field(default_factory=Names)

    @property
    def nbytes(self) -> int:
        """How much memory it takes."""
        return sum(chunk.nbytes for chunk in self.chunks)

    @property
    def is_half_gone(self) -> bool:
        """Whether so many rows are out of date that reading all anew is better."""
        states = [chunk.records.used.states for chunk in self.chunks]
        gone = sum(int(np.count_nonzero(each == GONE)) for each in states)
        return 2 * gone > sum(map(len, states))


def size_of(connection: sqlite3.Connection, tenant: str, space: EmbeddingSpace) -> int:
    """Return about how many bytes the corpus of a tenant takes."""
    memories, terms = connection.execute(_MEASURE, (tenant,)).fetchone()
    (windows,) = connection.execute(
        _COUNT_WINDOWS, (tenant, space.model, space.dimension)
    ).fetchone()
    return int(
        memories * _BYTES_OF_RECORD
        + terms * _BYTES_OF_POSTING // CELL
        + windows * (4 * space.dimension + 4)
    )


def load(
    connection: sqlite3.Connection, tenant: str, space: EmbeddingSpace, progress: Progress
) -> Corpus:
    """Return the corpus of this snapshot, read from nothing."""
    nothing = Corpus(Progress(progress.generation, -1))
    return _with_arrived(connection, tenant, space, nothing, progress)


def follow(
    connection: sqlite3.Connection,
    tenant: str,
    space: EmbeddingSpace,
    corpus: Corpus,
    progress: Progress,
) -> Corpus:
    """Return the corpus of this snapshot, made from an earlier one of the same generation."""
    changed = np.array(changed_since(connection, tenant, corpus.progress), dtype=np.int64)
    chunks = tuple(_without(chunk, changed) for chunk in corpus.chunks)
    lean = Corpus(corpus.progress, chunks, corpus.names)
    if lean.is_half_gone:
        return load(connection, tenant, space, progress)
    return _with_arrived(connection, tenant, space, lean, progress)


def read_chunks(
    connection: sqlite3.Connection,
    tenant: str,
    space: EmbeddingSpace,
    names: Names,
    *,
    after: int = -1,
    where: MemoryFilter | None = None,
) -> Iterator[Chunk]:
    """Yield the memories that were written after the tenant's write number `after`, at most `BATCH`
    at a time; with `where`, only those that pass it.
    """
    condition, bound = condition_of(where) if where else (_EVERYTHING, ())
    arrived = connection.execute(
        _SELECT_ARRIVED.format(condition=condition),
        (TERM_SPACE, TERM_SPACE, tenant, after, *bound),
    )
    while rows := arrived.fetchmany(BATCH):
        columns = tuple(zip(*rows, strict=True))
        records = _records(columns, names)
        vectors = read_vectors(connection, records.keys, space)
        yield Chunk(
            growing(records), growing(vectors), Postings((read_terms(columns[-1], first_row=0),))
        )


def _with_arrived(
    connection: sqlite3.Connection,
    tenant: str,
    space: EmbeddingSpace,
    corpus: Corpus,
    progress: Progress,
) -> Corpus:
    chunks = list(corpus.chunks)
    for arrived in read_chunks(connection, tenant, space, corpus.names, after=corpus.progress.seq):
        if chunks and not chunks[-1].is_full:
            chunks[-1] = chunks[-1].with_rows(arrived)
        else:
            chunks.append(arrived)
    return Corpus(progress, tuple(chunks), corpus.names)


def _without(chunk: Chunk, keys: Integers) -> Chunk:
    records = Growing(chunk.records.table.without(keys), chunk.records.size)
    return Chunk(records, chunk.vectors, chunk.postings)


def _records(columns: Sequence[Any], names: Names) -> Records:
    keys, ids, created_at, valid_from, valid_until, namespaces, topics, states = columns[:8]
    sessions, kinds, tags, clients, importances, lengths = columns[8:14]
    return Records(
        np.array(keys, dtype=np.int64),
        np.array(ids, dtype=np.object_),
        np.array(created_at, dtype=np.int64),
        np.array(valid_from, dtype=np.int64),
        np.array(valid_until, dtype=np.int64),
        names.learn(namespaces),
        names.learn(topics),
        np.array([STATES[BranchState(state)] for state in states], dtype=np.int32),
        names.learn_sessions(sessions),
        names.learn(kinds),
        names.tags.learn(tags),
        names.learn(clients),
        np.array(importances, dtype=np.float64),
        np.array(lengths, dtype=np.int32),
    )


def read_vectors(connection: sqlite3.Connection, keys: Integers, space: EmbeddingSpace) -> Vectors:
    """Return the windows of these memories that live in the space, in the order of the memories."""
    bound = (json.dumps(keys.tolist()), space.model, space.dimension)
    found = connection.execute(_SELECT_VECTORS, bound).fetchall()
    if not found:
        return Vectors(np.empty(0, np.int32), np.empty((0, space.dimension), np.float32))
    memories, vectors = zip(*found, strict=True)
    by_key = np.argsort(keys)
    rows = by_key[np.searchsorted(keys[by_key], np.array(memories, dtype=np.int64))]
    order = np.argsort(rows, kind="stable")
    matrix = np.frombuffer(b"".join(vectors), dtype=np.float32).reshape(-1, space.dimension)
    return Vectors(rows[order].astype(np.int32), matrix[order])
