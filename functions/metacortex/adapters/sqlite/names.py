"""The vectors of names in SQLite: a row each, all of a namespace compared with one."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from metacortex.adapters.sqlite.conditions import among
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entity_rows import ENTITY_COLUMNS, load_entity
from metacortex.adapters.sqlite.inserting import space_key
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.knowledge.likeness import Near
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import Embedding

BLOCK = 2_000
"""How many names are compared at once."""

_SPACE = "(SELECT key FROM embedding_spaces WHERE model = ? AND dimension = ?)"
_SELECT_VECTORS = (
    "SELECT entity_id, vector FROM entity_vectors"
    f" WHERE tenant = ? AND space = {_SPACE} AND {{within}}"
)
_SELECT_ENTITIES = f"SELECT {ENTITY_COLUMNS} FROM entities AS e WHERE e.tenant = ? AND e.id "
_REPLACE = (
    "INSERT OR REPLACE INTO entity_vectors (tenant, entity_id, namespace, space, vector)"
    " SELECT tenant, id, namespace, ?, ? FROM entities WHERE tenant = ? AND id = ?"
)
_OUTSIDE = (
    "NOT EXISTS (SELECT 1 FROM entity_vectors AS v WHERE v.tenant = e.tenant"
    f" AND v.entity_id = e.id AND v.space = {_SPACE})"
)
_SELECT_OUTSIDE = (
    f"SELECT e.tenant, {ENTITY_COLUMNS} FROM entities AS e WHERE (e.tenant, e.id) > (?, ?)"
    f" AND {_OUTSIDE} ORDER BY e.tenant, e.id LIMIT ?"
)
_COUNT_OUTSIDE = f"SELECT count(*) FROM entities AS e WHERE {_OUTSIDE}"


class SqliteNameIndex:
    """The `NameIndex` of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def near(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        space: EmbeddingSpace,
        vector: Vector,
        limit: int,
    ) -> tuple[Near, ...]:
        within = "TRUE" if namespaces is None else f"namespace {among(namespaces)}"
        select_vectors = _SELECT_VECTORS.format(within=within)
        bound = (tenant, space.model, space.dimension, *(namespaces or ()))

        def near(connection: sqlite3.Connection) -> tuple[Near, ...]:
            cosines = _cosines(connection.execute(select_vectors, bound), vector)
            nearest = dict(sorted(cosines, key=lambda each: (-each[1], each[0]))[:limit])
            select = _SELECT_ENTITIES + among([*nearest])
            rows = connection.execute(select, (tenant, *nearest))
            found = {entity.id: entity for entity in map(load_entity, rows)}
            return tuple(Near(found[id_], cosine) for id_, cosine in nearest.items())

        return await self._database.read(near)

    async def outside(
        self, space: EmbeddingSpace, after: tuple[str, str], limit: int
    ) -> tuple[tuple[str, Entity], ...]:
        bound = (*after, space.model, space.dimension, limit)

        def select(connection: sqlite3.Connection) -> tuple[tuple[str, Entity], ...]:
            rows = connection.execute(_SELECT_OUTSIDE, bound)
            return tuple((tenant, load_entity(cells)) for tenant, *cells in rows)

        return await self._database.read(select)

    async def count_outside(self, space: EmbeddingSpace) -> int:
        bound = (space.model, space.dimension)
        return await self._database.read(
            lambda connection: int(connection.execute(_COUNT_OUTSIDE, bound).fetchone()[0])
        )

    async def replace(self, tenant: str, entity_ids: Sequence[str], names: Embedding) -> None:
        vectors = dict(zip(entity_ids, names.vectors, strict=True))
        await self._database.write(
            lambda connection: place_names(connection, tenant, names.space, vectors)
        )


def place_names(
    connection: sqlite3.Connection,
    tenant: str,
    space: EmbeddingSpace,
    vectors: Mapping[str, Vector],
) -> None:
    """Give entities the vectors of their names, by their ids."""
    key = space_key(connection, space)
    rows = [(key, vector.tobytes(), tenant, id_) for id_, vector in vectors.items()]
    connection.executemany(_REPLACE, rows)


def _cosines(rows: sqlite3.Cursor, vector: Vector) -> Iterator[tuple[str, float]]:
    import numpy as np

    asked = np.frombuffer(vector, dtype=np.float32)
    while block := rows.fetchmany(BLOCK):
        ids, cells = zip(*block, strict=True)
        vectors = np.frombuffer(b"".join(cells), dtype=np.float32).reshape(len(ids), len(asked))
        yield from zip(ids, (vectors @ asked).tolist(), strict=True)
