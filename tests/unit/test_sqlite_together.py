"""Reads of one database that are done together: of one moment, in one thread."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextvars import ContextVar
from pathlib import Path

import pytest

from metacortex.adapters.sqlite.database import Database
from metacortex.domain.errors import NotFound, Unavailable

ASKED_BY: ContextVar[str] = ContextVar("ASKED_BY")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metacortex.db"


@pytest.fixture(params=["disk", "memory"])
async def database(request: pytest.FixtureRequest, path: Path) -> AsyncIterator[Database]:
    opened = Database(path if request.param == "disk" else None)
    yield opened
    await opened.close()


async def tenants(database: Database) -> int:
    """Return how many tenants are stored."""
    count: int = await database.read(
        lambda connection: connection.execute("SELECT count(*) FROM tenants").fetchone()[0]
    )
    return count


def note(connection: sqlite3.Connection) -> None:
    """Store one more tenant."""
    connection.execute("INSERT INTO tenants SELECT count(*), 0, 0 FROM tenants")


async def test_what_another_process_writes_between_two_reads_is_seen_by_neither(
    path: Path,
) -> None:
    here, there = Database(path), Database(path)
    await there.write(note)
    between = asyncio.get_running_loop()

    async def twice() -> tuple[int, int]:
        before = await tenants(here)
        asyncio.run_coroutine_threadsafe(there.write(note), between).result()
        return before, await tenants(here)

    assert await here.together(twice) == (1, 1)
    assert await tenants(here) == 2
    await here.close()
    await there.close()


async def test_all_of_it_runs_in_one_thread_that_is_not_the_loops(database: Database) -> None:
    async def threads() -> set[int]:
        return {
            threading.get_ident(),
            await database.read(lambda _: threading.get_ident()),
            await database.together(inner),
            await database.read(lambda _: threading.get_ident()),
        }

    async def inner() -> int:
        return await database.read(lambda _: threading.get_ident())

    (thread,) = await database.together(threads)
    assert thread != threading.get_ident()


async def test_what_is_asked_for_around_it_is_known_within(database: Database) -> None:
    ASKED_BY.set("a call")

    async def asked_by() -> str:
        return ASKED_BY.get()

    assert await database.together(asked_by) == "a call"


async def test_what_it_raises_reaches_the_caller_and_the_next_reads_on(database: Database) -> None:
    async def missing() -> None:
        await tenants(database)
        raise NotFound("There is none")

    with pytest.raises(NotFound, match="There is none"):
        await database.together(missing)
    assert await tenants(database) == 0


async def test_a_read_that_the_database_refuses_is_told_as_ever(database: Database) -> None:
    async def refused() -> None:
        await database.read(lambda connection: connection.execute("SELECT nothing"))

    with pytest.raises(Unavailable, match="the database refused the request"):
        await database.together(refused)


async def test_nothing_but_reads_can_be_waited_for_within(database: Database) -> None:
    async def writes() -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="awaits nothing but reads"):
        await database.together(writes)
    assert await tenants(database) == 0
