"""Memories that an earlier version wrote, and the terms that they are given."""

import sqlite3

from metacortex.adapters.sqlite.changes import count_write
from metacortex.adapters.sqlite.terms import DumpedTerms
from metacortex.domain.words.terms import TERM_SPACE

_COUNT_UNINDEXED = "SELECT count(*) FROM memories WHERE term_space IS NOT ?"
_SELECT_UNINDEXED = (
    "SELECT tenant, id FROM memories WHERE (tenant, id) > (?, ?) AND term_space IS NOT ?"
    " ORDER BY tenant, id LIMIT ?"
)
_UPDATE_TERMS = (
    "UPDATE memories SET term_space = ?, terms = ?, length = ?, seq = ? WHERE tenant = ? AND id = ?"
)


def count_unindexed(connection: sqlite3.Connection) -> int:
    """Return how many memories no words find."""
    return int(connection.execute(_COUNT_UNINDEXED, (TERM_SPACE,)).fetchone()[0])


def unindexed(
    connection: sqlite3.Connection, after: tuple[str, str], limit: int
) -> tuple[tuple[str, str], ...]:
    """Return which these are, as `MemoryStore.unindexed` tells."""
    return tuple(connection.execute(_SELECT_UNINDEXED, (*after, TERM_SPACE, limit)))


def replace_terms(
    connection: sqlite3.Connection, tenant: str, memory_id: str, terms: DumpedTerms
) -> bool:
    """Store the terms of a memory, or return False if there is no such memory."""
    bound = (*terms, count_write(connection, tenant), tenant, memory_id)
    return connection.execute(_UPDATE_TERMS, bound).rowcount > 0
