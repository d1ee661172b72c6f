"""Which adapters make an engine, where everything is kept: the choice of the settings.

Nothing is opened or connected before it is used.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from metacortex.adapters.sqlite.clients import SqliteClientRegistry
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entities import SqliteEntityStore
from metacortex.adapters.sqlite.events import SqliteEventLog
from metacortex.adapters.sqlite.facts import SqliteFactStore
from metacortex.adapters.sqlite.findings import SqliteFindingStore
from metacortex.adapters.sqlite.integrity import SqliteIntegrityStore
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.adapters.sqlite.names import SqliteNameIndex
from metacortex.adapters.sqlite.use import SqliteUseLog
from metacortex.engine_settings import EngineSettings, FirestoreSettings, SqliteSettings
from metacortex.knowledge_ports import (
    EntityStore,
    FactStore,
    FindingStore,
    IntegrityStore,
    NameIndex,
    Together,
)
from metacortex.ports import ClientRegistry, EventLog, MemoryStore, UseLog

DATABASE_NAME = "metacortex.db"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Engine:
    """Where everything is kept, and how it is opened and let go of."""

    store: MemoryStore
    facts: FactStore
    entities: EntityStore
    names: NameIndex
    findings: FindingStore
    events: EventLog
    use: UseLog
    registry: ClientRegistry
    integrity: IntegrityStore
    open: Callable[[], Awaitable[None]]
    aclose: Callable[[], Awaitable[None]]
    together: Together
    in_process: bool
    """Whether reading from it is work of this process, rather than waiting for another's."""


def build_engine(settings: EngineSettings, data_dir: Path) -> Engine:
    """Return the engine that the settings name; one that keeps files does so in `data_dir`."""
    match settings:
        case SqliteSettings(cache_mb):
            return sqlite_engine(data_dir / DATABASE_NAME, cache_mb)
        case FirestoreSettings(project, database, collection, emulator):
            return firestore_engine(project, database, collection, on_emulator=emulator is not None)


def sqlite_engine(path: Path | None, cache_mb: int) -> Engine:
    """Return the engine of one SQLite file, or of a database in memory where `path` is None."""
    database = Database(path)
    store = SqliteMemoryStore(database, cache_mb)
    return Engine(
        store,
        SqliteFactStore(database, store.cache),
        SqliteEntityStore(database),
        SqliteNameIndex(database, store.cache),
        SqliteFindingStore(database),
        SqliteEventLog(database),
        SqliteUseLog(database),
        SqliteClientRegistry(database),
        SqliteIntegrityStore(database),
        database.open,
        database.close,
        database.together,
        in_process=True,
    )


def firestore_engine(
    project: str | None, database: str, collection: str, *, on_emulator: bool = False
) -> Engine:
    """Return the engine of one Firestore database."""
    from metacortex.adapters.firestore.clients import FirestoreClientRegistry
    from metacortex.adapters.firestore.connection import Connection
    from metacortex.adapters.firestore.entities import FirestoreEntityStore
    from metacortex.adapters.firestore.events import FirestoreEventLog
    from metacortex.adapters.firestore.facts import FirestoreFactStore
    from metacortex.adapters.firestore.findings import FirestoreFindingStore
    from metacortex.adapters.firestore.integrity import FirestoreIntegrityStore
    from metacortex.adapters.firestore.memories import (
        VECTOR_QUERIES,
        VECTOR_QUERIES_OF_EMULATOR,
        FirestoreMemoryStore,
    )
    from metacortex.adapters.firestore.names import FirestoreNameIndex
    from metacortex.adapters.firestore.tenants import Tenants
    from metacortex.adapters.firestore.use import FirestoreUseLog

    connection = Connection(project, database)
    tenants = Tenants(connection, collection)
    permits = asyncio.Semaphore(VECTOR_QUERIES_OF_EMULATOR if on_emulator else VECTOR_QUERIES)
    return Engine(
        FirestoreMemoryStore(tenants, permits),
        FirestoreFactStore(tenants),
        FirestoreEntityStore(tenants),
        FirestoreNameIndex(tenants, permits),
        FirestoreFindingStore(tenants),
        FirestoreEventLog(connection),
        FirestoreUseLog(connection, collection),
        FirestoreClientRegistry(connection),
        FirestoreIntegrityStore(tenants),
        connection.open,
        connection.close,
        one_by_one,
        in_process=False,
    )


async def one_by_one(work: Callable[[], Coroutine[object, object, T]]) -> T:
    """Do readings together on an engine for which they are no more than one after another."""
    return await work()
