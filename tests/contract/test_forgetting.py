"""What `MemoryStore.forget` promises: gone from everything that is asked, and what remains."""

import asyncio
from collections.abc import Sequence

import pytest

from metacortex.domain.forgetting import Forgetting, Tombstone, text_mac
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import FORGOTTEN, BranchState, Change, ChangeKind, Standing
from metacortex.domain.stats import Reach
from metacortex.domain.use import Use
from metacortex.engines import Engine
from metacortex.ports import MemoryStore, Moved
from tests.questions import found
from tests.samples import NOW, SPACE, TENANT, a_change, a_memory, a_vector, add, an_embedding

X, Y, Z = a_vector(1, 0, 0), a_vector(0, 1, 0), a_vector(0, 0, 1)
KEY = b"key" * 11
HOW = Forgetting(KEY, "cli", NOW + 9)
STATES = tuple(BranchState)


async def forget(store: MemoryStore, *memory_ids: str) -> tuple[str, ...]:
    return await store.forget(TENANT, memory_ids, HOW)


async def ids_of(store: MemoryStore, memory_ids: Sequence[str]) -> list[str]:
    """Return those of these ids that a memory has."""
    memories = [await store.get(TENANT, id_) for id_ in memory_ids]
    return [memory.id for memory in memories if memory is not None]


@pytest.mark.case("K44")
async def test_what_is_forgotten_is_in_no_answer_and_five_others_are(store: MemoryStore) -> None:
    for n in range(8):
        await add(store, a_memory(f"m{n}", content="pump", created_at=NOW - n), X, Y)
    # A search keeps what it has read.
    assert len(await found(store, X, "pump")) == 8
    assert await forget(store, "m2", "m0", "m1") == ("m0", "m1", "m2")
    left = ["m3", "m4", "m5", "m6", "m7"]
    assert list(await found(store, X, "pump", limit=5)) == left
    assert list(await found(store, Y, limit=5)) == left
    assert list(await found(store, text="pump", limit=5)) == left
    assert await ids_of(store, [f"m{n}" for n in range(8)]) == left
    stats = await store.stats(TENANT, Reach(None, STATES))
    assert (await store.count(TENANT), stats.memories) == (5, 5)
    assert await store.spaces() == {SPACE: 5}


async def test_a_tombstone_without_content_follows_the_changes(store: MemoryStore) -> None:
    memory = await add(store, a_memory("m1", content="Of the pump."))
    await forget(store, "m1")
    mac = text_mac(KEY, "Of the pump.")
    tombstone = Tombstone("m1", mac, NOW + 9, "cli")
    assert await store.changes(TENANT, "m1") == (a_change(memory), tombstone)
    assert await store.is_forgotten(TENANT, "m1", text_mac(KEY, "another"))
    assert await store.is_forgotten(TENANT, "another", mac)
    assert not await store.is_forgotten(TENANT, "another", text_mac(KEY, "another"))
    assert not await store.is_forgotten("other", "m1", mac)


async def test_what_superseded_another_leaves_a_word_in_its_place(store: MemoryStore) -> None:
    for id_ in ("m1", "m2", "m3"):
        await add(store, a_memory(id_))
    await store.supersede(TENANT, "m1", "m2", "cli", NOW + 1)
    await store.supersede(TENANT, "m2", "m3", "cli", NOW + 2)
    await forget(store, "m2")
    orphan = await store.get(TENANT, "m1")
    deprecated = BranchState.DEPRECATED
    assert orphan == a_memory(
        "m1", branch_state=deprecated, superseded_by=FORGOTTEN, updated_at=NOW + 1
    )
    (*_, change) = await store.changes(TENANT, "m1")
    before, after = Standing(deprecated, "m2"), Standing(deprecated, FORGOTTEN)
    assert change == Change(ChangeKind.SUPERSEDED, "m1", before, after, NOW + 9, "cli")
    superseded = await store.supersede(TENANT, "m1", "m3", "cli", NOW + 10)
    assert superseded is not None
    assert superseded.memory.superseded_by == "m3"
    assert list(await found(store, X, branch_state=deprecated)) == ["m1"]


async def test_a_memory_and_its_replacement_are_forgotten_together(store: MemoryStore) -> None:
    await add(store, a_memory("m1"))
    await add(store, a_memory("m2"))
    await store.supersede(TENANT, "m1", "m2", "cli", NOW)
    assert await forget(store, "m1", "m2") == ("m1", "m2")
    changes = await store.changes(TENANT, "m1")
    assert [type(each) for each in changes] == [Change, Change, Tombstone]


async def test_the_same_text_saved_anew_is_a_new_memory(store: MemoryStore) -> None:
    fingerprint = Fingerprint("digest", NOW)
    await add(store, a_memory("m1", content="same"), fingerprint=fingerprint)
    await forget(store, "m1")
    assert await store.find_written(TENANT, fingerprint, BranchState.ACTIVE) is None
    again = a_memory("m2", content="same")
    added = await store.add(TENANT, again, an_embedding(), a_change(again), fingerprint)
    assert added == (again, True)
    assert list(await found(store, X, "same")) == ["m2"]


async def test_only_what_is_there_in_this_tenant_is_forgotten(store: MemoryStore) -> None:
    await add(store, a_memory("m1"))
    await add(store, a_memory("m2"))
    theirs = await add(store, a_memory("m1"), tenant="other")
    ids = ("m1", "unknown", "a/b", "", "\ud800", "m1", "m2\0")
    assert await forget(store, *ids) == ("m1",)
    assert await forget(store, *ids) == ()
    assert await forget(store) == ()
    assert await store.changes(TENANT, "unknown") == ()
    assert list(await found(store, X)) == ["m2"]
    assert await store.get("other", "m1") == theirs
    assert list(await found(store, X, tenant="other")) == ["m1"]


async def test_any_number_is_forgotten_with_any_number_of_windows(store: MemoryStore) -> None:
    windows = {"long": [X] * 450, **{f"w{n}": [X] * 120 for n in range(4)}}
    for id_, vectors in windows.items():
        await add(store, a_memory(id_), *vectors)
    many = [f"m{n:02}" for n in range(40)]
    await asyncio.gather(*(add(store, a_memory(id_)) for id_ in many))
    assert await forget(store, *many, *windows) == tuple(sorted([*many, *windows]))
    assert await found(store, X) == {}
    assert (await store.stats(TENANT, Reach(None, STATES))).vector_bytes == 0


async def test_any_number_may_have_been_superseded(store: MemoryStore) -> None:
    old = [f"m{n:03}" for n in range(130)]
    await asyncio.gather(*(add(store, a_memory(id_)) for id_ in old))
    new = a_memory("new")
    await store.add(
        TENANT, new, an_embedding(), a_change(new), Fingerprint("new", NOW), superseding=old
    )
    assert await forget(store, "new") == ("new",)
    memories = [await store.get(TENANT, id_) for id_ in old]
    assert {memory.superseded_by for memory in memories if memory} == {FORGOTTEN}


async def test_vectors_and_terms_of_what_is_forgotten_are_not_renewed(store: MemoryStore) -> None:
    await add(store, a_memory("m1"))
    await forget(store, "m1")
    assert not await store.replace_embedding(TENANT, "m1", an_embedding(X, Y))
    assert not await store.replace_terms(TENANT, "m1")
    assert await found(store, Y) == {}


async def test_a_reset_leaves_the_tombstones(store: MemoryStore) -> None:
    await add(store, a_memory("m1"))
    await add(store, a_memory("m2"))
    await forget(store, "m1")
    assert await store.reset(TENANT) == 1
    assert [type(each) for each in await store.changes(TENANT, "m1")] == [Tombstone]
    assert await store.changes(TENANT, "m2") == ()
    assert await store.is_forgotten(TENANT, "m1", "")
    await add(store, a_memory("m3"))
    assert list(await found(store, X)) == ["m3"]


async def test_whatever_happens_at_once_nothing_names_what_is_not_there(engine: Engine) -> None:
    store = engine.store
    rounds = 12
    for n in range(rounds):
        for id_ in (f"old{n}", f"new{n}", f"last{n}"):
            await add(store, a_memory(id_))
        # Of every other, the replacement has been superseded itself.
        if n % 2:
            await store.supersede(TENANT, f"new{n}", f"last{n}", "cli", NOW)
    superseding = asyncio.gather(
        *(store.supersede(TENANT, f"old{n}", f"new{n}", "cli", NOW) for n in range(rounds)),
        return_exceptions=True,
    )
    await asyncio.gather(
        *(forget(store, f"new{n}") for n in range(rounds)),
        *(forget(store, f"new{n}", f"last{n}") for n in range(0, rounds, 3)),
    )
    refused = {str(each) for each in await superseding if not isinstance(each, Moved)}
    assert refused <= {"Superseding document not found"}
    for n in range(rounds):
        old = await store.get(TENANT, f"old{n}")
        assert old is not None
        assert old.superseded_by in (None, FORGOTTEN)


async def test_a_write_that_is_repeated_at_once_is_stored_or_gone_whole(engine: Engine) -> None:
    store = engine.store
    fingerprint = Fingerprint("digest", NOW)
    await add(store, a_memory("m0"), fingerprint=fingerprint)
    memories = [a_memory(f"m{n}") for n in range(1, 6)]
    writes = [
        store.add(TENANT, memory, an_embedding(), a_change(memory), fingerprint)
        for memory in memories
    ]
    gone, added = await asyncio.gather(forget(store, "m0"), asyncio.gather(*writes))
    assert gone == ("m0",)
    made = [memory.id for memory, created in added if created]
    assert len(made) <= 1
    assert list(await found(store, X)) == made
    written = await store.find_written(TENANT, fingerprint, BranchState.ACTIVE)
    assert [memory.id for memory in (written,) if memory] == made


async def test_vectors_that_are_renewed_at_once_do_not_stay(engine: Engine) -> None:
    store = engine.store
    ids = [f"m{n}" for n in range(8)]
    for id_ in ids:
        await add(store, a_memory(id_), X, Y)
    await asyncio.gather(
        *(store.replace_embedding(TENANT, id_, an_embedding(X, Y, Z)) for id_ in ids),
        *(forget(store, id_) for id_ in ids),
    )
    assert (await store.stats(TENANT, Reach(None, STATES))).vector_bytes == 0


async def test_how_often_it_was_used_is_forgotten_too(engine: Engine) -> None:
    for id_ in ("m1", "m2"):
        await add(engine.store, a_memory(id_))
    await engine.use.add(TENANT, {"m1": Use(3, NOW), "m2": Use(2, NOW)})
    await forget(engine.store, "m1")
    await engine.use.add(TENANT, {"m1": Use(1, NOW)})
    used = await engine.use.most_used(TENANT, Reach(None, STATES), 9)
    assert [(each.memory.id, each.use) for each in used] == [("m2", Use(2, NOW))]
    await forget(engine.store, "m2")
    assert await engine.use.most_used(TENANT, Reach(None, STATES), 9) == ()
