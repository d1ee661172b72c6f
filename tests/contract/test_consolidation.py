"""Consolidation on every engine: a queue is shown, merged and closed in the same way."""

import pytest

from metacortex.domain.consolidation import Consolidation
from metacortex.domain.errors import Conflict
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind
from metacortex.domain.memory import Memory, NewMemory
from metacortex.engines import Engine
from tests.world import MakeWorld, World

MERGED = "The pump leaked until the flange was tightened."
QUEUE = Consolidation(topic="pump")


@pytest.fixture
def world(make_world: MakeWorld, engine: Engine) -> World:
    return make_world(engine=engine)


async def drafts(world: World, *texts: str) -> list[Memory]:
    """Return new drafts of one topic, oldest first."""
    saved = []
    for text in texts:
        new = NewMemory(text, "pump", BranchState.WIP)
        saved.append((await world.services.memories.remember(world.principal(), new)).memory)
        world.clock.at += 1
    return saved


async def test_a_queue_is_shown_and_then_merged(world: World) -> None:
    sources = await drafts(world, "The pump leaks.", "The flange was tightened.", "word " * 200)
    consolidate = world.services.consolidation.consolidate
    shown = await consolidate(world.principal(), QUEUE)
    assert (shown.sources, shown.left_out, shown.remembered) == (tuple(sources), (), None)
    ids = tuple(memory.id for memory in sources)
    done = await consolidate(world.principal(), Consolidation(ids, content=MERGED))
    assert done.remembered is not None
    merged = done.remembered.memory
    assert await world.store.get("default", merged.id) == merged
    for source in sources:
        stored = await world.store.get("default", source.id)
        assert stored is not None
        assert (stored.branch_state, stored.superseded_by) == (BranchState.DEPRECATED, merged.id)
        changes = await world.store.changes("default", source.id)
        kinds = [each.kind for each in changes if isinstance(each, Change)]
        assert kinds == [ChangeKind.STATE, ChangeKind.SUPERSEDED]
    again = await consolidate(world.principal(), Consolidation(ids, content=MERGED))
    assert again.remembered is not None
    assert (again.remembered.memory, again.remembered.created) == (merged, False)
    assert (await consolidate(world.principal(), QUEUE)).sources == ()


async def test_where_one_source_has_another_replacement_nothing_is_written(world: World) -> None:
    sources = await drafts(world, "The pump leaks.", "The flange was tightened.", "All is new.")
    one, two, other = (memory.id for memory in sources)
    await world.services.memories.deprecate(world.principal(), two, other)
    with pytest.raises(Conflict):
        await world.services.consolidation.consolidate(
            world.principal(), Consolidation((one, two), content=MERGED)
        )
    assert await world.store.get("default", one) == sources[0]
    assert await world.store.count("default") == 3
