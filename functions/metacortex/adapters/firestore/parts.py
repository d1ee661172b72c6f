"""The records that words, sessions and lists are looked for among, and what is asked of them:
queries by equalities, a term counting as one, and at most one order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from google.cloud.firestore_v1.async_query import AsyncQuery
from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import SCORED_FIELDS
from metacortex.adapters.firestore.layout import (
    LENGTH_FIELD,
    ORDER_FIELD,
    SESSION_FIELD,
    TERMS_FIELD,
    VECTOR_FIELD,
    Pushed,
    Tenant,
)
from metacortex.adapters.firestore.queries import pushed_into, pushed_of
from metacortex.adapters.firestore.upkeep import count_of
from metacortex.adapters.firestore.vectors import read_records
from metacortex.domain.listing import Place
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import MemoryFilter

BEFORE, AFTER = "DESCENDING", "ASCENDING"
Records = list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Part:
    """The records of a tenant that pass what is pushed, of one namespace or of all, whatever space
    their vectors live in; `fields` are read of each.
    """

    tenant: Tenant
    pushed: Pushed
    fields: tuple[str, ...]

    async def size(self) -> tuple[int, int]:
        """Return how many records there are whose terms were read, and how many terms these have in
        all.
        """
        # Its types tell less than it does.
        aggregation: Any = self._query.count(alias="count")
        (results,) = await aggregation.sum(LENGTH_FIELD, alias="sum").get(retry=None)
        by_alias = {result.alias: int(result.value) for result in results}
        return by_alias["count"], by_alias["sum"]

    async def everything(self, most: int) -> Records:
        """Return all records, `most` of them at most."""
        return await self._read(self._query, most)

    async def frequency(self, key: bytes, most: int) -> int:
        """Return how many records hold a term, up to `most`."""
        holders = self._query.where(filter=FieldFilter(TERMS_FIELD, "array_contains", key))
        return await count_of(holders.limit(most))

    async def holding(self, keys: Sequence[bytes], most: int) -> Records:
        """Return records that hold any of these terms, `most` of them at most."""
        any_of = FieldFilter(TERMS_FIELD, "array_contains_any", [*keys])
        return await self._read(self._query.where(filter=any_of), most)

    async def beside(self, memory: Memory, way: str, most: int) -> Records:
        """Return records of the same session, from before or after a memory and nearest first."""
        same = FieldFilter(SESSION_FIELD, "==", memory.session_id)
        query = self._in_order(self._query.where(filter=same), way, Place.of(memory))
        return await self._read(query, most)

    async def newest(
        self,
        most: int,
        after: Place | None = None,
        since: Milliseconds | None = None,
        until: Milliseconds | None = None,
    ) -> Records:
        """Return the newest records, or those that follow a place, of a time, newest first."""
        query = self._in_order(self._query, BEFORE, after)
        # Ends of the order and no filters: equalities and an order merge indexes, a range does not.
        if after is None and until is not None:
            query = query.start_after({ORDER_FIELD: until})
        if since is not None:
            query = query.end_at({ORDER_FIELD: since})
        return await self._read(query, most)

    @property
    def _query(self) -> AsyncQuery:
        # Fields are chosen later: what is added up would have to be among them.
        return pushed_into(AsyncQuery(self.tenant.memories), self.pushed)

    def _in_order(self, query: AsyncQuery, way: str, after: Place | None) -> AsyncQuery:
        ordered = query.order_by(ORDER_FIELD, direction=way).order_by("__name__", direction=way)
        if after is None:
            return ordered
        name = self.tenant.memory(after.memory_id)
        return ordered.start_after({ORDER_FIELD: after.created_at, "__name__": name})

    async def _read(self, query: AsyncQuery, most: int) -> Records:
        return await read_records(query.select(self.fields).limit(most))


def parts(tenant: Tenant, where: MemoryFilter, *, with_vectors: bool) -> Iterator[Part]:
    """Yield the parts that are all that passes what is pushed."""
    fields = (*SCORED_FIELDS, VECTOR_FIELD) if with_vectors else SCORED_FIELDS
    for pushed in pushed_of(where, None):
        yield Part(tenant, pushed, fields)
