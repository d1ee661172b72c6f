"""What `MemoryStore.list` promises: an order, whole filters, and each memory on one page."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.listing import Page, Place
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Moment
from metacortex.domain.search import MemoryFilter, passes
from metacortex.ports import MemoryStore
from tests.filters import filters, memories
from tests.samples import NOW, TENANT, a_filter, a_memory, add

MANY = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
Between = Callable[[], Awaitable[object]]


async def nothing() -> None:
    """Let nobody write between two pages."""


async def pages(
    store: MemoryStore,
    limit: int,
    where: MemoryFilter | None = None,
    tenant: str = TENANT,
    between: Between = nothing,
) -> list[Page]:
    """Return all pages of a list, letting others write after each."""
    listed: list[Page] = []
    after: Place | None = None
    while not listed or after:
        listed.append(await store.list(tenant, where or a_filter(), after, limit))
        after = listed[-1].end
        await between()
    return listed


async def ids(store: MemoryStore, limit: int = 100, **given: object) -> list[str]:
    listed = await pages(store, limit, **given)  # type: ignore[arg-type]
    return [memory.id for page in listed for memory in page.memories]


async def test_an_empty_store_has_one_empty_page(store: MemoryStore) -> None:
    assert await store.list(TENANT, a_filter(), None, 5) == Page((), None)


async def test_the_newest_come_first_and_equals_by_their_ids_from_the_last(
    store: MemoryStore,
) -> None:
    for id_, age in (("b", 1), ("a", 1), ("B", 1), ("z", 2), ("0", 0), ("_", 1)):
        await add(store, a_memory(id_, created_at=NOW - age))
    assert await ids(store) == ["0", "b", "a", "_", "B", "z"]
    assert await ids(store, limit=1) == await ids(store)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7])
async def test_every_page_is_full_but_the_last_and_it_ends(store: MemoryStore, count: int) -> None:
    for n in range(count):
        await add(store, a_memory(f"m{n}", created_at=NOW + n))
    listed = await pages(store, 3)
    sizes = [len(page.memories) for page in listed]
    full, rest = divmod(max(count, 1) - 1, 3)
    assert sizes == [3] * full + [min(count, rest + 1)]
    assert [page.end for page in listed[:-1]] == [
        Place.of(page.memories[-1]) for page in listed[:-1]
    ]


async def test_a_listed_memory_is_whole(store: MemoryStore) -> None:
    memory = await add(store, a_memory(tags=("a", "b"), session_id="s", importance=0.25))
    assert (await store.list(TENANT, a_filter(), None, 1)).memories == (memory,)


@pytest.mark.case("K51")
async def test_a_list_stays_in_its_tenant_and_in_whole_namespaces(store: MemoryStore) -> None:
    for n, namespace in enumerate(("team", "team-secret", "team/inner", "Team", "docs")):
        await add(store, a_memory(f"m{n}", namespace=namespace, created_at=NOW + n))
    await add(store, a_memory("m9", namespace="team"), tenant="other")
    assert await ids(store) == ["m4", "m3", "m2", "m1", "m0"]
    assert await ids(store, where=a_filter(namespaces=("team",))) == ["m0"]
    assert await ids(store, where=a_filter(namespaces=("docs", "team")), limit=1) == ["m4", "m0"]
    assert await ids(store, where=a_filter(namespaces=("nowhere",))) == []
    assert await ids(store, tenant="other") == ["m9"]


@pytest.mark.parametrize("limit", [1, 2, 100])
async def test_states_topics_and_valid_time_are_filtered_by(store: MemoryStore, limit: int) -> None:
    states = (BranchState.ACTIVE, BranchState.WIP)
    for n in range(12):
        await add(
            store,
            a_memory(
                f"m{n:02}",
                created_at=NOW + n,
                branch_state=states[n % 2],
                topic=("general", "General", "ports")[n % 3],
                valid_until=Moment(NOW) if n == 6 else None,
            ),
        )
    assert await ids(store, limit) == ["m10", "m08", "m04", "m02", "m00"]
    assert await ids(store, limit, where=a_filter(topic="general")) == ["m00"]
    wip = a_filter(branch_state=BranchState.WIP, topic="ports")
    assert await ids(store, limit, where=wip) == ["m11", "m05"]
    for topic in ("\ud800", "x" * 1_501, "x" * 900_000):
        assert await ids(store, limit, where=a_filter(topic=topic)) == []


async def test_what_does_not_pass_is_gone_through(store: MemoryStore) -> None:
    first = await add(store, a_memory("first", created_at=NOW))
    last = await add(store, a_memory("last", created_at=NOW - 1_000))
    for n in range(130):
        await add(store, a_memory(f"e{n}", created_at=NOW - n - 1, valid_until=Moment(NOW)))
    assert await ids(store, limit=1) == [first.id, last.id]


@given(
    stored=st.lists(memories, max_size=14),
    wheres=st.lists(filters, min_size=1, max_size=8),
    limit=st.integers(1, 5),
)
@settings(MANY)
async def test_a_list_is_what_passes_in_its_order(
    store: MemoryStore, stored: list[Memory], wheres: list[MemoryFilter], limit: int
) -> None:
    await store.reset(TENANT)
    held = [await add(store, replace(memory, id=f"m{n}")) for n, memory in enumerate(stored)]
    held.sort(key=Place.of, reverse=True)
    for where in wheres:
        expected = [memory.id for memory in held if passes(memory, where)]
        assert await ids(store, limit, where=where) == expected


@given(
    ages=st.lists(st.integers(0, 5), min_size=1, max_size=12),
    limit=st.integers(1, 4),
    meanwhile=st.lists(
        st.tuples(st.sampled_from(["write", "deprecate"]), st.integers(0, 5)), max_size=12
    ),
)
@settings(MANY)
async def test_whoever_writes_meanwhile_what_was_there_and_stays_is_seen_exactly_once(
    store: MemoryStore, ages: list[int], limit: int, meanwhile: list[tuple[str, int]]
) -> None:
    await store.reset(TENANT)
    numbers, left = count(), iter(meanwhile)
    there = [await add(store, _aged(next(numbers), age)) for age in ages]
    replacement = await add(store, a_memory("replacement", branch_state=BranchState.WIP))
    gone: set[str] = set()

    async def between() -> None:
        doing, n = next(left, (None, 0))
        if doing == "write":
            await add(store, _aged(next(numbers), n))
        elif doing == "deprecate" and n < len(there):
            await store.supersede(TENANT, there[n].id, replacement.id, "cli", NOW)
            gone.add(there[n].id)

    seen = await ids(store, limit, between=between)
    assert len(seen) == len(set(seen))
    stayed = {memory.id for memory in there} - gone
    assert stayed <= set(seen)


async def test_a_list_that_is_read_while_others_write_is_whole(store: MemoryStore) -> None:
    there = [await add(store, _aged(n, n // 2)) for n in range(20)]
    others = asyncio.gather(
        *(add(store, _aged(n, n - 20)) for n in range(20, 40)),
        *(store.supersede(TENANT, there[n].id, there[0].id, "cli", NOW) for n in (4, 9, 14)),
    )
    seen = await ids(store, limit=3)
    await others
    assert len(seen) == len(set(seen))
    assert {one.id for n, one in enumerate(there) if n not in (4, 9, 14)} <= set(seen)


def _aged(number: int, age: int) -> Memory:
    return a_memory(f"m{number}", created_at=NOW - age, recorded_at=NOW)
