"""A memory becomes a row with its terms, its vectors, and the embedding space that they live in."""

import sqlite3

from metacortex.adapters.sqlite.changes import count_write
from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, dump_memory
from metacortex.adapters.sqlite.terms import DumpedTerms
from metacortex.domain.memory import Memory
from metacortex.domain.vector import EmbeddingSpace
from metacortex.ports import Embedding

_INSERT_SPACE = (
    "INSERT INTO embedding_spaces (model, dimension) VALUES (?, ?) ON CONFLICT DO NOTHING"
)
_SELECT_SPACE = "SELECT key FROM embedding_spaces WHERE model = ? AND dimension = ?"
_INSERT_MEMORY = (
    f"INSERT INTO memories ({MEMORY_COLUMNS}, term_space, terms, length, tenant, space, seq)"
    f" VALUES ({', '.join('?' * (MEMORY_COLUMNS.count(',') + 7))})"
)
_INSERT_VECTOR = "INSERT INTO vectors (memory, n, vector) VALUES (?, ?, ?)"
_DELETE_VECTORS = "DELETE FROM vectors WHERE memory = ?"
_UPDATE_SPACE = "UPDATE memories SET space = ?, seq = ? WHERE key = ?"


def insert(
    connection: sqlite3.Connection,
    tenant: str,
    memory: Memory,
    terms: DumpedTerms,
    embedding: Embedding,
) -> int:
    """Store a memory as the tenant's next write, and return the number of that."""
    seq = count_write(connection, tenant)
    space = space_key(connection, embedding.space)
    inserted = connection.execute(
        _INSERT_MEMORY, (*dump_memory(memory), *terms, tenant, space, seq)
    )
    _insert_vectors(connection, inserted.lastrowid, embedding)
    return seq


def replace_vectors(
    connection: sqlite3.Connection, tenant: str, key: int, embedding: Embedding
) -> None:
    """Give the memory of a row other vectors, as the tenant's next write."""
    space = space_key(connection, embedding.space)
    connection.execute(_DELETE_VECTORS, (key,))
    connection.execute(_UPDATE_SPACE, (space, count_write(connection, tenant), key))
    _insert_vectors(connection, key, embedding)


def space_key(connection: sqlite3.Connection, space: EmbeddingSpace) -> int:
    """Return the number of a space, which it gets where it has none yet."""
    named = (space.model, space.dimension)
    connection.execute(_INSERT_SPACE, named)
    return int(connection.execute(_SELECT_SPACE, named).fetchone()[0])


def _insert_vectors(connection: sqlite3.Connection, key: int | None, embedding: Embedding) -> None:
    connection.executemany(
        _INSERT_VECTOR, [(key, n, vector.tobytes()) for n, vector in enumerate(embedding.vectors)]
    )
