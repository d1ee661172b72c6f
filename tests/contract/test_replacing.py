"""What `MemoryStore.add` promises of the memories that the new one supersedes."""

import asyncio
from dataclasses import replace

import pytest

from metacortex.domain.errors import Conflict, NotFound
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.memory import Memory
from metacortex.ports import MemoryStore
from tests.questions import a_question
from tests.samples import NOW, TENANT, a_change, a_filter, a_memory, a_vector, add, an_embedding

WINDOWS = (a_vector(1, 0, 0), a_vector(0, 1, 0))
DEPRECATED = BranchState.DEPRECATED
NEW = a_memory("new", recorded_at=NOW + 5)


async def add_superseding(
    store: MemoryStore, *superseding: str, new: Memory = NEW, digest: str = "digest of new"
) -> tuple[Memory, bool]:
    fingerprint = Fingerprint(digest, since=NOW)
    return await store.add(
        TENANT, new, an_embedding(*WINDOWS), a_change(new), fingerprint, superseding
    )


async def test_a_new_memory_supersedes_others_in_the_same_step(store: MemoryStore) -> None:
    first = await add(store, a_memory("m1", branch_state=BranchState.WIP), *WINDOWS)
    second = await add(store, a_memory("m2"))
    assert await add_superseding(store, "m1", "m2") == (NEW, True)
    assert await store.get(TENANT, "new") == NEW
    for memory in (first, second):
        after = Standing(DEPRECATED, "new")
        change = Change(
            ChangeKind.SUPERSEDED,
            memory.id,
            Standing(memory.branch_state),
            after,
            NOW + 5,
            "claude-web",
        )
        assert await store.changes(TENANT, memory.id) == (a_change(memory), change)
        assert await store.get(TENANT, memory.id) == replace(
            memory, branch_state=DEPRECATED, superseded_by="new", updated_at=NOW + 5
        )


async def test_what_is_superseded_moves_with_all_its_windows(store: MemoryStore) -> None:
    await add(store, a_memory("m1"), *WINDOWS)
    await add_superseding(store, "m1")
    for state, found in ((BranchState.ACTIVE, ["new"]), (DEPRECATED, ["m1"])):
        for vector in WINDOWS:
            matches = await store.find(
                TENANT, a_question(vector), a_filter(branch_state=state), limit=5
            )
            assert [match.memory.id for match in matches.matches] == found


async def test_an_id_that_is_named_twice_counts_once(store: MemoryStore) -> None:
    await add(store, a_memory("m1"))
    assert (await add_superseding(store, "m1", "m1"))[1]
    assert len(await store.changes(TENANT, "m1")) == 2


@pytest.mark.parametrize("unknown", ["unknown", "no id", "__unknown__", "a/b", "", "\ud800"])
async def test_an_unknown_id_leaves_nothing_written(store: MemoryStore, unknown: str) -> None:
    kept = await add(store, a_memory("m1"))
    with pytest.raises(NotFound, match="Superseded document not found"):
        await add_superseding(store, "m1", unknown)
    assert await store.get(TENANT, "new") is None
    assert await store.get(TENANT, "m1") == kept
    assert await store.changes(TENANT, "m1") == (a_change(kept),)
    assert (await add_superseding(store, "m1"))[1]


async def test_what_has_another_replacement_leaves_nothing_written(store: MemoryStore) -> None:
    kept = await add(store, a_memory("m1"))
    for id_ in ("m2", "m3"):
        await add(store, a_memory(id_))
    await store.supersede(TENANT, "m2", "m3", "cli", NOW)
    with pytest.raises(Conflict, match="already superseded by 'm3'"):
        await add_superseding(store, "m1", "m2")
    assert await store.get(TENANT, "new") is None
    assert await store.get(TENANT, "m1") == kept


async def test_another_tenants_memory_is_as_unknown(store: MemoryStore) -> None:
    theirs = await add(store, a_memory("m1"), tenant="other")
    with pytest.raises(NotFound):
        await add_superseding(store, "m1")
    assert await store.get("other", "m1") == theirs


async def test_an_equal_write_supersedes_nothing_anew(store: MemoryStore) -> None:
    await add(store, a_memory("m1"))
    await add_superseding(store, "m1")
    again = replace(NEW, id="again", recorded_at=NOW + 9)
    assert await add_superseding(store, "m1", new=again) == (NEW, False)
    assert await store.get(TENANT, "again") is None
    assert len(await store.changes(TENANT, "m1")) == 2


async def test_of_equal_writes_at_once_one_supersedes(store: MemoryStore) -> None:
    await add(store, a_memory("m1"), *WINDOWS)
    writes = [replace(NEW, id=f"n{n}") for n in range(4)]
    answers = await asyncio.gather(*(add_superseding(store, "m1", new=new) for new in writes))
    stored = {memory.id for memory, _ in answers}
    assert (len(stored), sum(created for _, created in answers)) == (1, 1)
    superseded = await store.get(TENANT, "m1")
    assert superseded is not None
    assert {superseded.superseded_by} == stored
    assert len(await store.changes(TENANT, "m1")) == 2


async def test_of_different_replacements_at_once_one_is_stored(store: MemoryStore) -> None:
    await add(store, a_memory("m1"))
    writes = [replace(NEW, id=f"n{n}") for n in range(3)]
    outcomes = await asyncio.gather(
        *(add_superseding(store, "m1", new=new, digest=new.id) for new in writes),
        return_exceptions=True,
    )
    stored = [outcome[0] for outcome in outcomes if not isinstance(outcome, BaseException)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert [type(outcome) for outcome in refused] == [Conflict, Conflict]
    assert [await store.get(TENANT, new.id) for new in writes if new not in stored] == [None, None]
    superseded = await store.get(TENANT, "m1")
    assert superseded is not None
    assert superseded.superseded_by == stored[0].id


async def test_many_long_memories_are_superseded_at_once(store: MemoryStore) -> None:
    """More windows than one commit of Firestore holds: they move along all the same."""
    long = [a_vector(1, n / 300, 0) for n in range(120)]
    ids = [f"m{n}" for n in range(5)]
    for id_ in ids:
        await add(store, a_memory(id_), *long)
    await add_superseding(store, *ids)
    question = a_question(long[-1])
    for state, found in ((BranchState.ACTIVE, ["new"]), (DEPRECATED, ids)):
        matches = await store.find(TENANT, question, a_filter(branch_state=state), limit=5)
        assert sorted(match.memory.id for match in matches.matches) == found
