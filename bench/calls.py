"""What one request costs: CPU and latency of a tool call, and the time to the first answer of a new
process.
"""

import time
from statistics import median, quantiles
from typing import Any

import httpx

from bench.servers import (
    STATELESS,
    Server,
    bare_command,
    call,
    first_answer,
    product_command,
    serving,
)

HANDSHAKE = "2025-11-25"
ROUNDS = 5
CALLS = 300


def tool_calls() -> list[dict[str, Any]]:
    """Return CPU and latency a call: the trivial tool of a bare server against ours, in turn, in
    both eras.
    """
    with serving(bare_command) as bare, serving(product_command) as product:
        first_answer(bare, HANDSHAKE)
        first_answer(product, HANDSHAKE)
        with httpx.Client(timeout=30) as client:
            content = "The relay in rack C restarts every Sunday night."
            saved = call(client, product.url, "remember_context", {"content": content}, HANDSHAKE)
            memory_id = saved["structuredContent"]["item"]["id"]
            kinds: list[tuple[str, Server, str, dict[str, Any]]] = [
                ("bare echo", bare, "echo", {}),
                ("fetch_context", product, "fetch_context", {"document_id": memory_id}),
                (
                    "search_context",
                    product,
                    "search_context",
                    {"query": "when does the relay restart?"},
                ),
                ("remember_context (duplicate)", product, "remember_context", {"content": content}),
            ]
            return [row for era in (HANDSHAKE, STATELESS) for row in _rows(client, kinds, era)]


def _rows(
    client: httpx.Client, kinds: list[tuple[str, Server, str, dict[str, Any]]], era: str
) -> list[dict[str, Any]]:
    cpu: dict[str, list[float]] = {kind[0]: [] for kind in kinds}
    latency: dict[str, list[float]] = {kind[0]: [] for kind in kinds}
    for _ in range(ROUNDS + 1):
        for label, server, tool, arguments in kinds:
            before = server.cpu_seconds()
            for _ in range(CALLS):
                started = time.perf_counter()
                call(client, server.url, tool, arguments, era)
                latency[label].append(time.perf_counter() - started)
            cpu[label].append((server.cpu_seconds() - before) / CALLS)
    yardstick = median(cpu["bare echo"][1:])
    return [
        {
            "era": era,
            "call": label,
            "cpu_ms": round(median(cpu[label][1:]) * 1000, 3),
            "cpu_ratio": round(median(cpu[label][1:]) / yardstick, 2),
            "p50_ms": round(median(latency[label][CALLS:]) * 1000, 2),
            "p99_ms": round(quantiles(latency[label][CALLS:], n=100)[98] * 1000, 2),
        }
        for label, *_ in kinds
    ]


def cold_starts() -> list[dict[str, Any]]:
    """Return seconds from process start to the first answered `tools/list`, in turn."""
    seconds: dict[str, list[float]] = {"bare": [], "metacortex": []}
    for _ in range(ROUNDS + 1):
        for label, command in (("bare", bare_command), ("metacortex", product_command)):
            with serving(command) as server:
                seconds[label].append(first_answer(server, HANDSHAKE))
    yardstick = median(seconds["bare"][1:])
    return [
        {
            "server": label,
            "seconds": round(median(runs[1:]), 3),
            "ratio": round(median(runs[1:]) / yardstick, 2),
        }
        for label, runs in seconds.items()
    ]
