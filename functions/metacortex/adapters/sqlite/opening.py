"""Opening a database: its file and folder, its settings, its version and its health."""

import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from metacortex.adapters.sqlite.failures import (
    damaged,
    foreign,
    is_locked,
    newer,
    unopened,
    unusable,
    unwritable,
)
from metacortex.adapters.sqlite.migrating import is_foreign, migrate, version_of

_OLDEST_SQLITE = (3, 37, 0)
"""The first that knows STRICT tables."""
_PAGE_SIZE = 8_192
"""Three vectors of 512 dimensions fit; a page of the default size would stay half empty."""
_WAL_LIMIT = 64 * 1024 * 1024
_RETRY_SECONDS = 0.02
_MOMENT = 0.5
"""Seconds that all writes may wait so that the log can be emptied."""


def open_writer(
    path: Path | None, migrations: Sequence[str], busy_timeout: float
) -> sqlite3.Connection:
    """Return a connection to a checked database of the present version, made where there is none.

    Raises:
        StoreUnusable: the file, its folder or its disk cannot be used as it is.
        Unavailable: another process kept the file locked for longer than `busy_timeout` seconds.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise unusable(path, "it needs SQLite 3.37 or newer; use a newer Python")
    if path is not None:
        _create_file(path)
    try:
        connection = _connect(path, busy_timeout)
        try:
            _prepare(connection, path, migrations, busy_timeout)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise unopened(path, error) from error
    return connection


def open_reader(path: Path, busy_timeout: float) -> sqlite3.Connection:
    """Return a connection that reads a database which `open_writer` has prepared."""
    connection = _connect(path, busy_timeout)
    connection.execute("PRAGMA query_only = ON")
    return connection


def empty_log(connection: sqlite3.Connection, busy_timeout: float) -> None:
    """Move what the write-ahead log holds into the file and cut the log to nothing, unless readers
    need it for longer than a moment.
    """
    connection.execute(f"PRAGMA busy_timeout = {_milliseconds(min(busy_timeout, _MOMENT))}")
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {_milliseconds(busy_timeout)}")


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1_000)


def _create_file(path: Path) -> None:
    """Make the file and its folder for their owner alone. What is there keeps its permissions."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        if path.is_dir():
            raise unusable(
                path, "it is a folder; move it away, or set METACORTEX_DATA_DIR to another folder"
            )
        # SQLite opens what it may not write as read-only, without a word.
        with path.open("r+b"):
            pass
    except OSError as error:
        raise unwritable(path) from error


def _connect(path: Path | None, busy_timeout: float) -> sqlite3.Connection:
    # Every connection is used by one thread at a time, but closed by another.
    return sqlite3.connect(
        path or ":memory:",
        timeout=busy_timeout,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )


def _prepare(
    connection: sqlite3.Connection,
    path: Path | None,
    migrations: Sequence[str],
    busy_timeout: float,
) -> None:
    _identify(connection, path, len(migrations))
    connection.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
    if path is not None:
        _write_ahead(connection, time.monotonic() + busy_timeout)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    # What was deleted is overwritten, so that it cannot be read from the file's free pages.
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")
    migrate(connection, migrations)
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise damaged(path)


def _identify(connection: sqlite3.Connection, path: Path | None, known: int) -> None:
    # In one snapshot: another process may be making the tables at this moment.
    connection.execute("BEGIN")
    if is_foreign(connection):
        raise foreign(path)
    if (version := version_of(connection)) > known:
        raise newer(path, version, known)
    connection.execute("COMMIT")


def _write_ahead(connection: sqlite3.Connection, deadline: float) -> None:
    """Turn the write-ahead log on. SQLite itself does not wait here for another process."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not is_locked(error) or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)
