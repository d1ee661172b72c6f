"""Lists of memories in SQLite: one walk down an index, from where the page before ended."""

import sqlite3

from metacortex.adapters.sqlite.conditions import condition_of
from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, load_memory
from metacortex.domain.listing import Page, Place
from metacortex.domain.search import MemoryFilter

_SELECT = (
    f"SELECT {MEMORY_COLUMNS} FROM memories WHERE tenant = ? AND (created_at, id) < (?, ?)"
    " AND {condition} ORDER BY created_at DESC, id DESC LIMIT ?"
)
_BEFORE_ALL = Place(2**63 - 1, "")


def list_memories(
    connection: sqlite3.Connection,
    tenant: str,
    where: MemoryFilter,
    after: Place | None,
    limit: int,
) -> Page:
    """Return a page, as `MemoryStore.list` tells."""
    place = after or _BEFORE_ALL
    condition, bound = condition_of(where)
    # One more than wanted tells whether anything follows.
    rows = connection.execute(
        _SELECT.format(condition=condition),
        (tenant, place.created_at, place.memory_id, *bound, limit + 1),
    )
    found = tuple(map(load_memory, rows))
    memories = found[:limit]
    return Page(memories, Place.of(memories[-1]) if len(found) > limit else None)
