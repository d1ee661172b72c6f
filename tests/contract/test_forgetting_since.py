"""What `MemoryStore.forget` leaves alone after a mark, and what it counts where several forget the
same at once.
"""

import asyncio
from dataclasses import replace

from metacortex.domain.forgetting import Forgetting, has_moved
from metacortex.domain.lifecycle import FORGOTTEN, BranchState
from metacortex.engines import Engine
from metacortex.ports import MemoryStore
from tests.samples import NOW, TENANT, a_memory, a_vector, add, an_embedding

HOW = Forgetting(b"key", "cli", NOW + 9)


async def test_what_is_saved_after_a_mark_is_left_whatever_its_dates(store: MemoryStore) -> None:
    await add(store, a_memory("before"))
    mark = await store.mark(TENANT)
    await add(store, a_memory("after", created_at=NOW - 9, recorded_at=NOW - 9, updated_at=NOW - 9))
    how = replace(HOW, mark=mark)
    assert await store.forget(TENANT, ["before", "after", "unknown"], how) == ("before",)
    assert await store.get(TENANT, "after") is not None
    later = replace(HOW, mark=await store.mark(TENANT))
    assert await store.forget(TENANT, ["before", "after"], later) == ("after",)


async def test_what_changes_its_state_after_a_mark_is_left(store: MemoryStore) -> None:
    await add(store, a_memory("draft", branch_state=BranchState.WIP))
    for id_ in ("old", "new", "gone"):
        await add(store, a_memory(id_))
    how = replace(HOW, mark=await store.mark(TENANT))
    # As calls do whose clock was read before.
    await store.promote(TENANT, "draft", BranchState.ACTIVE, "cli", NOW)
    await store.supersede(TENANT, "old", "new", "cli", NOW)
    assert await store.forget(TENANT, ["draft", "old", "new", "gone"], how) == ("gone", "new")
    # Its state changed, and what took its place is forgotten: it is still not what it was.
    old = await store.get(TENANT, "old")
    assert old is not None
    assert old.superseded_by == FORGOTTEN
    assert await store.forget(TENANT, ["draft", "old"], how) == ()


async def test_what_is_written_without_a_change_goes_all_the_same(store: MemoryStore) -> None:
    for id_ in ("old", "new", "embedded", "indexed"):
        await add(store, a_memory(id_))
    await store.supersede(TENANT, "old", "new", "cli", NOW)
    how = replace(HOW, mark=await store.mark(TENANT))
    await store.replace_embedding(TENANT, "embedded", an_embedding(a_vector(0, 1, 0)))
    await store.replace_terms(TENANT, "indexed")
    await store.forget(TENANT, ["new"], HOW)
    all_of_them = ["embedded", "indexed", "old"]
    assert await store.forget(TENANT, all_of_them, how) == tuple(all_of_them)


async def test_a_mark_is_there_before_anything_else(store: MemoryStore) -> None:
    mark = await store.mark(TENANT)
    await add(store, a_memory("m1"))
    assert await store.mark(TENANT) > mark
    assert await store.forget(TENANT, ["m1"], replace(HOW, mark=mark)) == ()


async def test_what_moves_on_at_once_moves_or_goes(engine: Engine) -> None:
    store = engine.store
    drafts = [f"m{n:02}" for n in range(40)]
    for id_ in drafts:
        await add(store, a_memory(id_, branch_state=BranchState.WIP))
    how = replace(HOW, mark=await store.mark(TENANT))
    active = BranchState.ACTIVE
    gone, moved = await asyncio.gather(
        store.forget(TENANT, drafts, how),
        asyncio.gather(*(store.promote(TENANT, id_, active, "cli", NOW) for id_ in drafts[20:])),
    )
    kept = [each.memory.id for each in moved if each is not None]
    assert sorted([*gone, *kept]) == drafts
    for id_ in kept:
        assert await store.get(TENANT, id_) is not None
        assert has_moved(await store.changes(TENANT, id_))


async def test_of_several_that_forget_the_same_at_once_one_counts_it(engine: Engine) -> None:
    store = engine.store
    ids = [f"m{n}" for n in range(6)]
    for id_ in ids:
        await add(store, a_memory(id_))
    calls = [replace(HOW, client=client) for client in ("cli", "cli", "web", "phone")]
    counted = await asyncio.gather(*(store.forget(TENANT, ids, how) for how in calls))
    assert sorted(id_ for gone in counted for id_ in gone) == ids
