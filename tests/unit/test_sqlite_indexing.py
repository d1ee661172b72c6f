"""What a version without terms has written: found by meaning at once, by words once indexed."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from metacortex.adapters.sqlite.cache import Cache
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entities import SqliteEntityStore
from metacortex.adapters.sqlite.events import SqliteEventLog
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.adapters.sqlite.names import SqliteNameIndex
from metacortex.domain.search import Mode, Search
from metacortex.engines import DATABASE_NAME, sqlite_engine
from metacortex.ports import MemoryStore
from metacortex.service import maintenance
from metacortex.service.embedding import TextEmbedding
from metacortex.service.entities import EntityService
from metacortex.service.mentions import Mentions
from metacortex.service.names import Names
from tests.earlier import write_earlier
from tests.fakes import BAG_OF_WORDS, FakeEmbedder, FixedClock
from tests.questions import found
from tests.samples import CACHE_MB, TENANT, a_memory, a_vector, add
from tests.world import MakeWorld

X = a_vector()
EARLIER = [a_memory(f"m{n}", content=f"The relay number {n}.") for n in range(5)]


@pytest.fixture(params=[CACHE_MB, 0], ids=["cached", "uncached"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryStore]:
    """A store whose file the first version has written, opened by this one."""
    await write_earlier(tmp_path / DATABASE_NAME, *EARLIER)
    engine = sqlite_engine(tmp_path / DATABASE_NAME, request.param)
    assert isinstance(engine.store, SqliteMemoryStore)
    yield engine.store
    await engine.aclose()


async def test_earlier_memories_are_whole_and_found_by_meaning_alone(store: MemoryStore) -> None:
    assert [await store.get(TENANT, memory.id) for memory in EARLIER] == EARLIER
    assert len(await found(store, X)) == 5
    assert await found(store, text="relay") == {}
    assert await store.count_unindexed() == 5


async def test_what_is_indexed_is_found_by_words_at_once(store: MemoryStore) -> None:
    assert await found(store, text="relay") == {}
    assert await store.replace_terms(TENANT, "m3") is True
    assert list(await found(store, text="relay")) == ["m3"]
    await add(store, a_memory("new", content="A relay."))
    assert set(await found(store, text="relay")) == {"m3", "new"}
    assert await store.count_unindexed() == 4
    assert len(await found(store, X)) == 6


async def test_what_is_to_be_indexed_is_told_in_pages(store: MemoryStore) -> None:
    await store.replace_terms(TENANT, "m1")
    pages, after = [], ("", "")
    while page := await store.unindexed(after, 3):
        pages.append([id_ for _, id_ in page])
        after = page[-1]
    assert pages == [["m0", "m2", "m3"], ["m4"]]


async def test_terms_of_another_version_are_not_compared(tmp_path: Path) -> None:
    engine = sqlite_engine(tmp_path / DATABASE_NAME, CACHE_MB)
    store = engine.store
    assert isinstance(store, SqliteMemoryStore)
    await add(store, a_memory(content="A relay."))
    await store._database.write(
        lambda connection: connection.execute(
            "UPDATE memories SET term_space = 'terms-0', seq = seq + 1"
        )
    )
    assert await found(store, text="relay") == {}
    assert await store.unindexed(("", ""), 9) == ((TENANT, "m1"),)
    await store.replace_terms(TENANT, "m1")
    assert list(await found(store, text="relay")) == ["m1"]
    await engine.aclose()


async def test_indexing_can_be_stopped_and_goes_on_where_it_was(
    make_world: MakeWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "BATCH", 2)
    path = tmp_path / DATABASE_NAME
    vector = a_vector(1, *[0] * 255)
    await write_earlier(path, *EARLIER, tenant="default", space=BAG_OF_WORDS, vector=vector)
    world = make_world(path=path)
    upkeep = world.services.maintenance
    async for done in upkeep.reindex():
        assert done == 2
        break
    assert await upkeep.unindexed() == 3
    assert [done async for done in upkeep.reindex()] == [2, 3]
    assert await upkeep.unindexed() == 0
    assert [done async for done in upkeep.reindex()] == []
    search = Search("relay", mode=Mode.WORDS)
    searched = await world.services.searches.search(world.principal(), search)
    assert len(searched.found.matches) == 5


async def test_indexing_links_to_what_is_mentioned(make_world: MakeWorld, tmp_path: Path) -> None:
    path, vector = tmp_path / DATABASE_NAME, a_vector(1, *[0] * 255)
    earlier = [a_memory("m0", content="Ask QXRT."), a_memory("m1", content="Ask nobody.")]
    await write_earlier(path, *earlier, tenant="default", space=BAG_OF_WORDS, vector=vector)
    world = make_world(path=path)
    assert [done async for done in world.services.maintenance.reindex()] == [2]
    found = await world.services.proposing.search(world.principal(), "qxrt", None, None, 1)
    assert [known.mention_count for known in found.entities] == [1]
    memory = await world.store.get("default", "m0")
    assert memory == replace(earlier[0], entities=(found.entities[0].family.entity.id,))


class Behind(SqliteMemoryStore):
    """A store that still names a memory which is gone by now."""

    async def unindexed(self, after: tuple[str, str], limit: int) -> tuple[tuple[str, str], ...]:
        return () if after[0] else ((TENANT, "gone"),)


async def test_what_is_gone_when_its_turn_comes_is_not_counted() -> None:
    database, embedding = Database(None), TextEmbedding(FakeEmbedder())
    entities = SqliteEntityStore(database)
    upkeep = maintenance.MaintenanceService(
        Behind(database, CACHE_MB),
        SqliteEventLog(database),
        SqliteNameIndex(database, Cache(0)),
        Mentions(entities, EntityService(entities), Names(entities, embedding)),
        embedding,
        FixedClock(),
        1,
    )
    assert [done async for done in upkeep.reindex()] == [0]
    await database.close()
