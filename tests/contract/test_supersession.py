"""What `MemoryStore.supersede` promises."""

import asyncio
from itertools import chain, pairwise

import pytest

from metacortex.domain.errors import Conflict, InvalidInput
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.moment import Moment
from metacortex.ports import MemoryStore, Moved
from tests.facts import DAY, a_fact
from tests.samples import NOW, TENANT, a_change, a_memory, add


async def test_superseding_changes_the_standing_and_nothing_else(store: MemoryStore) -> None:
    await add(store, a_memory("m1", branch_state=BranchState.WIP))
    await add(store, a_memory("m2"))
    change = Change(
        ChangeKind.SUPERSEDED,
        "m1",
        Standing(BranchState.WIP),
        Standing(BranchState.DEPRECATED, "m2"),
        NOW + 5,
        "cli",
    )
    after = a_memory(
        "m1", branch_state=BranchState.DEPRECATED, superseded_by="m2", updated_at=NOW + 5
    )
    done = await store.supersede(TENANT, "m1", "m2", "cli", NOW + 5)
    assert done == Moved(after, BranchState.WIP, change)
    assert await store.get(TENANT, "m1") == after
    assert await store.get(TENANT, "m2") == a_memory("m2")


@pytest.mark.parametrize("written", [True, False], ids=["by a new memory", "by one that is there"])
async def test_a_superseded_fact_holds_no_longer(store: MemoryStore, written: bool) -> None:
    fact = a_fact("f1", start=NOW - DAY)
    await add(store, fact.memory)
    if written:
        await add(store, a_memory("m2", recorded_at=NOW + 5), superseding=["f1"])
    else:
        await add(store, a_memory("m2"))
        await store.supersede(TENANT, "f1", "m2", "cli", NOW + 5)
    after = await store.get(TENANT, "f1")
    assert after is not None
    assert after.standing == Standing(BranchState.DEPRECATED, "m2", Moment(NOW + 5))
    _, change = await store.changes(TENANT, "f1")
    assert isinstance(change, Change)
    assert change.after == after.standing


@pytest.mark.parametrize("written", [True, False], ids=["by a new memory", "by one that is there"])
@pytest.mark.parametrize("end", [None, NOW + 9 * DAY])
async def test_a_fact_that_is_superseded_before_it_starts_never_was_true(
    store: MemoryStore, written: bool, end: int | None
) -> None:
    fact = a_fact("f1", start=NOW + DAY, end=end)
    await add(store, fact.memory)
    if written:
        await add(store, a_memory("m2", recorded_at=NOW + 5), superseding=["f1"])
    else:
        await add(store, a_memory("m2"))
        await store.supersede(TENANT, "f1", "m2", "cli", NOW + 5)
    after = await store.get(TENANT, "f1")
    assert after is not None
    assert after.standing == Standing(BranchState.DEPRECATED, "m2", Moment(NOW + DAY))
    _, change = await store.changes(TENANT, "f1")
    assert isinstance(change, Change)
    assert (change.kind, change.after) == (ChangeKind.CORRECTED, after.standing)


async def test_changes_stand_oldest_first(store: MemoryStore) -> None:
    first = await add(store, a_memory("m1"))
    await add(store, a_memory("m2"))
    # An earlier time does not move a Change: its place is the order in which it was stored.
    done = await store.supersede(TENANT, "m1", "m2", "cli", NOW - 1)
    assert done is not None
    assert await store.changes(TENANT, "m1") == (a_change(first), done.change)


async def test_superseding_by_the_same_id_again_changes_nothing(store: MemoryStore) -> None:
    await add(store, a_memory("m1"))
    await add(store, a_memory("m2"))
    first = await store.supersede(TENANT, "m1", "m2", "cli", NOW + 1)
    assert first is not None
    again = await store.supersede(TENANT, "m1", "m2", "cli", NOW + 2)
    assert again == Moved(first.memory, BranchState.DEPRECATED, None)
    assert len(await store.changes(TENANT, "m1")) == 2


async def test_a_memory_cannot_supersede_itself(store: MemoryStore) -> None:
    await add(store, a_memory("m1"))
    with pytest.raises(InvalidInput):
        await store.supersede(TENANT, "m1", "m1", "cli", NOW)


async def test_a_second_replacement_is_a_conflict(store: MemoryStore) -> None:
    for id_ in ("m1", "m2", "m3"):
        await add(store, a_memory(id_))
    await store.supersede(TENANT, "m1", "m2", "cli", NOW)
    with pytest.raises(Conflict, match="already superseded by 'm2'"):
        await store.supersede(TENANT, "m1", "m3", "cli", NOW)
    assert len(await store.changes(TENANT, "m1")) == 2


async def test_a_circle_of_any_length_is_a_conflict(store: MemoryStore) -> None:
    ids = [f"m{n}" for n in range(5)]
    for id_ in ids:
        await add(store, a_memory(id_))
    for earlier, later in pairwise(ids):
        await store.supersede(TENANT, earlier, later, "cli", NOW)
    with pytest.raises(Conflict, match="one that it supersedes"):
        await store.supersede(TENANT, "m4", "m0", "cli", NOW)
    assert await store.get(TENANT, "m4") == a_memory("m4")


async def test_a_circle_that_is_already_there_ends_the_walk(store: MemoryStore) -> None:
    deprecated = BranchState.DEPRECATED
    await add(store, a_memory("m1", branch_state=deprecated, superseded_by="m2"))
    await add(store, a_memory("m2", branch_state=deprecated, superseded_by="m1"))
    await add(store, a_memory("m3"))
    assert await store.supersede(TENANT, "m3", "m1", "cli", NOW) is not None


async def test_of_two_replacements_at_once_one_wins(store: MemoryStore) -> None:
    for id_ in ("m1", "m2", "m3"):
        await add(store, a_memory(id_))
    outcomes = await asyncio.gather(
        store.supersede(TENANT, "m1", "m2", "cli", NOW),
        store.supersede(TENANT, "m1", "m3", "cli", NOW),
        return_exceptions=True,
    )
    won = [outcome for outcome in outcomes if isinstance(outcome, Moved)]
    assert [type(outcome) for outcome in outcomes if outcome not in won] == [Conflict]
    assert await store.get(TENANT, "m1") == won[0].memory
    assert len(await store.changes(TENANT, "m1")) == 2


async def test_any_number_are_superseded_by_one_at_once(store: MemoryStore) -> None:
    old = [f"m{n:02}" for n in range(30)]
    for id_ in (*old, "new", "last"):
        await add(store, a_memory(id_))
    await store.supersede(TENANT, "new", "last", "cli", NOW)
    done = await asyncio.gather(
        *(store.supersede(TENANT, id_, "new", "cli", NOW) for id_ in old[:15]),
        *(store.supersede(TENANT, id_, "last", "cli", NOW) for id_ in old[15:]),
    )
    replaced = [moved.memory.superseded_by for moved in done if moved is not None]
    assert replaced == ["new"] * 15 + ["last"] * 15
    assert len(await store.changes(TENANT, "last")) == 1


@pytest.mark.parametrize("length", [2, 3, 4, 6])
async def test_supersessions_around_a_ring_at_once_leave_it_open(
    store: MemoryStore, length: int
) -> None:
    rings = [[f"m{ring}-{n}" for n in range(length)] for ring in range(6)]
    for id_ in chain.from_iterable(rings):
        await add(store, a_memory(id_))
    outcomes = await asyncio.gather(
        *(
            store.supersede(TENANT, old, new, "cli", NOW)
            for ring in rings
            for old, new in zip(ring, [*ring[1:], ring[0]], strict=True)
        ),
        return_exceptions=True,
    )
    refused = [outcome for outcome in outcomes if not isinstance(outcome, Moved)]
    assert [type(each) for each in refused] == [Conflict] * len(rings)
    for ring in rings:
        memories = [await store.get(TENANT, id_) for id_ in ring]
        assert [memory.superseded_by for memory in memories if memory].count(None) == 1
