"""Reading memories by id, by the fingerprint of a write, or by the keys of their rows."""

import json
import sqlite3
from collections.abc import Iterable

from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, load_memory
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.text import is_unicode

_SELECT_WRITTEN = (
    f"SELECT {MEMORY_COLUMNS} FROM memories WHERE tenant = ? AND branch_state = ? AND id ="
    " (SELECT memory_id FROM fingerprints"
    " WHERE tenant = ? AND digest = ? AND first_written_at >= ?)"
)
_SELECT_MEMORY = f"SELECT {MEMORY_COLUMNS} FROM memories WHERE tenant = ? AND id = ?"
_SELECT_BY_KEYS = (
    f"SELECT key, {MEMORY_COLUMNS} FROM memories WHERE key IN (SELECT value FROM json_each(?))"
)


def find_written(
    connection: sqlite3.Connection, tenant: str, fingerprint: Fingerprint, state: BranchState
) -> Memory | None:
    """Return the memory that this write has made, as `MemoryStore.find_written` tells."""
    bound = (tenant, state.value, tenant, fingerprint.digest, fingerprint.since)
    cells = connection.execute(_SELECT_WRITTEN, bound).fetchone()
    return load_memory(cells) if cells else None


def get(connection: sqlite3.Connection, tenant: str, memory_id: str) -> Memory | None:
    """Return the memory of this id, whatever the id looks like."""
    if not is_unicode(memory_id):
        return None
    cells = connection.execute(_SELECT_MEMORY, (tenant, memory_id)).fetchone()
    return load_memory(cells) if cells else None


def by_keys(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, Memory]:
    """Return the memories of these rows, by their keys."""
    found = connection.execute(_SELECT_BY_KEYS, (json.dumps([*keys]),))
    return {key: load_memory(cells) for key, *cells in found}
