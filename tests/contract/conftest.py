"""The engines that every contract suite of a store runs on."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient

from metacortex.engine_settings import DEFAULT_COLLECTION, DEFAULT_DATABASE
from metacortex.engines import Engine, firestore_engine, sqlite_engine
from metacortex.ports import ClientRegistry, EventLog, MemoryStore
from tests.firestore_engines import a_project


@asynccontextmanager
async def sqlite(path: Path | None, cache_mb: int) -> AsyncIterator[Engine]:
    """Open an embedded engine for as long as a test takes."""
    engine = sqlite_engine(path, cache_mb)
    try:
        yield engine
    finally:
        await engine.aclose()


@asynccontextmanager
async def firestore() -> AsyncIterator[Engine]:
    """Open an engine on a project of its own, of which the emulator takes any number."""
    engine = firestore_engine(a_project(), DEFAULT_DATABASE, DEFAULT_COLLECTION)
    try:
        yield engine
    finally:
        await engine.aclose()


ENGINES: dict[str, Callable[[Path], AbstractAsyncContextManager[Engine]]] = {
    "sqlite-memory": lambda _: sqlite(None, cache_mb=512),
    "sqlite-disk": lambda folder: sqlite(folder / "metacortex.db", cache_mb=512),
    "sqlite-uncached": lambda folder: sqlite(folder / "metacortex.db", cache_mb=0),
    "firestore": lambda _: firestore(),
}


@pytest.fixture(params=ENGINES)
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    if request.param == "firestore":
        request.getfixturevalue("firestore_emulator")
    async with ENGINES[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture
def store(engine: Engine) -> MemoryStore:
    return engine.store


@pytest.fixture
def event_log(engine: Engine) -> EventLog:
    return engine.events


@pytest.fixture
def client_registry(engine: Engine) -> ClientRegistry:
    return engine.registry


@pytest.fixture
def project() -> str:
    """A project of Firestore that nothing else uses."""
    return a_project()


@pytest.fixture
async def client(firestore_emulator: str, project: str) -> AsyncIterator[AsyncClient]:
    """Google's own client of that project, to put there what the adapter would not."""
    client = AsyncClient(project=project, database=DEFAULT_DATABASE)
    yield client
    await client._firestore_api.transport.close()
