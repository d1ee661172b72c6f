"""What `MemoryStore` promises, apart from searching."""

import asyncio

import pytest

from metacortex.domain.errors import NotFound
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Author, Memory, Modality, Origin, TokenCount
from metacortex.domain.moment import Moment, Precision
from metacortex.domain.vector import EmbeddingSpace
from metacortex.ports import MemoryStore
from tests.questions import found
from tests.samples import NOW, SPACE, TENANT, a_change, a_memory, a_vector, add, an_embedding

OTHER_SPACE = EmbeddingSpace("other", 2)
FULL = a_memory(
    content="Écran \x00 \U0001f642 \U0010ffff ﷺ \r\n",
    topic="ui-settings",
    retrieval_text="what is embedded",
    artifact_refs=("gs://bucket/a.png", "note:\x00"),
    tags=("b", "a"),
    session_id="s1",
    importance=0.25,
    entities=("e1",),
    branch_state=BranchState.DEPRECATED,
    superseded_by="m2",
    valid_from=Moment(-62_135_596_800_000, Precision.YEAR),
    valid_until=Moment(NOW, Precision.DAY),
    created_at=NOW - 3,
    updated_at=NOW - 2,
    recorded_at=NOW - 1,
    modality=Modality.MIXED,
    written_by=Author("cli", "Ada"),
    origin=Origin.IMPORTED,
    sources=("d1",),
    recalled_from=("m0",),
    token_count=TokenCount(7, "o200k_base"),
    sha256="f" * 64,
)
NO_IDS = [
    "",
    "m",
    "M1",
    "m1 ",
    "a/b",
    "../m1",
    "%",
    "m_",
    "__m1__",
    "x" * 10_000,
    "m1\x00",
    "\ud800",
    "🙂",
]


@pytest.mark.parametrize("memory", [a_memory(), FULL])
async def test_a_memory_comes_back_equal_in_every_field(store: MemoryStore, memory: Memory) -> None:
    added = await store.add(
        TENANT, memory, an_embedding(), a_change(memory), Fingerprint("digest", NOW)
    )
    assert added == (memory, True)
    assert await store.get(TENANT, memory.id) == memory


@pytest.mark.parametrize("id_", NO_IDS, ids=ascii)
async def test_any_other_string_is_no_memory(store: MemoryStore, id_: str) -> None:
    await add(store, a_memory("m1"))
    assert await store.get(TENANT, id_) is None
    assert await store.changes(TENANT, id_) == ()
    assert not await store.replace_embedding(TENANT, id_, an_embedding())
    with pytest.raises(NotFound, match="Superseding document"):
        await store.supersede(TENANT, "m1", id_, "cli", NOW)
    assert await store.supersede(TENANT, id_, "m1", "cli", NOW) is None


async def test_a_memory_of_one_tenant_does_not_exist_for_another(store: MemoryStore) -> None:
    mine = await add(store, a_memory("m1"))
    await add(store, a_memory("m2"), tenant="other")
    assert await store.get("other", "m1") is None
    assert await store.changes("other", "m1") == ()
    assert await store.supersede("other", "m1", "m2", "cli", NOW) is None
    with pytest.raises(NotFound, match="Superseding document"):
        await store.supersede(TENANT, "m1", "m2", "cli", NOW)
    assert not await store.replace_embedding("other", "m1", an_embedding())
    assert await store.count(TENANT) == 1
    assert await store.get(TENANT, "m1") == mine


async def test_two_tenants_may_use_one_id_and_one_fingerprint(store: MemoryStore) -> None:
    fingerprint = Fingerprint("digest", NOW)
    mine, theirs = a_memory("m1", content="mine"), a_memory("m1", content="theirs")
    assert await add(store, mine, fingerprint=fingerprint) == mine
    assert await add(store, theirs, tenant="other", fingerprint=fingerprint) == theirs
    assert await store.get(TENANT, "m1") == mine


async def test_repeating_a_write_returns_the_stored_memory(store: MemoryStore) -> None:
    fingerprint = Fingerprint("digest", NOW)
    first, again = a_memory("m1"), a_memory("m2", recorded_at=NOW + 1)
    await add(store, first, fingerprint=fingerprint)
    repeated = await store.add(TENANT, again, an_embedding(), a_change(again), fingerprint)
    assert repeated == (first, False)
    assert await store.get(TENANT, "m2") is None
    assert await store.changes(TENANT, "m2") == ()
    assert await store.count(TENANT) == 1


async def test_of_twenty_equal_writes_at_once_one_is_new(store: MemoryStore) -> None:
    fingerprint = Fingerprint("digest", NOW)
    memories = [a_memory(f"m{n}") for n in range(20)]
    added = await asyncio.gather(
        *(
            store.add(TENANT, memory, an_embedding(), a_change(memory), fingerprint)
            for memory in memories
        )
    )
    assert sorted(created for _, created in added) == [False] * 19 + [True]
    assert len({memory.id for memory, _ in added}) == 1
    assert await store.count(TENANT) == 1


@pytest.mark.parametrize(("later", "found"), [(0, True), (1, False)])
async def test_a_first_write_counts_from_its_own_moment_on(
    store: MemoryStore, later: int, found: bool
) -> None:
    memory = await add(store, a_memory(recorded_at=NOW), fingerprint=Fingerprint("digest", NOW))
    written = await store.find_written(
        TENANT, Fingerprint("digest", NOW + later), BranchState.ACTIVE
    )
    assert written == (memory if found else None)


async def test_a_duplicate_does_not_renew_the_fingerprint(store: MemoryStore) -> None:
    await add(store, a_memory("m1"), fingerprint=Fingerprint("digest", NOW))
    await add(store, a_memory("m2", recorded_at=NOW + 9), fingerprint=Fingerprint("digest", NOW))
    later = Fingerprint("digest", NOW + 9)
    assert await store.find_written(TENANT, later, BranchState.ACTIVE) is None


async def test_an_unknown_fingerprint_finds_nothing(store: MemoryStore) -> None:
    await add(store, a_memory(), fingerprint=Fingerprint("digest", NOW))
    found = await store.find_written(TENANT, Fingerprint("another", NOW), BranchState.ACTIVE)
    assert found is None


async def test_a_memory_of_another_state_gives_its_fingerprint_up(store: MemoryStore) -> None:
    fingerprint = Fingerprint("digest", NOW)
    await add(store, a_memory("m1"), fingerprint=fingerprint)
    await add(store, a_memory("m2"))
    await store.supersede(TENANT, "m1", "m2", "cli", NOW)
    assert await store.find_written(TENANT, fingerprint, BranchState.ACTIVE) is None
    third = await add(store, a_memory("m3"), fingerprint=fingerprint)
    assert third == a_memory("m3")
    assert await store.find_written(TENANT, fingerprint, BranchState.ACTIVE) == third


async def test_purging_forgets_older_fingerprints_only(store: MemoryStore) -> None:
    old, new = Fingerprint("old", 0), Fingerprint("new", 0)
    await add(store, a_memory("m1", recorded_at=NOW - 1), fingerprint=old)
    kept = await add(store, a_memory("m2", recorded_at=NOW), fingerprint=new)
    await store.purge(NOW)
    assert await store.find_written(TENANT, old, BranchState.ACTIVE) is None
    assert await store.find_written(TENANT, new, BranchState.ACTIVE) == kept
    assert await store.count(TENANT) == 2


async def test_spaces_count_the_memories_of_all_tenants(store: MemoryStore) -> None:
    assert await store.spaces() == {}
    await add(store, a_memory("m1"), a_vector(1, 0, 0), a_vector(0, 1, 0))
    await add(store, a_memory("m1"), tenant="other")
    await add(store, a_memory("m2"), a_vector(1, 1), space=OTHER_SPACE)
    assert await store.spaces() == {SPACE: 2, OTHER_SPACE: 1}


async def test_replacing_an_embedding_moves_the_memory_to_its_space(store: MemoryStore) -> None:
    memory = await add(store, a_memory("m1"))
    embedding = an_embedding(a_vector(1, 1), space=OTHER_SPACE)
    assert await store.replace_embedding(TENANT, "m1", embedding)
    assert await store.spaces() == {OTHER_SPACE: 1}
    assert await store.get(TENANT, "m1") == memory
    assert len(await store.changes(TENANT, "m1")) == 1


async def test_what_is_outside_a_space_is_paged_by_tenant_and_id(store: MemoryStore) -> None:
    places = [("a", "m1"), ("a", "m2"), ("b", "m0"), ("b", "m9")]
    for tenant, id_ in reversed(places):
        await add(store, a_memory(id_), tenant=tenant)
    await add(store, a_memory("m1"), a_vector(1, 1), tenant="b", space=OTHER_SPACE)
    pages, after = [], ("", "")
    while page := await store.outside(OTHER_SPACE, after, 3):
        pages.append([(tenant, memory.id) for tenant, memory in page])
        after = pages[-1][-1]
    assert pages == [places[:3], places[3:]]
    assert await store.outside(SPACE, ("", ""), 9) == (("b", a_memory("m1")),)


async def test_what_is_written_now_is_indexed_and_may_be_indexed_again(store: MemoryStore) -> None:
    await add(store, a_memory("m1", content="The relay is in rack C."))
    assert (await store.count_unindexed(), await store.unindexed(("", ""), 9)) == (0, ())
    before = await found(store, text="relay rack")
    assert await store.replace_terms(TENANT, "m1") is True
    assert await found(store, text="relay rack") == before
    for tenant, id_ in (("other", "m1"), (TENANT, "unknown"), (TENANT, "\ud800"), (TENANT, "a/b")):
        assert await store.replace_terms(tenant, id_) is False


async def test_resetting_deletes_all_of_one_tenant_and_nothing_of_another(
    store: MemoryStore,
) -> None:
    fingerprint = Fingerprint("digest", NOW)
    for tenant in (TENANT, "other"):
        await add(store, a_memory("m1"), tenant=tenant, fingerprint=fingerprint)
        await add(store, a_memory("m2"), tenant=tenant)
    assert await store.reset(TENANT) == 2
    assert await store.count(TENANT) == 0
    assert await store.get(TENANT, "m1") is None
    assert await store.changes(TENANT, "m1") == ()
    assert await store.find_written(TENANT, fingerprint, BranchState.ACTIVE) is None
    assert await store.spaces() == {SPACE: 2}
    assert await store.count("other") == 2
    assert len(await store.changes("other", "m1")) == 1
    assert await store.find_written("other", fingerprint, BranchState.ACTIVE) == a_memory("m1")


async def test_after_a_reset_the_same_ids_can_be_stored_anew(store: MemoryStore) -> None:
    await add(store, a_memory("m1", content="before"))
    await store.reset(TENANT)
    after = await add(store, a_memory("m1", content="after"))
    assert await store.get(TENANT, "m1") == after
    assert await store.changes(TENANT, "m1") == (a_change(after),)


async def test_resetting_nothing_counts_nothing(store: MemoryStore) -> None:
    assert await store.reset(TENANT) == 0
