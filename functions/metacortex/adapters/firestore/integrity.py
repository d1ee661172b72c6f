"""The record of truth and the memories of Firestore as they are stored, for whoever checks them.

Changes have arrived in the order of their commits, which is that of their creation times. They can
be asked for only in that of `committed_at`, when the server took their request in, and of two
writes at once the later request may be committed first. So what is read waits until nothing that
was committed before it can follow.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from metacortex.adapters.firestore.tenants import Tenants
from metacortex.domain.tampering import Kept, Recorded

if TYPE_CHECKING:
    from google.cloud.firestore_v1.base_document import DocumentSnapshot

    from metacortex.adapters.firestore.as_stored import Arrived

LONGEST_COMMIT = 60_000_000_000
"""More nanoseconds than may lie between a request and its commit."""


class FirestoreIntegrityStore:
    """The `IntegrityStore` of one database."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants

    async def entries(self, tenant: str) -> AsyncIterator[Sequence[Recorded]]:
        from metacortex.adapters.firestore.as_stored import arrived, recorded_after, taken_in
        from metacortex.adapters.firestore.forgetting import mark

        until = await self._tenants.read(tenant, mark)
        waiting: list[Arrived] = []
        last: DocumentSnapshot[Any] | None = None
        while page := await self._tenants.read(tenant, partial(recorded_after, last=last)):
            last = page[-1]
            for each in map(arrived, page):
                if each.at <= until:
                    heappush(waiting, each)
            yield [*_before(waiting, taken_in(last) - LONGEST_COMMIT)]
        yield [*_before(waiting, until + 1)]

    async def kept(self, tenant: str) -> AsyncIterator[Sequence[Kept]]:
        from metacortex.adapters.firestore.as_stored import kept_after

        last = ""
        while page := await self._tenants.read(tenant, partial(kept_after, last=last)):
            last = page[-1].id
            yield page

    async def examine(self, tenant: str, memory_id: str) -> tuple[Kept | None, Sequence[Recorded]]:
        from metacortex.adapters.firestore.as_stored import examine

        return await self._tenants.read(tenant, partial(examine, memory_id=memory_id))


def _before(waiting: "list[Arrived]", at: int) -> Iterator[Recorded]:
    """Take out what was committed before a moment, in order."""
    while waiting and waiting[0].at < at:
        yield heappop(waiting).recorded
