"""The connections of one database and the threads that use them.

All writes go through one thread. It takes every operation that is waiting, runs each in a savepoint
of one transaction, commits once, and only then answers: callers share the cost of making their
writes durable. Reads run on a few threads of their own, each in one snapshot. A database in memory
has one connection, so there reads queue with the writes.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from threading import local
from typing import Generic, Protocol, TypeVar

from metacortex.adapters.sqlite.failures import unanswered
from metacortex.adapters.sqlite.opening import empty_log, open_reader, open_writer
from metacortex.adapters.sqlite.schema import MIGRATIONS
from metacortex.domain.errors import MetaCortexError, Unavailable

READERS = 4
BUSY_SECONDS = 30.0
"""How long a write waits for other processes."""
_LARGEST_BATCH = 256

T = TypeVar("T")


class Database:
    """One SQLite file, or a database in memory where `path` is None, opened at its first use."""

    def __init__(
        self,
        path: Path | None,
        *,
        migrations: Sequence[str] = MIGRATIONS,
        busy_timeout: float = BUSY_SECONDS,
    ) -> None:
        self._path = path
        self._migrations = migrations
        self._busy_timeout = busy_timeout
        self._writing = ThreadPoolExecutor(1, "metacortex-writer")
        self._reading = ThreadPoolExecutor(READERS, "metacortex-reader")
        self._waiting: deque[_Waiting] = deque()
        self._writer: sqlite3.Connection | None = None
        self._of_thread = local()
        self._readers: list[sqlite3.Connection] = []
        self._closed = False

    async def open(self) -> None:
        """Open the database now, so that a fault of its file is known at start.

        Raises:
            StoreUnusable: the file, its folder or its disk cannot be used as it is.
        """
        await self.write(lambda _: None)

    async def write(self, run: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `run` returns once all that it did is durable.

        What it raises undoes all that it did, and reaches the caller.

        Raises:
            Unavailable: the database did not take it; nothing of it was saved.
        """
        if self._closed:
            raise Unavailable("The memory store is closed; nothing was saved")
        operation = _Operation(run)
        self._waiting.append(operation)
        self._writing.submit(self._commit_waiting)
        return await operation.future

    async def read(self, run: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `run` returns; all that it reads is of one moment, which is its first SELECT.

        Raises:
            Unavailable: the database did not answer.
        """
        within: sqlite3.Connection | None = getattr(self._of_thread, "within", None)
        if within is not None:
            return run(within)
        if self._path is None:
            return await self.write(run)
        if self._writer is None or self._closed:
            await self.open()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reading, self._run_in_snapshot, self._path, run)

    async def together(self, work: Callable[[], Coroutine[object, object, T]]) -> T:
        """Return what `work` returns, which awaits nothing but reads: they are of one moment, and
        all of it runs in the thread of a reader.

        Raises:
            Unavailable: the database did not answer.
        """
        context = copy_context()
        return await self.read(lambda connection: context.run(self._driven, connection, work))

    async def fold(self) -> None:
        """Fold the log into the file and empty it, so that what was deleted stands in neither.

        A reader that is still at an earlier moment, of whatever process, keeps it as it is: until
        the next call, or until the last connection to the file closes.
        """
        if self._path is None or self._closed:
            return
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writing, self._fold)

    async def close(self) -> None:
        """Finish what is waiting and close the file. The database cannot be used any more."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writing, self._close_connections)
        self._writing.shutdown(wait=False)

    def _fold(self) -> None:
        # What was deleted is durably so; that the log is still there is no failure of it.
        with suppress(sqlite3.Error):
            if self._writer is not None:
                empty_log(self._writer, self._busy_timeout)

    def _close_connections(self) -> None:
        self._reading.shutdown()
        # The writer goes last: the last connection to leave folds the log into the file.
        for connection in [*self._readers, self._writer]:
            if connection is not None:
                connection.close()

    def _run_in_snapshot(self, path: Path, run: Callable[[sqlite3.Connection], T]) -> T:
        try:
            connection = self._reader(path)
            connection.execute("BEGIN")
            try:
                return run(connection)
            finally:
                connection.rollback()
        except sqlite3.Error as error:
            raise unanswered(error, writing=False) from error

    def _driven(
        self, connection: sqlite3.Connection, work: Callable[[], Coroutine[object, object, T]]
    ) -> T:
        """Run work in this thread: with each read answered at once, it never has to wait."""
        around = getattr(self._of_thread, "within", None)
        self._of_thread.within = connection
        coroutine = work()
        try:
            coroutine.send(None)
        except StopIteration as done:
            result: T = done.value
            return result
        finally:
            coroutine.close()
            self._of_thread.within = around
        raise RuntimeError("What reads together awaits nothing but reads of this database")

    def _reader(self, path: Path) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._of_thread, "reader", None)
        if connection is None:
            connection = open_reader(path, self._busy_timeout)
            self._readers.append(connection)
            self._of_thread.reader = connection
        return connection

    def _commit_waiting(self) -> None:
        """Run and commit what is waiting, if an earlier call has not already taken it along."""
        batch: list[_Waiting] = []
        while self._waiting and len(batch) < _LARGEST_BATCH:
            batch.append(self._waiting.popleft())
        if not batch:
            return
        try:
            if self._writer is None:
                self._writer = open_writer(self._path, self._migrations, self._busy_timeout)
            _commit(self._writer, batch)
        except MetaCortexError as error:
            _fail(batch, error)
        except BaseException:
            # Nobody sees what this thread raises, but whoever waits must not wait for ever.
            _fail(batch, Unavailable("The memory store failed unexpectedly; nothing was saved"))
            raise
        finally:
            _answer(batch)


class _Waiting(Protocol):
    """One operation of a batch, whatever it returns."""

    loop: asyncio.AbstractEventLoop

    def attempt(self, connection: sqlite3.Connection) -> None: ...

    def fail(self, error: Exception) -> None: ...

    def answer(self) -> None: ...


class _Operation(Generic[T]):
    """What one caller wants done in the writing thread, and the future that it waits on."""

    def __init__(self, run: Callable[[sqlite3.Connection], T]) -> None:
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[T] = self.loop.create_future()
        self._run = run
        # A list, because None is a result as good as any other.
        self._results: list[T] = []
        self._error: Exception | None = None

    def attempt(self, connection: sqlite3.Connection) -> None:
        """Run inside the open transaction, so that a failure undoes this operation and no other.

        Raises:
            sqlite3.Error: the whole transaction is lost.
        """
        connection.execute("SAVEPOINT operation")
        try:
            self._results.append(self._run(connection))
        except Exception as error:
            # It belongs to the caller and not to the rest of the batch, unless it is one of those,
            # as of a full disk, upon which SQLite ends the whole transaction by itself.
            if isinstance(error, sqlite3.Error) and not connection.in_transaction:
                raise
            self.fail(error)
            connection.execute("ROLLBACK TO operation")
        connection.execute("RELEASE operation")

    def fail(self, error: Exception) -> None:
        """Let the caller have this error in place of a result."""
        if isinstance(error, sqlite3.Error):
            self._error = unanswered(error, writing=True)
            self._error.__cause__ = error
        else:
            self._error = error

    def answer(self) -> None:
        """Wake the caller, if it still waits. Runs in the caller's loop."""
        if self.future.done():
            return
        if self._error is not None:
            self.future.set_exception(self._error)
        else:
            self.future.set_result(self._results[0])


def _commit(connection: sqlite3.Connection, batch: Sequence[_Waiting]) -> None:
    try:
        connection.execute("BEGIN IMMEDIATE")
        for operation in batch:
            operation.attempt(connection)
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        with suppress(sqlite3.Error):
            connection.rollback()
        _fail(batch, error)


def _fail(batch: Iterable[_Waiting], error: Exception) -> None:
    for operation in batch:
        operation.fail(error)


def _answer(batch: Iterable[_Waiting]) -> None:
    batch_by_loop: dict[asyncio.AbstractEventLoop, list[_Waiting]] = {}
    for operation in batch:
        batch_by_loop.setdefault(operation.loop, []).append(operation)
    for loop, operations in batch_by_loop.items():
        # A loop that has closed in the meantime has nobody left who waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_answer_all, operations)


def _answer_all(operations: Iterable[_Waiting]) -> None:
    for operation in operations:
        operation.answer()
