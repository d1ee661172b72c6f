"""The services on real SQLite, without a transport in front of them."""

from dataclasses import dataclass

from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.adapters.sqlite.clients import SqliteClientRegistry
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.events import SqliteEventLog
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.config import Settings
from metacortex.ports import Clock, Embedder, ImageDescriber
from metacortex.service.activity import Activity
from metacortex.service.clients import ClientService
from metacortex.service.embedding import TextEmbedding
from metacortex.service.maintenance import MaintenanceService
from metacortex.service.memories import MemoryService
from metacortex.service.services import Services


@dataclass(frozen=True)
class Outside:
    """What the services speak to."""

    database: Database
    event_database: Database
    embedder: Embedder
    describer: ImageDescriber
    clock: Clock


def build_services(settings: Settings, outside: Outside) -> Services:
    """Put the services together."""
    scanner, clock = LibrarySecretScanner(), outside.clock
    store, events = SqliteMemoryStore(outside.database), SqliteEventLog(outside.event_database)
    embedding, window = TextEmbedding(outside.embedder), settings.idempotency_window
    memories = MemoryService(
        store, embedding, outside.describer, scanner, clock, window, settings.search_result_limit
    )
    registry = SqliteClientRegistry(outside.database)
    return Services(
        memories=memories,
        activity=Activity(events, scanner, clock),
        clients=ClientService(settings.admin, settings.profiles, registry, clock),
        maintenance=MaintenanceService(store, events, embedding, clock, window),
    )
