"""Whether the current value comes first and no stale one at all, by facts that change: the items of
`bench/sets/fact_updates.json`, all in one store.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

from bench.facts import HALVES
from bench.program import running
from metacortex.domain.bundles.bundle import Compile
from metacortex.domain.client import whole_tenant
from metacortex.domain.dates.parsing import parse_period
from metacortex.domain.details import FactDetails
from metacortex.domain.knowledge.fact import one_spelling
from metacortex.domain.knowledge.new_fact import NewFact
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Moment
from metacortex.domain.search import Filters, Search
from metacortex.service.services import Services

SHOWN = 5
BENCH = whole_tenant("bench", "default", BranchState.ACTIVE)
_SET = Path(__file__).parent / "sets" / "fact_updates.json"


async def answered() -> list[dict[str, Any]]:
    """Return, for each half, the share of items whose current value comes first and among the first
    five, in a search and in a compiled context; with a stale value among them; and, of those that
    ask for a moment in the past, with the value of then first.
    """
    items = json.loads(_SET.read_text(encoding="utf-8"))
    async with _stored(items) as services:
        told = [await _asked(services, item) for item in items]
    # Numbers are counted from 1.
    return [
        _row(half, chosen) for half, chosen in zip(HALVES, (told[1::2], told[::2]), strict=True)
    ]


def _row(half: str, told: Sequence[frozenset[str]]) -> dict[str, Any]:
    counted = Counter(name for each in told for name in each)
    row: dict[str, Any] = {"half": half, "items": len(told)}
    for name in ("first", "among 5", "stale", "packed first", "packed", "packed stale"):
        row[name] = round(counted[name] / len(told), 3)
    row["then first"] = round(counted["then first"] / counted["then"], 3)
    return row


async def _asked(services: Services, item: dict[str, Any]) -> frozenset[str]:
    """Return what is so of an item."""
    question, current = item["question"], item["current"]
    found = await services.searches.search(BENCH, Search(question, limit=SHOWN))
    bundle = await services.contexts.compile(BENCH, Compile(question))
    searched = _values(item, [match.memory for match in found.found.matches])
    packed = _values(item, [each.memory for each in bundle.items])
    told = {
        "first": searched[:1] == [current],
        "among 5": current in searched,
        "stale": any(value in item["stale"] for value in searched),
        "packed first": packed[:1] == [current],
        "packed": current in packed,
        "packed stale": any(value in item["stale"] for value in packed),
    }
    if "as_of" in item:
        at = Filters(valid_at=parse_period("as_of", item["as_of"], services.clock.now(), UTC))
        then = await services.searches.search(BENCH, Search(question, at, SHOWN))
        values = _values(item, [match.memory for match in then.found.matches])
        told |= {"then": True, "then first": values[:1] == [item["then"]]}
    return frozenset(name for name, holds in told.items() if holds)


def _values(item: dict[str, Any], memories: Iterable[Memory]) -> list[str | None]:
    """Return the values of the facts of the timeline that is asked for; of any other, None."""
    asked = _asked_for(item)
    return [
        each.details.object
        if isinstance(each.details, FactDetails)
        and (each.details.subject, each.details.predicate) == asked
        else None
        for each in memories
    ]


def _asked_for(item: dict[str, Any]) -> tuple[str, str]:
    """Return the subject and predicate that an item asks for: the current value and all stale ones
    were theirs.
    """
    values: dict[tuple[str, str], set[str]] = {}
    for fact in item["facts"]:
        timeline = fact["subject"], one_spelling(fact["predicate"])
        values.setdefault(timeline, set()).add(fact["object"])
    return next(each for each, held in values.items() if held == {item["current"], *item["stale"]})


@asynccontextmanager
async def _stored(items: Sequence[dict[str, Any]]) -> AsyncIterator[Services]:
    async with running() as program:
        for item in items:
            for fact in item["facts"]:
                await program.services.facts.upsert(BENCH, _new(fact, program.services))
        yield program.services


def _new(fact: dict[str, Any], services: Services) -> NewFact:
    def moment(name: str) -> Moment | None:
        text = fact.get(name)
        return parse_period(name, text, services.clock.now(), UTC).begins if text else None

    return NewFact(
        fact["subject"],
        fact["predicate"],
        fact["object"],
        singular=fact["singular"],
        valid_from=moment("valid_from"),
        valid_until=moment("valid_until"),
    )
