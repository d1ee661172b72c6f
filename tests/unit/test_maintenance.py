"""The upkeep of a store."""

import pytest

from metacortex.domain.calibration import PROBES
from metacortex.domain.event import RETENTION
from metacortex.domain.memory import NewMemory
from metacortex.domain.search import Mode, Search
from metacortex.domain.vector import EmbeddingSpace
from metacortex.service import maintenance
from tests.entities import an_entity
from tests.world import World

NEW_SPACE = EmbeddingSpace("another", 256)


async def remember(world: World, *texts: str, client_id: str = "default") -> None:
    for text in texts:
        await world.services.memories.remember(world.principal(client_id), NewMemory(text))


async def test_coverage_tells_what_the_present_space_does_not_find(world: World) -> None:
    await remember(world, "One.", "Two.")
    world.embedder.space, old = NEW_SPACE, world.embedder.space
    await remember(world, "Three.", client_id="acme-web")
    coverage = await world.services.maintenance.coverage()
    assert (coverage.space, coverage.uncovered) == (NEW_SPACE, 2)
    assert coverage.elsewhere == {old: 2}
    assert coverage.finding == (
        f"2 memories were embedded by another model ({old}) than the present one (another/256),"
        " and no search finds them by meaning"
    )


async def test_where_all_is_covered_that_is_said(world: World) -> None:
    await remember(world, "One.")
    coverage = await world.services.maintenance.coverage()
    assert coverage.finding == f"All memories are embedded in {world.embedder.space}"


async def test_a_warmed_program_measures_its_space_no_more(world: World) -> None:
    await world.services.maintenance.warm()
    assert world.embedder.passages == [*PROBES]
    await world.services.searches.search(world.principal(), Search("pump"))
    assert world.embedder.passages == [*PROBES]


async def test_embedding_anew_can_be_stopped_and_goes_on_where_it_was(world: World) -> None:
    await remember(world, *(f"Note {number}." for number in range(5)))
    await remember(world, "Of the other tenant.", client_id="acme-web")
    world.embedder.space = NEW_SPACE
    maintenance = world.services.maintenance
    async for done in maintenance.reembed():
        if done == 2:
            break
    assert (await maintenance.coverage()).uncovered == 4
    assert [done async for done in maintenance.reembed()] == [1, 2, 3, 4]
    assert (await maintenance.coverage()).uncovered == 0
    assert [done async for done in maintenance.reembed()] == []
    search = Search("note", limit=20, mode=Mode.MEANING)
    searched = await world.services.searches.search(world.principal(), search)
    assert len(searched.found.matches) == 5


@pytest.mark.rule("C95", "C101")
async def test_what_has_expired_is_forgotten_and_nothing_else(world: World) -> None:
    maintenance, window = world.services.maintenance, world.settings.idempotency_window
    await world.endpoint().search("an old event")
    await world.endpoint().save("Valve 12 sticks.")
    world.clock.at += window
    await maintenance.purge()
    assert (await world.endpoint().remember("Valve 12 sticks."))["write_status"] == "duplicate"
    assert len(await world.events()) == 3
    world.clock.at += RETENTION - window
    await maintenance.purge()
    assert [event["tool_name"] for event in await world.events()] == ["remember_context"]
    assert await maintenance.count("default") == 1


async def test_a_reset_deletes_the_memories_of_one_tenant(world: World) -> None:
    await remember(world, "One.", "Two.")
    await remember(world, "Of the other tenant.", client_id="acme-web")
    maintenance = world.services.maintenance
    assert await maintenance.reset("default") == 2
    assert (await maintenance.count("default"), await maintenance.count("acme")) == (0, 1)
    assert (await world.endpoint().remember("One."))["write_status"] == "created"


async def test_names_are_embedded_again_in_batches_until_none_is_left(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "BATCH", 2)
    await world.engine.entities.put("default", [an_entity(name) for name in ("Ana", "Ben", "Cal")])
    assert [done async for done in world.services.maintenance.reembed()] == [2, 3]
    assert (await world.services.maintenance.coverage()).uncovered == 0
    assert [done async for done in world.services.maintenance.reembed()] == []
