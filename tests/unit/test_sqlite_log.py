"""What is forgotten stands in no file: neither in the database nor in its write-ahead log."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.domain.forgetting import Forgetting
from tests.samples import CACHE_MB, NOW, TENANT, a_memory, add

HOW = Forgetting(b"key", "cli", NOW)
TEXT = "Made of mithril."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metacortex.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteMemoryStore]:
    database = Database(path, busy_timeout=0.05)
    yield SqliteMemoryStore(database, CACHE_MB)
    await database.close()


def files_with_it(path: Path) -> list[str]:
    """Return the names of the files beside the database that hold the text."""
    return sorted(each.name for each in path.parent.iterdir() if TEXT.encode() in each.read_bytes())


async def test_what_is_forgotten_is_in_no_file(store: SqliteMemoryStore, path: Path) -> None:
    await add(store, a_memory("m1", content=TEXT))
    await add(store, a_memory("m2"))
    assert files_with_it(path) == ["metacortex.db-wal"]
    await store.forget(TENANT, ["m1"], HOW)
    assert files_with_it(path) == []
    assert await store.get(TENANT, "m2") is not None


async def test_what_a_reset_deletes_is_in_no_file(store: SqliteMemoryStore, path: Path) -> None:
    await add(store, a_memory("m1", content=TEXT))
    await store.reset(TENANT)
    assert files_with_it(path) == []


async def test_a_reader_of_before_keeps_the_log_until_the_next_forgetting(
    store: SqliteMemoryStore, path: Path
) -> None:
    for id_ in ("m1", "m2"):
        await add(store, a_memory(id_, content=TEXT))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM memories").fetchall()
        assert await store.forget(TENANT, ["m1"], HOW) == ("m1",)
        assert files_with_it(path) != []
    await add(store, a_memory("m3"))
    assert await store.forget(TENANT, ["m2"], HOW) == ("m2",)
    assert files_with_it(path) == []
