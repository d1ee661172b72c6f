"""What `MemoryStore.promote` promises."""

import asyncio

import pytest

from metacortex.domain.errors import Conflict, InvalidInput
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.ports import MemoryStore, Moved
from tests.questions import a_question
from tests.samples import NOW, TENANT, a_change, a_filter, a_memory, a_vector, add

ACTIVE, WIP, MERGED = BranchState.ACTIVE, BranchState.WIP, BranchState.MERGED
X, Y = a_vector(1, 0, 0), a_vector(0, 1, 0)


async def nearest(store: MemoryStore, state: BranchState) -> list[str]:
    found = await store.find(TENANT, a_question(X), a_filter(branch_state=state), 5)
    return [match.memory.id for match in found.matches]


@pytest.mark.parametrize("state", [ACTIVE, MERGED])
async def test_promoting_changes_the_state_and_nothing_else(
    store: MemoryStore, state: BranchState
) -> None:
    draft = await add(store, a_memory("m1", branch_state=WIP, tags=("a",)))
    change = Change(ChangeKind.STATE, "m1", Standing(WIP), Standing(state), NOW + 5, "cli")
    after = a_memory("m1", branch_state=state, tags=("a",), updated_at=NOW + 5)
    assert await store.promote(TENANT, "m1", state, "cli", NOW + 5) == Moved(after, WIP, change)
    assert await store.get(TENANT, "m1") == after
    assert await store.changes(TENANT, "m1") == (a_change(draft), change)


async def test_what_was_promoted_is_found_in_its_new_state_by_all_its_windows(
    store: MemoryStore,
) -> None:
    await add(store, a_memory("m1", branch_state=WIP), Y, X)
    assert (await nearest(store, WIP), await nearest(store, ACTIVE)) == (["m1"], [])
    await store.promote(TENANT, "m1", ACTIVE, "cli", NOW)
    assert (await nearest(store, WIP), await nearest(store, ACTIVE)) == ([], ["m1"])


async def test_promoting_to_the_same_state_again_changes_nothing(store: MemoryStore) -> None:
    await add(store, a_memory("m1", branch_state=WIP))
    first = await store.promote(TENANT, "m1", MERGED, "cli", NOW + 1)
    assert first is not None
    again = await store.promote(TENANT, "m1", MERGED, "cli", NOW + 2)
    assert again == Moved(first.memory, MERGED, None)
    assert len(await store.changes(TENANT, "m1")) == 2


async def test_what_is_no_draft_stays_as_it_is(store: MemoryStore) -> None:
    superseded = a_memory("m1", branch_state=BranchState.DEPRECATED, superseded_by="m2")
    await add(store, superseded)
    with pytest.raises(Conflict):
        await store.promote(TENANT, "m1", ACTIVE, "cli", NOW + 1)
    with pytest.raises(InvalidInput):
        await store.promote(TENANT, "m1", WIP, "cli", NOW + 1)
    assert await store.get(TENANT, "m1") == superseded


@pytest.mark.parametrize("memory_id", ["m2", "no id", "a/b", "\ud800"])
async def test_an_unknown_id_is_promoted_to_nothing(store: MemoryStore, memory_id: str) -> None:
    await add(store, a_memory("m1", branch_state=WIP))
    assert await store.promote(TENANT, memory_id, ACTIVE, "cli", NOW) is None
    assert await store.promote("another", "m1", ACTIVE, "cli", NOW) is None


async def test_of_two_promotions_at_once_one_wins(store: MemoryStore) -> None:
    await add(store, a_memory("m1", branch_state=WIP))
    outcomes = await asyncio.gather(
        store.promote(TENANT, "m1", ACTIVE, "cli", NOW),
        store.promote(TENANT, "m1", MERGED, "cli", NOW),
        return_exceptions=True,
    )
    (won,) = [outcome for outcome in outcomes if isinstance(outcome, Moved)]
    assert [type(outcome) for outcome in outcomes if outcome is not won] == [Conflict]
    assert await store.get(TENANT, "m1") == won.memory
    assert len(await store.changes(TENANT, "m1")) == 2


async def test_a_promotion_brings_back_nothing_that_is_superseded_meanwhile(
    store: MemoryStore,
) -> None:
    await add(store, a_memory("new"))
    for n in range(5):
        await add(store, a_memory(f"m{n}", branch_state=WIP))
        promoted, superseded = await asyncio.gather(
            store.promote(TENANT, f"m{n}", ACTIVE, "cli", NOW),
            store.supersede(TENANT, f"m{n}", "new", "cli", NOW),
            return_exceptions=True,
        )
        assert isinstance(promoted, Moved | Conflict)
        assert isinstance(superseded, Moved)
        assert await store.get(TENANT, f"m{n}") == superseded.memory
        assert superseded.memory.superseded_by == "new"
        assert len(await store.changes(TENANT, f"m{n}")) == 2 + isinstance(promoted, Moved)
