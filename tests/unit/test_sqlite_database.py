"""How operations share transactions, and what becomes of them when something fails."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.domain.errors import Conflict, Unavailable
from tests.questions import found
from tests.samples import CACHE_MB, TENANT, a_memory, a_vector, add

Run = Callable[[sqlite3.Connection], object]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metacortex.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    opened = Database(path, busy_timeout=0.05)
    yield opened
    await opened.close()


@pytest.fixture(params=["disk", "memory"])
async def either(request: pytest.FixtureRequest, path: Path) -> AsyncIterator[Database]:
    opened = Database(path if request.param == "disk" else None)
    yield opened
    await opened.close()


async def in_one_batch(database: Database, *runs: Run) -> list[object]:
    """Return what becomes of operations that wait together, behind one that holds the thread."""
    began, gate = threading.Event(), threading.Event()

    def hold(_: sqlite3.Connection) -> None:
        began.set()
        gate.wait()

    holding = asyncio.ensure_future(database.write(hold))
    await asyncio.to_thread(began.wait)
    waiting = [asyncio.ensure_future(database.write(run)) for run in runs]
    asyncio.get_running_loop().call_soon(gate.set)
    *outcomes, _ = await asyncio.gather(*waiting, holding, return_exceptions=True)
    return list(outcomes)


def note(name: str) -> Run:
    """Return an operation that stores a name."""

    def run(connection: sqlite3.Connection) -> str:
        connection.execute("INSERT INTO tenants VALUES (?, 0, 0)", (name,))
        return name

    return run


def note_and_raise(name: str, error: Exception) -> Run:
    def run(connection: sqlite3.Connection) -> None:
        note(name)(connection)
        raise error

    return run


async def names(database: Database) -> list[str]:
    """Return the names that are stored."""
    return await database.read(
        lambda connection: [
            name for (name,) in connection.execute("SELECT tenant FROM tenants ORDER BY tenant")
        ]
    )


async def test_what_one_operation_raises_undoes_it_and_no_other(either: Database) -> None:
    error = Conflict("no")
    outcomes = await in_one_batch(either, note("a"), note_and_raise("b", error), note("c"))
    assert outcomes == ["a", error, "c"]
    assert await names(either) == ["a", "c"]


async def test_an_error_of_sqlite_reaches_its_caller_only(either: Database) -> None:
    first, second, third = await in_one_batch(either, note("a"), note("a"), note("c"))
    assert (first, third) == ("a", "c")
    assert isinstance(second, Unavailable)
    assert second.sentence == (
        "The memory store did not answer: the database refused the request; nothing was saved"
    )
    assert isinstance(second.__cause__, sqlite3.IntegrityError)


async def test_a_bug_in_an_operation_reaches_its_caller_only(either: Database) -> None:
    bug = ZeroDivisionError()
    assert await in_one_batch(either, note_and_raise("a", bug), note("b")) == [bug, "b"]
    assert await names(either) == ["b"]


async def test_when_the_commit_fails_nobody_is_told_of_success(either: Database) -> None:
    def orphan(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        connection.execute("INSERT INTO vectors VALUES (99, 0, x'00')")

    outcomes = await in_one_batch(either, note("a"), orphan, note("b"))
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 3
    assert await names(either) == []
    await either.write(note("c"))
    assert await names(either) == ["c"]


async def test_when_the_transaction_is_lost_the_whole_batch_is_told(either: Database) -> None:
    def lose(connection: sqlite3.Connection) -> None:
        connection.rollback()
        connection.execute("SELECT absent")

    outcomes = await in_one_batch(either, note("a"), lose, note("b"))
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 3
    assert await names(either) == []


async def test_more_operations_than_one_batch_takes_are_all_done(either: Database) -> None:
    count = 600
    outcomes = await in_one_batch(either, *(note(f"{n:03d}") for n in range(count)))
    assert outcomes == await names(either) == [f"{n:03d}" for n in range(count)]


async def test_a_caller_that_gave_up_harms_nobody(either: Database) -> None:
    began, gate = threading.Event(), threading.Event()

    def hold(connection: sqlite3.Connection) -> None:
        note("a")(connection)
        began.set()
        gate.wait()

    impatient = asyncio.ensure_future(either.write(hold))
    await asyncio.to_thread(began.wait)
    patient = asyncio.ensure_future(either.write(note("b")))
    impatient.cancel()
    gate.set()
    assert await patient == "b"
    assert impatient.cancelled()
    assert await names(either) == ["a", "b"]


async def test_a_caller_whose_loop_has_closed_harms_nobody(either: Database) -> None:
    began, gate = threading.Event(), threading.Event()

    def hold(_: sqlite3.Connection) -> None:
        began.set()
        gate.wait()

    async def ask_and_leave() -> None:
        asking = asyncio.ensure_future(either.write(note("a")))
        await asyncio.sleep(0)
        asking.cancel()

    holding = asyncio.ensure_future(either.write(hold))
    await asyncio.to_thread(began.wait)
    await asyncio.to_thread(asyncio.run, ask_and_leave())
    gate.set()
    await holding
    assert await either.write(note("b")) == "b"
    assert await names(either) == ["a", "b"]


async def test_a_database_serves_several_loops(either: Database) -> None:
    await either.write(note("a"))
    await asyncio.to_thread(lambda: asyncio.run(either.write(note("b"))))
    assert await asyncio.to_thread(lambda: asyncio.run(names(either))) == ["a", "b"]


async def test_a_full_disk_refuses_what_is_too_large_and_recovers(either: Database) -> None:
    store = SqliteMemoryStore(either, CACHE_MB)
    kept = await add(store, a_memory("m1"))
    large = a_memory("m2", content="x" * 600_000)

    def limit(connection: sqlite3.Connection) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 4}")

    await either.write(limit)
    with pytest.raises(Unavailable, match="its disk is full; nothing was saved"):
        await add(store, large)
    assert await store.get(TENANT, "m2") is None
    assert await store.changes(TENANT, "m2") == ()
    assert await store.get(TENANT, "m1") == kept
    assert await found(store, a_vector()) == {"m1": 1.0}
    await either.write(
        lambda connection: connection.execute("PRAGMA max_page_count = 100000").fetchone()
    )
    assert await add(store, large) == await store.get(TENANT, "m2")


async def test_a_lock_of_another_process_that_lasts_is_unavailable(
    database: Database, path: Path
) -> None:
    await database.write(note("a"))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="another process kept its file locked; nothing"):
            await database.write(note("b"))
        assert await names(database) == ["a"]
    assert await database.write(note("b")) == "b"


async def test_a_read_cannot_write(database: Database) -> None:
    with pytest.raises(Unavailable) as caught:
        await database.read(note("a"))
    assert caught.value.sentence == "The memory store did not answer: its file is read-only"
    assert await names(database) == []


async def test_one_read_is_of_one_moment(database: Database) -> None:
    began, gate = threading.Event(), threading.Event()

    def count_twice(connection: sqlite3.Connection) -> list[int]:
        select = "SELECT count(*) FROM tenants"
        first = connection.execute(select).fetchone()
        began.set()
        gate.wait()
        return [*first, *connection.execute(select).fetchone()]

    await database.write(note("a"))
    counting = asyncio.ensure_future(database.read(count_twice))
    await asyncio.to_thread(began.wait)
    await database.write(note("b"))
    gate.set()
    assert await counting == [1, 1]


async def test_a_closed_database_says_so(either: Database) -> None:
    await either.write(note("a"))
    await either.close()
    await either.close()
    with pytest.raises(Unavailable, match="closed"):
        await either.write(note("b"))
    with pytest.raises(Unavailable, match="closed"):
        await names(either)


async def test_closing_finishes_what_waits_and_leaves_one_file(path: Path) -> None:
    database = Database(path)
    waiting = [asyncio.ensure_future(database.write(note(f"{n}"))) for n in range(20)]
    await asyncio.sleep(0)
    await database.close()
    assert await asyncio.gather(*waiting) == [f"{n}" for n in range(20)]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def test_a_failure_that_nobody_foresaw_keeps_nobody_waiting(tmp_path: Path) -> None:
    opened = Database(tmp_path / "a name with a \0 in it" / "metacortex.db")
    with pytest.raises(Unavailable) as raised:
        await opened.write(note("x"))
    assert raised.value.sentence == "The memory store failed unexpectedly; nothing was saved"
    await opened.close()
