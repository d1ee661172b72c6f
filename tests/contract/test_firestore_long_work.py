"""Work of many commits in Firestore: each has its own time, and what is cut off in between is
completed by the next call.
"""

import asyncio
from collections.abc import AsyncIterator

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient
from grpc import StatusCode

from bench.firestore_relay import Fault, Relay
from metacortex.adapters.firestore.windows import TOGETHER
from metacortex.domain.errors import Conflict, Unavailable
from metacortex.domain.lifecycle import BranchState
from metacortex.engine_settings import DEFAULT_DATABASE
from metacortex.engines import Engine
from tests.firestore_bulk import put
from tests.firestore_engines import held, opened
from tests.firestore_faults import Faults
from tests.questions import a_question
from tests.samples import NOW, TENANT, a_filter, a_memory, a_vector, add, an_embedding

X, Y, AT_A_SLANT = a_vector(1, 0, 0), a_vector(0, 1, 0), a_vector(1, 5, 0)
MEMORIES = 1_000
WINDOWS = 2_500


@pytest.fixture
async def engine(relay: Relay, project: str) -> AsyncIterator[Engine]:
    async with opened(project) as engine:
        yield engine


async def nearest(engine: Engine, state: BranchState) -> list[str]:
    where = a_filter(branch_state=state)
    found = await engine.store.find(TENANT, a_question(X), where, 1)
    return [match.memory.id for match in found.matches]


async def test_a_thousand_memories_are_reset_and_counted_once_though_answers_are_lost(
    engine: Engine, faults: Faults, project: str
) -> None:
    client = AsyncClient(project=project, database=DEFAULT_DATABASE)
    await put(client, ((a_memory(f"m{n}"), [X]) for n in range(MEMORIES)))
    await client._firestore_api.transport.close()
    faults.lose_answers(3)
    assert await engine.store.reset(TENANT) == MEMORIES
    assert await held(project) == {}


async def test_a_text_of_thousands_of_windows_is_stored_found_superseded_and_reset(
    engine: Engine, project: str
) -> None:
    await add(engine.store, a_memory("long", content="x" * 700_000), *[Y] * (WINDOWS - 1), X)
    await add(engine.store, a_memory("new"), AT_A_SLANT)
    assert await nearest(engine, BranchState.ACTIVE) == ["long"]
    await engine.store.supersede(TENANT, "long", "new", "cli", NOW)
    assert await nearest(engine, BranchState.ACTIVE) == ["new"]
    assert await nearest(engine, BranchState.DEPRECATED) == ["long"]
    assert await engine.store.replace_embedding(TENANT, "long", an_embedding(Y))
    assert len(await held(project)) == 2 * 3 + 1
    assert await engine.store.reset(TENANT) == 2


async def test_windows_left_behind_by_a_supersession_follow_when_it_is_repeated(
    engine: Engine, faults: Faults
) -> None:
    await add(engine.store, a_memory("long"), *[Y] * TOGETHER, X)
    await add(engine.store, a_memory("new"), AT_A_SLANT)
    refused = Fault(StatusCode.PERMISSION_DENIED)
    faults.coming["Commit"].extend([None, refused])
    with pytest.raises(Unavailable):
        await engine.store.supersede(TENANT, "long", "new", "cli", NOW)
    assert await nearest(engine, BranchState.ACTIVE) == ["new"]
    again = await engine.store.supersede(TENANT, "long", "new", "cli", NOW)
    assert again is not None
    assert again.change is None
    assert await nearest(engine, BranchState.DEPRECATED) == ["long"]


async def test_a_long_text_that_may_not_supersede_leaves_no_windows(
    engine: Engine, project: str
) -> None:
    await add(engine.store, a_memory("m1"), AT_A_SLANT)
    await add(engine.store, a_memory("m2"), AT_A_SLANT)
    await engine.store.supersede(TENANT, "m1", "m2", "cli", NOW)
    before = await held(project)
    with pytest.raises(Conflict):
        await add(engine.store, a_memory("long"), *[Y] * TOGETHER, X, superseding=["m2", "m1"])
    assert await held(project) == before


async def test_a_write_whose_answer_is_lost_takes_all_windows_of_what_it_supersedes_along(
    engine: Engine, faults: Faults, project: str
) -> None:
    ids = [f"m{n}" for n in range(3)]
    for id_ in ids:
        await add(engine.store, a_memory(id_), *[Y] * TOGETHER, X)
    faults.lose_answers(1)
    await add(engine.store, a_memory("new"), AT_A_SLANT, superseding=ids)
    windows = [
        document["branch_state"]
        for path, document in (await held(project)).items()
        if "/memory_windows/" in path
    ]
    assert windows == ["deprecated"] * 3 * TOGETHER


async def test_windows_are_in_the_state_of_their_record_whatever_came_first(
    engine: Engine, project: str
) -> None:
    rounds = range(10)
    for n in rounds:
        await add(engine.store, a_memory(f"m{n}"), *[Y] * 4)
        await add(engine.store, a_memory(f"new{n}"), *[Y] * 4)
    await asyncio.gather(
        *(engine.store.supersede(TENANT, f"m{n}", f"new{n}", "cli", NOW) for n in rounds),
        *(engine.store.replace_embedding(TENANT, f"m{n}", an_embedding(X, X)) for n in rounds),
        *(engine.store.replace_embedding(TENANT, f"new{n}", an_embedding(X, X, X)) for n in rounds),
    )
    everything = await held(project)
    windows = {
        path.rpartition("/")[2]: document["branch_state"]
        for path, document in everything.items()
        if "/memory_windows/" in path
    }
    assert windows == {
        **{f"m{n}_1": "deprecated" for n in rounds},
        **{f"new{n}_{window}": "active" for n in rounds for window in (1, 2)},
    }
