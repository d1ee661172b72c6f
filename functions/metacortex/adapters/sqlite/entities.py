"""Entities in SQLite: a row each, the keys of its name, and who mentions it.

Which memories mention what, the table `mentions` says: triggers keep it as the memories have it,
whatever writes them.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from math import ceil

from metacortex.adapters.sqlite.changes import count_write
from metacortex.adapters.sqlite.conditions import among, condition_of
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entity_rows import ENTITY_COLUMNS, dump_entity, load_entity
from metacortex.adapters.sqlite.merges import merge
from metacortex.adapters.sqlite.names import place_names
from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, load_memory
from metacortex.domain.knowledge.entity import Entity, folded_name
from metacortex.domain.knowledge.likeness import (
    MOST_COMPARED,
    MOST_KEYS,
    beginning_key,
    keys_of,
    likeness_keys,
)
from metacortex.domain.lifecycle import BranchState, Change
from metacortex.domain.memory import Memory
from metacortex.domain.search import MemoryFilter
from metacortex.domain.text import is_unicode
from metacortex.ports import Embedding

_INSERT = (
    "INSERT INTO entities"
    " (id, namespace, name, type, created_at, by_hand, merged_with, tenant, folded)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_INSERT_KEY = "INSERT INTO entity_keys (tenant, key, namespace, entity_id) VALUES (?, ?, ?, ?)"
_SELECT = f"SELECT {ENTITY_COLUMNS} FROM entities AS e WHERE e.tenant = ?"
_SELECT_MERGED = f"{_SELECT} AND e.merged_with IS NOT NULL ORDER BY e.id"
_SELECT_KEYED = (
    # Only those that are returned are read: the keys alone tell which.
    f"SELECT {ENTITY_COLUMNS} FROM (SELECT k.entity_id AS id"
    " FROM json_each(:keys) AS asked CROSS JOIN entity_keys AS k"
    " ON k.tenant = :tenant AND k.key = asked.value {in_namespace}"
    " GROUP BY k.entity_id ORDER BY count(*) DESC, k.entity_id LIMIT :limit) AS found"
    " CROSS JOIN entities AS e ON e.tenant = :tenant AND e.id = found.id"
)
_COUNT_MENTIONS = (
    "SELECT count(DISTINCT n.memory) FROM mentions AS n CROSS JOIN memories AS m"
    " ON m.key = n.memory WHERE n.tenant = ? AND n.entity_id {families} AND m.branch_state {states}"
)
_SELECT_MENTIONING = (
    f"SELECT {MEMORY_COLUMNS} FROM memories WHERE key IN"
    " (SELECT memory FROM mentions WHERE tenant = ? AND entity_id {families})"
    " AND {condition} ORDER BY created_at DESC, id DESC LIMIT ?"
)
_UPDATE_LINKS = "UPDATE memories SET entities = ?, seq = ? WHERE tenant = ? AND id = ?"
_DELETE_LOOSE = (
    "DELETE FROM entities WHERE tenant = :tenant AND id = :id AND merged_with IS NULL"
    " AND NOT EXISTS (SELECT 1 FROM mentions WHERE tenant = :tenant AND entity_id = :id)"
    " AND NOT EXISTS (SELECT 1 FROM entities WHERE tenant = :tenant AND merged_with = :id)"
)
_DELETE_UNMENTIONED = f"{_DELETE_LOOSE} AND NOT by_hand"
_DELETE_ALL = "DELETE FROM entities WHERE tenant = ?"


class SqliteEntityStore:
    """The `EntityStore` of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(
        self, tenant: str, entities: Sequence[Entity], names: Embedding | None = None
    ) -> tuple[str, ...]:
        def put(connection: sqlite3.Connection) -> tuple[str, ...]:
            new = [each for each in entities if _insert(connection, tenant, each)]
            if names is not None:
                ids = [each.id for each in entities]
                vectors = dict(zip(ids, names.vectors, strict=True))
                of_new = {each.id: vectors[each.id] for each in new}
                place_names(connection, tenant, names.space, of_new)
            return tuple(each.id for each in new)

        return await self._database.write(put)

    async def drop(self, tenant: str, entity_ids: Sequence[str]) -> None:
        await self._database.write(
            lambda connection: _delete(connection, _DELETE_LOOSE, tenant, entity_ids)
        )

    async def find(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        return await self._select(tenant, "e.id", entity_ids)

    async def named(
        self, tenant: str, namespaces: Sequence[str] | None, name: str
    ) -> tuple[Entity, ...]:
        found = await self._select(tenant, "e.folded", [folded_name(name)])
        return tuple(each for each in found if namespaces is None or each.namespace in namespaces)

    async def beginning(
        self, tenant: str, namespaces: Sequence[str] | None, words: Sequence[str]
    ) -> tuple[Entity, ...]:
        keys = [*map(beginning_key, words)]
        limit = MOST_COMPARED * ceil(len(keys) / MOST_KEYS)
        return await self._keyed(tenant, namespaces, keys, limit)

    async def resembling(
        self, tenant: str, namespaces: Sequence[str] | None, name: str
    ) -> tuple[Entity, ...]:
        keys = likeness_keys(name)[:MOST_KEYS]
        return await self._keyed(tenant, namespaces, keys, MOST_COMPARED)

    async def merged_into(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        return await self._select(tenant, "e.merged_with", entity_ids)

    async def merged(self, tenant: str) -> tuple[Entity, ...]:
        return await self._database.read(
            lambda connection: tuple(
                map(load_entity, connection.execute(_SELECT_MERGED, (tenant,)))
            )
        )

    async def mentions(
        self, tenant: str, families: Mapping[str, Sequence[str]], states: Sequence[BranchState]
    ) -> Mapping[str, int]:
        def count(connection: sqlite3.Connection) -> Mapping[str, int]:
            counted: dict[str, int] = {}
            for name, ids in families.items():
                select = _COUNT_MENTIONS.format(families=among(ids), states=among(states))
                counted[name] = connection.execute(select, (tenant, *ids, *states)).fetchone()[0]
            return counted

        return await self._database.read(count)

    async def mentioning(
        self, tenant: str, entity_ids: Sequence[str], where: MemoryFilter, limit: int
    ) -> tuple[Memory, ...]:
        ids = [*dict.fromkeys(filter(is_unicode, entity_ids))]
        condition, bound = condition_of(where)
        select = _SELECT_MENTIONING.format(families=among(ids), condition=condition)
        cells = (tenant, *ids, *bound, limit)
        return await self._database.read(
            lambda connection: tuple(map(load_memory, connection.execute(select, cells)))
        )

    async def link(self, tenant: str, memory_id: str, entity_ids: Sequence[str]) -> bool:
        def link(connection: sqlite3.Connection) -> bool:
            seq = count_write(connection, tenant)
            cells = (json.dumps([*entity_ids]), seq, tenant, memory_id)
            return connection.execute(_UPDATE_LINKS, cells).rowcount > 0

        return await self._database.write(link)

    async def merge(self, tenant: str, change: Change) -> bool:
        return await self._database.write(lambda connection: merge(connection, tenant, change))

    async def _select(self, tenant: str, column: str, values: Sequence[str]) -> tuple[Entity, ...]:
        wanted = [*dict.fromkeys(filter(is_unicode, values))]
        select = f"{_SELECT} AND {column} {among(wanted)} ORDER BY e.id"
        return await self._database.read(
            lambda connection: tuple(
                map(load_entity, connection.execute(select, (tenant, *wanted)))
            )
        )

    async def _keyed(
        self, tenant: str, namespaces: Sequence[str] | None, keys: Iterable[str], limit: int
    ) -> tuple[Entity, ...]:
        # No key holds a NUL, at which a text would end as a member of a list.
        bound = {"keys": json.dumps([*keys]), "tenant": tenant, "limit": limit}
        within = "" if namespaces is None else "AND k.namespace = :namespace"
        select = _SELECT_KEYED.format(in_namespace=within)

        def keyed(connection: sqlite3.Connection) -> list[Entity]:
            return [
                load_entity(cells)
                for namespace in (("",) if namespaces is None else dict.fromkeys(namespaces))
                for cells in connection.execute(select, {**bound, "namespace": namespace})
            ]

        return tuple(sorted(await self._database.read(keyed), key=lambda entity: entity.id))


def drop_unmentioned(connection: sqlite3.Connection, tenant: str, ids: Iterable[str]) -> None:
    """Delete those of these entities that nothing mentions, as `EntityStore` tells."""
    _delete(connection, _DELETE_UNMENTIONED, tenant, ids)


def drop_all(connection: sqlite3.Connection, tenant: str) -> None:
    """Delete all entities of a tenant."""
    connection.execute(_DELETE_ALL, (tenant,))


def _delete(
    connection: sqlite3.Connection, statement: str, tenant: str, ids: Iterable[str]
) -> None:
    rows = [{"tenant": tenant, "id": id_} for id_ in dict.fromkeys(ids) if is_unicode(id_)]
    connection.executemany(statement, rows)


def _insert(connection: sqlite3.Connection, tenant: str, entity: Entity) -> bool:
    """Store an entity with its keys, or return False where it is there already."""
    cells = (*dump_entity(entity), tenant, folded_name(entity.name))
    if not connection.execute(_INSERT, cells).rowcount:
        return False
    place = (entity.namespace, entity.id)
    keys = [(tenant, key, *place) for key in keys_of(entity.name)]
    connection.executemany(_INSERT_KEY, keys)
    return True
