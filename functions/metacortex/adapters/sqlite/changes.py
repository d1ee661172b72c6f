"""Changes in SQLite: the record of them, and what they make of the memories."""

import sqlite3
from collections.abc import Iterator, Sequence

from metacortex.adapters.sqlite.lookup import get
from metacortex.adapters.sqlite.rows import ENTRY_COLUMNS, dump_change, dump_standing, load_entry
from metacortex.domain.errors import NotFound
from metacortex.domain.forgetting import Entry
from metacortex.domain.lifecycle import (
    NO_REPLACEMENT,
    NOTHING_TO_SUPERSEDE,
    BranchState,
    Change,
    promotion,
    supersession,
)
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.text import is_unicode
from metacortex.ports import Moved

_BUMP = (
    "INSERT INTO tenants (tenant, seq, generation) VALUES (:tenant, 1, :deleted)"
    " ON CONFLICT (tenant) DO UPDATE SET seq = seq + 1, generation = generation + :deleted"
    " RETURNING seq"
)
_INSERT_CHANGE = (
    f"INSERT INTO changes ({ENTRY_COLUMNS}, tenant, seq) VALUES ({', '.join('?' * 12)})"
)
_SELECT_CHANGES = (
    f"SELECT {ENTRY_COLUMNS} FROM changes WHERE tenant = ? AND subject_id = ? ORDER BY seq"
)
_SELECT_SUCCESSOR = "SELECT superseded_by FROM memories WHERE tenant = ? AND id = ?"
_UPDATE_STANDING = (
    "UPDATE memories SET branch_state = ?, superseded_by = ?, valid_until = ?,"
    " valid_until_precision = ?, updated_at = ?, seq = ? WHERE tenant = ? AND id = ?"
)


def count_write(connection: sqlite3.Connection, tenant: str, *, deleted: bool = False) -> int:
    """Count one more write of the tenant and return its number; searches follow by it."""
    counted = connection.execute(_BUMP, {"tenant": tenant, "deleted": int(deleted)})
    return int(counted.fetchone()[0])


def append(connection: sqlite3.Connection, tenant: str, seq: int, change: Change) -> None:
    """Record a Change as the tenant's write of this number."""
    connection.execute(_INSERT_CHANGE, (*dump_change(change), tenant, seq))


def changes_of(connection: sqlite3.Connection, tenant: str, memory_id: str) -> tuple[Entry, ...]:
    """Return the Changes of a memory, oldest first."""
    if not is_unicode(memory_id):
        return ()
    return tuple(map(load_entry, connection.execute(_SELECT_CHANGES, (tenant, memory_id))))


def supersede(
    connection: sqlite3.Connection,
    tenant: str,
    memory_id: str,
    replacement_id: str,
    client: str,
    at: Milliseconds,
) -> Moved | None:
    """Deprecate a memory in favour of another, as `MemoryStore.supersede` tells."""
    memory = get(connection, tenant, memory_id)
    if memory is None:
        return None
    if get(connection, tenant, replacement_id) is None:
        raise NotFound(NO_REPLACEMENT)
    successors = _successors(connection, tenant, replacement_id)
    change = supersession(
        *(memory_id, memory.standing, replacement_id, successors, client, at),
        ends=memory.ends_when_superseded,
        valid_from=memory.valid_from,
    )
    return _moved(connection, tenant, memory, change)


def promote(
    connection: sqlite3.Connection,
    tenant: str,
    memory_id: str,
    state: BranchState,
    client: str,
    at: Milliseconds,
) -> Moved | None:
    """Move a draft on, as `MemoryStore.promote` tells."""
    memory = get(connection, tenant, memory_id)
    if memory is None:
        return None
    change = promotion(memory_id, memory.standing, state, client, at)
    return _moved(connection, tenant, memory, change)


def _moved(
    connection: sqlite3.Connection, tenant: str, memory: Memory, change: Change | None
) -> Moved:
    if change is None:
        return Moved(memory, memory.branch_state, None)
    apply(connection, tenant, change)
    return Moved(memory.after(change), memory.branch_state, change)


def apply(connection: sqlite3.Connection, tenant: str, change: Change) -> None:
    """Record a Change, and change the memory by it."""
    seq = count_write(connection, tenant)
    cells = (*dump_standing(change.after), change.recorded_at, seq)
    connection.execute(_UPDATE_STANDING, (*cells, tenant, change.subject_id))
    append(connection, tenant, seq, change)


def supersede_all(
    connection: sqlite3.Connection,
    tenant: str,
    memory_ids: Sequence[str],
    replacement: Memory,
    client: str,
) -> None:
    """Deprecate memories in favour of one that this transaction has stored, as `MemoryStore.add`
    tells.
    """
    for id_ in memory_ids:
        at = replacement.recorded_at
        if supersede(connection, tenant, id_, replacement.id, client, at) is None:
            raise NotFound(NOTHING_TO_SUPERSEDE)


def _successors(connection: sqlite3.Connection, tenant: str, memory_id: str) -> Iterator[str]:
    """Yield the ids that supersede a memory, nearest first, each once."""
    seen = {memory_id}
    while True:
        found = connection.execute(_SELECT_SUCCESSOR, (tenant, memory_id)).fetchone()
        if found is None or found[0] is None or found[0] in seen:
            return
        (memory_id,) = found
        seen.add(memory_id)
        yield memory_id
