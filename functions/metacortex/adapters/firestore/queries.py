"""The searches that are pushed into the vector index, in exactly these shapes."""

from asyncio import Semaphore
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import SCORED_FIELDS
from metacortex.adapters.firestore.known import cosine_of
from metacortex.adapters.firestore.layout import PUSHED_FIELDS, VECTOR_FIELD, Pushed, Tenant
from metacortex.adapters.firestore.upkeep import count_of
from metacortex.adapters.firestore.vectors import NearestQuery, read_records
from metacortex.domain.search import MemoryFilter
from metacortex.domain.text import is_unicode
from metacortex.domain.vector import EmbeddingSpace, Vector

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_query import AsyncQuery

DISTANCE = "distance"
WINDOW_FIELDS = ("memory_id",)
LONGEST_INDEXED = 1_500
"""How many bytes of a text Firestore compares with a filter; a longer one it refuses."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one query found: a memory's id, how near one of its vectors is, and the record where
    the query reads records.
    """

    memory_id: str
    cosine: float
    record: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Leg:
    """One of the queries of a search: over records or over further windows, of one namespace or,
    where it is None, of all.
    """

    tenant: Tenant
    over_windows: bool
    pushed: Pushed

    @property
    def pushed_part(self) -> "AsyncQuery":
        """The query without its vector: all rows that pass what is pushed."""
        collection = self.tenant.windows if self.over_windows else self.tenant.memories
        return pushed_into(collection.select([*self._fields]), self.pushed)

    async def count(self, most: int | None = None) -> int:
        """Return how many rows pass what is pushed, up to `most`."""
        return await count_of(self.pushed_part if most is None else self.pushed_part.limit(most))

    async def nearest(self, query: Vector, limit: int, permits: Semaphore) -> list[Row]:
        """Return the `limit` nearest rows, nearest first, asked for when it is their turn."""
        passing = self.pushed_part.select([*self._fields, DISTANCE])
        nearest = NearestQuery(passing, query, limit, DISTANCE)
        async with permits:
            return [
                self._row(snapshot.id, stored, 1.0 - stored.pop(DISTANCE))
                async for snapshot in nearest.stream(retry=None)
                if (stored := snapshot.to_dict())
            ]

    async def everything(self, query: Vector, most: int | None = None) -> list[Row]:
        """Return all rows that pass what is pushed, `most` at most, scored here."""
        passing = self.pushed_part.select([*self._fields, VECTOR_FIELD])
        if most is not None:
            passing = passing.limit(most)
        return [
            self._row(id_, stored, cosine_of(query, stored.pop(VECTOR_FIELD)))
            for id_, stored in await read_records(passing)
        ]

    @property
    def _fields(self) -> tuple[str, ...]:
        return WINDOW_FIELDS if self.over_windows else SCORED_FIELDS

    def _row(self, document_id: str, stored: dict[str, Any], cosine: float) -> Row:
        if self.over_windows:
            return Row(stored["memory_id"], cosine, None)
        return Row(document_id, cosine, stored)


def legs(tenant: Tenant, space: EmbeddingSpace, where: MemoryFilter) -> Iterator[Leg]:
    """Yield the queries of a search; their rows together are all that pass what is pushed."""
    for pushed in pushed_of(where, space):
        for over_windows in (False, True):
            yield Leg(tenant, over_windows, pushed)


def best_cosines(rows: Iterable[Row]) -> dict[str, float]:
    """Return the cosine of each memory's nearest row, by the memory's id."""
    best: dict[str, float] = {}
    for row in rows:
        best[row.memory_id] = max(best.get(row.memory_id, -inf), row.cosine)
    return best


def pushed_into(query: "AsyncQuery", pushed: Pushed) -> "AsyncQuery":
    """Return a query with these filters beside its own."""
    for field, value in pushed:
        query = query.where(filter=FieldFilter(field, "==", value))
    return query


def is_pushed(where: MemoryFilter) -> bool:
    """Whether a filter says no more than what is pushed, and when it must hold."""
    return where == MemoryFilter(where.namespaces, where.branch_state, where.valid_at, where.topic)


def may_be_stored(where: MemoryFilter) -> bool:
    """Whether Firestore can hold the labels that a filter asks for: else no memory has them."""
    return all(map(is_indexed, where.texts))


def is_indexed(text: str) -> bool:
    """Whether Firestore finds what has this label."""
    return is_unicode(text) and len(text.encode()) <= LONGEST_INDEXED


def pushed_of(where: MemoryFilter, space: EmbeddingSpace | None) -> Iterator[Pushed]:
    """Yield what is pushed for each namespace of a filter, or once for all; without a space,
    records of every space pass.
    """
    namespaces = (None,) if where.namespaces is None else tuple(dict.fromkeys(where.namespaces))
    for namespace in namespaces:
        values = (str(space) if space else None, where.branch_state.value, namespace, where.topic)
        yield tuple(
            (field, value)
            for field, value in zip(PUSHED_FIELDS, values, strict=True)
            if value is not None
        )
