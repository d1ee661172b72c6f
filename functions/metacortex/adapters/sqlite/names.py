"""The vectors of names in SQLite: a row each, all of a namespace compared with one."""

import json
import sqlite3
from collections.abc import Mapping, Sequence

from metacortex.adapters.sqlite.cache import Cache
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entity_rows import ENTITY_COLUMNS, load_entity
from metacortex.adapters.sqlite.inserting import space_key
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.knowledge.likeness import Near
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import Embedding

_SPACE = "(SELECT key FROM embedding_spaces WHERE model = ? AND dimension = ?)"
_SELECT_ENTITIES = (
    f"SELECT v.key, {ENTITY_COLUMNS} FROM json_each(?) AS near CROSS JOIN name_vectors AS v"
    " ON v.key = near.value CROSS JOIN entities AS e ON e.tenant = v.tenant AND e.id = v.entity_id"
)
_REPLACE = (
    "INSERT OR REPLACE INTO name_vectors (tenant, entity_id, namespace, space, vector)"
    " SELECT tenant, id, namespace, ?, ? FROM entities WHERE tenant = ? AND id = ?"
)
_OUTSIDE = (
    "NOT EXISTS (SELECT 1 FROM name_vectors AS v WHERE v.tenant = e.tenant"
    f" AND v.entity_id = e.id AND v.space = {_SPACE})"
)
_SELECT_OUTSIDE = (
    f"SELECT e.tenant, {ENTITY_COLUMNS} FROM entities AS e WHERE (e.tenant, e.id) > (?, ?)"
    f" AND {_OUTSIDE} ORDER BY e.tenant, e.id LIMIT ?"
)
_COUNT_OUTSIDE = f"SELECT count(*) FROM entities AS e WHERE {_OUTSIDE}"


class SqliteNameIndex:
    """The `NameIndex` of one database."""

    def __init__(self, database: Database, cache: Cache) -> None:
        self._database = database
        self._cache = cache

    async def near(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        space: EmbeddingSpace,
        vector: Vector,
        limit: int,
    ) -> tuple[Near, ...]:
        def near(connection: sqlite3.Connection) -> tuple[Near, ...]:
            # numpy takes longer to load than all else together.
            from metacortex.adapters.sqlite.name_vectors import nearest

            cosine_by_key = dict(
                nearest(connection, self._cache, tenant, namespaces, space, vector, limit)
            )
            rows = connection.execute(_SELECT_ENTITIES, (json.dumps([*cosine_by_key]),))
            found = [Near(load_entity(cells), cosine_by_key[key]) for key, *cells in rows]
            return tuple(sorted(found, key=lambda each: (-each.cosine, each.entity.id))[:limit])

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
