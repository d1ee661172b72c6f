"""What `MemoryStore.find_nearest` promises: exact, filtered before it is cut, and in one order."""

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Moment
from metacortex.domain.search import Match, MemoryFilter
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import MemoryStore, Nearest
from tests.by_hand import scored
from tests.samples import (
    NOW,
    SPACE,
    TENANT,
    a_filter,
    a_memory,
    a_vector,
    add,
    an_embedding,
)

X, Y, Z = a_vector(1, 0, 0), a_vector(0, 1, 0), a_vector(0, 0, 1)
OTHER_SPACE = EmbeddingSpace("other", 3)


async def found(
    store: MemoryStore,
    query: Vector = X,
    *,
    tenant: str = TENANT,
    space: EmbeddingSpace = SPACE,
    limit: int = 9,
    **parts: Any,
) -> dict[str, float]:
    """Return the scores of what a search finds by their ids, in order."""
    nearest = await store.find_nearest(tenant, space, query, a_filter(**parts), limit)
    assert not nearest.incomplete
    return {match.memory.id: match.score for match in nearest.matches}


async def test_a_match_holds_the_whole_memory_and_its_score(store: MemoryStore) -> None:
    memory = await add(store, a_memory(tags=("a",)), a_vector(1, 1, 0))
    nearest = await store.find_nearest(TENANT, SPACE, X, a_filter(), 5)
    assert nearest == Nearest((Match(memory, 0.707107),))


async def test_an_empty_store_has_no_matches(store: MemoryStore) -> None:
    assert await found(store) == {}


async def test_the_nearest_stand_first(store: MemoryStore) -> None:
    await add(store, a_memory("far"), Y)
    await add(store, a_memory("near"), X)
    await add(store, a_memory("between"), a_vector(1, 1, 0))
    assert list(await found(store)) == ["near", "between", "far"]
    assert list(await found(store, limit=2)) == ["near", "between"]


async def test_an_opposite_meaning_scores_zero(store: MemoryStore) -> None:
    await add(store, a_memory(), a_vector(-1, 0, 0))
    assert await found(store) == {"m1": 0.0}


async def test_equal_scores_stand_newest_first_and_then_by_id(store: MemoryStore) -> None:
    await add(store, a_memory("b", created_at=NOW - 1))
    await add(store, a_memory("d", created_at=NOW - 2))
    await add(store, a_memory("c", created_at=NOW - 2))
    await add(store, a_memory("e", created_at=NOW))
    assert list(await found(store)) == ["e", "b", "c", "d"]
    assert list(await found(store, limit=3)) == ["e", "b", "c"]


async def test_scores_that_are_shown_equal_are_equal(store: MemoryStore) -> None:
    await add(store, a_memory("older", created_at=NOW - 1), X)
    await add(store, a_memory("newer", created_at=NOW), a_vector(1, 0.0002, 0))
    assert await found(store) == {"newer": 1.0, "older": 1.0}
    assert list(await found(store)) == ["newer", "older"]


async def test_a_memory_counts_once_by_its_best_window(store: MemoryStore) -> None:
    await add(store, a_memory("long"), Y, a_vector(1, 1, 0), X, Z)
    await add(store, a_memory("short"), a_vector(2, 1, 0))
    assert await found(store, limit=2) == {"long": 1.0, "short": 0.894427}


async def test_windows_of_one_memory_take_no_place_of_another(store: MemoryStore) -> None:
    await add(store, a_memory("long"), *[X] * 50)
    await add(store, a_memory("short"), Y)
    assert await found(store, limit=2) == {"long": 1.0, "short": 0.0}


@pytest.mark.parametrize(
    ("other", "parts"),
    [
        ({"topic": "other"}, {"topic": "general"}),
        ({"topic": "General"}, {"topic": "general"}),
        ({"branch_state": BranchState.WIP}, {}),
        ({"namespace": "other"}, {"namespaces": ("default",)}),
        ({"namespace": "default/sub"}, {"namespaces": ("default",)}),
        ({"namespace": "defaul"}, {"namespaces": ("default", "elsewhere")}),
        ({"valid_from": Moment(NOW + 1)}, {}),
        ({"valid_until": Moment(NOW)}, {}),
    ],
    ids=repr,
)
async def test_what_a_filter_excludes_uses_up_no_place(
    store: MemoryStore, other: dict[str, Any], parts: dict[str, Any]
) -> None:
    await add(store, a_memory("passes"), Y)
    for n in range(30):
        await add(store, a_memory(f"excluded{n}", **other), X)
    assert await found(store, limit=1, **parts) == {"passes": 0.0}


@pytest.mark.parametrize(
    ("start", "end"), [(NOW, NOW + 1), (None, NOW + 1), (NOW, None), (None, None)]
)
async def test_valid_time_includes_its_start_and_excludes_its_end(
    store: MemoryStore, start: int | None, end: int | None
) -> None:
    valid_from = None if start is None else Moment(start)
    valid_until = None if end is None else Moment(end)
    await add(store, a_memory("m1", valid_from=valid_from, valid_until=valid_until))
    assert list(await found(store, valid_at=NOW)) == ["m1"]


@pytest.mark.parametrize("namespaces", [None, ("a", "b"), ("b", "a", "c")])
async def test_several_namespaces_are_searched_together(
    store: MemoryStore, namespaces: tuple[str, ...] | None
) -> None:
    await add(store, a_memory("m1", namespace="a"))
    await add(store, a_memory("m2", namespace="b"))
    assert list(await found(store, namespaces=namespaces)) == ["m1", "m2"]


@pytest.mark.parametrize("parts", [{"namespaces": ()}, {"topic": "none"}, {"topic": "\ud800"}])
async def test_a_filter_that_nothing_passes_finds_nothing(
    store: MemoryStore, parts: dict[str, Any]
) -> None:
    await add(store, a_memory())
    assert await found(store, **parts) == {}


async def test_vectors_of_another_space_are_not_seen(store: MemoryStore) -> None:
    await add(store, a_memory("m1"), X, space=OTHER_SPACE)
    await add(store, a_memory("m2"), X, space=EmbeddingSpace("toy", 2))
    await add(store, a_memory("m3"), Y)
    assert await found(store) == {"m3": 0.0}
    assert await found(store, space=OTHER_SPACE) == {"m1": 1.0}


async def test_a_search_sees_every_write_that_came_before_it(store: MemoryStore) -> None:
    await add(store, a_memory("m1"))
    assert list(await found(store)) == ["m1"]
    await add(store, a_memory("m2", topic="new"), a_vector(1, 1, 0))
    assert list(await found(store)) == ["m1", "m2"]
    assert list(await found(store, topic="new")) == ["m2"]
    await store.supersede(TENANT, "m1", "m2", "cli", NOW)
    assert list(await found(store)) == ["m2"]
    assert list(await found(store, branch_state=BranchState.DEPRECATED)) == ["m1"]
    await store.replace_embedding(TENANT, "m2", an_embedding(Y, Z))
    assert await found(store) == {"m2": 0.0}
    await store.replace_embedding(TENANT, "m2", an_embedding(X, space=OTHER_SPACE))
    assert await found(store) == {}
    assert await found(store, space=OTHER_SPACE) == {"m2": 1.0}
    await store.reset(TENANT)
    assert await found(store, space=OTHER_SPACE) == {}
    await add(store, a_memory("m1"), Z)
    assert await found(store) == {"m1": 0.0}


async def test_what_a_reset_has_deleted_uses_up_no_place(store: MemoryStore) -> None:
    await add(store, a_memory("deleted1"), X)
    await add(store, a_memory("deleted2"), X)
    assert len(await found(store)) == 2
    await store.reset(TENANT)
    await add(store, a_memory("m1"), Y)
    assert await found(store, limit=1) == {"m1": 0.0}


async def test_searches_during_writes_find_what_was_there_before(store: MemoryStore) -> None:
    await add(store, a_memory("m1"), X)

    async def renew() -> None:
        for n in range(30):
            await store.replace_embedding(TENANT, "m1", an_embedding(X, Y))
            await add(store, a_memory(f"further{n}"), Z)

    async def search() -> list[dict[str, float]]:
        return [await found(store, limit=1) for _ in range(30)]

    _, *searches = await asyncio.gather(renew(), search(), search(), search())
    assert searches == [[{"m1": 1.0}] * 30] * 3


async def test_what_another_tenant_stores_changes_no_score_and_no_order(
    store: MemoryStore,
) -> None:
    for n in range(5):
        await add(store, a_memory(f"m{n}"), a_vector(1, n, 0))
    before = await found(store)
    for n in range(40):
        await add(store, a_memory(f"m{n}"), a_vector(40, n, 1), tenant="other")
    assert await found(store) == before
    assert list(await found(store)) == list(before)
    await store.reset("other")
    assert await found(store) == before
    assert await found(store, tenant="other") == {}


numbers = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])
vectors = st.tuples(numbers, numbers, numbers).filter(any).map(lambda three: a_vector(*three))
moments = st.none() | st.integers(NOW - 2, NOW + 2).map(Moment)
memories = st.builds(
    a_memory,
    st.just("to be named"),
    namespace=st.sampled_from(["a", "b", "a/b"]),
    topic=st.sampled_from(["x", "y"]),
    branch_state=st.sampled_from([BranchState.ACTIVE, BranchState.WIP]),
    created_at=st.integers(NOW - 1, NOW + 1),
    valid_from=moments,
    valid_until=moments,
)
filters = st.builds(
    MemoryFilter,
    namespaces=st.none() | st.sets(st.sampled_from(["a", "b", "a/b", "c"])).map(tuple),
    branch_state=st.sampled_from([BranchState.ACTIVE, BranchState.WIP]),
    valid_at=st.integers(NOW - 3, NOW + 3),
    topic=st.none() | st.sampled_from(["x", "y", "z"]),
)


@given(
    stored=st.lists(st.tuples(memories, st.lists(vectors, min_size=1, max_size=3)), max_size=12),
    searches=st.lists(st.tuples(vectors, filters, st.integers(1, 6)), min_size=1, max_size=4),
)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_a_search_equals_the_scoring_of_every_memory_by_hand(
    store: MemoryStore,
    stored: list[tuple[Memory, list[Vector]]],
    searches: list[tuple[Vector, MemoryFilter, int]],
) -> None:
    await store.reset(TENANT)
    held = [
        (await add(store, renamed(memory, f"m{n}"), *windows), windows)
        for n, (memory, windows) in enumerate(stored)
    ]
    for query, where, limit in searches:
        nearest = await store.find_nearest(TENANT, SPACE, query, where, limit)
        assert nearest == Nearest(tuple(scored(held, query, where)[:limit]))


def renamed(memory: Memory, id_: str) -> Memory:
    fields = {name: getattr(memory, name) for name in Memory.__slots__}
    return Memory(**(fields | {"id": id_}))
