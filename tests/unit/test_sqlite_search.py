"""Searching through the cache and past it: equal results, within the budget, after any write."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.adapters.sqlite import chunks
from metacortex.adapters.sqlite.cache import Cache
from metacortex.adapters.sqlite.chunks import Corpus, load
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.adapters.sqlite.progress import progress_of
from metacortex.adapters.sqlite.recent import Recent
from metacortex.adapters.sqlite.search import search
from metacortex.domain.errors import Conflict, NotFound
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.question import Found, Question
from metacortex.domain.search import MemoryFilter
from metacortex.domain.vector import EmbeddingSpace, Vector
from tests.questions import a_question, found
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
)

WIDE = EmbeddingSpace("wide", 256)
ALONG = a_vector(1, *[0] * 255)
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


async def find(
    database: Database,
    cache: Cache,
    question: Question | None = None,
    *,
    tenant: str = TENANT,
    where: MemoryFilter | None = None,
    limit: int = 5,
) -> Found:
    """Search through a cache of the test's own."""
    asked, passing = question or a_question(X), where or a_filter()
    return await database.read(
        lambda connection: search(connection, cache, tenant, asked, passing, limit)
    )


def ids(answer: Found) -> list[str]:
    return [match.memory.id for match in answer.matches]


def test_numpy_is_not_loaded_before_the_first_search() -> None:
    program = (
        "import sys, asyncio, metacortex.adapters.sqlite.memories as memories;"
        "from metacortex.adapters.sqlite.database import Database;"
        "from tests.samples import add, a_memory;"
        "asyncio.run(add(memories.SqliteMemoryStore(Database(None), 16), a_memory()));"
        "sys.exit('numpy' in sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path)})
    assert loaded.returncode == 0


number = st.floats(-1, 1, width=32)
directions = st.tuples(number, number, number).filter(lambda three: max(map(abs, three)) > 1e-3)
vectors = directions.map(lambda three: a_vector(*three))
words = st.lists(st.sampled_from(["relay", "pump", "valve", "rack"]), max_size=4).map(" ".join)
memories = st.fixed_dictionaries(
    {
        "content": words,
        "topic": st.sampled_from(["x", "y"]),
        "namespace": st.sampled_from(["a", "b"]),
        "session_id": st.sampled_from([None, "s", "t"]),
        "created_at": st.integers(NOW, NOW + 2),
    }
)


@given(
    stored=st.lists(
        st.tuples(memories, st.lists(vectors, min_size=1, max_size=3)), min_size=1, max_size=12
    ),
    moves=st.lists(
        st.tuples(
            st.sampled_from(["embed", "supersede", "forget", "replace", "reset"]),
            *[st.integers(0, 11)] * 2,
        ),
        max_size=5,
    ),
    query=st.tuples(st.none() | vectors, st.none() | words),
    where=st.fixed_dictionaries(
        {
            "topic": st.sampled_from([None, "x"]),
            "namespaces": st.sampled_from([None, ("a",), ("a", "b")]),
        }
    ),
)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_corpus_that_followed_one_that_was_read_anew_and_none_agree(
    database: Database,
    store: SqliteMemoryStore,
    monkeypatch: pytest.MonkeyPatch,
    stored: list[tuple[dict[str, Any], list[Vector]]],
    moves: list[tuple[str, int, int]],
    query: "tuple[Vector | None, str | None]",
    where: dict[str, Any],
) -> None:
    # So that a handful of memories makes several chunks, and several batches a chunk.
    monkeypatch.setattr(chunks, "CHUNK", 6)
    monkeypatch.setattr(chunks, "BATCH", 4)
    await store.reset(TENANT)
    following, none = Cache(MEGABYTE), Cache(0)

    async def agreed() -> None:
        answers = [
            await find(database, cache, a_question(*query), where=a_filter(**where), limit=8)
            for cache in (following, Cache(MEGABYTE), none)
        ]
        assert answers[0] == answers[1] == answers[2]

    for n, (varied, windows) in enumerate(stored):
        await add(store, a_memory(f"m{n}", **varied), *windows)
        if n % 3 == 0:
            await agreed()
    for n, (move, first, second) in enumerate(moves):
        if move == "reset":
            await store.reset(TENANT)
            await add(store, a_memory(f"m{first}", content="relay"))
        elif move == "embed":
            await store.replace_embedding(TENANT, f"m{first}", an_embedding(X, Y))
        elif move in ("forget", "replace"):
            await store.forget(TENANT, [f"m{first}"], Forgetting(b"key", "cli", NOW))
            if move == "replace":
                # The row of what was forgotten may become that of another.
                await add(store, a_memory(f"{move}{n}", content="relay"), X)
        elif first < second:
            # One may be superseded already, or the other be gone.
            with suppress(Conflict, NotFound):
                await store.supersede(TENANT, f"m{first}", f"m{second}", "cli", NOW)
        await agreed()


async def test_renewing_every_vector_again_and_again_takes_no_more_memory(
    database: Database, store: SqliteMemoryStore
) -> None:
    cache = Cache(MEGABYTE)
    await add(store, a_memory("m1"), X)
    await add(store, a_memory("m2"), Y)
    await find(database, cache)
    for n in range(1, 50):
        await store.replace_embedding(TENANT, "m2", an_embedding(a_vector(1, n, 0)))
        assert ids(await find(database, cache)) == ["m1", "m2"]
    recent = cache.slot(Recent, (TENANT, None)).held
    assert recent is not None
    assert cache.held - recent.nbytes < 1_500


async def fill(store: SqliteMemoryStore, tenant: str, megabytes: float) -> None:
    """Give a tenant memories whose vectors take this much."""
    for n in range(int(megabytes * MEGABYTE / (64 * 4 * 256))):
        await add(store, a_memory(f"m{n}"), *[ALONG] * 64, tenant=tenant, space=WIDE)


async def test_the_corpus_that_was_not_used_for_longest_makes_room(
    database: Database, store: SqliteMemoryStore
) -> None:
    cache = Cache(2 * MEGABYTE)
    held = {}
    for tenant in ("a", "b", "c"):
        await fill(store, tenant, 0.75)
    for tenant in ("a", "b", "a", "c"):
        answer = await find(database, cache, a_question(ALONG, space=WIDE), tenant=tenant)
        assert len(answer.matches) == 5
        held[tenant] = cache.held
    assert held["a"] < held["b"] + MEGABYTE
    assert cache.held <= cache.budget
    assert cache.slot(Corpus, ("a", WIDE)).held is not None
    assert cache.slot(Corpus, ("b", WIDE)).held is None
    assert cache.slot(Corpus, ("c", WIDE)).held is not None


async def test_nothing_stays_where_nothing_fits(
    database: Database, store: SqliteMemoryStore
) -> None:
    cache = Cache(1)
    await add(store, a_memory())
    cache.slot(Corpus, ("empty", SPACE))
    slot = cache.slot(Corpus, (TENANT, SPACE))
    slot.held = await database.read(
        lambda connection: load(connection, TENANT, SPACE, progress_of(connection, TENANT))
    )
    assert cache.held == slot.held.nbytes > 0
    cache.trim()
    assert cache.held == 0


async def test_a_tenant_larger_than_the_cache_is_searched_without_it(
    database: Database, store: SqliteMemoryStore
) -> None:
    cache = Cache(MEGABYTE)
    await fill(store, "large", 1.5)
    await add(store, a_memory())
    assert ids(await find(database, cache)) == ["m1"]
    small = cache.held
    answer = await find(database, cache, a_question(ALONG, space=WIDE), tenant="large")
    assert len(answer.matches) == 5
    assert cache.slot(Corpus, ("large", WIDE)).held is None
    assert small < cache.held < small + 5 * 5_000


async def test_an_earlier_snapshot_is_searched_as_it_was_beside_a_later_one(
    database: Database, store: SqliteMemoryStore
) -> None:
    cache, loop = Cache(MEGABYTE), asyncio.get_running_loop()
    await add(store, a_memory("m1"), X)

    async def earlier() -> tuple[list[str], list[str]]:
        await database.read(lambda connection: progress_of(connection, TENANT))
        asyncio.run_coroutine_threadsafe(add(store, a_memory("m2"), X), loop).result()
        later = asyncio.run_coroutine_threadsafe(find(database, cache), loop).result()
        return ids(later), ids(await find(database, cache))

    assert await database.together(earlier) == (["m1", "m2"], ["m1"])
    assert ids(await find(database, cache)) == ["m1", "m2"]


async def test_two_programs_on_one_file_see_each_others_writes_at_once(tmp_path: Path) -> None:
    first, second = (Database(tmp_path / "metacortex.db") for _ in range(2))
    one, other = SqliteMemoryStore(first, CACHE_MB), SqliteMemoryStore(second, CACHE_MB)

    async def seen_by_other(state: BranchState = BranchState.ACTIVE) -> list[str]:
        return list(await found(other, X, "content", branch_state=state))

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
    assert list(await found(one, X)) == ["m3"]
    await first.close()
    await second.close()


async def test_what_another_process_forgets_is_dropped_and_nothing_is_read_anew(
    tmp_path: Path,
) -> None:
    path, cache = tmp_path / "metacortex.db", Cache(MEGABYTE)
    here, there = Database(path), Database(path)
    store = SqliteMemoryStore(there, CACHE_MB)
    for n in range(9):
        await add(store, a_memory(f"m{n}", created_at=NOW - n), X)
    await find(here, cache)
    (before,) = _corpus(cache).chunks
    await store.forget(TENANT, ["m0", "m2"], Forgetting(b"key", "cli", NOW))
    assert ids(await find(here, cache)) == ["m1", "m3", "m4", "m5", "m6"]
    (after,) = _corpus(cache).chunks
    assert after.vectors is before.vectors
    await here.close()
    await there.close()


def _corpus(cache: Cache) -> Corpus:
    corpus = cache.slot(Corpus, (TENANT, SPACE)).held
    assert corpus is not None
    return corpus
