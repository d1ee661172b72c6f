"""How well questions of the sets in `bench/sets` are answered, by meaning, by words and by both."""

import json
import tempfile
from pathlib import Path
from typing import Any

from metacortex.bootstrap import TOOL_NAMES, Program, build
from metacortex.config import Settings
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


async def sets() -> list[dict[str, Any]]:
    """Return, for each set and mode, the share of questions whose answer came first and among the
    first five, of those that were answered with nothing, and of those where what is out of date
    stood before what replaced it.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.from_env({"METACORTEX_DATA_DIR": folder}, TOOL_NAMES, serving=False)
        program = build(settings)
        try:
            principal = whole_tenant("cli", "default", BranchState.ACTIVE)
            names = await _stored(program, principal)
            return [
                await _asked(program, principal, names, name, mode)
                for name in SETS
                for mode in Mode
            ]
        finally:
            await program.aclose()


async def _stored(program: Program, principal: Principal) -> dict[str, str]:
    """Store all memories in their order, and return their names in the sets by their ids."""
    names = {}
    for each in items_of("memories"):
        new = NewMemory(
            each["content"].strip(),
            each.get("topic") or "general",
            labels=Labels(session_id=each.get("session")),
        )
        stored = await program.services.memories.remember(principal, new)
        names[stored.memory.id] = each["id"]
    return names


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
