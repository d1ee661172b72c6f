"""The vectors of a tenant's names in one space as arrays, and how they follow writes.

No number of a row is ever given again (`AUTOINCREMENT`), so how many rows there are and the highest
of their numbers tell them from what they were at any other moment: where both are the same, all is.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from metacortex.adapters.sqlite.cache import Cache
from metacortex.adapters.sqlite.columns import Growing
from metacortex.adapters.sqlite.conditions import among
from metacortex.adapters.sqlite.legs import Places, highest, products
from metacortex.adapters.sqlite.records import Codes, Floats, Integers, Names
from metacortex.domain.vector import EmbeddingSpace, Vector

BLOCK = 2_000
"""How many names are read at once."""

_BYTES_OF_ROW = 12
"""What a row takes beside its vector."""
_OF_SPACE = (
    "FROM name_vectors WHERE tenant = ?"
    " AND space = (SELECT key FROM embedding_spaces WHERE model = ? AND dimension = ?)"
)
_SELECT_EXTENT = f"SELECT count(*), coalesce(max(key), 0) {_OF_SPACE}"
_SELECT_LATER = f"SELECT key, namespace, vector {_OF_SPACE} AND key > ? AND {{within}}"


@dataclass(frozen=True, slots=True)
class NameRows:
    """Parallel arrays, one row for each name."""

    keys: Integers
    namespaces: Codes
    vectors: Floats


@dataclass(frozen=True, slots=True)
class Extent:
    """How many names there are, and the key of the last."""

    count: int
    last: int


@dataclass(frozen=True, slots=True)
class NameVectors:
    """The names of one tenant that have a vector in one space, as they stood at one moment."""

    rows: Growing[NameRows]
    namespaces: Names = field(default_factory=Names)

    @property
    def extent(self) -> Extent:
        """Which moment that was."""
        return Extent(self.rows.size, int(self.rows.used.keys.max(initial=0)))

    @property
    def nbytes(self) -> int:
        """How much memory it takes."""
        return self.rows.nbytes

    def within(self, namespaces: Sequence[str] | None) -> Places:
        """Return in which rows the names of these namespaces are, or all."""
        codes = self.rows.used.namespaces
        if namespaces is None:
            return np.arange(len(codes))
        return np.flatnonzero(np.isin(codes, self.namespaces.known(tuple(namespaces))))

    def with_rows(self, arrived: NameRows) -> "NameVectors":
        """Return the names with more behind their own."""
        return NameVectors(self.rows.with_rows(arrived), self.namespaces)


def nearest(
    connection: sqlite3.Connection,
    cache: Cache,
    tenant: str,
    namespaces: Sequence[str] | None,
    space: EmbeddingSpace,
    vector: Vector,
    limit: int,
) -> Iterator[tuple[int, float]]:
    """Yield the keys of all names that may be among the `limit` nearest, with their cosines, in one
    snapshot.
    """
    asked = np.frombuffer(vector, dtype=np.float32)
    held = _held(connection, cache, tenant, space)
    if held is not None:
        rows, places = held.rows.used, held.within(namespaces)
        yield from _best(rows.keys[places], products(rows.vectors, places, asked), limit)
        return
    for block in _read(connection, tenant, space, Names(), within=namespaces):
        yield from _best(block.keys, np.vecdot(block.vectors, asked), limit)


def _held(
    connection: sqlite3.Connection, cache: Cache, tenant: str, space: EmbeddingSpace
) -> NameVectors | None:
    """Return the names of this snapshot, or None where the cache has no room for them."""
    # What is kept for searches took longer to read, and is not given up for names while it is used.
    room = cache.room_beside_used_since(NameVectors, (tenant, space))
    slot = cache.slot(NameVectors, (tenant, space))
    with slot.lock:
        bound = (tenant, space.model, space.dimension)
        extent = Extent(*connection.execute(_SELECT_EXTENT, bound).fetchone())
        held = slot.held
        if held is not None and held.extent != extent:
            held = _followed(connection, tenant, space, held)
        if held is None or held.extent != extent or held.nbytes > room:
            slot.held = None
            held = _loaded(connection, tenant, space, extent, room)
        slot.held = held
    cache.trim()
    return held


def _followed(
    connection: sqlite3.Connection, tenant: str, space: EmbeddingSpace, held: NameVectors
) -> NameVectors:
    """Return the names with those that came later, and none gone."""
    for arrived in _read(connection, tenant, space, held.namespaces, after=held.extent.last):
        held = held.with_rows(arrived)
    return held


def _loaded(
    connection: sqlite3.Connection, tenant: str, space: EmbeddingSpace, extent: Extent, room: int
) -> NameVectors | None:
    count = extent.count
    if count * _BYTES_OF_ROW + count * 4 * space.dimension > room:
        return None
    empty = NameRows(
        np.empty(count, np.int64),
        np.empty(count, np.int32),
        np.empty((count, space.dimension), np.float32),
    )
    return _followed(connection, tenant, space, NameVectors(Growing(empty, 0)))


def _read(
    connection: sqlite3.Connection,
    tenant: str,
    space: EmbeddingSpace,
    names: Names,
    *,
    after: int = 0,
    within: Sequence[str] | None = None,
) -> Iterator[NameRows]:
    """Yield the names with keys beyond `after`, `BLOCK` at a time; of these namespaces, or all."""
    condition = "TRUE" if within is None else f"namespace {among(within)}"
    bound = (tenant, space.model, space.dimension, after, *(within or ()))
    found = connection.execute(_SELECT_LATER.format(within=condition), bound)
    while block := found.fetchmany(BLOCK):
        keys, namespaces, vectors = zip(*block, strict=True)
        matrix = np.frombuffer(b"".join(vectors), dtype=np.float32)
        yield NameRows(
            np.array(keys, dtype=np.int64),
            names.learn(namespaces),
            matrix.reshape(-1, space.dimension),
        )


def _best(keys: Integers, cosines: Floats, limit: int) -> Iterator[tuple[int, float]]:
    if len(keys) > limit:
        chosen = cosines >= highest(cosines, limit)
        keys, cosines = keys[chosen], cosines[chosen]
    yield from zip(keys.tolist(), cosines.tolist(), strict=True)
