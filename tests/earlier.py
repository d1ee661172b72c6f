"""A database as a version without terms has written it."""

import sqlite3
from pathlib import Path

from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, dump_memory
from metacortex.adapters.sqlite.schema import MIGRATIONS
from metacortex.domain.memory import Memory
from metacortex.domain.vector import EmbeddingSpace, Vector
from tests.samples import SPACE, TENANT, a_vector

_COLUMNS = MEMORY_COLUMNS.split(", ")[:29]
_INSERT = (
    f"INSERT INTO memories ({', '.join(_COLUMNS)}, tenant, space, seq)"
    f" VALUES ({', '.join('?' * (len(_COLUMNS) + 3))})"
)


async def write_earlier(
    path: Path,
    *memories: Memory,
    tenant: str = TENANT,
    space: EmbeddingSpace = SPACE,
    vector: "Vector | None" = None,
) -> None:
    """Write memories into a new file of the first version, all with one vector."""

    def write(connection: sqlite3.Connection) -> None:
        connection.execute(
            "INSERT INTO embedding_spaces (key, model, dimension) VALUES (1, ?, ?)",
            (space.model, space.dimension),
        )
        for seq, memory in enumerate(memories, start=1):
            inserted = connection.execute(
                _INSERT, (*dump_memory(memory)[: len(_COLUMNS)], tenant, 1, seq)
            )
            connection.execute(
                "INSERT INTO vectors (memory, n, vector) VALUES (?, 0, ?)",
                (inserted.lastrowid, (vector or a_vector()).tobytes()),
            )
        connection.execute("INSERT INTO tenants VALUES (?, ?, 0)", (tenant, len(memories)))

    database = Database(path, migrations=MIGRATIONS[:1])
    await database.write(write)
    await database.close()
