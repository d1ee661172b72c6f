"""Facts in SQLite: rows of `memories`, found by subject, predicate and object through indexes."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from metacortex.adapters.sqlite.cache import Cache
from metacortex.adapters.sqlite.changes import append, apply, changes_of
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.inserting import insert
from metacortex.adapters.sqlite.lookup import get
from metacortex.adapters.sqlite.recent import recent_of
from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, load_memory
from metacortex.adapters.sqlite.terms import dump_text
from metacortex.domain.details import Kind
from metacortex.domain.errors import NotFound
from metacortex.domain.forgetting import Entry
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.joining import past_of_each
from metacortex.domain.knowledge.new_fact import NO_SOURCE
from metacortex.domain.knowledge.placing import Check, Placed, accept, no_say_before, place
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.ports import Embedding

# Written as in the indexes: SQLite uses one for an expression only where it is the same.
_SUBJECT = "json_extract(details, '$.subject_id')"
_PREDICATE = "json_extract(details, '$.predicate')"
_OBJECT = "json_extract(details, '$.object_id')"


def _of(kind: Kind, index: str = "") -> str:
    return f"FROM memories {index} WHERE tenant = :tenant AND kind = '{kind.value}'"


_FACTS = _of(Kind.FACT)
_SELECT = f"SELECT {MEMORY_COLUMNS} {_FACTS}"
_SELECT_TIMELINE = (
    f"{_SELECT} AND {_SUBJECT} IN (SELECT value FROM json_each(:subjects))"
    f" AND {_PREDICATE} = :predicate AND namespace = :namespace"
)
SELECT_WHOLE = f"{_SELECT_TIMELINE} ORDER BY +id"
SELECT_OPEN = f"{_SELECT_TIMELINE} AND valid_until IS NULL"
SELECT_ENDING = f"{_SELECT_TIMELINE} AND valid_until > :since"
SELECT_ENDED = (
    f"{_SELECT_TIMELINE} AND valid_until <= :since ORDER BY valid_until DESC, id DESC LIMIT :limit"
)
_NAMED = "IN (SELECT value FROM json_each(:entities))"
_IN_NAMESPACES = (
    " AND (:namespaces IS NULL OR namespace IN (SELECT value FROM json_each(:namespaces)))"
)
# One query for each index: with OR in one, SQLite uses neither.
SELECT_ABOUT = (
    "SELECT key FROM memories WHERE key IN"
    f" (SELECT key {_FACTS} AND {_SUBJECT} {_NAMED}"
    f" UNION SELECT key {_FACTS} AND {_OBJECT} {_NAMED})"
    f"{_IN_NAMESPACES} AND branch_state IN (SELECT value FROM json_each(:states))"
    " ORDER BY +id LIMIT :limit"
)
# Of indexes that narrow down as much the planner takes any, and only this one holds the sources.
SELECT_DRAWN = (
    f"SELECT {MEMORY_COLUMNS} FROM memories WHERE key IN"
    f" (SELECT key {_of(Kind.FACT, 'INDEXED BY facts_by_sources')}"
    " AND sources <> '[]' AND EXISTS (SELECT 1 FROM json_each(sources)"
    " WHERE value IN (SELECT value FROM json_each(:ids)))) ORDER BY +id"
)
_NEWEST_FIRST = f"{_IN_NAMESPACES} ORDER BY created_at DESC, id DESC LIMIT :limit"
SELECT_NEWEST = f"{_SELECT}{_NEWEST_FIRST}"
SELECT_EPISODES = f"SELECT {MEMORY_COLUMNS} {_of(Kind.EPISODE)}{_NEWEST_FIRST}"


class SqliteFactStore:
    """The `FactStore` of one database. What is read again and again stays in `cache`."""

    def __init__(self, database: Database, cache: Cache) -> None:
        self._database = database
        self._cache = cache

    async def add_fact(
        self,
        tenant: str,
        memory: Memory,
        embedding: Embedding,
        client: str,
        aliases: Sequence[str] = (),
        object_aliases: Sequence[str] = (),
        check: Check = accept,
    ) -> Placed:
        terms = await dump_text(memory.text)

        def add_fact(connection: sqlite3.Connection) -> Placed:
            newcomer = Fact(memory)
            if any(get(connection, tenant, id_) is None for id_ in memory.sources):
                raise NotFound(NO_SOURCE)
            timeline = timeline_of(connection, tenant, newcomer, aliases)
            placed = place(newcomer, timeline, client, object_aliases)
            check(placed)
            for change in placed.changes:
                if change.before is None:
                    fact = placed.fact.memory
                    seq = insert(connection, tenant, fact, terms, embedding)
                    append(connection, tenant, seq, change)
                else:
                    apply(connection, tenant, change)
            return placed

        return await self._database.write(add_fact)

    async def facts_about(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        entity_ids: Sequence[str],
        states: Sequence[BranchState] = tuple(BranchState),
        limit: int | None = None,
    ) -> tuple[Fact, ...]:
        bound: dict[str, str | int | None] = {
            "tenant": tenant,
            "namespaces": _listed(namespaces),
            "entities": json.dumps([*entity_ids]),
            "states": json.dumps([*states]),
            "limit": -1 if limit is None else limit,
        }

        def about(connection: sqlite3.Connection) -> tuple[Fact, ...]:
            keys = [key for (key,) in connection.execute(SELECT_ABOUT, bound)]
            found = recent_of(connection, self._cache, tenant).of(connection, keys)
            return tuple(Fact(found[key]) for key in keys)

        return await self._database.read(about)

    async def timeline(
        self, tenant: str, namespace: str, subject_ids: Sequence[str], predicate: str
    ) -> tuple[Fact, ...]:
        bound = {
            "namespace": namespace,
            "subjects": json.dumps([*subject_ids]),
            "predicate": predicate,
        }
        return await self._facts(SELECT_WHOLE, tenant, None, bound)

    async def drawn_from(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Fact, ...]:
        return await self._facts(SELECT_DRAWN, tenant, None, {"ids": json.dumps([*memory_ids])})

    async def facts(
        self, tenant: str, namespaces: Sequence[str] | None, limit: int
    ) -> tuple[Fact, ...]:
        return await self._facts(SELECT_NEWEST, tenant, namespaces, {"limit": limit})

    async def episodes(
        self, tenant: str, namespaces: Sequence[str] | None, limit: int
    ) -> tuple[Memory, ...]:
        return await self._read(SELECT_EPISODES, tenant, namespaces, {"limit": limit})

    async def changes_of(
        self, tenant: str, memory_ids: Sequence[str]
    ) -> Mapping[str, tuple[Entry, ...]]:
        return await self._database.read(
            lambda connection: {id_: changes_of(connection, tenant, id_) for id_ in memory_ids}
        )

    async def _facts(
        self,
        query: str,
        tenant: str,
        namespaces: Sequence[str] | None,
        bound: Mapping[str, str | int],
    ) -> tuple[Fact, ...]:
        return tuple(map(Fact, await self._read(query, tenant, namespaces, bound)))

    async def _read(
        self,
        query: str,
        tenant: str,
        namespaces: Sequence[str] | None,
        bound: Mapping[str, str | int],
    ) -> tuple[Memory, ...]:
        given = {"tenant": tenant, "namespaces": _listed(namespaces), **bound}
        return await self._database.read(
            lambda connection: tuple(map(load_memory, connection.execute(query, given)))
        )


def timeline_of(
    connection: sqlite3.Connection, tenant: str, fact: Fact, aliases: Sequence[str] = ()
) -> list[Fact]:
    """Return the facts of the timeline that have a say in what becomes of a new one, and, where its
    subject has aliases, those that are joined with them.
    """
    namespace, subject, predicate = fact.timeline
    bound: dict[str, str | int] = {
        "tenant": tenant,
        "namespace": namespace,
        "predicate": predicate,
        "limit": past_of_each(1 + len(aliases)),
    }

    def read(query: str, *subjects: str) -> list[Fact]:
        named = {**bound, "subjects": json.dumps(subjects)}
        return [*map(_fact, connection.execute(query, named))]

    is_open = read(SELECT_OPEN, subject, *aliases)
    bound["since"] = no_say_before(fact, is_any_open=bool(is_open))
    found = [*is_open, *read(SELECT_ENDING, subject, *aliases)]
    for name in (subject, *aliases) if aliases else ():
        found += read(SELECT_ENDED, name)
    return found


def _listed(namespaces: Sequence[str] | None) -> str | None:
    return None if namespaces is None else json.dumps([*namespaces])


def _fact(cells: Sequence[Any]) -> Fact:
    return Fact(load_memory(cells))
