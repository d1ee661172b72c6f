"""The record of truth and the memories of SQLite as they are stored, for whoever checks them."""

import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.rows import (
    ENTRY_COLUMNS,
    MEMORY_COLUMNS,
    load_entry,
    load_memory,
)
from metacortex.domain.tampering import Kept, Recorded
from metacortex.domain.text import is_unicode

T = TypeVar("T")

PAGE = 1_000
"""How many rows are read at a time."""

_BEFORE_ALL = -(2**63)
_SELECT_LAST = "SELECT max(seq) FROM changes WHERE tenant = ?"
_RECORDED = f"seq, subject_id, sha256, memory_sha256, {ENTRY_COLUMNS}"
_SELECT_ENTRIES = (
    f"SELECT {_RECORDED} FROM changes WHERE tenant = ? AND seq > ? AND seq <= ?"
    " ORDER BY seq LIMIT ?"
)
_SELECT_OWN = f"SELECT {_RECORDED} FROM changes WHERE tenant = ? AND subject_id = ? ORDER BY seq"
_KEPT = f"SELECT id, sha256, sha256_version, {MEMORY_COLUMNS} FROM memories WHERE tenant = ?"
_SELECT_KEPT = f"{_KEPT} AND id > ? ORDER BY id LIMIT ?"
_SELECT_ONE = f"{_KEPT} AND id = ?"


class SqliteIntegrityStore:
    """The `IntegrityStore` of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def entries(self, tenant: str) -> AsyncIterator[Sequence[Recorded]]:
        last = await self._database.read(partial(_last, tenant=tenant))
        after: int | None = _BEFORE_ALL
        while after is not None:
            read = partial(_entries, tenant=tenant, after=after, last=last)
            after, page = await self._database.read(read)
            yield page

    async def kept(self, tenant: str) -> AsyncIterator[Sequence[Kept]]:
        after: str | None = ""
        while after is not None:
            page = await self._database.read(partial(_page, tenant=tenant, after=after))
            after = page[-1].id if page else None
            yield page

    async def examine(self, tenant: str, memory_id: str) -> tuple[Kept | None, Sequence[Recorded]]:
        def examine(connection: sqlite3.Connection) -> tuple[Kept | None, Sequence[Recorded]]:
            named = (tenant, memory_id)
            row = connection.execute(_SELECT_ONE, named).fetchone()
            entries = [_recorded(cells) for _, *cells in connection.execute(_SELECT_OWN, named)]
            return _kept(row) if row else None, entries

        return await self._database.read(examine) if is_unicode(memory_id) else (None, ())


def _last(connection: sqlite3.Connection, tenant: str) -> int:
    """Return the number of the last entry, which somebody else may have given it."""
    number = connection.execute(_SELECT_LAST, (tenant,)).fetchone()[0]
    return _BEFORE_ALL if number is None else int(number)


def _entries(
    connection: sqlite3.Connection, tenant: str, after: int, last: int
) -> tuple[int | None, Sequence[Recorded]]:
    rows = connection.execute(_SELECT_ENTRIES, (tenant, after, last, PAGE)).fetchall()
    return rows[-1][0] if rows else None, [_recorded(cells) for _, *cells in rows]


def _page(connection: sqlite3.Connection, tenant: str, after: str) -> Sequence[Kept]:
    return [*map(_kept, connection.execute(_SELECT_KEPT, (tenant, after, PAGE)))]


def _recorded(cells: Sequence[Any]) -> Recorded:
    subject_id, sha256, memory_sha256, *entry = cells
    return Recorded(subject_id, sha256, memory_sha256, _readable(load_entry, entry))


def _kept(cells: Sequence[Any]) -> Kept:
    id_, sha256, version, *memory = cells
    return Kept(id_, sha256, version, _readable(load_memory, memory))


def _readable(load: Callable[[Sequence[Any]], T], cells: Sequence[Any]) -> T | None:
    """Return what a row holds, or None where it holds no such thing: any cell may be anything."""
    try:
        return load(cells)
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
        return None
