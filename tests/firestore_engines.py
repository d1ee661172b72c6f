"""Engines on the emulator for tests of the wire: projects of their own, connections that do not
wait, and all that a project holds.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from google.cloud.firestore_v1.async_client import AsyncClient

from metacortex.adapters.firestore.clients import FirestoreClientRegistry
from metacortex.adapters.firestore.connection import DEADLINE, Connection, Pause
from metacortex.adapters.firestore.entities import FirestoreEntityStore
from metacortex.adapters.firestore.events import FirestoreEventLog
from metacortex.adapters.firestore.facts import FirestoreFactStore
from metacortex.adapters.firestore.findings import FirestoreFindingStore
from metacortex.adapters.firestore.integrity import FirestoreIntegrityStore
from metacortex.adapters.firestore.memories import VECTOR_QUERIES, FirestoreMemoryStore
from metacortex.adapters.firestore.names import FirestoreNameIndex
from metacortex.adapters.firestore.tenants import Tenants
from metacortex.adapters.firestore.use import FirestoreUseLog
from metacortex.engine_settings import DEFAULT_COLLECTION, DEFAULT_DATABASE
from metacortex.engines import Engine, one_by_one

COLLECTIONS = (
    DEFAULT_COLLECTION,
    *(
        "memory_windows",
        "memory_changes",
        "memory_fingerprints",
        "memory_events",
        "memory_use",
        "fact_timelines",
        "entities",
        "fact_findings",
        "clients",
    ),
)
GIVEN_BY_THE_STORE = ("committed_at", "joined_at", "recorded_at")


async def no_pause(_: float) -> None:
    """Try again at once."""


def a_project() -> str:
    """Return the name of a project that nothing else uses."""
    return f"test-{uuid4().hex}"


@asynccontextmanager
async def opened(
    project: str | None, deadline: float = DEADLINE, pause: Pause = no_pause
) -> AsyncIterator[Engine]:
    """Open an engine on this project for as long as the block takes."""
    connection = Connection(project, DEFAULT_DATABASE, deadline, pause)
    tenants, permits = (
        Tenants(connection, DEFAULT_COLLECTION),
        asyncio.Semaphore(VECTOR_QUERIES),
    )
    try:
        yield Engine(
            FirestoreMemoryStore(tenants, permits),
            FirestoreFactStore(tenants),
            FirestoreEntityStore(tenants),
            FirestoreNameIndex(tenants, permits),
            FirestoreFindingStore(tenants),
            FirestoreEventLog(connection),
            FirestoreUseLog(connection, DEFAULT_COLLECTION),
            FirestoreClientRegistry(connection),
            FirestoreIntegrityStore(tenants),
            connection.open,
            connection.close,
            one_by_one,
            in_process=False,
        )
    finally:
        await connection.close()


async def held(project: str) -> Mapping[str, dict[str, Any]]:
    """Return every document of a project by its path, without the moments that the store gave."""
    client = AsyncClient(project=project, database=DEFAULT_DATABASE)
    try:
        return {
            snapshot.reference.path: {
                name: value
                for name, value in (snapshot.to_dict() or {}).items()
                if name not in GIVEN_BY_THE_STORE
            }
            for name in COLLECTIONS
            async for snapshot in client.collection_group(name).stream()
        }
    finally:
        await client._firestore_api.transport.close()
