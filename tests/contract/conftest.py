"""The engines that every contract suite of a store runs on."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from metacortex.adapters.sqlite.clients import SqliteClientRegistry
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.events import SqliteEventLog
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.ports import ClientRegistry, EventLog, MemoryStore


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine with nothing stored in it."""

    store: MemoryStore
    event_log: EventLog
    client_registry: ClientRegistry


@asynccontextmanager
async def sqlite_engine(path: Path | None, cache_mb: int) -> AsyncIterator[Engine]:
    """Open an embedded engine for as long as a test takes."""
    database = Database(path)
    try:
        yield Engine(
            SqliteMemoryStore(database, cache_mb),
            SqliteEventLog(database),
            SqliteClientRegistry(database),
        )
    finally:
        await database.close()


ENGINES: dict[str, Callable[[Path], AbstractAsyncContextManager[Engine]]] = {
    "sqlite-memory": lambda _: sqlite_engine(None, cache_mb=512),
    "sqlite-disk": lambda folder: sqlite_engine(folder / "metacortex.db", cache_mb=512),
    "sqlite-uncached": lambda folder: sqlite_engine(folder / "metacortex.db", cache_mb=0),
}


@pytest.fixture(params=ENGINES)
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    async with ENGINES[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture
def store(engine: Engine) -> MemoryStore:
    return engine.store


@pytest.fixture
def event_log(engine: Engine) -> EventLog:
    return engine.event_log


@pytest.fixture
def client_registry(engine: Engine) -> ClientRegistry:
    return engine.client_registry
