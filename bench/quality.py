"""How well questions of the sets in `bench/sets` are answered, by meaning, by words and by both."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import ceil
from pathlib import Path
from typing import Any

from bench.program import running
from metacortex.bootstrap import Program
from metacortex.domain.client import Principal, whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Labels, NewMemory
from metacortex.domain.search import Mode, Search

FOLDER = Path(__file__).parent / "sets"
SETS = (
    *("identifiers", "paraphrase", "cross_language", "same_language", "long_documents", "updates"),
    *("answerable", "abstention"),
)
SHOWN = 5
FLOORS = (0.1, 0.3, 0.5, 0.65, 0.7, 0.75, 0.8, 0.85)
FLOORED = {
    "sets": ("memories", "answerable", "abstention"),
    "held out": ("held_out/memories", "held_out/answerable", "held_out/unanswerable"),
}
"""What is stored, and what is asked of it with an answer and without one."""
WANTED = 0.8
"""The share of the answerable that the goal of abstention wants answered."""


async def sets() -> list[dict[str, Any]]:
    """Return, for each set and mode, the share of questions whose answer came first and among the
    first five, of those that were answered with nothing, and of those where what is out of date
    stood before what replaced it.
    """
    async with _stored() as (program, principal, names):
        return [
            await _asked(program, principal, names, name, mode) for name in SETS for mode in Mode
        ]


async def floors() -> list[dict[str, Any]]:
    """Return, for each `min_score`, the share of answerable questions that are still answered, and
    of those without an answer that are: of all, of such about another subject, and of such whose
    subject is stored and not what is asked. Among them is the highest at which `WANTED` is reached.
    """
    return [row for name in FLOORED for row in await _floors_of(name)]


async def _floors_of(name: str) -> list[dict[str, Any]]:
    memories, *asked = FLOORED[name]
    async with _stored(memories) as (program, principal, _):
        answerable, unanswerable = [await _best(program, principal, each) for each in asked]
    far, hard = ([one for one in unanswerable if one[0] == kind] for kind in ("far", "hard"))
    shown = {"answerable": answerable, "unanswerable": unanswerable, "far": far, "hard": hard}
    return [
        {
            "set": name,
            "min_score": round(floor, 3),
            **{kind: _reaching(floor, scores) for kind, scores in shown.items()},
        }
        for floor in sorted((*FLOORS, _highest_floor(answerable)))
    ]


def _highest_floor(scores: list[tuple[str | None, float]]) -> float:
    """Return the highest floor that `WANTED` of the questions still reach."""
    return sorted((score for _, score in scores), reverse=True)[ceil(WANTED * len(scores)) - 1]


async def _best(
    program: Program, principal: Principal, name: str
) -> list[tuple[str | None, float]]:
    """Return the kind of each question of a set and the score of its first match, or 0."""
    found = []
    for item in items_of(name):
        searched = await program.services.searches.search(principal, Search(item["query"], limit=1))
        scores = [match.score for match in searched.found.matches]
        found.append((item.get("kind"), max(scores, default=0.0)))
    return found


def _reaching(floor: float, scores: list[tuple[str | None, float]]) -> float:
    return round(sum(score >= floor for _, score in scores) / len(scores), 3)


@asynccontextmanager
async def _stored(
    memories: str = "memories",
) -> AsyncIterator[tuple[Program, Principal, dict[str, str]]]:
    """Store all memories of a set in their order; give the program, who asks, and their names in
    the set by their ids.
    """
    async with running() as program:
        principal = whole_tenant("cli", "default", BranchState.ACTIVE)
        names = {}
        for each in items_of(memories):
            new = NewMemory(
                each["content"].strip(),
                each.get("topic") or "general",
                labels=Labels(session_id=each.get("session")),
            )
            stored = await program.services.memories.remember(principal, new)
            names[stored.memory.id] = each["id"]
        yield program, principal, names


async def _asked(
    program: Program, principal: Principal, names: dict[str, str], name: str, mode: Mode
) -> dict[str, Any]:
    items = items_of(name)
    first = among = nothing = stale = 0
    for item in items:
        search = Search(item["query"], limit=SHOWN, mode=mode)
        searched = await program.services.searches.search(principal, search)
        found = [names[match.memory.id] for match in searched.found.matches]
        right = item["relevant"]
        first += found[:1] != [] and found[0] in right
        among += any(each in right for each in found)
        nothing += not found
        versions = [each for each in found if each in (*right, *item.get("stale", ()))]
        stale += versions[:1] != [] and versions[0] in item.get("stale", ())
    return {
        "set": name,
        "questions": len(items),
        "mode": mode.value,
        "first": round(first / len(items), 3),
        "among 5": round(among / len(items), 3),
        "nothing": round(nothing / len(items), 3),
        "stale first": round(stale / len(items), 3),
    }


def items_of(name: str) -> list[dict[str, Any]]:
    """Return the items of a set."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]
