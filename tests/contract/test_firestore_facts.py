"""Facts in Firestore: writers of one timeline in several instances, long timelines, and what stands
beside them.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient

from bench.firestore_relay import Relay
from metacortex.adapters.firestore.fact_writes import MOST_ENDED
from metacortex.adapters.firestore.layout import TIMELINES, WINDOWS, collection_of
from metacortex.adapters.firestore.windows import TOGETHER
from metacortex.domain.errors import TooLarge
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.knowledge.fact import OPEN, Fact
from metacortex.domain.knowledge.joining import MOST_PAST
from metacortex.domain.knowledge.placing import Placed
from metacortex.engines import Engine
from metacortex.knowledge_ports import FactStore
from tests.facts import CLIENT, DAY, a_fact, overlapping
from tests.firestore_bulk import put
from tests.firestore_engines import opened
from tests.samples import NOW, TENANT, a_memory, a_vector, add, an_embedding

LONG = 600
"""Facts: more than a commit holds writes."""
MANY_WINDOWS = TOGETHER + 3
"""More than a commit holds."""
pytestmark = pytest.mark.usefixtures("firestore_emulator")


@pytest.fixture
async def engine(project: str) -> AsyncIterator[Engine]:
    async with opened(project) as engine:
        yield engine


@pytest.fixture
async def other(project: str) -> AsyncIterator[Engine]:
    """Another instance on the same project."""
    async with opened(project) as engine:
        yield engine


async def write(store: FactStore, *facts: Fact, vectors: int = 1) -> list[Placed]:
    """Write facts of so many windows and return what became of each."""
    embedding = an_embedding(*[a_vector()] * vectors)
    return [await store.add_fact(TENANT, fact.memory, embedding, CLIENT) for fact in facts]


async def all_of(store: FactStore) -> Sequence[Fact]:
    return await store.facts_about(TENANT, None, ["noor"])


async def written_in(client: AsyncClient, collection: str) -> list[dict[str, Any]]:
    """Return what a collection of the tenant holds."""
    stored = collection_of(client, TENANT, collection).stream()
    return [each.to_dict() or {} async for each in stored]


@pytest.mark.parametrize("writers", [8, 24])
async def test_writers_of_one_timeline_in_two_instances_see_each_other(
    engine: Engine, other: Engine, writers: int
) -> None:
    news = [a_fact(f"f{n}", f"tea {n}", NOW + n * DAY, at=NOW + n) for n in range(writers)]
    await asyncio.gather(
        *(write((engine, other)[n % 2].facts, each) for n, each in enumerate(news))
    )
    spans = sorted((fact.starts, fact.ends) for fact in await all_of(engine.facts))
    assert spans == [
        *((NOW + n * DAY, NOW + (n + 1) * DAY) for n in range(writers - 1)),
        (NOW + (writers - 1) * DAY, OPEN),
    ]


async def test_of_one_statement_made_in_two_instances_at_once_one_is_kept(
    engine: Engine, other: Engine
) -> None:
    news = [a_fact(f"f{n}") for n in range(8)]
    writes = (write((engine, other)[n % 2].facts, each) for n, each in enumerate(news))
    placed = [each for written in await asyncio.gather(*writes) for each in written]
    assert sum(each.created for each in placed) == 1
    assert len({each.fact.id for each in placed}) == len(await all_of(engine.facts)) == 1


async def test_news_of_the_present_reads_nothing_of_a_long_past(
    relay: Relay, client: AsyncClient, project: str
) -> None:
    past = [
        a_fact(f"f{n}", f"tea {n}", NOW + n * DAY, NOW + (n + 1) * DAY, at=NOW + n * DAY)
        for n in range(LONG)
    ]
    await put(client, ((fact.memory, [a_vector()]) for fact in past))
    async with opened(project) as engine:
        await write(engine.facts, a_fact("now", "mate", at=NOW + LONG * DAY))
        async with relay.counted() as traffic:
            await write(engine.facts, a_fact("then", "cocoa", at=NOW + (LONG + 1) * DAY))
        head, is_open, ended = 1, 1, 1
        assert traffic.reads == head + is_open + ended
        await write(engine.facts, a_fact("late", "water", NOW + DAY // 2, at=NOW + 999 * DAY))
        known = await all_of(engine.facts)
    assert len(known) == LONG + 3
    assert overlapping(known) == []
    by_id = {fact.id: fact.memory for fact in known}
    assert by_id["f0"].superseded_by == "late"
    assert by_id["late"].superseded_by == "f1"
    assert by_id["now"].superseded_by == "then"


async def test_of_a_long_past_under_two_names_the_last_facts_are_joined(
    relay: Relay, client: AsyncClient, project: str
) -> None:
    past = [
        a_fact(f"f{n}", f"tea {n}", NOW + n * DAY, NOW + (n + 1) * DAY, at=NOW + n * DAY)
        for n in range(MOST_PAST + 9)
    ]
    other = a_fact("g", "mate", NOW + MOST_PAST * DAY + 1, subject="nora", at=NOW + LONG * DAY)
    await put(client, ((fact.memory, [a_vector()]) for fact in [*past, other]))
    news = a_fact("now", "cocoa", at=NOW + 9 * MOST_PAST * DAY)
    async with opened(project) as engine:
        async with relay.counted() as traffic:
            placed = await engine.facts.add_fact(
                TENANT, news.memory, an_embedding(), CLIENT, ["nora"]
            )
        heads, is_open, ending, ended = 2, 1 + 1, 1 + 1, MOST_PAST // 2 + 1
        assert traffic.reads == heads + is_open + ending + ended
        changed = {change.subject_id: change.after.superseded_by for change in placed.changes}
        assert changed == {"now": None, f"f{MOST_PAST}": "g", "g": f"f{MOST_PAST + 1}"}


async def test_more_facts_than_a_commit_holds_are_not_ended_at_once(
    engine: Engine, client: AsyncClient
) -> None:
    drinks = [
        a_fact(f"f{n:03}", f"tea {n}", NOW - DAY, singular=False) for n in range(MOST_ENDED + 1)
    ]
    await put(client, ((fact.memory, [a_vector()]) for fact in drinks))
    only = a_fact("only", "mate", NOW)
    before = await all_of(engine.facts)
    with pytest.raises(TooLarge, match="More than 130 facts"):
        await write(engine.facts, only, vectors=MANY_WINDOWS)
    assert await all_of(engine.facts) == before
    assert await written_in(client, WINDOWS) == []
    (ended,) = await write(engine.facts, a_fact("ended", "tea 0", NOW - DAY, NOW - 1))
    assert ended.fact.id == "f000"
    (placed,) = await write(engine.facts, only, vectors=MANY_WINDOWS)
    assert (placed.created, len(placed.changes)) == (True, 1 + MOST_ENDED)
    assert {fact.id for fact in await all_of(engine.facts) if fact.holds_at(NOW)} == {"only"}


async def test_all_windows_of_a_fact_follow_it_into_its_state(
    engine: Engine, client: AsyncClient
) -> None:
    old, new = a_fact("old", start=NOW - DAY), a_fact("new", "tea", at=NOW + 1)
    await write(engine.facts, old, new, vectors=MANY_WINDOWS)
    windows = await written_in(client, WINDOWS)
    states = Counter((each["memory_id"], each["branch_state"]) for each in windows)
    assert states == {
        ("old", "deprecated"): MANY_WINDOWS - 1,
        ("new", "active"): MANY_WINDOWS - 1,
    }


async def test_a_statement_that_is_known_leaves_no_windows(
    engine: Engine, client: AsyncClient
) -> None:
    await write(engine.facts, a_fact("f1"))
    (placed,) = await write(engine.facts, a_fact("f2"), vectors=MANY_WINDOWS)
    assert (placed.created, placed.fact.id) == (False, "f1")
    assert await written_in(client, WINDOWS) == []


async def test_with_its_last_fact_goes_all_that_tells_of_a_timeline(
    engine: Engine, client: AsyncClient
) -> None:
    await write(engine.facts, a_fact("f1"), a_fact("f2", "tea", at=NOW + 1))
    await write(engine.facts, a_fact("f3", "figs", predicate="eats"))
    await add(engine.store, a_memory("note"))
    how = Forgetting(b"key", "cli", NOW + 2)
    counts = [len(await written_in(client, TIMELINES))]
    for leaving in (["f2"], ["f1", "note"], ["f3"]):
        assert await engine.store.forget(TENANT, leaving, how) == tuple(leaving)
        counts.append(len(await written_in(client, TIMELINES)))
    assert counts == [2, 2, 1, 0]
    await write(engine.facts, a_fact("again", "mate", at=NOW + 3))
    assert [fact.id for fact in await all_of(engine.facts)] == ["again"]


async def test_a_reset_leaves_nothing_of_a_timeline(engine: Engine, client: AsyncClient) -> None:
    await write(engine.facts, a_fact("f1"), a_fact("f2", "tea", at=NOW + 1))
    assert await engine.store.reset(TENANT) == 2
    assert await written_in(client, TIMELINES) == []


async def test_of_one_timeline_tenants_have_each_their_own(engine: Engine) -> None:
    await write(engine.facts, a_fact("f1"))
    tea = a_fact("f2", "tea").memory
    placed = await engine.facts.add_fact("other", tea, an_embedding(), CLIENT)
    assert (placed.created, len(placed.changes)) == (True, 1)
    assert [fact.ends for fact in await all_of(engine.facts)] == [OPEN]
    assert await engine.facts.changes_of("other", ["f1"]) == {"f1": ()}


async def test_entities_are_asked_for_by_the_thirty(engine: Engine) -> None:
    people = [f"person {n}" for n in range(70)]
    for n, person in enumerate(people[:4]):
        await write(engine.facts, a_fact(f"f{n}", subject=person, object_id=people[-1]))
    found = await engine.facts.facts_about(TENANT, None, [*people, "no \ud800", "x" * 2_000])
    assert [fact.id for fact in found] == ["f0", "f1", "f2", "f3"]
    ids = [f"m{n}" for n in range(40)] + ["f3", "no id"]
    changes = await engine.facts.changes_of(TENANT, ids)
    assert {id_ for id_, entries in changes.items() if entries} == {"f3"}
    assert set(changes) == set(ids)
