"""Uses are added up in the process, and stored with an event now and then."""

import logging

import pytest

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.stats import Reach
from metacortex.service.use import FLUSHED_EVERY, MOST_PENDING, UseCounter
from tests.world import World

EVERYTHING = Reach(None, tuple(BranchState))


@pytest.fixture
def counter(world: World) -> UseCounter:
    return UseCounter(world.engine.use, world.clock)


async def stored(world: World, tenant: str = "default") -> list[tuple[str, int, int]]:
    found = await world.engine.use.most_used(tenant, EVERYTHING, 99)
    return [
        (each.memory.content, each.use.access_count, each.use.last_accessed_at) for each in found
    ]


async def test_a_first_use_is_stored_at_once_and_the_next_after_thirty_seconds(
    world: World,
) -> None:
    admin, start = world.endpoint(), world.clock.at
    pump, relay = [await admin.save(text) for text in ("The pump.", "The relay.")]
    await admin.item(pump["id"])
    assert await stored(world) == [("The pump.", 1, start)]
    world.clock.at += FLUSHED_EVERY - 1
    await admin.item(relay["id"])
    await admin.item(pump["id"])
    assert await stored(world) == [("The pump.", 1, start)]
    world.clock.at += 1
    await admin.save("Any later event takes them along.")
    later = start + FLUSHED_EVERY - 1
    assert await stored(world) == [("The pump.", 2, later), ("The relay.", 1, later)]


async def test_what_waits_is_stored_when_the_program_ends(world: World) -> None:
    admin, acme = world.endpoint(), world.endpoint("acme-all")
    ours, theirs = await admin.save("Ours."), await acme.save("Theirs.")
    for _ in range(3):
        await admin.item(ours["id"])
        await acme.item(theirs["id"])
    assert (await stored(world))[0][1] == (await stored(world, "acme"))[0][1] == 1
    await world.services.activity.aclose()
    await world.services.activity.aclose()
    assert (await stored(world))[0][1] == (await stored(world, "acme"))[0][1] == 3


async def test_every_way_of_reading_counts_once_for_what_came_back(world: World) -> None:
    admin = world.endpoint()
    item = await admin.save("The pump is in rack C.")
    await admin.save("A ferry leaves at noon.")
    calls = [
        ("search_context", {"query": "pump in rack"}),
        ("search", {"query": "pump in rack"}),
        ("compile_context", {"query": "pump in rack"}),
        ("fetch_context", {"document_id": item["id"]}),
        ("fetch", {"id": item["id"]}),
    ]
    for tool, arguments in calls:
        assert (await admin.tool(tool, arguments)).success
    await world.http.get(
        f"/memories/{item['id']}", headers={"Authorization": f"Bearer {admin.token}"}
    )
    await world.services.activity.aclose()
    assert await stored(world) == [("The pump is in rack C.", len(calls) + 1, world.clock.at)]


async def test_what_is_not_an_answer_is_no_use(world: World) -> None:
    admin, web = world.endpoint(), world.endpoint("chatgpt-web")
    old, new = await admin.save("Old.", draft=True), await admin.save("New.")
    await admin.save("New.")
    await admin.deprecate(old["id"], new["id"])
    await web.fetch(old["id"])
    await web.fetch("unknown")
    await admin.found("nothing like it")
    await world.services.activity.aclose()
    assert await stored(world) == []


async def test_many_that_wait_are_stored_before_the_time(world: World, counter: UseCounter) -> None:
    ids = [f"m{n}" for n in range(MOST_PENDING)]
    assert counter.note("default", ids[:1])
    await counter.flush("default")
    assert not counter.note("default", ids[:-1])
    assert counter.note("default", ids)
    assert not counter.note("acme", ())


@pytest.mark.parametrize("step", [-5, -FLUSHED_EVERY])
async def test_a_clock_that_is_set_back_holds_nothing_up(
    world: World, counter: UseCounter, step: int
) -> None:
    assert counter.note("default", ["m1"])
    await counter.flush("default")
    world.clock.at += step
    assert counter.note("default", ["m1"])


async def test_use_that_cannot_be_stored_is_logged_and_changes_no_answer(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    admin = world.endpoint()
    item = await admin.save("The pump.")
    await admin.item(item["id"])
    world.clock.at += FLUSHED_EVERY
    await world.engine.aclose()
    counter = UseCounter(world.engine.use, world.clock)
    counter.note("default", [item["id"]])
    await counter.aclose()
    (record,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert record.getMessage().startswith("The use of memories could not be stored: ")
