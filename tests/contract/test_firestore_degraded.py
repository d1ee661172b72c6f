"""Searches in Firestore whose vector queries fail, hang or crowd: words answer alone and say so."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient
from grpc import StatusCode

from bench.firestore_relay import NEAREST, Fault, Relay
from metacortex.adapters.firestore.memories import VECTOR_QUERIES
from metacortex.adapters.firestore.whole import FEW
from metacortex.domain.errors import Unavailable
from metacortex.engines import Engine
from tests.fakes import BAG_OF_WORDS
from tests.firestore_bulk import put
from tests.firestore_engines import opened
from tests.firestore_faults import Faults
from tests.questions import a_question
from tests.samples import SPACE, TENANT, a_filter, a_memory, a_vector
from tests.world import MakeWorld

MANY = FEW + 10
DEADLINE = 4.0
BY_BOTH = a_question(a_vector(1, 0, 0), "relay")
BY_WORDS = a_question(None, "relay")
BY_MEANING = a_question(a_vector(1, 0, 0))


@pytest.fixture
async def engine(client: AsyncClient, project: str, relay: Relay) -> AsyncIterator[Engine]:
    """An engine behind a relay, with more memories than are read whole."""
    held = [
        (a_memory(f"m{n:03d}", content="The relay." if n % 9 == 0 else "A pump."), [a_vector()])
        for n in range(MANY)
    ]
    await put(client, held)
    async with opened(project) as engine:
        yield engine


@pytest.mark.parametrize(
    "code",
    [
        StatusCode.FAILED_PRECONDITION,
        StatusCode.DEADLINE_EXCEEDED,
        StatusCode.UNAVAILABLE,
        StatusCode.RESOURCE_EXHAUSTED,
    ],
)
@pytest.mark.case("K27")
async def test_where_vector_queries_fail_words_answer_alone_and_say_so(
    engine: Engine, faults: Faults, caplog: pytest.LogCaptureFixture, code: StatusCode
) -> None:
    by_words = await engine.store.find(TENANT, BY_WORDS, a_filter(), 5)
    faults.every, faults.only = Fault(code), NEAREST
    found = await engine.store.find(TENANT, BY_BOTH, a_filter(), 5)
    assert found == replace(by_words, degraded=("meaning",))
    assert len(found.matches) == 5
    assert "Searched by words alone: The memory store did not answer: it" in caplog.text


async def test_vector_queries_that_are_not_answered_hold_words_up_no_longer_than_the_deadline(
    engine: Engine, faults: Faults, project: str
) -> None:
    faults.gate, faults.only = asyncio.Event(), NEAREST
    async with opened(project, DEADLINE) as hasty:
        found = await hasty.store.find(TENANT, BY_BOTH, a_filter(), 5)
    assert (len(found.matches), found.degraded) == (5, ("meaning",))


async def test_a_search_is_unavailable_only_where_neither_leg_answers(
    engine: Engine, faults: Faults
) -> None:
    faults.every = Fault(StatusCode.FAILED_PRECONDITION)
    with pytest.raises(Unavailable, match="it lacks an index"):
        await engine.store.find(TENANT, BY_BOTH, a_filter(), 5)
    faults.only = NEAREST
    with pytest.raises(Unavailable, match="it lacks an index"):
        await engine.store.find(TENANT, BY_MEANING, a_filter(), 5)


async def test_a_fault_of_a_vector_query_that_passes_is_not_noticed(
    engine: Engine, faults: Faults
) -> None:
    well = await engine.store.find(TENANT, BY_BOTH, a_filter(), 5)
    faults.coming[NEAREST].extend([Fault(StatusCode.UNAVAILABLE)] * 2)
    assert await engine.store.find(TENANT, BY_BOTH, a_filter(), 5) == well


async def test_vector_queries_of_many_searches_for_memories_and_names_take_turns(
    engine: Engine, faults: Faults
) -> None:
    faults.gate, faults.only = asyncio.Event(), NEAREST
    searches = [
        asyncio.ensure_future(engine.store.find(TENANT, BY_BOTH, a_filter(), 5)) for _ in range(12)
    ]
    vector = a_vector(1, 0, 0)
    names = [
        asyncio.ensure_future(engine.names.near(TENANT, None, SPACE, vector, 5)) for _ in range(12)
    ]
    for _ in range(12):
        await engine.store.get(TENANT, "m000")
    while faults.arrived[NEAREST] < VECTOR_QUERIES:
        await engine.store.get(TENANT, "m000")
    assert faults.arrived[NEAREST] == VECTOR_QUERIES
    faults.gate.set()
    assert {search.degraded for search in await asyncio.gather(*searches)} == {()}
    assert {*await asyncio.gather(*names)} == {()}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("search_context", {"query": "relay"}), ("compile_context", {"query": "relay"})],
)
async def test_a_caller_is_told_that_meaning_was_missing(
    engine: Engine,
    client: AsyncClient,
    faults: Faults,
    make_world: MakeWorld,
    tool: str,
    arguments: dict[str, str],
) -> None:
    endpoint = make_world(engine=engine).endpoint()
    everywhere = a_vector(*[1.0] * BAG_OF_WORDS.dimension)
    held = [(a_memory(f"m{n}", content="The relay."), [everywhere]) for n in range(MANY)]
    await put(client, held, tenant="default", space=BAG_OF_WORDS)
    well = (await endpoint.tool(tool, arguments)).success
    faults.every, faults.only = Fault(StatusCode.FAILED_PRECONDITION), NEAREST
    missing = (await endpoint.tool(tool, arguments)).success
    assert ("degraded" in well, missing["degraded"]) == (False, ["meaning"])
