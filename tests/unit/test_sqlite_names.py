"""Names compared through the cache and past it: equal answers, within the budget."""

import sqlite3
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.adapters.sqlite import name_vectors
from metacortex.adapters.sqlite.cache import Cache
from metacortex.adapters.sqlite.chunks import Corpus
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entities import SqliteEntityStore
from metacortex.adapters.sqlite.inserting import space_key
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.adapters.sqlite.name_vectors import NameVectors
from metacortex.adapters.sqlite.names import SqliteNameIndex
from metacortex.adapters.sqlite.recent import Recent
from metacortex.adapters.sqlite.schema import MIGRATIONS
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.knowledge.entity import Entity, EntityType, entity_id
from metacortex.domain.knowledge.likeness import Near
from metacortex.ports import Embedding
from tests.questions import found
from tests.samples import CACHE_MB, NOW, SPACE, TENANT, a_memory, a_vector, add

MEGABYTE = 1024 * 1024
ROW = 8 + 4 + 3 * 4
"""The bytes of one name: its number, its namespace and its vector."""
X, Y = a_vector(1, 0, 0), a_vector(0, 1, 0)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = Database(tmp_path / "metacortex.db")
    yield opened
    await opened.close()


def an_entity(name: str, namespace: str = "default") -> Entity:
    return Entity(entity_id(namespace, name), namespace, name, EntityType.NAME, NOW)


async def put(database: Database, entity: Entity, *place: float, tenant: str = TENANT) -> None:
    vectors = Embedding(SPACE, (a_vector(*place, 0),))
    await SqliteEntityStore(database).put(tenant, [entity], vectors)


async def forget(database: Database, *entities: Entity) -> None:
    store = SqliteMemoryStore(database, CACHE_MB)
    memory = a_memory("m", entities=tuple(each.id for each in entities))
    await add(store, memory)
    await store.forget(TENANT, ["m"], Forgetting(b"key", "cli", NOW))


async def near(
    database: Database,
    cache: Cache,
    namespaces: Sequence[str] | None = None,
    tenant: str = TENANT,
    limit: int = 9,
) -> tuple[Near, ...]:
    return await SqliteNameIndex(database, cache).near(tenant, namespaces, SPACE, X, limit)


async def names(database: Database, cache: Cache) -> list[str]:
    return [each.entity.name for each in await near(database, cache)]


places = st.sampled_from([(1, 0), (0, 1), (3, 4), (4, 3), (-1, 0)])
moves = st.tuples(
    st.sampled_from(["put", "put", "put", "forget", "replace", "reset"]),
    st.sampled_from(["Cal", "Ana", "Ben", "Dee", "Eva"]),
    st.sampled_from(["default", "team"]),
    places,
    st.sampled_from([TENANT, "another"]),
)


@given(
    moves=st.lists(moves, max_size=14),
    namespaces=st.none() | st.lists(st.sampled_from(["default", "team", "nowhere"]), unique=True),
    limit=st.integers(1, 6),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_names_that_followed_those_that_were_read_anew_and_none_agree(
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    moves: "list[tuple[str, str, str, tuple[int, int], str]]",
    namespaces: list[str] | None,
    limit: int,
) -> None:
    monkeypatch.setattr(name_vectors, "BLOCK", 2)
    store, index = SqliteMemoryStore(database, CACHE_MB), SqliteNameIndex(database, Cache(0))
    for tenant in (TENANT, "another"):
        await store.reset(tenant)
    following = Cache(MEGABYTE)
    for move, name, namespace, place, tenant in moves:
        entity = an_entity(name, namespace)
        if move == "put":
            await put(database, entity, *place, tenant=tenant)
        elif move == "forget":
            await forget(database, entity)
        elif move == "replace":
            vectors = Embedding(SPACE, (a_vector(*place, 0),))
            await index.replace(tenant, [entity.id], vectors)
        else:
            await store.reset(tenant)
        for each in (TENANT, "another"):
            answers = [
                await near(database, cache, namespaces, each, limit)
                for cache in (following, Cache(MEGABYTE), Cache(0))
            ]
            assert answers[0] == answers[1] == answers[2]


async def test_two_programs_on_one_file_see_each_others_names_at_once(
    database: Database, tmp_path: Path
) -> None:
    other, cache = Database(tmp_path / "metacortex.db"), Cache(MEGABYTE)
    cal, ana, ben = an_entity("Cal"), an_entity("Ana"), an_entity("Ben")
    await put(database, cal, 4, 3)
    assert await names(database, cache) == ["Cal"]
    await put(other, ana, 3, 4)
    assert await names(database, cache) == ["Cal", "Ana"]
    # As many as before, and what was last gives its place to another.
    await forget(other, ana)
    await put(other, ben, 1, 0)
    assert await names(database, cache) == ["Ben", "Cal"]
    await SqliteNameIndex(other, Cache(0)).replace(TENANT, [ben.id], Embedding(SPACE, (Y,)))
    assert await names(database, cache) == ["Cal", "Ben"]
    await forget(other, cal, ben)
    assert await names(database, cache) == []
    await other.close()


async def test_a_new_name_is_added_to_those_that_are_held(database: Database) -> None:
    cache = Cache(MEGABYTE)
    slot = cache.slot(NameVectors, (TENANT, SPACE))
    await put(database, an_entity("Cal"), 1, 0)
    await put(database, an_entity("Ben"), 0, 1)
    await near(database, cache)
    before = slot.held
    await put(database, an_entity("Ana"), 3, 4)
    await put(database, an_entity("Dee"), 4, 3, tenant="another")
    await near(database, cache)
    assert before is not None
    assert slot.held is not None
    assert (before.rows.size, slot.held.rows.size) == (2, 3)
    assert before.namespaces is slot.held.namespaces
    held = slot.held
    await near(database, cache)
    assert slot.held is held


async def test_names_count_with_what_searches_keep_and_push_none_of_it_out(
    database: Database,
) -> None:
    store = SqliteMemoryStore(database, CACHE_MB)
    await add(store, a_memory())
    await put(database, an_entity("Cal"), 1, 0)
    await found(store, X, "content")
    searched = store.cache.held
    assert await names(database, store.cache) == ["Cal"]
    of_names = store.cache.slot(NameVectors, (TENANT, SPACE)).held
    assert of_names is not None
    assert store.cache.held == searched + of_names.nbytes
    full = Cache(searched + of_names.nbytes - 1)
    full.slot(Corpus, (TENANT, SPACE)).held = store.cache.slot(Corpus, (TENANT, SPACE)).held
    full.slot(Recent, (TENANT, None)).held = store.cache.slot(Recent, (TENANT, None)).held
    assert await names(database, full) == ["Cal"]
    assert full.held == searched


async def test_names_that_outgrow_the_room_push_nothing_out(database: Database) -> None:
    store = SqliteMemoryStore(database, CACHE_MB)
    await add(store, a_memory())
    await put(database, an_entity("Cal"), 1, 0)
    await found(store, X, "content")
    corpus = store.cache.slot(Corpus, (TENANT, SPACE)).held
    assert corpus is not None
    full = Cache(corpus.nbytes + ROW)
    await near(database, full)
    searched = full.slot(Corpus, (TENANT, SPACE))
    searched.held = corpus
    assert await names(database, full) == ["Cal"]
    assert full.held == corpus.nbytes + ROW
    await put(database, an_entity("Ana"), 3, 4)
    full.slot(Corpus, (TENANT, SPACE))
    assert await names(database, full) == ["Cal", "Ana"]
    assert full.slot(Corpus, (TENANT, SPACE)).held is corpus
    assert full.slot(NameVectors, (TENANT, SPACE)).held is None


async def test_names_that_are_used_take_the_room_of_those_that_no_longer_are(
    database: Database,
) -> None:
    cache = Cache(ROW)
    await put(database, an_entity("Cal"), 1, 0)
    await put(database, an_entity("Ana"), 3, 4, tenant="another")
    await near(database, cache, tenant="another")
    of_cal, of_ana = (cache.slot(NameVectors, (each, SPACE)) for each in (TENANT, "another"))
    assert of_ana.held is not None
    await near(database, cache)
    assert (of_cal.held, of_ana.held is None) == (None, False)
    await near(database, cache)
    assert (of_cal.held is None, cache.held) == (False, ROW)


async def test_the_vectors_of_an_earlier_file_are_kept(tmp_path: Path) -> None:
    path, cal = tmp_path / "earlier.db", an_entity("Cal")
    version = next(n for n, script in enumerate(MIGRATIONS) if "name_vectors" in script)
    earlier = Database(path, migrations=MIGRATIONS[:version])
    await SqliteEntityStore(earlier).put(TENANT, [cal])

    def place(connection: sqlite3.Connection) -> None:
        connection.execute(
            "INSERT INTO entity_vectors VALUES (?, ?, ?, ?, ?)",
            (TENANT, cal.id, cal.namespace, space_key(connection, SPACE), X.tobytes()),
        )

    await earlier.write(place)
    await earlier.close()
    present = Database(path)
    assert await near(present, Cache(MEGABYTE)) == (Near(cal, 1.0),)
    await present.close()
