"""The secret of one database: a row, made at its first need."""

import sqlite3

from metacortex.adapters.sqlite.database import Database

_SELECT = "SELECT secret FROM store_secret"
_INSERT = "INSERT INTO store_secret (key, secret) VALUES (1, ?) ON CONFLICT DO NOTHING"


async def secret_of(database: Database, offered: bytes) -> bytes:
    """Return the secret, which `offered` becomes where there is none."""

    def kept(connection: sqlite3.Connection) -> bytes:
        connection.execute(_INSERT, (offered,))
        (secret,) = _stored(connection)
        return secret

    stored = await database.read(_stored)
    return stored[0] if stored else await database.write(kept)


def _stored(connection: sqlite3.Connection) -> list[bytes]:
    return [secret for (secret,) in connection.execute(_SELECT)]
