"""Searching through the cache and past it: equal results, within the budget, after any write."""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from math import fsum, sqrt
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.adapters.sqlite.cache import MatrixCache
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.matrix import BLOCK, load, progress_of
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.adapters.sqlite.nearest import Question, find_nearest
from metacortex.domain.errors import Conflict
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.search import Match, MemoryFilter, score_of
from metacortex.domain.vector import EmbeddingSpace, Vector
from tests.samples import (
    CACHE_MB,
    NOW,
    SPACE,
    TENANT,
    a_filter,
    a_memory,
    a_vector,
    add,
    an_embedding,
    cosine_of,
)

WIDE = EmbeddingSpace("wide", 256)
X, Y = a_vector(1, 0, 0), a_vector(0, 1, 0)
MEGABYTE = 1024 * 1024


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = Database(tmp_path / "metacortex.db")
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database) -> SqliteMemoryStore:
    return SqliteMemoryStore(database, CACHE_MB)


async def nearest(
    database: Database,
    cache: MatrixCache,
    query: Vector = X,
    *,
    tenant: str = TENANT,
    space: EmbeddingSpace = SPACE,
    where: MemoryFilter | None = None,
    limit: int = 5,
) -> tuple[Match, ...]:
    """Search through a cache of the test's own."""
    question = Question(tenant, space, query, where or a_filter(), limit)
    return await database.read(lambda connection: find_nearest(connection, cache, question))


def ids(matches: tuple[Match, ...]) -> list[str]:
    return [match.memory.id for match in matches]


def test_numpy_is_not_loaded_before_the_first_search() -> None:
    program = (
        "import sys, metacortex.adapters.sqlite.memories as memories;"
        "from metacortex.adapters.sqlite.database import Database;"
        "memories.SqliteMemoryStore(Database(None), 16); sys.exit('numpy' in sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path)})
    assert loaded.returncode == 0


number = st.floats(-1, 1, width=32)
directions = st.tuples(number, number, number).filter(lambda three: max(map(abs, three)) > 1e-3)
vectors = directions.map(lambda three: a_vector(*three))
topics = st.sampled_from(["x", "y"])
namespaces = st.sampled_from(["a", "b"])


@given(
    memories=st.lists(
        st.tuples(
            st.lists(vectors, min_size=1, max_size=3), topics, namespaces, st.integers(NOW, NOW + 1)
        ),
        max_size=10,
    ),
    moves=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), vectors), max_size=4),
    query=vectors,
    topic=st.none() | topics,
    namespace=st.none() | namespaces.map(lambda name: (name,)),
    limit=st.integers(1, 6),
)
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_a_matrix_that_followed_one_that_was_read_anew_and_none_agree(
    database: Database,
    store: SqliteMemoryStore,
    memories: list[tuple[list[Vector], str, str, int]],
    moves: list[tuple[int, int, Vector]],
    query: Vector,
    topic: str | None,
    namespace: tuple[str, ...] | None,
    limit: int,
) -> None:
    await store.reset(TENANT)
    following, none = MatrixCache(MEGABYTE), MatrixCache(0)
    where = a_filter(topic=topic, namespaces=namespace)

    async def agreed() -> None:
        results = [
            await nearest(database, cache, query, where=where, limit=limit)
            for cache in (following, MatrixCache(MEGABYTE), none)
        ]
        assert results[0] == results[1] == results[2]

    for n, (windows, of, within, at) in enumerate(memories):
        memory = a_memory(f"m{n}", topic=of, namespace=within, created_at=at, recorded_at=at)
        await add(store, memory, *windows)
    await agreed()
    for first, second, vector in moves:
        await store.replace_embedding(TENANT, f"m{first}", an_embedding(vector))
        if first < second:
            # A memory that a former move has superseded keeps its replacement.
            with suppress(Conflict):
                await store.supersede(TENANT, f"m{first}", f"m{second}", "cli", NOW)
        await agreed()


async def test_matrices_of_several_blocks_find_in_all_of_them(
    database: Database, store: SqliteMemoryStore
) -> None:
    windows = BLOCK // 50
    cache = MatrixCache(64 * MEGABYTE)
    for n in range(55):
        await add(store, a_memory(f"m{n:02d}", created_at=n), *[Y] * windows)
        if n == 20:
            await nearest(database, cache)
    await add(store, a_memory("last"), Y, X)
    await store.replace_embedding(TENANT, "m03", an_embedding(*[Y] * windows, X))
    for each in (cache, MatrixCache(64 * MEGABYTE), MatrixCache(0)):
        found = await nearest(database, each, limit=4)
        assert [(match.memory.id, match.score) for match in found] == [
            ("last", 1.0),
            ("m03", 1.0),
            ("m54", 0.0),
            ("m53", 0.0),
        ]


async def test_memories_that_stand_equal_at_the_end_are_chosen_by_their_ids(
    database: Database, store: SqliteMemoryStore
) -> None:
    for n in reversed(range(40)):
        await add(store, a_memory(f"m{n:02d}"), Y)
    for cache in (MatrixCache(MEGABYTE), MatrixCache(0)):
        assert ids(await nearest(database, cache, limit=3)) == ["m00", "m01", "m02"]


def at_cosine(cosine: float, query: Vector, towards: list[float]) -> Vector:
    """Return a vector with this cosine to the query, as nearly as 32 bits can say."""
    along = fsum(a * b for a, b in zip(towards, query, strict=True))
    beside = [a - along * b for a, b in zip(towards, query, strict=True)]
    share = sqrt(1 - cosine**2) / sqrt(fsum(number * number for number in beside))
    return a_vector(*(cosine * b + share * a for a, b in zip(beside, query, strict=True)))


async def test_scores_that_differ_less_than_32_bits_can_tell_rank_exactly(
    database: Database, store: SqliteMemoryStore
) -> None:
    chance = Random(7)
    query = a_vector(*(chance.gauss(0, 1) for _ in range(256)))
    held = {}
    for n in range(60):
        vector = at_cosine(0.7000005, query, [chance.gauss(0, 1) for _ in range(256)])
        memory = await add(store, a_memory(f"m{n:02d}", created_at=n), vector, space=WIDE)
        held[memory.id] = score_of(cosine_of(vector, query))
    assert set(held.values()) == {0.7, 0.700001}
    expected = sorted(held, key=lambda id_: (-held[id_], -int(id_[1:])))[:9]
    for cache in (MatrixCache(MEGABYTE), MatrixCache(0)):
        matches = await nearest(database, cache, query, space=WIDE, limit=9)
        assert ids(matches) == expected


async def test_renewing_every_vector_again_and_again_takes_no_more_memory(
    database: Database, store: SqliteMemoryStore
) -> None:
    cache = MatrixCache(MEGABYTE)
    await add(store, a_memory("m1"), X)
    await add(store, a_memory("m2"), Y)
    await nearest(database, cache)
    for n in range(1, 50):
        await store.replace_embedding(TENANT, "m2", an_embedding(a_vector(1, n, 0)))
        found = await nearest(database, cache)
        assert ids(found) == ["m1", "m2"]
    assert cache.held < 1_000


async def fill(store: SqliteMemoryStore, tenant: str, megabytes: float) -> None:
    """Give a tenant memories whose vectors take this much."""
    windows = [a_vector(1, *[0] * 255)] * 64
    for n in range(int(megabytes * MEGABYTE / (64 * 4 * 256))):
        await add(store, a_memory(f"m{n}"), *windows, tenant=tenant, space=WIDE)


async def test_the_matrix_that_was_not_used_for_longest_makes_room(
    database: Database, store: SqliteMemoryStore
) -> None:
    cache = MatrixCache(2 * MEGABYTE)
    query = a_vector(1, *[0] * 255)
    held = {}
    for tenant in ("a", "b", "c"):
        await fill(store, tenant, 0.75)
    for tenant in ("a", "b", "a", "c"):
        assert len(await nearest(database, cache, query, tenant=tenant, space=WIDE)) == 5
        held[tenant] = cache.held
    assert held["a"] < held["b"] + MEGABYTE
    assert cache.held <= cache.budget
    assert cache.slot(("a", WIDE)).matrix is not None
    assert cache.slot(("b", WIDE)).matrix is None
    assert cache.slot(("c", WIDE)).matrix is not None


async def test_nothing_stays_where_nothing_fits(
    database: Database, store: SqliteMemoryStore
) -> None:
    cache = MatrixCache(1)
    await add(store, a_memory())
    cache.slot(("empty", SPACE))
    slot = cache.slot((TENANT, SPACE))
    slot.matrix = await database.read(
        lambda connection: load(connection, TENANT, SPACE, progress_of(connection, TENANT))
    )
    assert cache.held == slot.matrix.nbytes
    cache.trim()
    assert cache.held == 0


async def test_a_tenant_larger_than_the_cache_is_searched_without_it(
    database: Database, store: SqliteMemoryStore
) -> None:
    cache = MatrixCache(MEGABYTE)
    await fill(store, "large", 1.5)
    await add(store, a_memory())
    assert ids(await nearest(database, cache)) == ["m1"]
    small = cache.held
    query = a_vector(1, *[0] * 255)
    assert len(await nearest(database, cache, query, tenant="large", space=WIDE)) == 5
    assert cache.held == small


async def test_two_programs_on_one_file_see_each_others_writes_at_once(tmp_path: Path) -> None:
    first, second = (Database(tmp_path / "metacortex.db") for _ in range(2))
    one, other = SqliteMemoryStore(first, CACHE_MB), SqliteMemoryStore(second, CACHE_MB)

    async def seen_by_other(state: BranchState = BranchState.ACTIVE) -> list[str]:
        nearest = await other.find_nearest(TENANT, SPACE, X, a_filter(branch_state=state), 9)
        return ids(nearest.matches)

    await add(one, a_memory("m1"), X)
    assert await seen_by_other() == ["m1"]
    await add(one, a_memory("m2"), Y)
    assert await seen_by_other() == ["m1", "m2"]
    await one.supersede(TENANT, "m1", "m2", "cli", NOW)
    assert await seen_by_other() == ["m2"]
    assert await seen_by_other(BranchState.DEPRECATED) == ["m1"]
    await one.reset(TENANT)
    assert await seen_by_other() == []
    await add(other, a_memory("m3"))
    assert ids((await one.find_nearest(TENANT, SPACE, X, a_filter(), 9)).matches) == ["m3"]
    await first.close()
    await second.close()
