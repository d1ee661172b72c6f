"""Forgetting in SQLite: rows are deleted, and a tombstone each tells searches which."""

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain

from metacortex.adapters.sqlite.changes import append, count_write
from metacortex.adapters.sqlite.conditions import among
from metacortex.adapters.sqlite.entities import drop_unmentioned
from metacortex.adapters.sqlite.rows import (
    ENTRY_COLUMNS,
    MEMORY_COLUMNS,
    STANDING_COLUMNS,
    dump_tombstone,
    load_entry,
    load_memory,
    load_standing,
)
from metacortex.domain.forgetting import Entry, Forgetting, Mark, has_moved
from metacortex.domain.lifecycle import FORGOTTEN, ChangeKind, orphaning
from metacortex.domain.text import is_unicode

_SELECT = (
    f"SELECT key, {MEMORY_COLUMNS} FROM memories WHERE tenant = ? AND id {{among}} ORDER BY id"
)
_SELECT_MARK = "SELECT seq FROM tenants WHERE tenant = ?"
_SELECT_LATER = (
    f"SELECT {ENTRY_COLUMNS} FROM changes WHERE tenant = ? AND subject_id = ? AND seq > ?"
)
_INSERT_TOMBSTONE = (
    f"INSERT INTO changes ({ENTRY_COLUMNS}, tenant, seq, memory)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_DELETE = "DELETE FROM memories WHERE key = ?"
_DELETE_FINGERPRINTS = "DELETE FROM fingerprints WHERE tenant = ? AND memory_id = ?"
_SELECT_ORPHANS = (
    f"SELECT id, {STANDING_COLUMNS} FROM memories WHERE tenant = ? AND superseded_by {{among}}"
)
_UPDATE_ORPHAN = "UPDATE memories SET superseded_by = ?, seq = ? WHERE tenant = ? AND id = ?"
_COUNT_TOMBSTONES = (
    "SELECT count(*) FROM changes WHERE tenant = :tenant AND text_mac = :text_mac"
    " OR tenant = :tenant AND subject_id = :memory_id AND kind = :kind"
)


def mark(connection: sqlite3.Connection, tenant: str) -> Mark:
    """Return the number of the tenant's last write, as `MemoryStore.mark` tells."""
    found = connection.execute(_SELECT_MARK, (tenant,)).fetchone()
    return int(found[0]) if found else 0


def forget(
    connection: sqlite3.Connection, tenant: str, memory_ids: Sequence[str], how: Forgetting
) -> tuple[str, ...]:
    """Forget memories, as `MemoryStore.forget` tells."""
    named = [*filter(is_unicode, memory_ids)]
    select = _SELECT.format(among=among(named))
    found = connection.execute(select, (tenant, *named)).fetchall()
    memories = {key: load_memory(cells) for key, *cells in found}
    if how.mark is not None:
        since = how.mark
        memories = {
            key: memory
            for key, memory in memories.items()
            if not has_moved(_later(connection, tenant, memory.id, since))
        }
    for key, memory in memories.items():
        seq = count_write(connection, tenant)
        cells = dump_tombstone(how.tombstone(memory))
        connection.execute(_INSERT_TOMBSTONE, (*cells, tenant, seq, key))
        connection.execute(_DELETE, (key,))
        connection.execute(_DELETE_FINGERPRINTS, (tenant, memory.id))
    drop_unmentioned(connection, tenant, chain(*(each.entities for each in memories.values())))
    ids = tuple(memory.id for memory in memories.values())
    _orphan(connection, tenant, ids, how)
    return ids


def is_forgotten(
    connection: sqlite3.Connection, tenant: str, memory_id: str, text_mac: str
) -> bool:
    """Whether there is a tombstone, as `MemoryStore.is_forgotten` tells."""
    bound = {
        "tenant": tenant,
        "text_mac": text_mac,
        "memory_id": memory_id,
        "kind": ChangeKind.FORGOTTEN.value,
    }
    return bool(connection.execute(_COUNT_TOMBSTONES, bound).fetchone()[0])


def _later(
    connection: sqlite3.Connection, tenant: str, memory_id: str, since: Mark
) -> Iterator[Entry]:
    return map(load_entry, connection.execute(_SELECT_LATER, (tenant, memory_id, since)))


def _orphan(
    connection: sqlite3.Connection, tenant: str, memory_ids: Sequence[str], how: Forgetting
) -> None:
    select = _SELECT_ORPHANS.format(among=among(memory_ids))
    rows = connection.execute(select, (tenant, *memory_ids)).fetchall()
    for id_, *cells in rows:
        standing = load_standing(cells)
        seq = count_write(connection, tenant)
        append(connection, tenant, seq, orphaning(id_, standing, how.client, how.at))
        connection.execute(_UPDATE_ORPHAN, (FORGOTTEN, seq, tenant, id_))
