"""Measures MetaCortex beside its yardsticks, in one run, and prints one table for each budget
(Linux).

    scripts/bench [calls] [cold] [search] [contexts] [writes] [verifying] [library] [resident]
        [function] [firestore] [sets] [conversations] [resemblance] [contradictions] [--json]

Without names all of them run; `function` runs those that begin with it, and so on. Machines differ
and drift: the ratios are what counts, not the milliseconds.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

from bench import (
    calls,
    contexts,
    conversations,
    fact_updates,
    facts,
    firestore,
    function,
    integrity,
    knowledge,
    library,
    quality,
    resemblance,
    store,
)

Rows = list[dict[str, Any]]

MEASURES: dict[str, tuple[str, Callable[[], Rows]]] = {
    "calls": (
        "CPU and latency a tools/call; budget: cpu_ratio of fetch_context at most 2",
        calls.tool_calls,
    ),
    "cold": (
        "Process start to first answered tools/list; budget: ratio at most 1.5",
        calls.cold_starts,
    ),
    "search": (
        "Search at the store; budget: p50 at most 2 x (numpy on the same rows + the embedding)",
        lambda: asyncio.run(store.search()),
    ),
    "contexts": (
        "compile_context beside a plain program in memory; budget: ratio at most 1.5 at 600"
        " memories, and at 60,000 at most 4 x the time",
        lambda: asyncio.run(contexts.compiled()),
    ),
    "writes": (
        "Durable writes at the store; budget: 1,000 a second",
        lambda: [asyncio.run(store.writes())],
    ),
    "verifying": (
        "verify_integrity of all that a tenant holds, and what of it is making the root",
        lambda: asyncio.run(integrity.verifying()),
    ),
    "library": ("In process, with the real model", lambda: [asyncio.run(library.in_process())]),
    "resident": ("Resident memory of a server", lambda: [library.resident()]),
    "function_cold": (
        "Process start to first answered tools/list, and to the search after it;"
        " budget: ratio at most 1.5, 3 s",
        lambda: asyncio.run(function.cold_starts()),
    ),
    "function_calls": (
        "fetch_context, 16 at once, all processes of a server together",
        lambda: asyncio.run(function.calls_at_once()),
    ),
    "function_slow": (
        "Searches that wait 0.5 s for an embedding; budget: all 64 held at once, ratio at most 3",
        lambda: asyncio.run(function.slow_calls()),
    ),
    "firestore": (
        "A tools/call of the function on the emulator beside the bare calls that it needs, and"
        " documents counted at the wire; budget: reads and writes as documented",
        lambda: asyncio.run(firestore.tool_calls()),
    ),
    "sets": (
        "Questions of bench/sets: answered first, among the first 5, with nothing",
        lambda: asyncio.run(quality.sets()),
    ),
    "sets_floors": (
        "What a min_score does to questions with and without an answer: share answered",
        lambda: asyncio.run(quality.floors()),
    ),
    "conversations": (
        "Recall of words, meaning and both, with sessions and without, for each category",
        lambda: asyncio.run(conversations.contributions()),
    ),
    "resemblance_pairs": (
        "Pairs of bench/sets: which are said to resemble each other, and how they differ",
        lambda: asyncio.run(resemblance.pairs()),
    ),
    "contradictions": (
        "Items of bench/sets: contradictions told of facts, by kind",
        facts.judged,
    ),
    "knowledge_operations": (
        "The benchmark of the seed: 500 facts, 150 supersessions, 100 episodes, 60 entities",
        lambda: asyncio.run(knowledge.operations()),
    ),
    "knowledge_growth": (
        "compile_context at 800 tokens beside BM25, breadth-first and greedy in memory; budget:"
        " ratio at most 1.5 at 500 facts, at 100 times as many at most 4 times that of 500",
        lambda: asyncio.run(knowledge.growth()),
    ),
    "knowledge_updates": (
        "Items of bench/sets: the current value first, stale ones, and what was true then",
        lambda: asyncio.run(fact_updates.answered()),
    ),
    "resemblance_costs": (
        "Writes of the service with and without what they resemble, in turn",
        lambda: asyncio.run(resemblance.costs()),
    ),
}


def main(arguments: list[str]) -> int:
    """Run the named measures, or all."""
    wanted = [argument for argument in arguments if not argument.startswith("-")] or list(MEASURES)
    unknown = [name for name in wanted if not _named(name)]
    if unknown:
        print(f"unknown measure {unknown[0]}; known are {', '.join(MEASURES)}", file=sys.stderr)
        return 2
    names = [name for each in wanted for name in _named(each)]
    results = {}
    for name in names:
        title, measure = MEASURES[name]
        results[name] = measure()
        if "--json" not in arguments:
            print(f"\n{name}: {title}")
            _print_table(results[name])
    if "--json" in arguments:
        print(json.dumps(results, indent=2))
    return 0


def _named(wanted: str) -> list[str]:
    return [name for name in MEASURES if name == wanted or name.startswith(f"{wanted}_")]


def _print_table(rows: Rows) -> None:
    if not rows:
        return
    columns = list(rows[0])
    cells = [columns, *([str(row[column]) for column in columns] for row in rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(columns))]
    for line in cells:
        print(
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)),
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
