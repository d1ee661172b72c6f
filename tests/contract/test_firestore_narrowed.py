"""Searches in Firestore under filters that say more than what is pushed, where more memories pass
that than are read whole without a look at their labels.
"""

from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.firestore_relay import Relay
from metacortex.adapters.firestore.meaning import READ_WHOLE
from metacortex.adapters.firestore.whole import FEW
from metacortex.domain.details import EpisodeDetails, Kind
from metacortex.domain.memory import Author
from metacortex.domain.moment import Moment
from metacortex.domain.search import TagsMatch
from metacortex.domain.vector import EmbeddingSpace
from metacortex.engines import Engine
from tests.by_hand import found_by_hand
from tests.firestore_bulk import Held, put
from tests.firestore_engines import opened
from tests.questions import a_question
from tests.samples import NOW, TENANT, a_filter, a_memory, a_vector

X, Y = a_vector(1, 0, 0), a_vector(0, 1, 0)
DIRECTIONS = (X, Y, a_vector(1, 1, 0), a_vector(1, 1, 1), a_vector(-1, 0, 1), a_vector(2, 1, 0))
RARE = a_filter(tags=("rare",))
OTHER_SPACE = EmbeddingSpace("other", 3)


@pytest.fixture
async def engine(client: AsyncClient, project: str) -> AsyncIterator[Engine]:
    async with opened(project) as engine:
        yield engine


def common(count: int) -> list[Held]:
    """Return memories near to any question, none of which is rare."""
    return [
        (a_memory(f"m{n:04d}", content="A relay.", created_at=NOW - n), [X]) for n in range(count)
    ]


def rare(id_: str = "rare", windows: int = 1, **varied: object) -> Held:
    return a_memory(id_, content="The relay.", tags=("rare",), **varied), [Y] * windows


def chosen(chance: Random, count: int) -> list[Held]:
    """Return memories of few labels, words and directions."""
    kinds: tuple[dict[str, Any], ...] = ({}, {"kind": Kind.EPISODE, "details": EpisodeDetails()})
    return [
        (
            a_memory(
                f"m{n}",
                content=" ".join(chance.choices(["relay", "pump", "weir", "ferry"], k=3)),
                namespace=chance.choice("ab"),
                tags=chance.choice([(), ("a",), ("a", "b")]),
                session_id=chance.choice([None, "s", "t"]),
                importance=chance.choice([0.2, 0.5, 0.7]),
                written_by=Author(chance.choice(["web", "Web"])),
                created_at=NOW + chance.randrange(4),
                valid_from=chance.choice([None, Moment(NOW - 1), Moment(NOW)]),
                **chance.choice(kinds),
            ),
            chance.choices(DIRECTIONS, k=chance.choice([1, 1, 1, 2, 6])),
        )
        for n in range(count)
    ]


@given(seed=st.integers(0, 2**32))
@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_a_search_equals_the_scoring_by_hand_whatever_narrows_it(
    engine: Engine, client: AsyncClient, seed: int
) -> None:
    chance, tenant = Random(seed), f"tenant-{seed}"
    held = chosen(chance, FEW + 20)
    await put(client, held, tenant=tenant)
    for narrowed in (
        {"kinds": (Kind.EPISODE,)},
        {"tags": ("a", "b"), "tags_match": TagsMatch.ALL},
        {"session_id": "s", "min_importance": 0.5},
        {"client": "web", "created_from": NOW + 1},
        {"started_until": NOW, "namespaces": ("a", "b")},
        {"undated": True, "namespaces": ("b",)},
    ):
        where, limit = a_filter(**narrowed), chance.choice([1, 5, 20])
        for vector, text in ((X, None), (None, "relay pump"), (X, "relay pump")):
            question = a_question(vector, text)
            answer = await engine.store.find(tenant, question, where, limit)
            assert answer == found_by_hand(held, question, where, limit)


async def test_labels_are_read_of_all_and_the_rest_of_what_passes(
    client: AsyncClient, project: str, relay: Relay
) -> None:
    await put(client, [*common(2 * FEW), rare("long", windows=4), rare("short")])
    async with opened(project) as engine:
        reads = []
        for _ in range(2):
            async with relay.counted() as traffic:
                found = await engine.store.find(TENANT, a_question(X, "relay"), RARE, 5)
            assert {match.memory.id for match in found.matches} == {"long", "short"}
            reads.append(traffic.reads)
    assert reads == [2 + 2 * FEW + 2 + 2 + 3, 2 * FEW + 2 + 2 + 3]


async def test_vectors_of_another_space_are_left_out_of_what_passes(
    engine: Engine, client: AsyncClient
) -> None:
    await put(client, common(2 * FEW))
    await put(client, [rare("moved", windows=3)], space=OTHER_SPACE)
    await put(client, [(a_memory("lagging", tags=("rare",)), [Y, X])])
    await put(
        client, [(a_memory("lagging", tags=("rare",)), [Y, X])], space=OTHER_SPACE, records=False
    )
    found = await engine.store.find(TENANT, a_question(X, unrelated=-1.0), RARE, 5)
    assert [(match.memory.id, match.score) for match in found.matches] == [("lagging", 0.5)]


async def test_of_more_memories_a_result_says_that_it_may_lack_some(
    engine: Engine, client: AsyncClient
) -> None:
    await put(client, [*common(READ_WHOLE + 100), rare()])
    found = await engine.store.find(TENANT, a_question(X, "relay"), RARE, 5)
    assert found.incomplete


async def test_of_more_windows_the_legs_choose_what_is_read(
    engine: Engine, client: AsyncClient
) -> None:
    await put(client, [*common(2 * FEW), rare(windows=READ_WHOLE + 1)])
    found = await engine.store.find(TENANT, a_question(X, "relay"), RARE, 5)
    assert [match.memory.id for match in found.matches] == ["rare"]
