"""Clients that 0.1.0 has registered: what they do not say, they may not, and
their zone is UTC."""

import json
import sqlite3
from datetime import UTC
from pathlib import Path

from google.cloud.firestore_v1 import DELETE_FIELD
from google.cloud.firestore_v1.async_client import AsyncClient

from metacortex.adapters.sqlite.clients import SqliteClientRegistry
from metacortex.adapters.sqlite.database import Database
from tests.contract.test_client_registry import a_profile
from tests.firestore_engines import opened


async def test_a_client_that_sqlite_has_kept_may_not_replace(tmp_path: Path) -> None:
    database = Database(tmp_path / "metacortex.db")
    registry = SqliteClientRegistry(database)
    await registry.add(a_profile())

    def forget(connection: sqlite3.Connection) -> None:
        (text,) = connection.execute("SELECT profile FROM clients").fetchone()
        stored = json.loads(text)
        del stored["may_replace"], stored["timezone"]
        connection.execute("UPDATE clients SET profile = ?", (json.dumps(stored),))

    await database.write(forget)
    found = await registry.get("claude-web")
    await database.close()
    assert found is not None
    assert (found.principal.may_replace, found.principal.zone) == (False, UTC)


async def test_a_client_that_firestore_has_kept_may_not_replace(
    project: str, client: AsyncClient
) -> None:
    async with opened(project) as engine:
        await engine.registry.add(a_profile())
        await (
            client.collection("clients")
            .document("claude-web")
            .update({"may_replace": DELETE_FIELD, "timezone": DELETE_FIELD})
        )
        found = await engine.registry.get("claude-web")
    assert found is not None
    assert (found.principal.may_replace, found.principal.zone) == (False, UTC)
