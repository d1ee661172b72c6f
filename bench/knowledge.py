"""What knowledge costs: the benchmark of the seed (500 facts, of which 150 replace another, 100
episodes, 60 entities), on a durable file and in memory, and a compiled context as the store grows,
beside the plainest program that does the same in memory.
"""

import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

from bench.contexts import BUDGET, Plain
from bench.store import unit_vectors
from metacortex.adapters.local.describer import NoDescriber
from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.adapters.local.tokens import O200kTokenCounter
from metacortex.adapters.local.use import UniversalSentenceEncoder
from metacortex.bootstrap import TOOL_NAMES, Outside, SystemClock, build_services
from metacortex.config import Settings
from metacortex.domain.bundles.bundle import Compile
from metacortex.domain.client import whole_tenant
from metacortex.domain.details import EpisodeCategory, Kind
from metacortex.domain.knowledge.asked import AskedEntity
from metacortex.domain.knowledge.new_fact import NewFact
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Labels, NewMemory
from metacortex.domain.verification import Verification
from metacortex.engines import sqlite_engine
from metacortex.service.services import Services

FACTS, SUPERSESSIONS, EPISODES, ENTITIES = 500, 150, 100, 60
TIMES = (1, 10, 100)
QUESTIONS = 1_000
ROUNDS = 60
CACHE_MB = 512
BENCH = whole_tenant("bench", "default", BranchState.ACTIVE)
PREDICATES = ("runtime", "signing_algorithm", "isolation_level", "queue", "owner", "retry_policy")
VALUES = ("Ed25519", "PASETO", "SERIALIZABLE", "backoff", "FIFO", "canary", "mutex", "sharding")
PARTS = (
    "auth",
    "ledger",
    "billing",
    "search",
    "mail",
    "order",
    "stock",
    "audit",
    "login",
    "report",
)


@dataclass
class Knowledge:
    """What is told, the same for every size: statements in the order in which they are recorded,
    and episodes.
    """

    times: int
    statements: list[NewFact] = field(default_factory=list)
    episodes: list[NewMemory] = field(default_factory=list)
    stale: set[str] = field(default_factory=set)
    """The values that another has replaced."""

    def __post_init__(self) -> None:
        chance, count = Random(self.times), FACTS * self.times
        first = count - SUPERSESSIONS * self.times
        for number in range(first):
            subject, predicate = self._timeline(number)
            # Every fourth fact is an edge of the graph; it has a timeline of its own.
            if number % 4 == 0:
                other = self.entity(chance.randrange(ENTITIES * self.times))
                self.statements.append(NewFact(subject, f"depends_on_{predicate}", entity=other))
            else:
                self.statements.append(NewFact(subject, predicate, self._value(number, "old")))
        for number in chance.sample([n for n in range(first) if n % 4], count - first):
            subject, predicate = self._timeline(number)
            self.stale.add(self._value(number, "old"))
            self.statements.append(NewFact(subject, predicate, self._value(number, "new")))
        self.episodes = [self._episode(number) for number in range(EPISODES * self.times)]

    def entity(self, number: int) -> str:
        """Return the name of an entity."""
        return f"{PARTS[number % len(PARTS)]}_service_{number}"

    def question(self, number: int) -> str:
        """Return a question that facts and episodes answer a little."""
        chance = Random(number)
        subject = self.entity(chance.randrange(ENTITIES * self.times))
        return f"which {chance.choice(PREDICATES)} does {subject} have and what depends on it?"

    def _timeline(self, number: int) -> tuple[str, str]:
        entities = ENTITIES * self.times
        round_ = number // entities
        return self.entity(number % entities), f"{PREDICATES[round_ % len(PREDICATES)]}_{round_}"

    def _value(self, number: int, age: str) -> str:
        return f"{VALUES[number % len(VALUES)]}-{age}-{number}"

    def _episode(self, number: int) -> NewMemory:
        part = self.entity(number % (ENTITIES * self.times))
        text = (
            f"Every change of {part} must supply a key for request {number}, since drawing"
            f" {number * 7919 % 9973} was lost when the {VALUES[number % len(VALUES)]} failed."
        )
        labels = Labels(
            kind=Kind.EPISODE, title=f"INV-{number}: {part}", category=EpisodeCategory.INVARIANT
        )
        return NewMemory(text, labels=labels)


class Filling(UniversalSentenceEncoder):
    """The default model, which can be spared while a large store is filled: what passages mean is
    nothing to what a search costs.
    """

    def __init__(self, *, spared: bool) -> None:
        super().__init__()
        self._vectors = unit_vectors(1_000)
        self._spared, self._next = spared, 0

    async def embed_passages(self, topic: str, passages: Sequence[str]) -> Any:
        """Return vectors of the passages, or of nothing."""
        if not self._spared:
            return await super().embed_passages(topic, passages)
        self._next += 1
        return [self._vectors[self._next % len(self._vectors)] for _ in passages]


async def operations() -> list[dict[str, Any]]:
    """Return p50 and p95 of each operation, on a file and in memory."""
    rows = []
    for name in ("file", "memory"):
        knowledge = Knowledge(1)
        async with _served(on_disk=name == "file", spared=False) as services:
            took = await _operations(services, knowledge)
        rows += [{"store": name, "operation": each, **_told(times)} for each, times in took.items()]
    return rows


async def _operations(services: Services, knowledge: Knowledge) -> dict[str, list[float]]:
    entities = [knowledge.entity(number) for number in range(ENTITIES)]
    return {
        "record_episode": [
            await _timed(services.memories.remember(BENCH, each)) for each in knowledge.episodes
        ],
        "upsert_fact": [
            await _timed(services.facts.upsert(BENCH, each)) for each in knowledge.statements
        ],
        "query_entity, 2 hops": [
            await _timed(services.knowledge.entity(BENCH, AskedEntity(each, max_hops=2)))
            for each in entities
        ],
        "compile_context, 800 tokens": [
            await _timed(_compiled(services, knowledge.question(number))) for number in range(50)
        ],
        "verify_integrity": [
            await _timed(services.integrity.verify(BENCH, Verification())) for _ in range(5)
        ],
    }


async def growth() -> list[dict[str, Any]]:
    """Return, for each size, p50 of a compiled context, of the query's embedding in it and of the
    reference in turn, and of many questions how many told a stale value or went over the budget.
    """
    rows: list[dict[str, Any]] = []
    for times in TIMES:
        knowledge = Knowledge(times)
        async with _served(on_disk=True, spared=times > 1) as services:
            await _fill(services, knowledge)
            ours, embedding, reference = await _beside(services, knowledge)
            leaks = over = 0
            for number in range(QUESTIONS):
                text, used = await _text(services, knowledge.question(number))
                leaks += any(word.strip(".,;") in knowledge.stale for word in text.split())
                over += used > BUDGET
        first = rows[0]["p50_ms"] if rows else ours
        rows.append(
            {
                "facts": FACTS * times,
                "p50_ms": round(ours, 2),
                "reference_ms": round(reference, 2),
                "ratio": round(ours / reference, 2),
                "of_it_embedding_ms": round(embedding, 2),
                "ratio_if_both_embed": round(ours / (reference + embedding), 2),
                "of_the_first": round(ours / first, 2),
                "questions": QUESTIONS,
                "stale": leaks,
                "over_budget": over,
            }
        )
    return rows


async def _beside(services: Services, knowledge: Knowledge) -> tuple[float, float, float]:
    plain, embedder = _plain(knowledge), UniversalSentenceEncoder()
    ours, embedding, reference = [], [], []
    for number in range(ROUNDS):
        query = knowledge.question(number)
        ours.append(await _timed(_compiled(services, query)))
        embedding.append(await _timed(embedder.embed_query(query)))
        began = time.perf_counter()
        plain.compile(query)
        reference.append((time.perf_counter() - began) * 1_000)
        if sum(reference) > 60_000:
            break
    return median(ours), median(embedding), median(reference)


def _plain(knowledge: Knowledge) -> Plain:
    """Return the reference over what holds, its neighbours by common entities."""
    texts, of_entity = list[str](), dict[str, list[int]]()
    names = list[tuple[str, ...]]()
    for each in knowledge.statements:
        if each.value not in knowledge.stale:
            names.append(tuple(filter(None, (each.subject, each.entity))))
            texts.append(f"{each.subject} {each.predicate} {each.value or each.entity}")
    for number, episode in enumerate(knowledge.episodes):
        names.append((knowledge.entity(number % (ENTITIES * knowledge.times)),))
        texts.append(episode.content)
    for place, entities in enumerate(names):
        for entity in entities:
            of_entity.setdefault(entity, []).append(place)

    def near(place: int) -> Iterable[int]:
        return (other for entity in names[place] for other in of_entity[entity])

    plain = Plain(kept=False, near=near)
    for text in texts:
        plain.add(text)
    return plain


async def _fill(services: Services, knowledge: Knowledge) -> None:
    for episode in knowledge.episodes:
        await services.memories.remember(BENCH, episode)
    for statement in knowledge.statements:
        await services.facts.upsert(BENCH, statement)


async def _compiled(services: Services, query: str) -> Any:
    return await services.contexts.compile(BENCH, Compile(query, max_tokens=BUDGET))


async def _text(services: Services, query: str) -> tuple[str, int]:
    bundle = await _compiled(services, query)
    return " ".join(item.memory.content for item in bundle.items), bundle.used


async def _timed(work: Any) -> float:
    began = time.perf_counter()
    await work
    return (time.perf_counter() - began) * 1_000


def _told(times: list[float]) -> dict[str, Any]:
    slow = quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return {"samples": len(times), "p50_ms": round(median(times), 2), "p95_ms": round(slow, 2)}


@asynccontextmanager
async def _served(*, on_disk: bool, spared: bool) -> AsyncIterator[Services]:
    """Give the services on a new store, with the model loaded."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.from_env({"METACORTEX_DATA_DIR": folder}, TOOL_NAMES, serving=False)
        outside = Outside(
            sqlite_engine(Path(folder) / "bench.db" if on_disk else None, CACHE_MB),
            Filling(spared=spared),
            NoDescriber(),
            LibrarySecretScanner(),
            SystemClock(),
            O200kTokenCounter(),
        )
        services = build_services(settings, outside)
        await _compiled(services, "warm the model and the counter of tokens")
        yield services
        await services.activity.aclose()
        await outside.aclose()
