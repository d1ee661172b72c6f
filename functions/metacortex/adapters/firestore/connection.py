"""The connection to one Firestore database: made at the first need, with one deadline, one way to
try again and one translation of errors for every call.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from metacortex.adapters.firestore.layout import CLIENTS

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_client import AsyncClient

T = TypeVar("T")

DEADLINE = 10.0
"""Seconds that a read, or a write of one commit, may take, all its attempts together."""
BRIEFLY = 2.0
"""The same for what no answer depends on, while one waits for it."""
ATTEMPTS = 5
FIRST_PAUSE = 0.05

Pause = Callable[[float], Awaitable[None]]


class Connection:
    """Runs work on a client of one database; `project` is None where the credentials name it.

    The client is made within the process and the event loop that uses it first: gRPC survives
    neither a fork nor a change of the loop.
    """

    def __init__(
        self,
        project: str | None,
        database: str,
        deadline: float = DEADLINE,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._project = project
        self._database = database
        self.deadline = deadline
        self._pause = pause
        self._client: AsyncClient | None = None

    async def read(self, work: "Callable[[AsyncClient], Awaitable[T]]") -> T:
        """Run work that changes nothing.

        Raises:
            Unavailable: the store did not answer.
            StoreUnusable: there are no credentials.
        """
        return await self._run(work, writing=False, deadline=self.deadline)

    async def write(
        self,
        work: "Callable[[AsyncClient], Awaitable[T]]",
        commits: int = 1,
        *,
        briefly: bool = False,
    ) -> T:
        """Run work that may be run anew after a fault, whether or not its commit arrived. It has
        the time of as many `commits`, or little time.

        Raises:
            Unavailable: the store did not answer.
            StoreUnusable: there are no credentials.
        """
        deadline = BRIEFLY if briefly else commits * self.deadline
        return await self._run(work, writing=True, deadline=deadline)

    async def write_once(self, work: "Callable[[AsyncClient], Awaitable[T]]") -> T:
        """Run work that must not be done twice, and briefly: it is run anew only where the store
        says that it has not applied it.

        Raises:
            Unavailable: the store did not answer.
            StoreUnusable: there are no credentials.
        """
        return await self._run(work, writing=True, deadline=BRIEFLY, once=True)

    async def open(self) -> None:
        """Reach the database.

        Raises:
            Unavailable, StoreUnusable: it cannot be used.
        """

        async def reach(client: "AsyncClient") -> None:
            await client.collection(CLIENTS).document("-").get(retry=None)

        await self.read(reach)

    async def close(self) -> None:
        """Close the channel. A later call would open another."""
        if self._client is not None:
            client, self._client = self._client, None
            # The library has no public way to close an asynchronous client.
            await client._firestore_api.transport.close()

    async def _run(
        self,
        work: "Callable[[AsyncClient], Awaitable[T]]",
        *,
        writing: bool,
        deadline: float,
        once: bool = False,
    ) -> T:
        from google.api_core.exceptions import GoogleAPIError
        from google.auth.exceptions import GoogleAuthError

        from metacortex.adapters.firestore.failures import unanswered

        failed: list[Exception] = []
        client: AsyncClient | None = None
        try:
            # The first call loads the library, which may take seconds of its own.
            client = self._connected()
            async with asyncio.timeout(deadline):
                return await self._attempts(work, client, failed, once=once)
        except TimeoutError as error:
            self._leave(client)
            raise unanswered([*failed, error], writing=writing) from error
        except (GoogleAPIError, GoogleAuthError) as error:
            raise unanswered([*failed, error], writing=writing) from error

    async def _attempts(
        self,
        work: "Callable[[AsyncClient], Awaitable[T]]",
        client: "AsyncClient",
        failed: list[Exception],
        *,
        once: bool,
    ) -> T:
        from metacortex.adapters.firestore.failures import NOT_YET_APPLIED, PASSING

        passing = NOT_YET_APPLIED if once else PASSING
        for attempt in range(ATTEMPTS - 1):
            try:
                return await work(client)
            except passing as error:
                failed.append(error)
                await self._pause(FIRST_PAUSE * 2**attempt * random.uniform(0.5, 1.5))
        return await work(client)

    def _connected(self) -> "AsyncClient":
        if self._client is None:
            from metacortex.adapters.firestore.channel import new_client

            self._client = new_client(self._project, self._database)
        return self._client

    def _leave(self, client: "AsyncClient | None") -> None:
        # What is dead without saying so would hold up every later call too. Its channel closes by
        # itself once no other call waits for it.
        if client is self._client:
            self._client = None
