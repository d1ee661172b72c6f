"""The tenants of one database, of which each store of memories asks and writes."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from metacortex.adapters.firestore.connection import Connection
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.statistics import Statistics
from metacortex.domain.lifecycle import BranchState

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_client import AsyncClient

    from metacortex.adapters.firestore.superseding import Obsolete

T = TypeVar("T")


class Tenants:
    """Runs work on the collections of a tenant, and knows what has been counted in them;
    `collection` is the name of that of the memories.
    """

    def __init__(self, connection: Connection, collection: str) -> None:
        self.connection = connection
        self.collection = collection
        self.statistics = Statistics()

    def place(self, client: "AsyncClient", tenant: str) -> Tenant:
        """Return the collections of a tenant."""
        return Tenant(client, tenant, self.collection)

    async def read(self, tenant: str, work: Callable[[Tenant], Awaitable[T]]) -> T:
        """Run work that changes nothing, as `Connection.read` does."""
        return await self.connection.read(lambda client: work(self.place(client, tenant)))

    async def write(
        self, tenant: str, work: Callable[[Tenant], Awaitable[T]], commits: int = 1
    ) -> T:
        """Run work that may be run anew, as `Connection.write` does."""
        try:
            return await self.connection.write(
                lambda client: work(self.place(client, tenant)), commits
            )
        finally:
            # Even where it failed, since it may have arrived.
            self.statistics.forget(tenant)

    async def move_left(self, tenant: str, moved: "Iterable[Obsolete]") -> None:
        """Let those windows follow their memories that the commit of these had no room for."""
        for each in moved:
            await self.move_windows(tenant, each.record.memory.id, each.state, each.later)

    async def move_windows(
        self, tenant: str, memory_id: str, state: BranchState, windows: range
    ) -> None:
        """Let those windows follow their memory that its commit had no room for. A repeated move
        does it again: the first may have been cut off here.
        """
        from metacortex.adapters.firestore.windows import commits_of, move_windows

        if windows:
            await self.write(
                tenant,
                lambda place: move_windows(place, memory_id, state, windows),
                commits_of(len(windows)),
            )
