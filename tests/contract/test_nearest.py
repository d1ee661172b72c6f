"""What `MemoryStore.nearest` promises: the nearest by their first vectors, among what passes."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.moment import Moment
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import MemoryStore
from tests.contract.conftest import ENGINES
from tests.samples import NOW, TENANT, a_filter, a_memory, a_vector, add, an_embedding

X, Y, NEAR_X = a_vector(1, 0, 0), a_vector(0, 1, 0), a_vector(1, 1, 0)
OTHER_SPACE = EmbeddingSpace("other", 3)


@pytest.fixture(params=[name for name in ENGINES if name != "sqlite-uncached"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryStore]:
    if request.param == "firestore":
        request.getfixturevalue("firestore_emulator")
    async with ENGINES[request.param](tmp_path) as opened:
        yield opened.store


async def nearest(
    store: MemoryStore, *vectors: "Vector", tenant: str = TENANT, limit: int = 5, **parts: Any
) -> dict[str, float]:
    """Return the cosines of the nearest by their ids, in order."""
    embedding = an_embedding(*(vectors or (X,)))
    found = await store.nearest(tenant, embedding, a_filter(**parts), limit)
    return {match.memory.id: round(match.score, 6) for match in found}


async def test_the_nearest_stand_first_with_their_cosines(store: MemoryStore) -> None:
    await add(store, a_memory("far"), Y)
    await add(store, a_memory("near"), X)
    await add(store, a_memory("between"), NEAR_X)
    await add(store, a_memory("opposite"), a_vector(-1, 0, 0))
    assert await nearest(store) == {"near": 1.0, "between": 0.707107, "far": 0.0, "opposite": -1.0}
    assert [*await nearest(store, limit=2)] == ["near", "between"]


async def test_the_whole_memory_comes_back(store: MemoryStore) -> None:
    memory = await add(store, a_memory(tags=("a",)), X)
    (match,) = await store.nearest(TENANT, an_embedding(X), a_filter(), 5)
    assert match.memory == memory


async def test_an_empty_store_has_none(store: MemoryStore) -> None:
    assert await nearest(store) == {}


async def test_only_first_windows_are_compared(store: MemoryStore) -> None:
    await add(store, a_memory("first"), X, Y)
    await add(store, a_memory("second"), NEAR_X, X)
    assert await nearest(store, X, Y) == {"first": 1.0, "second": 0.707107}


async def test_of_many_only_the_nearest_are_returned(store: MemoryStore) -> None:
    for n in range(9):
        await add(store, a_memory(f"m{n}"), a_vector(1, n, 0))
    assert [*await nearest(store, limit=3)] == ["m0", "m1", "m2"]


async def test_other_tenants_spaces_states_and_namespaces_are_not_seen(store: MemoryStore) -> None:
    await add(store, a_memory("theirs"), X, tenant="other")
    await add(store, a_memory("elsewhere"), X, space=OTHER_SPACE)
    await add(store, a_memory("draft", branch_state=BranchState.WIP), X)
    await add(store, a_memory("team", namespace="team"), X)
    await add(store, a_memory("ours"), X)
    assert await nearest(store, namespaces=("default",)) == {"ours": 1.0}
    assert {*await nearest(store, namespaces=("default", "team"))} == {"ours", "team"}
    assert {*await nearest(store)} == {"ours", "team"}
    assert {*await nearest(store, branch_state=BranchState.WIP)} == {"draft"}


async def test_what_does_not_hold_at_the_moment_is_not_seen(store: MemoryStore) -> None:
    await add(store, a_memory("ended", valid_until=Moment(NOW)), X)
    await add(store, a_memory("to come", valid_from=Moment(NOW + 1)), X)
    await add(store, a_memory("holds", valid_from=Moment(NOW), valid_until=Moment(NOW + 1)), X)
    assert await nearest(store) == {"holds": 1.0}


async def test_a_tenant_that_would_have_to_be_read_whole_has_none(tmp_path: Path) -> None:
    async with ENGINES["sqlite-uncached"](tmp_path) as engine:
        await add(engine.store, a_memory(), X)
        assert await nearest(engine.store) == {}
        assert await nearest(engine.store) == {}
