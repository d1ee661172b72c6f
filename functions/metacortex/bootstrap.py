"""The composition root: which adapter answers which port. Of models `model_adapters` knows it, of
stores `engines`.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path

from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.adapters.local.tokens import O200kTokenCounter
from metacortex.config import Settings
from metacortex.domain.moment import Milliseconds
from metacortex.engines import DATABASE_NAME, Engine, build_engine, sqlite_engine
from metacortex.model_adapters import build_describer, build_embedder, build_judge, build_reranker
from metacortex.model_ports import (
    Embedder,
    ImageDescriber,
    Judge,
    Reranker,
    SecretScanner,
    TokenCounter,
)
from metacortex.ports import Clock, Tracing
from metacortex.service.activity import Activity
from metacortex.service.associations import Associations
from metacortex.service.clients import ClientService
from metacortex.service.consolidation import ConsolidationService
from metacortex.service.contexts import ContextService
from metacortex.service.contradictions import ContradictionService
from metacortex.service.embedding import TextEmbedding
from metacortex.service.entities import EntityService
from metacortex.service.facts import FactService
from metacortex.service.findings import FindingService
from metacortex.service.forgetting import ForgettingService
from metacortex.service.intake import Intake
from metacortex.service.integrity import IntegrityService
from metacortex.service.judging import Judging
from metacortex.service.knowledge import KnowledgeService
from metacortex.service.listing import ListingService
from metacortex.service.maintenance import MaintenanceService
from metacortex.service.memories import MemoryService
from metacortex.service.mentions import Mentions
from metacortex.service.merging import MergeService
from metacortex.service.names import Names
from metacortex.service.proposing import Proposing
from metacortex.service.reranking import Reranking
from metacortex.service.resolution import Resolution
from metacortex.service.seals import Seals
from metacortex.service.search import SearchService
from metacortex.service.services import Services
from metacortex.service.snapshots import SnapshotService
from metacortex.service.sources import SourceService
from metacortex.service.stats import StatsService
from metacortex.service.use import UseCounter
from metacortex.trace_settings import TraceSettings
from metacortex.transport.mcp.tools import TOOLS

CACHE_MB_APART = 16
TOOL_NAMES = tuple(tool.name for tool in TOOLS)


class SystemClock:
    """The clock of the machine."""

    def now(self) -> Milliseconds:
        """Return the present moment."""
        return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Outside:
    """Everything that the services speak to."""

    engine: Engine
    embedder: Embedder
    describer: ImageDescriber
    scanner: SecretScanner
    clock: Clock
    counter: TokenCounter
    judge: Judge | None = None
    reranker: Reranker | None = None
    tracing: Tracing | None = None

    async def aclose(self) -> None:
        """Let go of the models and the store."""
        for model in (self.embedder, self.describer, self.judge, self.reranker):
            if model is not None:
                await model.aclose()
        await self.engine.aclose()
        if self.tracing is not None:
            await self.tracing.aclose()


@dataclass(frozen=True, slots=True)
class Program:
    """The services, and what is under them, which must be opened and closed."""

    services: Services
    outside: Outside

    async def open(self) -> None:
        """Open the store now rather than at its first use.

        Raises:
            StoreUnusable: the file, folder or disk cannot be used as it is.
            Unavailable: the store does not answer.
        """
        await self.outside.engine.open()

    async def aclose(self) -> None:
        """Store what is pending and let go of what is outside."""
        await self.services.activity.aclose()
        await self.outside.aclose()


def build(settings: Settings, embedder: Embedder | None = None) -> Program:
    """Put the program together, with `embedder` in place of the one that the settings name, if it
    is given.

    Nothing is opened, connected or loaded before it is used.
    """
    outside = Outside(
        build_engine(settings.engine, settings.data_dir),
        embedder or build_embedder(settings.embedder),
        build_describer(settings.describer),
        LibrarySecretScanner(),
        SystemClock(),
        O200kTokenCounter(),
        build_judge(settings.judge),
        build_reranker(settings.reranker),
    )
    if settings.traces is not None:
        outside = traced(settings.traces, outside)
    return Program(build_services(settings, outside), outside)


def build_apart(settings: Settings, folder: Path | None, clock: Clock) -> Program:
    """Put the program together on a SQLite file in a folder of its own, or on a database in memory
    where that is None, with a clock of its own.
    """
    path = None if folder is None else folder / DATABASE_NAME
    there = build(settings).outside
    outside = replace(there, engine=sqlite_engine(path, CACHE_MB_APART), clock=clock)
    return Program(build_services(settings, outside), outside)


def build_services(settings: Settings, outside: Outside) -> Services:
    """Put the services together on what they speak to."""
    engine, scanner, clock = outside.engine, outside.scanner, outside.clock
    embedding, window = TextEmbedding(outside.embedder), settings.idempotency_window
    intake = Intake(engine.store, outside.describer, scanner, outside.counter, clock)
    names = Names(engine.entities, embedding)
    entities = EntityService(engine.entities)
    mentions = Mentions(engine.entities, entities, names)
    proposing = Proposing(engine.entities, engine.names, entities, embedding)
    merging = MergeService(engine.entities, entities, names, intake, clock)
    judge = outside.judge
    judging = None if judge is None else Judging(judge, engine.entities, merging, clock)
    resolution = Resolution(entities, names, proposing, judging, clock)
    memories = MemoryService(engine.store, mentions, resolution, embedding, intake, clock, window)
    seals = Seals(engine.store, clock)
    reranking = Reranking(outside.reranker, clock) if outside.reranker is not None else None
    searches = SearchService(
        engine.store, embedding, clock, settings.search_result_limit, reranking
    )
    integrity = IntegrityService(engine.integrity, engine.store)
    listings = ListingService(engine.store, seals, clock)
    return Services(
        memories=memories,
        searches=searches,
        listings=listings,
        contexts=ContextService(
            engine.store,
            Associations(engine.facts, entities, clock, engine.together),
            embedding,
            outside.counter,
            clock,
            engine.together if engine.in_process else None,
        ),
        consolidation=ConsolidationService(engine.store, memories, outside.judge, clock),
        forgetting=ForgettingService(engine.store, engine.facts, seals, clock),
        facts=FactService(
            engine.store, engine.facts, entities, resolution, embedding, intake, clock
        ),
        knowledge=KnowledgeService(engine.facts, entities, clock),
        snapshots=SnapshotService(engine.facts, entities, clock),
        contradictions=ContradictionService(engine.facts, engine.findings, entities, clock),
        findings=FindingService(
            engine.store, engine.facts, engine.findings, entities, intake, clock
        ),
        stats=StatsService(engine.store, engine.use, embedding),
        integrity=integrity,
        sources=SourceService(searches, listings, integrity, seals, clock),
        activity=Activity(
            engine.events, UseCounter(engine.use, clock), scanner, clock, outside.tracing
        ),
        clients=ClientService(settings.admin, settings.profiles, engine.registry, clock),
        entities=entities,
        proposing=proposing,
        merging=merging,
        maintenance=MaintenanceService(
            engine.store, engine.events, engine.names, mentions, embedding, clock, window
        ),
        clock=clock,
    )


def traced(settings: TraceSettings, outside: Outside) -> Outside:
    """Return what the services speak to, with a tracer that follows all calls of it.

    Raises:
        ConfigurationError: the packages for it are not installed.
    """
    from metacortex.adapters.opentelemetry.tracing import OtlpTracing

    tracing, engine = OtlpTracing(settings.url, awaited=settings.awaited), outside.engine
    judge, reranker = outside.judge, outside.reranker
    return replace(
        outside,
        engine=replace(
            engine,
            store=tracing.followed(engine.store, "store"),
            entities=tracing.followed(engine.entities, "entities"),
            names=tracing.followed(engine.names, "names"),
            events=tracing.followed(engine.events, "events"),
            use=tracing.followed(engine.use, "use"),
            facts=tracing.followed(engine.facts, "facts"),
            integrity=tracing.followed(engine.integrity, "integrity"),
            findings=tracing.followed(engine.findings, "findings"),
        ),
        embedder=tracing.followed(outside.embedder, "embedder"),
        describer=tracing.followed(outside.describer, "describer"),
        judge=judge and tracing.followed(judge, "judge"),
        reranker=reranker and tracing.followed(reranker, "reranker"),
        tracing=tracing,
    )
