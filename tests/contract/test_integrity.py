"""What a store holds is as it was written, whatever was done with it, and shows it where not."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from google.cloud.firestore_v1 import DELETE_FIELD
from google.cloud.firestore_v1.async_client import AsyncClient
from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.domain.client import whole_tenant
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.identity import immutable_digest
from metacortex.domain.knowledge.entity import Entity, EntityType, entity_id
from metacortex.domain.knowledge.merging import merger, separation
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.tampering import Kept, Recorded
from metacortex.domain.verification import Comparison, Verification, Verified
from metacortex.engines import Engine
from metacortex.service.integrity import IntegrityService
from tests.firestore_engines import opened
from tests.samples import NOW, SPACE, TENANT, a_memory, a_vector, add, an_embedding

OF_M1 = FieldFilter("subject_id", "==", "m1")
ADMIN = whole_tenant("cli", TENANT, BranchState.ACTIVE)


def sealed(id_: str, **varied: Any) -> Memory:
    """Return a memory with the digest that it has."""
    memory = a_memory(id_, salt=f"salt of {id_}", **varied)
    return replace(memory, sha256=immutable_digest(memory))


async def verified(engine: Engine, **asked: Any) -> Verified:
    """Return what a verification of the tenant of the samples shows."""
    service = IntegrityService(engine.integrity, engine.store)
    return await service.verify(ADMIN, Verification(**asked))


async def recorded(engine: Engine, tenant: str = TENANT) -> list[Recorded]:
    """Return the entries in order of arrival."""
    return [entry async for page in engine.integrity.entries(tenant) for entry in page]


async def kept(engine: Engine, tenant: str = TENANT) -> list[Kept]:
    """Return the memories."""
    return [memory async for page in engine.integrity.kept(tenant) for memory in page]


async def test_entries_are_told_in_the_order_in_which_they_arrived(engine: Engine) -> None:
    memories = [sealed(f"m{n}", recorded_at=NOW - n) for n in range(5)]
    for memory in memories:
        await add(engine.store, memory)
    await engine.store.supersede(TENANT, "m3", "m1", "cli", NOW)
    await engine.store.forget(TENANT, ["m2"], Forgetting(b"key", "cli", NOW))
    entries = await recorded(engine)
    assert [entry.subject_id for entry in entries] == ["m0", "m1", "m2", "m3", "m4", "m3", "m2"]
    assert [entry.memory_sha256 for entry in entries[:5]] == [each.sha256 for each in memories]
    assert [entry.memory_sha256 for entry in entries[5:]] == [None, None]
    for entry in entries:
        assert entry.entry is not None
        assert entry.sha256 == entry.entry.sha256
        assert entry.faults == ()


async def test_memories_are_told_with_the_version_of_their_digests(engine: Engine) -> None:
    memories = [sealed(f"m{n}") for n in range(3)]
    for memory in memories:
        await add(engine.store, memory)
    expected = [Kept(memory.id, memory.sha256, 2, memory) for memory in memories]
    assert sorted(await kept(engine), key=lambda each: each.id) == expected
    kept_one, entries = await engine.integrity.examine(TENANT, "m1")
    assert (kept_one, [each.subject_id for each in entries]) == (expected[1], ["m1"])


async def test_of_another_tenant_nothing_is_told(engine: Engine) -> None:
    await add(engine.store, sealed("theirs"), tenant="other")
    assert await recorded(engine) == []
    assert await kept(engine) == []
    for id_ in ("theirs", "no id", "half \ud83d"):
        memory, entries = await engine.integrity.examine(TENANT, id_)
        assert (memory, [*entries]) == (None, [])
    assert (await verified(engine)).tree.size == 0


async def test_nothing_that_a_store_does_is_taken_for_an_alteration(engine: Engine) -> None:
    store = engine.store
    for n in range(6):
        await add(store, sealed(f"m{n}"))
    await add(store, sealed("draft", branch_state=BranchState.WIP))
    roots = [(await verified(engine)).tree]
    await store.promote(TENANT, "draft", BranchState.ACTIVE, "cli", NOW + 1)
    await store.supersede(TENANT, "m0", "m1", "cli", NOW + 2)
    await store.supersede(TENANT, "m1", "m2", "cli", NOW + 3)
    await add(store, sealed("new"), superseding=["m3", "m4"])
    roots.append((await verified(engine)).tree)
    await store.forget(TENANT, ["m2", "m5"], Forgetting(b"key", "cli", NOW + 4))
    await store.replace_embedding(TENANT, "m1", an_embedding(a_vector(0, 1, 0), space=SPACE))
    await store.replace_terms(TENANT, "m1")
    now = await verified(engine)
    assert (now.altered, now.memories, now.rootless) == ((), 6, 0)
    for earlier in roots:
        told = await verified(
            engine,
            root=earlier.root.hex(),
            size=earlier.size,
        )
        assert (told.matches, told.tree) == (True, earlier)
        went_on = await verified(engine, first_root=earlier.root.hex(), first_size=earlier.size)
        assert went_on.consistency is not None
        assert went_on.consistency.holds
        assert went_on.tree == now.tree


async def test_a_reset_begins_anew_and_leaves_nothing_to_find(engine: Engine) -> None:
    for id_ in ("m1", "m2"):
        await add(engine.store, sealed(id_))
    await engine.store.forget(TENANT, ["m2"], Forgetting(b"key", "cli", NOW))
    await engine.store.reset(TENANT)
    told = await verified(engine)
    assert (told.altered, told.memories, told.entries) == ((), 0, 1)


async def test_a_memory_with_another_digest_than_its_own_is_named(engine: Engine) -> None:
    await add(engine.store, sealed("good"))
    await add(engine.store, a_memory("bad"))
    found = (await verified(engine)).altered
    assert [(each.memory_id, [*each.checks]) for each in found] == [("bad", ["memory_hash"])]


async def test_writes_meanwhile_are_not_accused_and_roots_are_beginnings(engine: Engine) -> None:
    async def write(first: int) -> None:
        for n in range(first, first + 5):
            await add(engine.store, sealed(f"m{n}"))
            await add(engine.store, sealed(f"n{n}"), superseding=[f"m{n}"])
        await engine.store.forget(TENANT, [f"m{first}"], Forgetting(b"key", "cli", NOW))

    async def verify() -> list[Verified]:
        return [await verified(engine) for _ in range(6)]

    *_, told = await asyncio.gather(*(write(10 * n) for n in range(4)), verify())
    assert told is not None
    assert [each.altered for each in told] == [()] * 6
    for each in told:
        again = await verified(engine, root=each.tree.root.hex())
        assert again.comparison == Comparison(each.tree.size)


@pytest.fixture
async def fire(project: str, firestore_emulator: str) -> AsyncIterator[Engine]:
    async with opened(project) as engine:
        yield engine


@pytest.mark.parametrize(
    ("field", "value", "check"),
    [
        ("content", "other", "memory_hash"),
        ("tags", ["other"], "memory_hash"),
        ("salt", "other", "memory_hash"),
        ("sha256_version", 1, "memory_hash"),
        ("created_at", 2**60, "memory_hash"),
        ("branch_state", "merged", "projection"),
        ("kind", "poem", "unreadable"),
        ("windows", 9, None),
        ("importance", 0.9, None),
    ],
)
async def test_a_field_that_is_altered_in_firestore_is_named(
    fire: Engine, client: AsyncClient, field: str, value: object, check: str | None
) -> None:
    await add(fire.store, sealed("m1", tags=("a",)))
    await add(fire.store, sealed("m2"))
    place = client.collection("tenants", TENANT, "memory_vectors").document("m1")
    await place.update({field: value})
    found = {each.memory_id: [*each.checks] for each in (await verified(fire)).altered}
    assert found == ({"m1": [check]} if check else {})


@pytest.mark.parametrize(
    ("field", "value", "checks"),
    [
        ("client", "other", ["change_hash"]),
        ("recorded_at", 7, ["change_hash"]),
        ("memory_sha256", "0" * 64, ["change_hash", "creation"]),
        ("after", "lost", ["unreadable", "creation"]),
        ("committed_at", 7, ["unreadable", "creation"]),
        ("committed_at", DELETE_FIELD, ["unreadable", "creation"]),
    ],
)
async def test_an_entry_that_is_altered_in_firestore_is_named(
    fire: Engine, client: AsyncClient, field: str, value: object, checks: list[str]
) -> None:
    await add(fire.store, sealed("m1"))
    await add(fire.store, sealed("m2"))
    before = (await verified(fire)).tree
    changes = client.collection("tenants", TENANT, "memory_changes")
    async for snapshot in changes.where(filter=OF_M1).stream():
        await snapshot.reference.update({field: value})
    told = await verified(fire, root=before.root.hex())
    assert {each.memory_id: [*each.checks] for each in told.altered} == {"m1": checks}
    assert told.matches is (field != "memory_sha256" and value is not DELETE_FIELD)


async def test_an_entry_that_is_taken_out_and_put_back_in_firestore_is_noticed(
    fire: Engine, client: AsyncClient
) -> None:
    await add(fire.store, sealed("m1"))
    await add(fire.store, sealed("m2"))
    root = (await verified(fire)).tree.root.hex()
    changes = client.collection("tenants", TENANT, "memory_changes")
    async for snapshot in changes.where(filter=OF_M1).stream():
        await snapshot.reference.delete()
        assert {each.memory_id for each in (await verified(fire)).altered} == {"m1"}
        await snapshot.reference.set(snapshot.to_dict() or {})
    told = await verified(fire, root=root)
    assert (told.altered, told.matches) == ((), False)


async def test_an_entity_that_is_merged_is_no_memory_that_is_missing(engine: Engine) -> None:
    one, other = (
        Entity(entity_id("default", name), "default", name, EntityType.NAME, NOW, by_hand=True)
        for name in ("QXRT", "QXRS")
    )
    await engine.entities.put(TENANT, [one, other])
    into = merger(one, other, "cli", NOW)
    assert into is not None
    assert await engine.entities.merge(TENANT, into)
    undone = separation(one.after(into.after), "cli", NOW + 1)
    assert undone is not None
    assert await engine.entities.merge(TENANT, undone)
    told = await verified(engine)
    assert (told.altered, told.entries, told.tree.size) == ((), 2, 2)
