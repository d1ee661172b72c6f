"""Searches by meaning in Firestore where much stands equal, much is dropped or windows are not what
their records say: exact, or incomplete and saying so.
"""

from collections.abc import AsyncIterator
from random import Random

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.moment import Moment
from metacortex.domain.question import Found
from metacortex.domain.search import Match
from metacortex.domain.vector import EmbeddingSpace
from metacortex.engines import Engine
from tests.by_hand import found_by_hand
from tests.fakes import BAG_OF_WORDS
from tests.firestore_bulk import Held, put
from tests.firestore_engines import opened
from tests.questions import a_question
from tests.samples import NOW, TENANT, a_filter, a_memory, a_vector, add
from tests.world import MakeWorld

X, Y, Z = a_vector(1, 0, 0), a_vector(0, 1, 0), a_vector(0, 0, 1)
DIRECTIONS = (X, Y, Z, a_vector(1, 1, 0), a_vector(1, 1, 1), a_vector(-1, 0, 1), a_vector(2, 1, 0))
NAMESPACES = ("a", "b", "a/b")
STATES = (BranchState.ACTIVE, BranchState.ACTIVE, BranchState.WIP)
ANY_NEARNESS = a_question(X, unrelated=-1.0)
"""What has an opposite meaning has no nearness to X, and all else has."""
FAR = 0.5
"""How near Y is."""
OTHER_SPACE = EmbeddingSpace("other", 3)


@pytest.fixture
async def engine(client: AsyncClient, project: str) -> AsyncIterator[Engine]:
    async with opened(project) as engine:
        yield engine


def equals(count: int, prefix: str = "m", **varied: object) -> list[Held]:
    """Return memories that stand equal in the direction of X, newest first."""
    return [(a_memory(f"{prefix}{n:04d}", created_at=NOW - n, **varied), [X]) for n in range(count)]


def in_words(count: int) -> list[Held]:
    """Return memories that stand equal to any query in the space of the tests' model."""
    everywhere = a_vector(*[1.0] * BAG_OF_WORDS.dimension)
    return [(memory, [everywhere]) for memory, _ in equals(count)]


def ids(nearest: Found) -> list[str]:
    return [match.memory.id for match in nearest.matches]


def chosen(chance: Random, most: int) -> list[Held]:
    """Return memories of few directions, so that many stand equal."""
    return [
        (
            a_memory(
                f"m{n}",
                namespace=chance.choice(NAMESPACES),
                topic=chance.choice("xxy"),
                branch_state=chance.choice(STATES),
                created_at=NOW + chance.randrange(4),
                valid_from=chance.choice([None, None, Moment(NOW), Moment(NOW + 1)]),
                valid_until=chance.choice([None, None, Moment(NOW + 1), Moment(NOW + 2)]),
            ),
            chance.choices(DIRECTIONS, k=chance.choice([1, 1, 1, 2, 6])),
        )
        for n in range(chance.randrange(most))
    ]


@given(seed=st.integers(0, 2**32))
@settings(
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_a_search_equals_the_scoring_by_hand_however_much_stands_equal(
    engine: Engine, client: AsyncClient, seed: int
) -> None:
    chance, tenant = Random(seed), f"tenant-{seed}"
    held = chosen(chance, 160)
    await put(client, held, tenant=tenant)
    for _ in range(4):
        where = a_filter(
            namespaces=chance.choice([None, ("a",), ("b", "a/b", "c"), NAMESPACES]),
            branch_state=chance.choice([BranchState.ACTIVE, BranchState.WIP]),
            valid_at=NOW + chance.randrange(4),
            topic=chance.choice([None, None, "x", "z"]),
        )
        query, limit = chance.choice(DIRECTIONS), chance.choice([1, 2, 5, 20])
        question = a_question(query, unrelated=chance.choice([-1.0, 0.0]))
        nearest = await engine.store.find(tenant, question, where, limit)
        assert nearest == found_by_hand(held, question, where, limit)


@pytest.mark.parametrize("count", [90, 290, 990, 1_999])
async def test_equal_scores_beyond_one_answer_are_read_on_to_the_newest(
    engine: Engine, client: AsyncClient, count: int
) -> None:
    await put(client, [*reversed(equals(count)), (a_memory("far"), [Y])])
    nearest = await engine.store.find(TENANT, ANY_NEARNESS, a_filter(), 3)
    assert ids(nearest) == ["m0000", "m0001", "m0002"]
    assert not nearest.incomplete


async def test_what_has_ended_uses_up_no_place_where_everything_can_be_read(
    engine: Engine, client: AsyncClient
) -> None:
    ended = equals(1_500, "ended", valid_until=Moment(NOW))
    await put(client, [*ended, (a_memory("passes"), [Y])])
    nearest = await engine.store.find(TENANT, ANY_NEARNESS, a_filter(), 5)
    assert nearest == Found((Match(a_memory("passes"), FAR),), FAR)


@pytest.mark.rule("C79")
async def test_what_is_outside_the_pushed_filters_never_uses_up_a_place(
    engine: Engine, client: AsyncClient
) -> None:
    await put(client, equals(700, "state", branch_state=BranchState.MERGED))
    await put(client, equals(700, "topic", topic="other"))
    await put(client, equals(700, "space"), space=OTHER_SPACE)
    await put(client, equals(700, "namespace", namespace="b"))
    await put(client, equals(700), tenant="other")
    await put(client, [(a_memory("passes"), [Y])])
    where = a_filter(topic="general", namespaces=("default", "c"))
    nearest = await engine.store.find(TENANT, ANY_NEARNESS, where, 5)
    assert nearest == Found((Match(a_memory("passes"), FAR),), FAR)


async def test_a_bound_that_was_reached_makes_the_result_incomplete(
    engine: Engine, client: AsyncClient
) -> None:
    await put(client, equals(2_100, "ended", valid_until=Moment(NOW)))
    await put(client, [(a_memory("near"), [X]), (a_memory("far"), [Y])])
    nearest = await engine.store.find(TENANT, ANY_NEARNESS, a_filter(), 1)
    assert nearest.incomplete
    assert {match.memory.id for match in nearest.matches} <= {"near"}


async def test_more_than_can_be_read_is_exact_where_the_nearest_stand_out(
    engine: Engine, client: AsyncClient
) -> None:
    far = [(memory, [Y]) for memory, _ in equals(2_100)]
    await put(client, [*far, *equals(150, "near")])
    nearest = await engine.store.find(TENANT, ANY_NEARNESS, a_filter(), 20)
    assert (ids(nearest), nearest.incomplete) == ([f"near{n:04d}" for n in range(20)], False)


async def test_a_window_follows_its_record_and_nothing_else(
    engine: Engine, client: AsyncClient
) -> None:
    await add(engine.store, a_memory("m1"), Y, a_vector(0, 1, 1))
    lagging = a_memory("m2")
    await add(engine.store, a_memory("m2", branch_state=BranchState.DEPRECATED), Y)
    await put(client, [(lagging, [Y, X])], records=False)
    await put(client, [(a_memory("m1"), [Y, Z, X])], space=OTHER_SPACE, records=False)
    orphans = [(a_memory(f"orphan{n}"), [Y, *[X] * 6]) for n in range(40)]
    await put(client, orphans, records=False)
    nearest = await engine.store.find(TENANT, ANY_NEARNESS, a_filter(), 2)
    assert nearest == Found((Match(a_memory("m1"), FAR),), FAR)
    assert await engine.store.reset(TENANT) == 2
    assert await engine.store.find(TENANT, ANY_NEARNESS, a_filter(), 2) == Found(())


async def test_a_caller_is_told_that_a_result_is_incomplete_and_of_nothing_else(
    engine: Engine, client: AsyncClient, make_world: MakeWorld
) -> None:
    endpoint = make_world(engine=engine).endpoint()
    await put(client, in_words(20), tenant="default", space=BAG_OF_WORDS)
    complete = (await endpoint.tool("search_context", {"query": "content"})).success
    assert (len(complete["matches"]), "incomplete" in complete) == (5, False)
    await put(client, in_words(2_100), tenant="default", space=BAG_OF_WORDS)
    bounded = (await endpoint.tool("search_context", {"query": "content"})).success
    assert (len(bounded["matches"]), bounded["incomplete"]) == (5, True)
