"""What opening a database makes, mends and refuses."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.adapters.sqlite.schema import APPLICATION_ID, MIGRATIONS
from metacortex.domain.errors import StoreUnusable, Unavailable
from tests.samples import CACHE_MB, TENANT, a_memory, add

ONE_MORE = (
    *MIGRATIONS,
    "CREATE TABLE moods (memory INTEGER) STRICT;\nCREATE INDEX m ON moods (memory);",
)

Make = Callable[..., Database]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "metacortex.db"


@pytest.fixture
async def make(path: Path) -> AsyncIterator[Make]:
    """Make databases of one path and close them all in the end."""
    made: list[Database] = []

    def make(place: Path | None = path, **named: Any) -> Database:
        made.append(Database(place, **named))
        return made[-1]

    yield make
    for database in made:
        await database.close()


def pragma(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


async def test_nothing_is_made_before_the_first_use(make: Make, path: Path) -> None:
    make()
    assert not path.parent.exists()


async def test_a_new_file_and_its_folder_are_their_owners_alone(make: Make, path: Path) -> None:
    await make().open()
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}


async def test_a_folder_that_is_there_keeps_its_permissions(make: Make, path: Path) -> None:
    path.parent.mkdir(mode=0o750)
    await make().open()
    assert path.parent.stat().st_mode & 0o777 == 0o750


async def test_a_file_is_durable_whole_and_knows_whose_it_is(make: Make, path: Path) -> None:
    names = ("journal_mode", "synchronous", "foreign_keys", "application_id", "user_version")

    def settings(connection: sqlite3.Connection) -> list[object]:
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]

    full = 2
    expected = ["wal", full, 1, APPLICATION_ID, len(MIGRATIONS)]
    assert await make().write(settings) == expected


async def test_every_table_is_strict(make: Make) -> None:
    tables = await make().read(
        lambda connection: connection.execute(
            "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        ).fetchall()
    )
    assert {name for name, strict in tables if not strict} == {"sqlite_schema", "sqlite_sequence"}


async def test_an_older_file_is_brought_to_the_present_version(make: Make, path: Path) -> None:
    older = make()
    memory = await add(SqliteMemoryStore(older, CACHE_MB), a_memory())
    await older.close()
    upgraded = make(migrations=ONE_MORE)
    assert await SqliteMemoryStore(upgraded, CACHE_MB).get(TENANT, memory.id) == memory
    assert await upgraded.read(lambda c: c.execute("SELECT count(*) FROM moods").fetchone()) == (0,)
    await upgraded.close()
    assert pragma(path, "user_version") == len(ONE_MORE)


async def test_a_migration_that_fails_changes_nothing(make: Make, path: Path) -> None:
    await make().open()
    failing = (*MIGRATIONS, "CREATE TABLE moods (memory INTEGER) STRICT;\nDROP TABLE absent;")
    with pytest.raises(StoreUnusable, match="METACORTEX_DATA_DIR"):
        await make(migrations=failing).open()
    assert pragma(path, "user_version") == len(MIGRATIONS)
    await make(migrations=ONE_MORE).open()


async def test_a_file_of_a_newer_version_is_refused(make: Make) -> None:
    await make(migrations=ONE_MORE).open()
    with pytest.raises(StoreUnusable, match=r"upgrade MetaCortex.*METACORTEX_DATA_DIR"):
        await make().open()


async def test_many_that_open_one_new_file_at_once_all_succeed(make: Make) -> None:
    stores = [SqliteMemoryStore(make(), CACHE_MB) for _ in range(8)]
    await asyncio.gather(*(add(store, a_memory(f"m{n}")) for n, store in enumerate(stores)))
    assert [await store.count(TENANT) for store in stores] == [8] * 8


async def test_an_empty_file_becomes_a_database(make: Make, path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    await make().open()
    assert pragma(path, "application_id") == APPLICATION_ID


def other_application(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA application_id = 7; PRAGMA user_version = 1;")


def other_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (address TEXT)")


def no_database(path: Path) -> None:
    path.write_bytes(b"Dear diary, today nothing happened. " * 400)


def folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (other_application, "another program"),
        (other_tables, "another program"),
        (no_database, "no SQLite database"),
        (folder, "is a folder"),
    ],
)
async def test_what_is_no_memory_database_is_refused_and_left_alone(
    make: Make, path: Path, spoil: Callable[[Path], None], fault: str
) -> None:
    path.parent.mkdir()
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreUnusable) as caught:
        await make().open()
    assert fault in caught.value.sentence
    assert "METACORTEX_DATA_DIR" in caught.value.sentence
    assert str(path) in caught.value.sentence
    assert (path.read_bytes() if path.is_file() else None) == before


def overwrite_pages(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xa5" * 16_384)


def miscount_free_pages(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(36)
        file.write(b"\x00\x00\x00\x05")


@pytest.mark.parametrize("spoil", [overwrite_pages, miscount_free_pages])
async def test_a_damaged_file_is_refused(
    make: Make, path: Path, spoil: Callable[[Path], None]
) -> None:
    healthy = make()
    store = SqliteMemoryStore(healthy, CACHE_MB)
    for n in range(50):
        await add(store, a_memory(f"m{n}", content="x" * 2_000))
    await healthy.close()
    spoil(path)
    with pytest.raises(StoreUnusable, match=r"damaged.*METACORTEX_DATA_DIR"):
        await make().open()


async def test_a_folder_that_cannot_be_made_is_named(make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnusable, match=r"cannot be written.*METACORTEX_DATA_DIR"):
        await make(tmp_path / "file" / "metacortex.db").open()


async def test_a_database_that_was_refused_can_be_used_once_it_is_mended(
    make: Make, path: Path
) -> None:
    path.mkdir(parents=True)
    store = SqliteMemoryStore(make(), CACHE_MB)
    with pytest.raises(StoreUnusable):
        await store.count(TENANT)
    path.rmdir()
    assert await store.count(TENANT) == 0


@pytest.mark.parametrize(
    "lock", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE", "BEGIN; SELECT count(*) FROM sqlite_schema"]
)
async def test_a_new_file_that_stays_locked_is_unavailable(
    make: Make, path: Path, lock: str
) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        for statement in lock.split("; "):
            other.execute(statement).fetchall()
        with pytest.raises(Unavailable, match="another process kept its file locked"):
            await make(busy_timeout=0.05).open()


async def test_a_sqlite_without_strict_tables_is_named(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    with pytest.raises(StoreUnusable, match=r"needs SQLite 3\.37 or newer; use a newer Python"):
        await make(None).open()
