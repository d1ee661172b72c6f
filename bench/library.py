"""What the library costs: the same services in process, with the real model, and the memory that a
server takes.
"""

import tempfile
import time
from statistics import median
from typing import Any

import httpx

import metacortex
from bench.calls import HANDSHAKE
from bench.servers import call, first_answer, product_command, serving

NOTES = 300


async def in_process() -> dict[str, Any]:
    """Return writes a second, one at a time, and p50 of a search, with the real embedding model."""
    with tempfile.TemporaryDirectory() as folder:
        async with metacortex.open(folder) as memory:
            await memory.search("warm the model")
            started = time.perf_counter()
            for place in range(NOTES):
                await memory.remember(
                    f"Pump {place} of the harbour works was serviced by crew {place % 7}."
                )
            writes = NOTES / (time.perf_counter() - started)
            seconds = []
            for place in range(100):
                started = time.perf_counter()
                await memory.search(f"who serviced pump {place}?")
                seconds.append(time.perf_counter() - started)
    return {"writes_per_second": round(writes), "search_p50_ms": round(median(seconds) * 1000, 2)}


def resident() -> dict[str, Any]:
    """Return the resident memory of a server: after its first answer, with the model, and with
    1,000 memories.
    """
    with serving(product_command) as server, httpx.Client(timeout=30) as client:
        first_answer(server, HANDSHAKE)
        before = server.resident_mb()
        call(client, server.url, "search_context", {"query": "load the model"}, HANDSHAKE)
        with_model = server.resident_mb()
        for place in range(1_000):
            arguments = {"content": f"Note {place} on the harbour works."}
            call(client, server.url, "remember_context", arguments, HANDSHAKE)
        call(client, server.url, "search_context", {"query": "harbour"}, HANDSHAKE)
        return {
            "after_first_answer_mb": round(before),
            "with_model_mb": round(with_model),
            "with_1000_memories_mb": round(server.resident_mb()),
        }
