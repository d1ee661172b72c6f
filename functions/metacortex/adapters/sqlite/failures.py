"""The errors of SQLite and of its file, translated into the product's in this one place."""

import sqlite3
from pathlib import Path

from metacortex.domain.errors import MetaCortexError, StoreUnusable, Unavailable

_REASONS = {
    sqlite3.SQLITE_FULL: "its disk is full",
    sqlite3.SQLITE_BUSY: "another process kept its file locked",
    sqlite3.SQLITE_LOCKED: "another process kept its file locked",
    sqlite3.SQLITE_IOERR: "its disk reported an error",
    sqlite3.SQLITE_CANTOPEN: "its file cannot be opened",
    sqlite3.SQLITE_READONLY: "its file is read-only",
    sqlite3.SQLITE_CORRUPT: "its file is damaged",
    sqlite3.SQLITE_NOTADB: "its file is damaged",
    sqlite3.SQLITE_NOMEM: "memory ran out",
}
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_ELSEWHERE = "or set METACORTEX_DATA_DIR to another folder"
_UNWRITABLE = f"it cannot be written; let this user write to it and to its folder, {_ELSEWHERE}"
_DAMAGED = f"it is damaged; restore it from a backup or move it away, {_ELSEWHERE}"
_UNOPENED = {
    sqlite3.SQLITE_FULL: (
        "its disk is full; free some space, or set METACORTEX_DATA_DIR to a folder on another disk"
    ),
    sqlite3.SQLITE_READONLY: _UNWRITABLE,
    sqlite3.SQLITE_CANTOPEN: _UNWRITABLE,
    sqlite3.SQLITE_PERM: _UNWRITABLE,
    sqlite3.SQLITE_NOTADB: f"it is no SQLite database; move it away, {_ELSEWHERE}",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
}


def unanswered(error: sqlite3.Error, *, writing: bool) -> Unavailable:
    """Return what a caller is told of an error that a read or a write ran into."""
    reason = _REASONS.get(_code(error), "the database refused the request")
    outcome = "; nothing was saved" if writing else ""
    return Unavailable(f"The memory store did not answer: {reason}{outcome}")


def unopened(path: Path | None, error: sqlite3.Error) -> MetaCortexError:
    """Return what an operator is told of an error that opening a database ran into."""
    if _code(error) in _LOCKED:
        return unanswered(error, writing=True)
    fault = _UNOPENED.get(_code(error), f"SQLite reports: {error}; mend that, {_ELSEWHERE}")
    return unusable(path, fault)


def unusable(path: Path | None, fault: str) -> StoreUnusable:
    """Return what is told of a database that cannot be used; `fault` ends with the remedy."""
    return StoreUnusable(f"The memory database '{path or ':memory:'}' cannot be used: {fault}")


def unwritable(path: Path) -> StoreUnusable:
    """Return what is told of a file or folder that this user may not write."""
    return unusable(path, _UNWRITABLE)


def foreign(path: Path | None) -> StoreUnusable:
    """Return what is told of another program's database."""
    return unusable(path, f"it belongs to another program; move it away, {_ELSEWHERE}")


def newer(path: Path | None, version: int, known: int) -> StoreUnusable:
    """Return what is told of a database that a later version has written."""
    fault = f"its schema is version {version} and this program knows {known}; upgrade MetaCortex"
    return unusable(path, f"{fault}, {_ELSEWHERE}")


def damaged(path: Path | None) -> StoreUnusable:
    """Return what is told of a database that fails its integrity check."""
    return unusable(path, _DAMAGED)


def is_locked(error: sqlite3.Error) -> bool:
    """Whether another process held the file."""
    return _code(error) in _LOCKED


def _code(error: sqlite3.Error) -> int:
    # The low byte of an extended code is the primary one. Errors of Python's own module have none.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
