"""What `MemoryStore.find` promises, whatever leg is asked: filtered before it is cut, and in one
order.
"""

import asyncio
from typing import Any

import pytest

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.moment import Moment
from metacortex.domain.question import Found
from metacortex.domain.search import Match
from metacortex.domain.vector import EmbeddingSpace
from metacortex.ports import MemoryStore
from tests.questions import a_question, found
from tests.samples import NOW, TENANT, a_filter, a_memory, a_vector, add, an_embedding

X, Y, Z = a_vector(1, 0, 0), a_vector(0, 1, 0), a_vector(0, 0, 1)
NEAR_X = a_vector(1, 1, 0)
OTHER_SPACE = EmbeddingSpace("other", 3)

LEGS: dict[str, dict[str, Any]] = {
    "meaning": {"vector": X},
    "words": {"text": "relay"},
    "both": {"vector": X, "text": "relay"},
}
RELEVANT = {"content": "The relay is in rack C, behind the relay of the pump."}
LESS_RELEVANT = {"content": "A relay."}


@pytest.fixture(params=LEGS)
def asked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The same question to each leg alone, and to both."""
    return LEGS[request.param]


async def test_a_match_holds_the_whole_memory_and_its_score(store: MemoryStore) -> None:
    memory = await add(store, a_memory(tags=("a",)), NEAR_X)
    answer = await store.find(TENANT, a_question(X), a_filter(), 5)
    assert answer == Found((Match(memory, 0.707107),), best=0.707107)


async def test_an_empty_store_has_no_matches_and_no_best_score(
    store: MemoryStore, asked: dict[str, Any]
) -> None:
    assert await store.find(TENANT, a_question(**asked), a_filter(), 5) == Found(())


async def test_the_nearest_stand_first(store: MemoryStore) -> None:
    await add(store, a_memory("far"), a_vector(1, 3, 0))
    await add(store, a_memory("near"), X)
    await add(store, a_memory("between"), NEAR_X)
    assert list(await found(store, X)) == ["near", "between", "far"]
    assert list(await found(store, X, limit=2)) == ["near", "between"]


async def test_what_has_nothing_of_the_question_is_no_match_but_was_seen(
    store: MemoryStore, asked: dict[str, Any]
) -> None:
    await add(store, a_memory(content="Something else."), a_vector(-1, 0, 0))
    answer = await store.find(TENANT, a_question(**asked), a_filter(), 5)
    assert answer == Found((), best=0.0)


async def test_texts_that_are_as_near_as_unrelated_ones_have_nothing_of_it(
    store: MemoryStore,
) -> None:
    await add(store, a_memory("unrelated"), a_vector(1, 2, 0))
    await add(store, a_memory("near"), a_vector(4, 3, 0))
    assert await found(store, X, unrelated=0.6) == {"near": 0.5}


async def test_what_stays_below_the_floor_is_counted_with_the_best_score(
    store: MemoryStore,
) -> None:
    await add(store, a_memory("m1"), a_vector(3, 4, 0))
    await add(store, a_memory("m2"), a_vector(1, 4, 0))
    memory = await add(store, a_memory("m3"), a_vector(4, 3, 0))
    for floor, matches, below in ((0.7, (Match(memory, 0.8),), 2), (0.9, (), 3)):
        answer = await store.find(TENANT, a_question(X, floor=floor), a_filter(), 5)
        assert answer == Found(matches, best=0.8, below=below)


async def test_equals_stand_newest_first_and_then_by_id(
    store: MemoryStore, asked: dict[str, Any]
) -> None:
    for id_, age in (("b", 1), ("d", 2), ("c", 2), ("e", 0)):
        await add(store, a_memory(id_, created_at=NOW - age, **RELEVANT))
    assert list(await found(store, **asked)) == ["e", "b", "c", "d"]
    assert list(await found(store, **asked, limit=3)) == ["e", "b", "c"]


async def test_equals_are_cut_in_the_order_in_which_they_stand(
    store: MemoryStore, asked: dict[str, Any]
) -> None:
    for n in reversed(range(70)):
        await add(store, a_memory(f"m{n:02d}", created_at=NOW - n // 35, **RELEVANT))
    first = [f"m{n:02d}" for n in range(9)]
    assert list(await found(store, **asked)) == first


async def test_a_memory_counts_once_by_its_best_window(store: MemoryStore) -> None:
    await add(store, a_memory("long"), Y, NEAR_X, X, Z)
    await add(store, a_memory("short"), a_vector(2, 1, 0))
    assert await found(store, X, limit=2) == {"long": 1.0, "short": 0.894427}


async def test_windows_of_one_memory_take_no_place_of_another(store: MemoryStore) -> None:
    await add(store, a_memory("long"), *[X] * 50)
    await add(store, a_memory("short"), NEAR_X)
    assert await found(store, X, limit=2) == {"long": 1.0, "short": 0.707107}


@pytest.mark.rule("C79")
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
    store: MemoryStore, asked: dict[str, Any], other: dict[str, Any], parts: dict[str, Any]
) -> None:
    await add(store, a_memory("passes", **LESS_RELEVANT), NEAR_X)
    for n in range(40):
        await add(store, a_memory(f"excluded{n}", **RELEVANT, **other), X)
    assert list(await found(store, **asked, limit=1, **parts)) == ["passes"]


@pytest.mark.parametrize(
    ("start", "end"), [(NOW, NOW + 1), (None, NOW + 1), (NOW, None), (None, None)]
)
async def test_valid_time_includes_its_start_and_excludes_its_end(
    store: MemoryStore, start: int | None, end: int | None
) -> None:
    valid_from = None if start is None else Moment(start)
    valid_until = None if end is None else Moment(end)
    await add(store, a_memory("m1", valid_from=valid_from, valid_until=valid_until))
    assert list(await found(store, X, valid_at=NOW)) == ["m1"]


@pytest.mark.parametrize("namespaces", [None, ("a", "b"), ("b", "a", "c")])
async def test_several_namespaces_are_searched_together(
    store: MemoryStore, asked: dict[str, Any], namespaces: tuple[str, ...] | None
) -> None:
    await add(store, a_memory("m1", namespace="a", **RELEVANT))
    await add(store, a_memory("m2", namespace="b", **RELEVANT))
    assert list(await found(store, **asked, namespaces=namespaces)) == ["m1", "m2"]


@pytest.mark.parametrize(
    "parts", [{"namespaces": ()}, {"topic": "none"}, {"topic": "\ud800"}, {"topic": "é" * 751}]
)
async def test_a_filter_that_nothing_passes_finds_nothing(
    store: MemoryStore, asked: dict[str, Any], parts: dict[str, Any]
) -> None:
    await add(store, a_memory(**RELEVANT))
    answer = await store.find(TENANT, a_question(**asked), a_filter(**parts), 5)
    assert answer == Found(())


async def test_vectors_of_another_space_are_not_seen_but_words_are(store: MemoryStore) -> None:
    await add(store, a_memory("m1", **RELEVANT), X, space=OTHER_SPACE)
    await add(store, a_memory("m2", **RELEVANT), X, space=EmbeddingSpace("toy", 2))
    await add(store, a_memory("m3", **RELEVANT), NEAR_X)
    assert await found(store, X) == {"m3": 0.707107}
    assert await found(store, X, space=OTHER_SPACE) == {"m1": 1.0}
    assert list(await found(store, X, "relay pier")) == ["m3", "m1", "m2"]
    assert list(await found(store, text="relay pier")) == ["m1", "m2", "m3"]


@pytest.mark.rule("C76")
async def test_a_search_sees_every_write_that_came_before_it(
    store: MemoryStore, asked: dict[str, Any]
) -> None:
    async def seen(**parts: Any) -> list[str]:
        return list(await found(store, **asked, **parts))

    await add(store, a_memory("m1", **RELEVANT))
    assert await seen() == ["m1"]
    await add(store, a_memory("m2", topic="new", **LESS_RELEVANT), NEAR_X)
    assert sorted(await seen()) == ["m1", "m2"]
    assert await seen(topic="new") == ["m2"]
    await store.supersede(TENANT, "m1", "m2", "cli", NOW)
    assert await seen() == ["m2"]
    assert await seen(branch_state=BranchState.DEPRECATED) == ["m1"]
    await store.reset(TENANT)
    assert await seen() == []
    await add(store, a_memory("m1", **RELEVANT), NEAR_X)
    assert await seen() == ["m1"]


async def test_a_search_sees_new_vectors_at_once(store: MemoryStore) -> None:
    await add(store, a_memory("m1"), X)
    assert await found(store, X) == {"m1": 1.0}
    await store.replace_embedding(TENANT, "m1", an_embedding(Y, NEAR_X))
    assert await found(store, X) == {"m1": 0.707107}
    await store.replace_embedding(TENANT, "m1", an_embedding(X, space=OTHER_SPACE))
    assert await found(store, X) == {}
    assert await found(store, X, space=OTHER_SPACE) == {"m1": 1.0}


async def test_what_a_reset_has_deleted_uses_up_no_place(
    store: MemoryStore, asked: dict[str, Any]
) -> None:
    await add(store, a_memory("deleted1", **RELEVANT), X)
    await add(store, a_memory("deleted2", **RELEVANT), X)
    assert len(await found(store, **asked)) == 2
    await store.reset(TENANT)
    await add(store, a_memory("m1", **LESS_RELEVANT), NEAR_X)
    assert list(await found(store, **asked, limit=1)) == ["m1"]


async def test_searches_during_writes_find_what_was_there_before(
    store: MemoryStore, asked: dict[str, Any]
) -> None:
    await add(store, a_memory("m1", **RELEVANT), X)

    async def renew() -> None:
        for n in range(30):
            await store.replace_embedding(TENANT, "m1", an_embedding(X, Y))
            await add(store, a_memory(f"further{n}"), Z)

    async def search() -> list[list[str]]:
        return [list(await found(store, **asked, limit=1)) for _ in range(30)]

    _, *searches = await asyncio.gather(renew(), search(), search(), search())
    assert searches == [[["m1"]] * 30] * 3


async def test_what_another_tenant_stores_changes_no_score_and_no_order(
    store: MemoryStore, asked: dict[str, Any]
) -> None:
    for n in range(5):
        session = {"session_id": "s", "created_at": NOW - n, "content": "relay " + "word " * n}
        await add(store, a_memory(f"m{n}", **session), a_vector(1, n, 0))
    before = await found(store, **asked)
    for n in range(40):
        other = a_memory(f"m{n}", session_id="s", created_at=NOW - n, **RELEVANT)
        await add(store, other, a_vector(40, n, 1), tenant="other")
    assert [*(await found(store, **asked)).items()] == [*before.items()]
    await store.reset("other")
    assert [*(await found(store, **asked)).items()] == [*before.items()]
    assert await found(store, **asked, tenant="other") == {}
