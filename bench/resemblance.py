"""What a write is said to resemble: how right that is, by pairs of texts, and what it costs."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from random import Random
from statistics import median
from typing import Any
from unittest.mock import patch

from bench.program import running
from bench.quality import items_of
from bench.store import add, memory, texts, unit_vectors
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.bootstrap import Program
from metacortex.domain.client import Principal, whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import NewMemory
from metacortex.domain.search import Match
from metacortex.service.memories import MemoryService, Remembered

HALVES = ("even", "odd")
"""Lines with odd numbers are to tune by."""
ROUNDS, WRITES = 5, 32


async def _nothing(*_: object) -> tuple[Match, ...]:
    return ()


STORES: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "with": nullcontext,
    "without": lambda: patch.object(SqliteMemoryStore, "nearest", _nothing),
}
"""The store as it is, and near nothing."""


async def pairs() -> list[dict[str, Any]]:
    """Return, for each half and relation of the pairs, how many second texts were said to resemble
    the first, and for how many of these exactly the right differences were named; and of how many
    memories of the sets, stored in one tenant, any resembled an earlier one.
    """
    async with running() as program:
        judged = [
            (HALVES[line % 2], item, await _second_of(program, line, item))
            for line, item in enumerate(items_of("resemblance"), start=1)
        ]
        rows = [
            _row(half, relation, [each[1:] for each in judged if each[0] == half])
            for half in HALVES
            for relation in ("near", "same", "unrelated")
        ]
        return [*rows, await _of_all(program)]


async def costs() -> list[dict[str, Any]]:
    """Return writes a second of the service and the CPU of each, embeddings included, with what it
    resembles and without, in turn, one at a time and 16 at once.
    """
    return [row for count in (1_000, 10_000, 100_000) for row in await _costs_among(count)]


async def _second_of(program: Program, line: int, item: dict[str, Any]) -> Remembered:
    principal = _principal(f"pair-{line}")
    await program.services.memories.remember(principal, NewMemory(item["a"]))
    return await program.services.memories.remember(principal, NewMemory(item["b"]))


async def _of_all(program: Program) -> dict[str, Any]:
    texts = [item["content"].strip() for item in items_of("memories")]
    principal, service = _principal("all"), program.services.memories
    written = [await service.remember(principal, NewMemory(text)) for text in texts]
    named = sum(bool(each.similar) for each in written)
    return {
        **{"half": "both", "relation": "memories.jsonl", "texts": len(texts)},
        **{"named": named, "differs right": "-"},
    }


def _row(
    half: str, relation: str, judged: Iterable[tuple[dict[str, Any], Remembered]]
) -> dict[str, Any]:
    of_relation = [(item, each) for item, each in judged if item["relation"] == relation]
    named = [(item, each.similar[0].differs) for item, each in of_relation if each.similar]
    right = sum({*differs} == {*item.get("differs", ())} for item, differs in named)
    return {
        **{"half": half, "relation": relation, "texts": len(of_relation), "named": len(named)},
        "differs right": "-" if relation == "unrelated" else right,
    }


async def _costs_among(count: int) -> list[dict[str, Any]]:
    async with running() as program:
        store = program.outside.engine.store
        contents, vectors = texts(count + 4 * ROUNDS * WRITES, Random(count)), unit_vectors(count)
        for first in range(0, count, 500):
            batch = range(first, min(first + 500, count))
            await asyncio.gather(
                *(add(store, "default", memory(at, contents[at]), vectors[at]) for at in batch)
            )
        fresh = iter(contents[count:])
        return [
            {"memories": count, "at once": writers}
            | await _in_turn(program.services.memories, fresh, writers)
            for writers in (1, 16)
        ]


async def _in_turn(service: MemoryService, fresh: Iterator[str], writers: int) -> dict[str, Any]:
    principal = _principal("default")
    rates: dict[str, list[float]] = {name: [] for name in STORES}
    cpu: dict[str, list[float]] = {name: [] for name in STORES}
    for _ in range(ROUNDS):
        for name, store in STORES.items():
            with store():
                started, used = time.perf_counter(), time.process_time()
                for _ in range(WRITES // writers):
                    batch = [NewMemory(next(fresh)) for _ in range(writers)]
                    await asyncio.gather(*(service.remember(principal, each) for each in batch))
                rates[name].append(WRITES / (time.perf_counter() - started))
                cpu[name].append(1_000 * (time.process_time() - used) / WRITES)
    # The first round loads the model and the memories.
    return {
        **{f"{name}, a second": round(median(found[1:])) for name, found in rates.items()},
        **{f"{name}, CPU ms": round(median(found[1:]), 2) for name, found in cpu.items()},
    }


def _principal(tenant: str) -> Principal:
    return whole_tenant("cli", tenant, BranchState.ACTIVE, (BranchState.ACTIVE,))
