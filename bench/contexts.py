"""What a compiled context costs, beside the plainest program that does the same in memory: BM25
over all texts, a breadth-first walk to their neighbours, and a greedy packing under the budget.
"""

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from math import log
from pathlib import Path
from statistics import median
from typing import Any

from bench.store import add, memory, unit_vectors
from metacortex.adapters.local.tokens import O200kTokenCounter
from metacortex.adapters.local.use import UniversalSentenceEncoder
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entities import SqliteEntityStore
from metacortex.adapters.sqlite.facts import SqliteFactStore
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.bootstrap import SystemClock
from metacortex.domain.bundles.bundle import Compile
from metacortex.domain.bundles.bundle_text import text_as_sent
from metacortex.domain.client import whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory, TokenCount
from metacortex.domain.words.terms import query_terms, terms_of
from metacortex.service.associations import Associations
from metacortex.service.contexts import ContextService
from metacortex.service.embedding import TextEmbedding
from metacortex.service.entities import EntityService

ROUNDS = 60
READ_AT_MOST = 120_000
BUDGET = 800
TURNS = 20
"""How many memories a session has."""
PLACES = ("cellar", "attic", "office", "workshop", "garage", "kitchen", "garden", "harbour")
THINGS = ("pump", "relay", "fan", "valve", "lamp", "boiler", "sensor", "gate", "motor", "filter")
DEEDS = ("runs", "stops", "leaks", "hums", "was moved", "was repaired", "is rented", "is locked")


def text_of(place: int) -> str:
    """Return a text of the size of a note, none like another."""
    thing, where = THINGS[place % len(THINGS)], PLACES[place // 7 % len(PLACES)]
    deed = DEEDS[place // 3 % len(DEEDS)]
    return (
        f"The {thing} number {place} in the {where} {deed} since week {place % 52}; "
        f"ask for drawing {place * 7919 % 9973} and for key {place % 89} of cabinet {place % 31}."
    )


def question_of(round_: int) -> str:
    """Return a question that several of the texts answer a little."""
    thing, where = THINGS[round_ % len(THINGS)], PLACES[round_ // 2 % len(PLACES)]
    return f"what do we know of the {thing} in the {where} and key {round_ % 89}?"


@dataclass
class Plain:
    """The reference: everything in memory. Terms are read for each question, as the plainest
    program does, or `kept` from when a text came in. `near` tells what is next to a text.
    """

    kept: bool
    near: Callable[[int], Iterable[int]]
    texts: list[str] = field(default_factory=list)
    terms: list[Counter[str]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Keep a text."""
        self.texts.append(text)
        self.terms.append(Counter(terms_of(text)))
        self.tokens.append(O200kTokenCounter().count([text])[0])

    def compile(self, query: str) -> str:
        """Return the texts that tell the most about a query, as far as they fit."""
        terms = self.terms if self.kept else [Counter(terms_of(text)) for text in self.texts]
        scores = _bm25(terms, query_terms(query))
        reached = dict(sorted(scores.items(), key=lambda each: -each[1])[:10])
        edge = dict(reached)
        for _ in range(2):
            edge = {near: 0.5 * score for place, score in edge.items() for near in self.near(place)}
            for place, score in edge.items():
                reached[place] = max(reached.get(place, 0.0), score)
        for place, score in scores.items():
            reached[place] = max(reached.get(place, 0.0), score)
        room, lines = BUDGET, list[str]()
        for place in sorted(reached, key=lambda each: -reached[each] / self.tokens[each]):
            cost = self.tokens[place] + 12
            if cost <= room:
                room -= cost
                lines.append(f"- [{place}] {self.texts[place]}")
        return "\n".join(lines)


def _near(count: int) -> Callable[[int], Iterable[int]]:
    """Return what tells the neighbours of a memory in its session."""

    def near(place: int) -> Iterable[int]:
        session = range(place // TURNS * TURNS, min(count, (place // TURNS + 1) * TURNS))
        return (each for each in (place - 1, place + 1) if each in session)

    return near


def _bm25(texts: list[Counter[str]], terms: list[str]) -> dict[int, float]:
    average = sum(map(len, texts)) / len(texts)
    scores: dict[int, float] = {}
    for term in terms:
        holders = [place for place, held in enumerate(texts) if term in held]
        weight = log(1 + (len(texts) - len(holders) + 0.5) / (len(holders) + 0.5))
        for place in holders:
            count = texts[place][term]
            slack = 1.5 * (0.25 + 0.75 * len(texts[place]) / average)
            scores[place] = scores.get(place, 0.0) + weight * count * 2.5 / (count + slack)
    return scores


async def compiled(counts: tuple[int, ...] = (600, 60_000)) -> list[dict[str, Any]]:
    """Return p50 of compile_context as a service call, of the query's embedding in it, and of the
    reference in both its forms, in turn.
    """
    rows = []
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            database = Database(Path(folder) / "bench.db")
            store, plain = SqliteMemoryStore(database, 512), Plain(True, _near(count))
            for place, vector in enumerate(unit_vectors(count)):
                await add(store, "default", _memory(place), vector)
                plain.add(text_of(place))
            rows.append(_row(count, await _timed(database, store, plain)))
            await database.close()
    return rows


async def _timed(
    database: Database, store: SqliteMemoryStore, keeping: Plain
) -> dict[str, list[float]]:
    embedder, reading = UniversalSentenceEncoder(), replace(keeping, kept=False)
    clock = SystemClock()
    service = ContextService(
        store,
        _associations(database, store),
        TextEmbedding(embedder),
        O200kTokenCounter(),
        clock,
        database.together,
    )
    principal = whole_tenant("bench", "default", BranchState.ACTIVE)
    times: dict[str, list[float]] = {name: [] for name in ("ours", "embed", "read", "kept")}

    def took(name: str, since: float) -> float:
        now = time.perf_counter()
        times[name].append(now - since)
        return now

    for round_ in range(ROUNDS):
        query = question_of(round_)
        began = time.perf_counter()
        await embedder.embed_query(query)
        began = took("embed", began)
        await service.compile(principal, Compile(query, max_tokens=BUDGET))
        began = took("ours", began)
        keeping.compile(query)
        began = took("kept", began)
        # A question takes it seconds where there are many texts.
        if round_ * len(keeping.texts) < READ_AT_MOST:
            reading.compile(query)
            took("read", began)
    return times


def _associations(database: Database, store: SqliteMemoryStore) -> Associations:
    entities = EntityService(SqliteEntityStore(database))
    facts = SqliteFactStore(database, store.cache)
    return Associations(facts, entities, SystemClock(), database.together)


def _row(count: int, times: dict[str, list[float]]) -> dict[str, Any]:
    p50 = {name: median(each) * 1000 for name, each in times.items()}
    return {
        "memories": count,
        "p50_ms": round(p50["ours"], 2),
        "of_it_embedding_ms": round(p50["embed"], 2),
        "reference_ms": round(p50["read"], 2),
        "ratio": round(p50["ours"] / p50["read"], 2),
        "reference_terms_kept_ms": round(p50["kept"], 2),
    }


def _memory(place: int) -> Memory:
    text, counter = text_of(place), O200kTokenCounter()
    (tokens,) = counter.count([text_as_sent(text)])
    return replace(
        memory(place, text),
        id=f"{place:032x}",
        namespace="default",
        topic=PLACES[place % len(PLACES)],
        session_id=f"session-{place // TURNS}",
        token_count=TokenCount(tokens, counter.name),
        sha256="ab" * 32,
    )
