"""What the embedded engine costs: a search by meaning and words against a bare numpy scan of the
same rows, and durable writes.
"""

import asyncio
import tempfile
import time
from array import array
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from uuid import uuid4

import numpy as np

from metacortex.adapters.local.use import UniversalSentenceEncoder
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.events import SqliteEventLog
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.domain.details import Kind
from metacortex.domain.event import Event, EventStatus, EventType
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.memory import Author, Memory, Modality
from metacortex.domain.question import Question
from metacortex.domain.search import MemoryFilter
from metacortex.domain.words.terms import query_terms
from metacortex.ports import Embedding, MemoryStore
from metacortex.service.embedding import TextEmbedding

DIMENSION = UniversalSentenceEncoder.space.dimension
WORDS = 30_000
"""How many words the made-up language has; how often each comes follows Zipf's law."""
TURNS = 20
"""How many memories a session has; every second memory belongs to one."""
ROUNDS = 40
SPACE = UniversalSentenceEncoder.space
NARROW_EVERY = 100
WRITERS = 16


def texts(count: int, chance: Random) -> list[str]:
    """Return texts of 8 to 40 made-up words."""
    syllables = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(WORDS)]
    odds = [*accumulate(1 / rank for rank in range(1, WORDS + 1))]
    return [
        " ".join(chance.choices(words, cum_weights=odds, k=chance.randint(8, 40)))
        for _ in range(count)
    ]


def memory(place: int, content: str = "The pump of line four runs at nine revolutions.") -> Memory:
    """Return a memory of the size of a note."""
    return Memory(
        id=uuid4().hex,
        namespace="default" if place % 2 else "engineering",
        kind=Kind.NOTE,
        content=content,
        session_id=None if place % 4 > 1 else str(place // (2 * TURNS)),
        topic="narrow" if place % NARROW_EVERY == 0 else "general",
        branch_state=BranchState.ACTIVE,
        modality=Modality.TEXT,
        created_at=place,
        updated_at=place,
        recorded_at=place,
        written_by=Author("bench"),
    )


async def add(store: MemoryStore, tenant: str, made: Memory, vector: np.ndarray) -> None:
    """Store one memory with its change and fingerprint."""
    change = Change(
        ChangeKind.STATE, made.id, None, Standing(made.branch_state), made.recorded_at, "bench"
    )
    embedding = Embedding(SPACE, (array("f", vector.tobytes()),))
    await store.add(tenant, made, embedding, change, Fingerprint(made.id, 0))


def question(made: list[Memory], chance: Random) -> str:
    """Return six words of one memory: rare ones and such that half of all memories hold."""
    words = chance.choice(made).content.split()
    return " ".join(chance.sample(words, 6))


def unit_vectors(count: int) -> np.ndarray:
    """Return random vectors of unit length."""
    vectors = np.random.default_rng(count).standard_normal((count, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


async def search(counts: tuple[int, ...] = (1_000, 10_000, 100_000)) -> list[dict[str, Any]]:
    """Return p50 of a search as a service call, and of what it cannot do without: the embedding of
    the query and a numpy scan of the same rows; for three widths of filter.
    """
    rows = []
    embedder = UniversalSentenceEncoder()
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            database = Database(Path(folder) / "bench.db")
            store = SqliteMemoryStore(database, cache_mb=512)
            vectors = unit_vectors(count)
            chance = Random(count)
            made = [memory(*numbered) for numbered in enumerate(texts(count, chance))]
            asked = [question(made, chance) for _ in range(ROUNDS + 1)]
            for first in range(0, count, 500):
                batch = range(first, min(first + 500, count))
                await asyncio.gather(
                    *(add(store, "default", made[place], vectors[place]) for place in batch)
                )
            for width in ("narrow", "namespace", "all"):
                rows.append(await _search_row(store, embedder, vectors, made, asked, width))
            await database.close()
    return rows


async def _search_row(
    store: SqliteMemoryStore,
    embedder: UniversalSentenceEncoder,
    vectors: np.ndarray,
    made: list[Memory],
    asked: list[str],
    width: str,
) -> dict[str, Any]:
    namespaces = ("engineering",) if width == "namespace" else None
    topic = "narrow" if width == "narrow" else None
    chosen = np.array(
        [
            (topic is None or one.topic == topic)
            and (namespaces is None or one.namespace in namespaces)
            for one in made
        ]
    )
    same_rows = np.ascontiguousarray(vectors[chosen])
    embedding = TextEmbedding(embedder)

    where = MemoryFilter(namespaces, BranchState.ACTIVE, valid_at=0, topic=topic)

    async def ours(text: str) -> None:
        vector, terms = await embedding.of_query(text), tuple(query_terms(text))
        await store.find("default", Question(SPACE, vector, terms, 0.0, 0), where, 5)

    async def yardstick(text: str) -> None:
        query = np.frombuffer(await embedder.embed_query(text), dtype=np.float32)
        scores = same_rows @ query
        np.argsort(-scores[np.argpartition(-scores, 5)[:5]])

    seconds: dict[str, list[float]] = {"ours": [], "yardstick": []}
    for text in asked:
        for label, action in (("ours", ours), ("yardstick", yardstick)):
            started = time.perf_counter()
            await action(text)
            seconds[label].append(time.perf_counter() - started)
    first, bare = median(seconds["ours"][1:]), median(seconds["yardstick"][1:])
    return {
        "memories": len(made),
        "filter": width,
        "rows": len(same_rows),
        "p50_ms": round(first * 1000, 2),
        "embedding_and_numpy_ms": round(bare * 1000, 2),
        "ratio": round(first / bare, 2),
    }


async def writes(count: int = 4_000) -> dict[str, Any]:
    """Return durable writes a second, 16 at once: memory, change and event, without embedding."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "bench.db")
        store, events = SqliteMemoryStore(database, cache_mb=512), SqliteEventLog(database)
        vectors, made = unit_vectors(WRITERS), texts(count, Random(count))
        await add(store, "default", memory(0), vectors[0])

        async def writer(number: int) -> None:
            for place in range(number, count, WRITERS):
                one = replace(memory(place, made[place]), topic="general")
                await add(store, "default", one, vectors[number])
                event = Event(
                    uuid4().hex, EventType.TOOL_CALL, place, "bench", EventStatus.SUCCESS, 1, {}
                )
                await events.record("default", event)

        started = time.perf_counter()
        await asyncio.gather(*(writer(number) for number in range(WRITERS)))
        seconds = time.perf_counter() - started
        await database.close()
    return {"writers": WRITERS, "writes": count, "per_second": round(count / seconds)}
