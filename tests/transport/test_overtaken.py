"""A reading that a statement overtakes tells the one value or the other: never both, never none."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import pytest

from metacortex.knowledge_ports import FactStore, Together
from metacortex.ports import MemoryStore
from tests.endpoint import Endpoint
from tests.fakes import FakeEmbedder
from tests.world import MakeWorld, World

T = TypeVar("T")
Deeds = list[Callable[[], Awaitable[object]]]
BEFORE, AFTER = True, False
NOW = {"entity": "relay-7", "as_of": "now"}
WITH_HISTORY = {"entity": "relay-7", "include_superseded": True}


@dataclass
class OvertakenTogether:
    """Reads together as an engine does, and then another client does something, once: what is read
    within such a reading is a part of it.
    """

    together: Together
    deeds: Deeds
    is_reading: bool = False

    async def __call__(self, work: Callable[[], Coroutine[object, object, T]]) -> T:
        if self.is_reading:
            return await self.together(work)
        self.is_reading = True
        read = await self.together(work)
        self.is_reading = False
        await _done(self.deeds)
        return read


@dataclass
class OvertakenStore:
    """A store before or after the first of whose readings of one sort another client does
    something; the others wait for that.
    """

    store: object
    reading: str
    is_before: bool
    deeds: Deeds
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __getattr__(self, name: str) -> Any:
        read = getattr(self.store, name)

        async def overtaken(*given: object, **named: object) -> object:
            async with self.turn:
                if self.is_before:
                    await _done(self.deeds)
                found = await read(*given, **named)
                await _done(self.deeds)
                return found

        return overtaken if name == self.reading else read


@dataclass
class OvertakenEmbedder(FakeEmbedder):
    """Takes so long for a text that another client does something."""

    deeds: Deeds = field(default_factory=list)

    async def embed_passages(
        self, topic: str, passages: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        await _done(self.deeds)
        return await super().embed_passages(topic, passages)

    async def embed_query(self, query: str) -> Sequence[float]:
        await _done(self.deeds)
        return await super().embed_query(query)


async def _done(deeds: Deeds) -> None:
    while deeds:
        await deeds.pop()()


@pytest.fixture
async def replaced(either_world: World) -> Deeds:
    """What tells the firmware of a relay that has one to be another, a second later."""
    admin = either_world.endpoint()
    await admin.state("relay-7", "firmware", "4.1")
    either_world.clock.at += 1_000

    async def replace_it() -> None:
        either_world.clock.at += 1_000
        await admin.state("relay-7", "firmware", "4.2")

    return [replace_it]


async def told(reader: Endpoint, tool: str, arguments: Mapping[str, object]) -> tuple[bool, bool]:
    """Return whether the old value is told, and whether the new one is."""
    answer = (await reader.tool(tool, dict(arguments))).success
    shown = json.dumps(answer.get("active_facts", answer))
    return "4.1" in shown, "4.2" in shown


async def test_what_a_query_brings_to_mind_is_not_told_beside_what_replaced_it(
    make_world: MakeWorld, either_world: World, replaced: Deeds
) -> None:
    together = OvertakenTogether(either_world.engine.together, replaced)
    engine = replace(either_world.engine, together=together)
    reader = make_world(engine=engine, clock=either_world.clock).endpoint()

    # In this process all was read at one go before.
    is_before = engine.in_process
    answer = await told(reader, "compile_context", {"query": "relay-7 firmware"})
    assert answer == (is_before, not is_before)
    assert not replaced


@pytest.mark.parametrize("tool", ["search_context", "compile_context"])
async def test_what_is_replaced_while_a_query_is_embedded_is_found_as_it_is_then(
    make_world: MakeWorld, either_world: World, replaced: Deeds, tool: str
) -> None:
    embedder = OvertakenEmbedder(deeds=replaced)
    world = make_world(engine=either_world.engine, clock=either_world.clock, embedder=embedder)

    assert await told(world.endpoint(), tool, {"query": "relay-7 firmware"}) == (False, True)


@pytest.mark.parametrize("is_before", [BEFORE, AFTER])
@pytest.mark.parametrize("arguments", [{"entity": "relay-7"}, NOW, WITH_HISTORY])
async def test_an_entity_has_one_value_whenever_that_is_replaced(
    make_world: MakeWorld,
    either_world: World,
    replaced: Deeds,
    arguments: dict[str, object],
    is_before: bool,
) -> None:
    facts = OvertakenStore(either_world.engine.facts, "facts_about", is_before, replaced)
    engine = replace(either_world.engine, facts=cast(FactStore, facts))
    reader = make_world(engine=engine, clock=either_world.clock).endpoint()

    assert await told(reader, "query_entity", arguments) == (not is_before, is_before)


@pytest.mark.parametrize("is_before", [BEFORE, AFTER])
async def test_the_present_moment_has_one_value_whenever_that_is_replaced(
    make_world: MakeWorld, either_world: World, replaced: Deeds, is_before: bool
) -> None:
    facts = OvertakenStore(either_world.engine.facts, "facts_about", is_before, replaced)
    engine = replace(either_world.engine, facts=cast(FactStore, facts))
    reader = make_world(engine=engine, clock=either_world.clock).endpoint()

    assert await told(reader, "time_travel", NOW) == (not is_before, is_before)


@pytest.mark.parametrize(
    ("is_before", "currencies"), [(BEFORE, ["superseded", "current"]), (AFTER, ["current"])]
)
async def test_a_fact_stands_as_its_history_tells_it_whenever_it_is_replaced(
    make_world: MakeWorld,
    either_world: World,
    replaced: Deeds,
    is_before: bool,
    currencies: list[str],
) -> None:
    (found,) = await either_world.endpoint().search("relay-7 firmware")
    facts = OvertakenStore(either_world.engine.facts, "timeline", is_before, replaced)
    engine = replace(either_world.engine, facts=cast(FactStore, facts))
    world = make_world(engine=engine, clock=either_world.clock)

    answer = (await world.endpoint().tool("fact_context", {"fact_id": found["id"]})).success
    assert [each["currency"] for each in answer["history"]] == currencies
    assert answer["fact"]["currency"] == currencies[0]


async def test_what_is_replaced_while_it_is_read_is_told_to_nobody_who_may_not_see_the_past(
    make_world: MakeWorld, either_world: World, replaced: Deeds
) -> None:
    (found,) = await either_world.endpoint().search("relay-7 firmware")
    facts = OvertakenStore(either_world.engine.facts, "timeline", BEFORE, replaced)
    engine = replace(either_world.engine, facts=cast(FactStore, facts))
    reader = make_world(engine=engine, clock=either_world.clock).endpoint("present")

    for _ in ("while it is read", "before"):
        told = await reader.tool("fact_context", {"fact_id": found["id"]})
        assert told.failure[0] == "forbidden"


async def test_what_is_replaced_between_two_searches_for_one_answer_is_told_once(
    make_world: MakeWorld, either_world: World, replaced: Deeds
) -> None:
    valid_at = "2026-03-01T12:00:00.500Z"
    store = OvertakenStore(either_world.engine.store, "find", AFTER, replaced)
    engine = replace(either_world.engine, store=cast(MemoryStore, store))
    reader = make_world(engine=engine, clock=either_world.clock).endpoint()

    matches = await reader.search("relay-7 firmware", valid_at=valid_at)
    assert len({match["id"] for match in matches}) == len(matches) == 1


@pytest.mark.parametrize("is_by_id", [False, True])
async def test_a_statement_whose_subject_is_merged_while_it_is_embedded_ends_what_that_told(
    make_world: MakeWorld, either_world: World, is_by_id: bool
) -> None:
    admin = either_world.endpoint()
    old = await admin.state("relay-7", "owner", "Ana")
    other = await admin.state("main relay", "firmware", "4.1")

    async def merge_it() -> None:
        given = {"from": "main relay", "into": "relay-7"}
        assert (await admin.tool("merge_entities", given)).success

    embedder = OvertakenEmbedder(deeds=[merge_it])
    world = make_world(engine=either_world.engine, clock=either_world.clock, embedder=embedder)
    called = other["subject_id"] if is_by_id else "main relay"
    either_world.clock.at += 1_000
    told = await world.endpoint().upsert(called, "owner", "Ben")

    assert told["superseded"] == [old["id"]]
