"""What a tool call costs on Firestore: its time on the emulator beside the bare calls that it
cannot do without, and the documents that it reads and writes, counted at the wire beside what
docs/architecture.md says.
"""

import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any
from unittest.mock import patch

from bench.calls import HANDSHAKE
from bench.emulated import emulated
from bench.firestore_relay import relaying
from bench.load import Answer, answers, tool_call
from bench.servers import Server, first_answer, function_command, serving
from metacortex.adapters.firestore.layout import VECTOR_FIELD, WINDOWS
from metacortex.adapters.local.use import UniversalSentenceEncoder
from metacortex.commands.emulator import HOST
from metacortex.domain.client import DEFAULT_TENANT
from metacortex.domain.passage import windows
from metacortex.engine_settings import DEFAULT_COLLECTION
from metacortex.service.resemblances import CANDIDATES

MEMORIES = 200
ROUNDS = 5
CALLS = 12
LONG = 2_000
LONG_MEMORIES = 12
FIGURES = 5
"""What a search counts anew after a write: memories, windows, and three words of the question."""
NEAREST = 31
ON_SUNDAY = MEMORIES // 4
"""How many memories hold the rarest word of the question."""
LIMIT = 5
"""What SEARCH_RESULT_LIMIT is unless it is set."""
QUESTION = "which relay restarts on Sunday?"
SHORT, LONG_TEXTS = "relays", "reports"
"""Topics: that of the 200 memories, and that of the 12 long ones."""
READ, COMMIT, VECTOR, VECTORS = "read", "commit", "vector", "vectors"
"""Bare calls of the client library: one document read by its name; commits of one document without
a vector, of one with it, and of as many as a long text has windows.
"""
SEARCH, SEARCH_WINDOWS = "search", "search windows"
"""And the nearest of the 200 memories, and of the windows of the long ones."""


RESEMBLED = CANDIDATES + 2
"""What a write resembles, of the active ones; and the two other states hold nothing."""
NAMES = 1
"""What a write reads of known names for each 30 words of its text, where it mentions none."""

_REMEMBER = "remember_context"


@dataclass
class Kind:
    """A kind of call: its tool, the arguments of call number n, and the bare calls that it cannot
    do without, one after the other; the reads, at least and at most, and the writes that are
    documented. The ids of what it writes go to `written`.
    """

    tool: str
    arguments: Callable[[int], dict[str, Any]]
    bare: tuple[str, ...]
    reads: tuple[int, int]
    writes: int
    written: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    traffic: tuple[int, int] = (0, 0)

    async def called(self, server: Server, numbers: range, at_once: int = 1) -> list[Answer]:
        """Make the calls with these numbers."""
        made = await answers(
            server.url,
            [tool_call(self.tool, self.arguments(number), HANDSHAKE) for number in numbers],
            at_once,
        )
        items = [each.result["structuredContent"].get("item", {}) for each in made]
        self.written += [item["id"] for item in items if "id" in item]
        return made


async def tool_calls() -> list[dict[str, Any]]:
    """Return the cost of each kind of call of the function; nothing where there is no emulator."""
    async with emulated() as settings:
        if not settings:
            return []
        kinds = _kinds()
        with serving(function_command, settings=settings) as server:
            first_answer(server, HANDSHAKE)
            await kinds["… duplicate"].called(server, range(MEMORIES), at_once=8)
            reports = [_report(-number, LONG_TEXTS) for number in range(LONG_MEMORIES)]
            await answers(
                server.url, [tool_call(_REMEMBER, each, HANDSHAKE) for each in reports], 4
            )
            bare = await _timed(server, kinds, settings)
        await _counted(kinds, settings)
    return [_row(label, kind, bare) for label, kind in kinds.items()]


def _kinds() -> dict[str, Kind]:
    count = _windows_of_report()
    new: list[str] = []
    kept: list[str] = []
    return {
        _REMEMBER: Kind(
            _REMEMBER,
            lambda n: _note(n, "notes"),
            (READ, VECTOR, COMMIT),
            (1 + RESEMBLED + NAMES,) * 2,
            4,
            new,
        ),
        f"… {LONG:,} characters, {count} windows": Kind(
            _REMEMBER,
            lambda n: _report(n, "notes"),
            (READ, VECTORS, COMMIT),
            (1 + RESEMBLED + 2 * NAMES,) * 2,
            count + 3,
        ),
        "… duplicate": Kind(
            _REMEMBER,
            lambda n: _note(n % MEMORIES, SHORT),
            (READ, READ, COMMIT),
            (2, 2),
            1,
            kept,
        ),
        "search_context": Kind(
            "search_context",
            lambda _: {"query": QUESTION, "filter_topic": SHORT},
            (SEARCH, COMMIT),
            (FIGURES + NEAREST + 1 + ON_SUNDAY,) * 2,
            1,
        ),
        f"… {LONG_MEMORIES} long texts": Kind(
            "search_context",
            lambda _: {"query": QUESTION, "filter_topic": LONG_TEXTS},
            (SEARCH_WINDOWS, COMMIT),
            # All records by meaning and again by words, and the nearest windows.
            (FIGURES + LONG_MEMORIES + NEAREST + LONG_MEMORIES,) * 2,
            1,
        ),
        "fetch_context": Kind(
            "fetch_context",
            lambda n: {"document_id": kept[n % MEMORIES]},
            (READ, COMMIT),
            (1, 1),
            1,
        ),
        "deprecate_context": Kind(
            "deprecate_context",
            lambda _: {"document_id": new.pop(), "superseding_document_id": kept[0]},
            (*[READ] * 4, COMMIT, COMMIT),
            (4, 4),
            4,
        ),
    }


def _note(number: int, topic: str) -> dict[str, Any]:
    day = ("Monday", "Wednesday", "Friday", "Sunday")[number % 4]
    return {"content": f"Relay {number} of hall {number % 7} restarts on {day}.", "topic": topic}


def _report(number: int, topic: str) -> dict[str, Any]:
    lines = (f"Relay {number} tripped at {place} minutes past four. " for place in range(LONG))
    return {"content": "".join(lines)[:LONG].strip(), "topic": topic}


def _windows_of_report() -> int:
    size = UniversalSentenceEncoder.window
    return len([*windows(_report(1_000, "")["content"], size, size // 8)])


async def _timed(
    server: Server, kinds: dict[str, Kind], settings: dict[str, str]
) -> dict[str, float]:
    from google.cloud.firestore_v1.async_client import AsyncClient

    # The library looks for the emulator nowhere else.
    with patch.dict(os.environ, settings):
        client = AsyncClient(project=settings["GOOGLE_CLOUD_PROJECT"])
    calls = await _bare_calls(client)
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for round_ in range(ROUNDS + 1):
        numbers = range(round_ * CALLS, (round_ + 1) * CALLS)
        for kind in kinds.values():
            made = await kind.called(server, numbers)
            kind.seconds += [each.seconds for each in made]
        for name, bare_call in calls.items():
            for _ in numbers:
                started = time.perf_counter()
                await bare_call()
                seconds[name].append(time.perf_counter() - started)
    await client._firestore_api.transport.close()
    return {name: median(measured[CALLS:]) for name, measured in seconds.items()}


async def _bare_calls(client: Any) -> dict[str, Callable[[], Awaitable[Any]]]:
    from google.cloud.firestore_v1.base_query import FieldFilter
    from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
    from google.cloud.firestore_v1.vector import Vector

    vector = Vector(await UniversalSentenceEncoder().embed_query(QUESTION))
    places = [client.document("bench", str(place)) for place in range(_windows_of_report())]

    def nearest(collection: str, topic: str) -> Any:
        rows = client.collection("tenants", DEFAULT_TENANT, collection)
        query = rows.where(filter=FieldFilter("topic", "==", topic)).select(["topic"])
        return query.find_nearest(
            VECTOR_FIELD, vector, limit=LIMIT + 1, distance_measure=DistanceMeasure.COSINE
        )

    async def commit(documents: list[Any], fields: dict[str, Any]) -> None:
        batch = client.batch()
        for document in documents:
            batch.set(document, fields)
        await batch.commit()

    return {
        READ: places[0].get,
        COMMIT: lambda: commit(places[:1], {"content": QUESTION}),
        VECTOR: lambda: commit(places[:1], {"content": QUESTION, "vector": vector}),
        VECTORS: lambda: commit(places, {"content": QUESTION, "vector": vector}),
        SEARCH: nearest(DEFAULT_COLLECTION, SHORT).get,
        SEARCH_WINDOWS: nearest(WINDOWS, LONG_TEXTS).get,
    }


async def _counted(kinds: dict[str, Kind], settings: dict[str, str]) -> None:
    """Count what one call of each kind reads and writes, after the first of its process."""
    number = (ROUNDS + 1) * CALLS
    async with relaying(settings[HOST]) as relay:
        with serving(function_command, settings={**settings, HOST: relay.host}) as server:
            first_answer(server, HANDSHAKE)
            await kinds["search_context"].called(server, range(1))
            for kind in kinds.values():
                async with relay.counted() as traffic:
                    await kind.called(server, range(number, number + 1))
                kind.traffic = (traffic.reads, traffic.writes)


def _row(label: str, kind: Kind, bare: dict[str, float]) -> dict[str, Any]:
    needed = sum(bare[name] for name in kind.bare)
    p50 = median(kind.seconds[CALLS:])
    least, most = kind.reads
    reads, writes = kind.traffic
    return {
        "call": label,
        "p50_ms": round(p50 * 1000, 1),
        "bare_ms": round(needed * 1000, 1),
        "ratio": round(p50 / needed, 2),
        "reads": reads,
        "documented_reads": least if least == most else f"{least} to {most}",
        "writes": writes,
        "documented_writes": kind.writes,
        "as_documented": "yes" if least <= reads <= most and writes == kind.writes else "NO",
    }
