"""What a filter of `MemoryStore.find` admits: each part by itself, before anything is cut, and all
of them together as `search.passes` tells.
"""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.domain.details import Kind
from metacortex.domain.memory import Memory
from metacortex.domain.search import MemoryFilter, passes
from metacortex.ports import MemoryStore
from tests.filters import PARTS, filters, memories
from tests.questions import a_question, found
from tests.samples import TENANT, a_filter, a_memory, a_vector, add

X, NEAR_X = a_vector(1, 0, 0), a_vector(1, 1, 0)
LEGS: dict[str, dict[str, Any]] = {
    "meaning": {"vector": X},
    "words": {"text": "relay"},
    "both": {"vector": X, "text": "relay"},
}
EVERYTHING = 14


@pytest.fixture(params=LEGS)
def asked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The same question to each leg alone, and to both."""
    return LEGS[request.param]


@pytest.mark.case("K28", "K31")
@pytest.mark.parametrize(("own", "other", "where"), PARTS, ids=repr)
async def test_what_a_part_of_a_filter_excludes_uses_up_no_place(
    store: MemoryStore,
    asked: dict[str, Any],
    own: dict[str, Any],
    other: dict[str, Any],
    where: dict[str, Any],
) -> None:
    await add(store, a_memory("passes", content="A relay.", **own), NEAR_X)
    for n in range(40):
        crowded = a_memory(f"excluded{n}", content="The relay, a relay.", **other)
        await add(store, crowded, X)
    assert list(await found(store, **asked, limit=1, **where)) == ["passes"]


@pytest.mark.parametrize(
    "where",
    [
        {"tags": ("\ud800",)},
        {"session_id": "\ud800"},
        {"client": "\ud800"},
        {"client": "x" * 1_501},
        {"tags": ("%", "_", "aut")},
        {"kinds": (Kind.EPISODE,)},
    ],
    ids=ascii,
)
async def test_what_no_memory_has_passes_none(
    store: MemoryStore, asked: dict[str, Any], where: dict[str, Any]
) -> None:
    await add(store, a_memory(content="A relay.", tags=("auth",), session_id="s"), X)
    answer = await store.find(TENANT, a_question(**asked), a_filter(**where), 5)
    assert (answer.matches, answer.best) == ((), None)


@given(
    stored=st.lists(memories, max_size=EVERYTHING),
    wheres=st.lists(filters, min_size=1, max_size=8),
)
@settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_a_search_finds_what_passes_and_nothing_else(
    store: MemoryStore, stored: list[Memory], wheres: list[MemoryFilter]
) -> None:
    await store.reset(TENANT)
    held = [
        await add(store, replace(memory, id=f"m{n}"), X, NEAR_X) for n, memory in enumerate(stored)
    ]
    for where in wheres:
        for text in (None, "relay"):
            answer = await store.find(TENANT, a_question(X, text), where, EVERYTHING)
            found = {match.memory.id for match in answer.matches}
            assert found == {memory.id for memory in held if passes(memory, where)}
            assert not answer.incomplete
