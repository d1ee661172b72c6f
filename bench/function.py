"""What the functions framework costs: its cold start, its calls beside uvicorn's, and how many slow
calls one process holds.
"""

import asyncio
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import httpx

from bench.calls import HANDSHAKE
from bench.emulated import emulated
from bench.load import answers, tool_call
from bench.servers import (
    Server,
    bare_command,
    bare_function_command,
    call,
    first_answer,
    first_page,
    function_command,
    product_command,
    serving,
    slow_embeddings_command,
)
from bench.slow_embeddings import DIMENSION

Command = Callable[[int], list[str]]

BARE, FUNCTION, UVICORN = "bare function", "function", "uvicorn"
COLD: dict[str, Command] = {
    "bare uvicorn": bare_command,
    BARE: bare_function_command,
    UVICORN: product_command,
    FUNCTION: function_command,
}
HOSTS: dict[str, Command] = {UVICORN: product_command, FUNCTION: function_command}
COLD_ROUNDS = 5
ROUNDS = 5
CALLS = 800
AT_ONCE = 16
SLOW_AT_ONCE = 64
SLOW_ROUNDS = 3


async def cold_starts() -> list[dict[str, Any]]:
    """Return seconds from process start to the first answered `tools/list`, and to the first
    answered search that follows it, on the Firestore emulator with the local model; in turn.
    """
    listed: dict[str, list[float]] = {label: [] for label in COLD}
    cpu: dict[str, list[float]] = {label: [] for label in COLD}
    searched: dict[str, list[float]] = {label: [] for label in COLD}
    async with emulated() as settings:
        for _ in range(COLD_ROUNDS + 1):
            for label, command in COLD.items():
                with serving(command, settings=settings) as server:
                    listed[label].append(first_answer(server, HANDSHAKE))
                    cpu[label].append(server.cpu_seconds())
                    if settings and label in HOSTS:
                        searched[label].append(_first_search(server))
    yardstick = median(listed[BARE][1:])
    return [
        {
            "server": label,
            "tools_list_s": round(median(listed[label][1:]), 3),
            "ratio": round(median(listed[label][1:]) / yardstick, 2),
            "cpu_s": round(median(cpu[label][1:]), 2),
            "slowest_s": round(max(listed[label][1:]), 2),
            "first_search_s": round(median(searched[label][1:]), 3) if searched[label] else "-",
        }
        for label in COLD
    ]


def _first_search(server: Server) -> float:
    with httpx.Client(timeout=30) as client:
        call(client, server.url, "search_context", {"query": "the first search"}, HANDSHAKE)
    return time.perf_counter() - server.started


async def calls_at_once() -> list[dict[str, Any]]:
    """Return calls a second and CPU a call of `fetch_context`, 16 at once, with the embedded
    engine in both, so that only what serves the app differs; in turn.
    """
    seconds: dict[str, list[float]] = {label: [] for label in HOSTS}
    cpu: dict[str, list[float]] = {label: [] for label in HOSTS}
    latency: dict[str, list[float]] = {label: [] for label in HOSTS}
    with serving(product_command) as uvicorn, serving(function_command) as function:
        servers = {UVICORN: uvicorn, FUNCTION: function}
        requests = {label: [_fetch(server)] * CALLS for label, server in servers.items()}
        for _ in range(ROUNDS + 1):
            for label, server in servers.items():
                before, started = server.cpu_seconds(), time.perf_counter()
                made = await answers(server.url, requests[label], AT_ONCE)
                seconds[label].append(time.perf_counter() - started)
                cpu[label].append(server.cpu_seconds() - before)
                latency[label].extend(each.seconds for each in made)
    yardstick = median(cpu[UVICORN][1:])
    return [
        {
            "server": label,
            "calls_a_second": round(CALLS / median(seconds[label][1:])),
            "cpu_ms": round(median(cpu[label][1:]) / CALLS * 1000, 3),
            "cpu_ratio": round(median(cpu[label][1:]) / yardstick, 2),
            "p50_ms": round(median(latency[label][CALLS:]) * 1000, 2),
        }
        for label in HOSTS
    ]


def _fetch(server: Server) -> tuple[dict[str, str], bytes]:
    """Return a call that fetches the memory which is stored by this."""
    first_answer(server, HANDSHAKE)
    with httpx.Client(timeout=30) as client:
        content = {"content": "The relay in rack C restarts every Sunday night."}
        saved = call(client, server.url, "remember_context", content, HANDSHAKE)
    memory_id = saved["structuredContent"]["item"]["id"]
    return tool_call("fetch_context", {"document_id": memory_id}, HANDSHAKE)


async def slow_calls() -> list[dict[str, Any]]:
    """Return the wall time of one search and of 64 at once, where each waits half a second for its
    embedding, and how many of them the embedding endpoint saw at once.
    """
    with serving(slow_embeddings_command) as endpoint:
        url = endpoint.url.replace("/mcp", "/v1")
        first_page(endpoint, f"{url}/most_held")
        return [await _slow_row(label, command, url) for label, command in HOSTS.items()]


async def _slow_row(label: str, command: Command, url: str) -> dict[str, Any]:
    settings = {
        "METACORTEX_EMBEDDER": "openai",
        "METACORTEX_EMBEDDING_URL": url,
        "METACORTEX_EMBEDDING_MODEL": "slow",
        "METACORTEX_EMBEDDING_DIMENSIONS": str(DIMENSION),
    }
    one, all_of_them = [], []
    with serving(command, settings=settings) as server:
        first_answer(server, HANDSHAKE)
        for round_ in range(SLOW_ROUNDS + 1):
            one.append(await _searches(server, round_, 1))
            all_of_them.append(await _searches(server, round_, SLOW_AT_ONCE))
    return {
        "server": label,
        "one_s": round(median(one[1:]), 3),
        "64_at_once_s": round(median(all_of_them[1:]), 3),
        "ratio": round(median(all_of_them[1:]) / median(one[1:]), 2),
        "held_at_once": int(httpx.get(f"{url}/most_held").text),
    }


async def _searches(server: Server, round_: int, count: int) -> float:
    """Make searches at once, no two of them equal, and return the seconds until the last answer."""
    queries = [f"question {place} of {count} in round {round_}" for place in range(count)]
    requests = [tool_call("search_context", {"query": query}, HANDSHAKE) for query in queries]
    started = time.perf_counter()
    await asyncio.wait_for(answers(server.url, requests, count), timeout=120)
    return time.perf_counter() - started
