"""Migrating: how a file of an older version becomes one of this version."""

import sqlite3
from collections.abc import Iterator, Sequence

from metacortex.adapters.sqlite.schema import APPLICATION_ID


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the schema that a file has, 0 where it has none yet."""
    return _number(connection.execute("PRAGMA user_version"))


def is_foreign(connection: sqlite3.Connection) -> bool:
    """Whether another program made this file. An empty file is nobody's."""
    application = _number(connection.execute("PRAGMA application_id"))
    if application == APPLICATION_ID:
        return False
    return application != 0 or _number(connection.execute("SELECT count(*) FROM sqlite_schema")) > 0


def migrate(connection: sqlite3.Connection, migrations: Sequence[str]) -> None:
    """Bring a file to the last version, each script in a transaction of its own.

    Another process may do the same at this moment: which is next is read inside the transaction.
    """
    while version_of(connection) < len(migrations):
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = version_of(connection)
            if version < len(migrations):
                _apply(connection, migrations[version], version + 1)
            connection.execute("COMMIT")
        finally:
            connection.rollback()


def _apply(connection: sqlite3.Connection, script: str, version: int) -> None:
    for statement in _statements(script):
        connection.execute(statement)
    # A pragma takes no bound parameters; both values are our own numbers.
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _number(cursor: sqlite3.Cursor) -> int:
    return int(cursor.fetchone()[0])
