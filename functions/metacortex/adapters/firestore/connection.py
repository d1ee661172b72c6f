"""The connection to one Firestore database: made at the first need, with one deadline, one way to
try again and one translation of errors for every call.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_client import AsyncClient

T = TypeVar("T")

DEADLINE = 10.0
"""Seconds that one call of a store may take, all its attempts together."""
ATTEMPTS = 5
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0

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
        self._deadline = deadline
        self._pause = pause
        self._client: AsyncClient | None = None

    async def read(self, work: "Callable[[AsyncClient], Awaitable[T]]") -> T:
        """Run work that changes nothing.

        Raises:
            Unavailable: the store did not answer.
            StoreUnusable: there are no credentials.
        """
        return await self._run(work, writing=False)

    async def write(self, work: "Callable[[AsyncClient], Awaitable[T]]") -> T:
        """Run work that may be run anew after a fault, whether or not its commit arrived.

        Raises:
            Unavailable: the store did not answer.
            StoreUnusable: there are no credentials.
        """
        return await self._run(work, writing=True)

    async def open(self) -> None:
        """Reach the database.

        Raises:
            Unavailable, StoreUnusable: it cannot be used.
        """

        async def reach(client: "AsyncClient") -> None:
            await client.collection("clients").document("-").get(retry=None)

        await self.read(reach)

    async def close(self) -> None:
        """Close the channel. A later call would open another."""
        if self._client is not None:
            client, self._client = self._client, None
            # The library has no public way to close an asynchronous client.
            await client._firestore_api.transport.close()

    async def _run(self, work: "Callable[[AsyncClient], Awaitable[T]]", *, writing: bool) -> T:
        from google.api_core.exceptions import GoogleAPIError
        from google.auth.exceptions import GoogleAuthError

        from metacortex.adapters.firestore.failures import unanswered

        try:
            async with asyncio.timeout(self._deadline):
                return await self._attempts(work)
        except (GoogleAPIError, GoogleAuthError, TimeoutError) as error:
            raise unanswered(error, writing=writing) from error

    async def _attempts(self, work: "Callable[[AsyncClient], Awaitable[T]]") -> T:
        from metacortex.adapters.firestore.failures import PASSING

        client = await self._connected()
        for attempt in range(ATTEMPTS - 1):
            try:
                return await work(client)
            except PASSING:
                pause = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
                await self._pause(pause * random.uniform(0.5, 1.5))
        return await work(client)

    async def _connected(self) -> "AsyncClient":
        if self._client is None:
            from google.cloud.firestore_v1.async_client import AsyncClient

            self._client = AsyncClient(project=self._project, database=self._database)
        return self._client
