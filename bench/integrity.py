"""What it costs to verify all that a tenant holds on the embedded engine, and what of that is the
making of a root.
"""

import asyncio
import tempfile
import time
from array import array
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from bench.store import SPACE, memory, texts, unit_vectors
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.integrity import SqliteIntegrityStore
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.domain.client import whole_tenant
from metacortex.domain.identity import Fingerprint, immutable_digest
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.merkle import Subtrees, leaf_hash
from metacortex.domain.verification import Verification
from metacortex.ports import Embedding
from metacortex.service.integrity import IntegrityService

TENANT = "bench"
ROUNDS = 5
LEAVES = (600, 6_000, 60_000)
ADMIN = whole_tenant("cli", TENANT, BranchState.ACTIVE)


async def verifying() -> list[dict[str, Any]]:
    """Verify stores of several sizes: two leaves for each memory."""
    return [await _of(leaves) for leaves in LEAVES]


async def _of(leaves: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "bench.db")
        store = SqliteMemoryStore(database, cache_mb=0)
        await _fill(store, leaves // 2)
        service = IntegrityService(SqliteIntegrityStore(database), store)
        took, used = [], []
        for _ in range(ROUNDS):
            started, before = time.perf_counter(), time.process_time()
            verified = await service.verify(ADMIN, Verification())
            took.append(time.perf_counter() - started)
            used.append(time.process_time() - before)
            assert verified.holds
            assert verified.tree.size == leaves
        await database.close()
    hashes = [leaf_hash(str(n).encode()) for n in range(leaves)]
    before = time.process_time()
    Subtrees.of(hashes).root(leaves)
    root = time.process_time() - before
    return {
        "leaves": leaves,
        "ms": round(1_000 * median(took), 1),
        "CPU ms": round(1_000 * min(used), 1),
        "of it the root": round(1_000 * root, 1),
        "CPU us a leaf": round(1e6 * min(used) / leaves, 1),
    }


async def _fill(store: SqliteMemoryStore, count: int) -> None:
    contents, vectors = texts(count, Random(count)), unit_vectors(count)
    for first in range(0, count, 500):
        batch = range(first, min(first + 500, count))
        await asyncio.gather(*(_add(store, n, contents[n], vectors[n]) for n in batch))


async def _add(store: SqliteMemoryStore, number: int, content: str, vector: Any) -> None:
    made = _sealed(memory(number, content))
    embedding = Embedding(SPACE, (array("f", vector.tobytes()),))
    change, own = made.creation("bench"), Fingerprint(made.id, 0)
    await store.add(TENANT, made, embedding, change, own)


def _sealed(made: Memory) -> Memory:
    salted = replace(made, salt="0" * 32)
    return replace(salted, sha256=immutable_digest(salted))
