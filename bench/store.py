"""What the embedded engine costs: exact search against a bare numpy scan of the same rows, and
durable writes.
"""

import asyncio
import tempfile
import time
from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

import numpy as np

from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.events import SqliteEventLog
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.domain.event import Event, EventStatus, EventType
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.memory import Author, Kind, Memory, Modality
from metacortex.domain.search import MemoryFilter
from metacortex.domain.vector import EmbeddingSpace
from metacortex.ports import Embedding

DIMENSION = 512
SPACE = EmbeddingSpace("bench", DIMENSION)
NARROW_EVERY = 100
WRITERS = 16


def memory(place: int) -> Memory:
    """Return a memory of the size of a note."""
    content = f"Note {place}: the pump of line {place % 40} runs at {place % 977} revolutions."
    return Memory(
        id=uuid4().hex,
        namespace="default" if place % 2 else "engineering",
        kind=Kind.NOTE,
        content=content,
        topic="narrow" if place % NARROW_EVERY == 0 else "general",
        branch_state=BranchState.ACTIVE,
        modality=Modality.TEXT,
        created_at=place,
        updated_at=place,
        recorded_at=place,
        written_by=Author("bench"),
    )


async def add(store: SqliteMemoryStore, tenant: str, made: Memory, vector: np.ndarray) -> None:
    """Store one memory with its change and fingerprint."""
    change = Change(
        ChangeKind.STATE, made.id, None, Standing(made.branch_state), made.recorded_at, "bench"
    )
    embedding = Embedding(SPACE, (array("f", vector.tobytes()),))
    await store.add(tenant, made, embedding, change, Fingerprint(made.id, 0))


def unit_vectors(count: int) -> np.ndarray:
    """Return random vectors of unit length."""
    vectors = np.random.default_rng(count).standard_normal((count, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


async def _p50(action: Callable[[], Any], times: int) -> float:
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        await action()
        seconds.append(time.perf_counter() - started)
    return median(seconds)


async def search(counts: tuple[int, ...] = (1_000, 10_000, 100_000)) -> list[dict[str, Any]]:
    """Return p50 of a search at the store, and of numpy on the same rows, for three widths of
    filter.
    """
    rows = []
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            database = Database(Path(folder) / "bench.db")
            store = SqliteMemoryStore(database)
            vectors = unit_vectors(count)
            made = [memory(place) for place in range(count)]
            for first in range(0, count, 500):
                batch = range(first, min(first + 500, count))
                await asyncio.gather(
                    *(add(store, "default", made[place], vectors[place]) for place in batch)
                )
            rows += [
                await _search_row(store, vectors, made, width)
                for width in ("narrow", "namespace", "all")
            ]
            await database.close()
    return rows


async def _search_row(
    store: SqliteMemoryStore, vectors: np.ndarray, made: list[Memory], width: str
) -> dict[str, Any]:
    where = MemoryFilter(
        namespaces=("engineering",) if width == "namespace" else None,
        branch_state=BranchState.ACTIVE,
        valid_at=0,
        topic="narrow" if width == "narrow" else None,
    )
    chosen = np.array(
        [
            (where.topic is None or one.topic == where.topic)
            and (where.namespaces is None or one.namespace in where.namespaces)
            for one in made
        ]
    )
    same_rows = np.ascontiguousarray(vectors[chosen])
    query = unit_vectors(7)[3]
    asked = array("f", query.tobytes())

    async def ours() -> None:
        await store.find_nearest("default", SPACE, asked, where, 5)

    async def bare() -> None:
        scores = same_rows @ query
        np.argsort(-scores[np.argpartition(-scores, 5)[:5]])

    await ours()
    times = 60 if len(made) <= 10_000 else 30
    first, yardstick = await _p50(ours, times), await _p50(bare, times)
    return {
        "memories": len(made),
        "filter": width,
        "rows": len(same_rows),
        "p50_ms": round(first * 1000, 3),
        "numpy_ms": round(yardstick * 1000, 3),
        "ratio": round(first / yardstick, 2),
    }


async def writes(count: int = 4_000) -> dict[str, Any]:
    """Return durable writes a second, 16 at once: memory, change and event, without embedding."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "bench.db")
        store, events = SqliteMemoryStore(database), SqliteEventLog(database)
        vectors = unit_vectors(WRITERS)
        await add(store, "default", memory(0), vectors[0])

        async def writer(number: int) -> None:
            for place in range(number, count, WRITERS):
                one = replace(memory(place), topic="general")
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
