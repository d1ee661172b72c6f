"""Memories in SQLite: each with its vectors, fingerprint and Change, in one transaction."""

import sqlite3
from collections.abc import Mapping, Sequence

from metacortex.adapters.sqlite import indexing
from metacortex.adapters.sqlite.cache import Cache
from metacortex.adapters.sqlite.changes import (
    append,
    changes_of,
    count_write,
    promote,
    supersede,
    supersede_all,
)
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entities import drop_all
from metacortex.adapters.sqlite.forgetting import forget, is_forgotten, mark
from metacortex.adapters.sqlite.inserting import insert, replace_vectors
from metacortex.adapters.sqlite.listing import list_memories
from metacortex.adapters.sqlite.lookup import find_written, get
from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, load_memory
from metacortex.adapters.sqlite.secret import secret_of
from metacortex.adapters.sqlite.stats import stats_of
from metacortex.adapters.sqlite.terms import dump_text
from metacortex.domain.forgetting import Entry, Forgetting, Mark
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind
from metacortex.domain.listing import Page, Place
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.question import Found, Question
from metacortex.domain.search import Match, MemoryFilter
from metacortex.domain.stats import MemoryStats, Reach
from metacortex.domain.text import is_unicode
from metacortex.domain.vector import EmbeddingSpace
from metacortex.ports import Embedding, Moved

_MEGABYTE = 1024 * 1024

_UPSERT_FINGERPRINT = (
    "INSERT INTO fingerprints (tenant, digest, memory_id, first_written_at) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (tenant, digest) DO UPDATE"
    " SET memory_id = excluded.memory_id, first_written_at = excluded.first_written_at"
)
_SELECT_KEY = "SELECT key FROM memories WHERE tenant = ? AND id = ?"
_COUNT_SPACES = (
    "SELECT s.model, s.dimension, count(*) FROM memories AS m"
    " JOIN embedding_spaces AS s ON s.key = m.space GROUP BY m.space"
)
_SELECT_OUTSIDE = (
    f"SELECT tenant, {MEMORY_COLUMNS} FROM memories WHERE (tenant, id) > (?, ?)"
    " AND space IS NOT (SELECT key FROM embedding_spaces WHERE model = ? AND dimension = ?)"
    " ORDER BY tenant, id LIMIT ?"
)
_COUNT = "SELECT count(*) FROM memories WHERE tenant = ?"
_PURGE = "DELETE FROM fingerprints WHERE first_written_at < ?"
_DELETE_MEMORIES = "DELETE FROM memories WHERE tenant = ?"
_DELETE_CHANGES = "DELETE FROM changes WHERE tenant = ? AND kind <> ?"
_DELETE_FINGERPRINTS = "DELETE FROM fingerprints WHERE tenant = ?"


class SqliteMemoryStore:
    """The `MemoryStore` of one database.

    What is read again and again stays in `cache`, of all tenants together up to `cache_mb`
    megabytes.
    """

    def __init__(self, database: Database, cache_mb: int) -> None:
        self._database = database
        self.cache = Cache(cache_mb * _MEGABYTE)

    async def add(
        self,
        tenant: str,
        memory: Memory,
        embedding: Embedding,
        change: Change,
        fingerprint: Fingerprint,
        superseding: Sequence[str] = (),
    ) -> tuple[Memory, bool]:
        terms = await dump_text(memory.text)

        def add(connection: sqlite3.Connection) -> tuple[Memory, bool]:
            written = find_written(connection, tenant, fingerprint, memory.branch_state)
            if written is not None:
                return written, False
            seq = insert(connection, tenant, memory, terms, embedding)
            append(connection, tenant, seq, change)
            connection.execute(
                _UPSERT_FINGERPRINT, (tenant, fingerprint.digest, memory.id, memory.recorded_at)
            )
            supersede_all(connection, tenant, superseding, memory, change.client)
            return memory, True

        return await self._database.write(add)

    async def find_written(
        self, tenant: str, fingerprint: Fingerprint, state: BranchState
    ) -> Memory | None:
        return await self._database.read(
            lambda connection: find_written(connection, tenant, fingerprint, state)
        )

    async def get(self, tenant: str, memory_id: str) -> Memory | None:
        return await self._database.read(lambda connection: get(connection, tenant, memory_id))

    async def find(self, tenant: str, question: Question, where: MemoryFilter, limit: int) -> Found:
        def find(connection: sqlite3.Connection) -> Found:
            # numpy takes longer to load than all else together, and only searches need it.
            from metacortex.adapters.sqlite.search import search

            return search(connection, self.cache, tenant, question, where, limit)

        return await self._database.read(find)

    async def list(self, tenant: str, where: MemoryFilter, after: Place | None, limit: int) -> Page:
        return await self._database.read(
            lambda connection: list_memories(connection, tenant, where, after, limit)
        )

    async def nearest(
        self, tenant: str, embedding: Embedding, where: MemoryFilter, limit: int
    ) -> tuple[Match, ...]:
        def nearest(connection: sqlite3.Connection) -> tuple[Match, ...]:
            from metacortex.adapters.sqlite.nearest import nearest

            space, vector = embedding.space, embedding.vectors[0]
            return nearest(connection, self.cache, tenant, space, vector, where, limit)

        return await self._database.read(nearest)

    async def supersede(
        self, tenant: str, memory_id: str, replacement_id: str, client: str, at: Milliseconds
    ) -> Moved | None:
        return await self._database.write(
            lambda connection: supersede(connection, tenant, memory_id, replacement_id, client, at)
        )

    async def promote(
        self, tenant: str, memory_id: str, state: BranchState, client: str, at: Milliseconds
    ) -> Moved | None:
        return await self._database.write(
            lambda connection: promote(connection, tenant, memory_id, state, client, at)
        )

    async def mark(self, tenant: str) -> Mark:
        return await self._database.read(lambda connection: mark(connection, tenant))

    async def forget(
        self, tenant: str, memory_ids: Sequence[str], how: Forgetting
    ) -> tuple[str, ...]:
        gone = await self._database.write(
            lambda connection: forget(connection, tenant, memory_ids, how)
        )
        if gone:
            await self._database.fold()
        return gone

    async def is_forgotten(self, tenant: str, memory_id: str, text_mac: str) -> bool:
        return await self._database.read(
            lambda connection: is_forgotten(connection, tenant, memory_id, text_mac)
        )

    async def changes(self, tenant: str, memory_id: str) -> tuple[Entry, ...]:
        return await self._database.read(
            lambda connection: changes_of(connection, tenant, memory_id)
        )

    async def spaces(self) -> Mapping[EmbeddingSpace, int]:
        return await self._database.read(
            lambda connection: {
                EmbeddingSpace(model, dimension): count
                for model, dimension, count in connection.execute(_COUNT_SPACES)
            }
        )

    async def outside(
        self, space: EmbeddingSpace, after: tuple[str, str], limit: int
    ) -> tuple[tuple[str, Memory], ...]:
        bound = (*after, space.model, space.dimension, limit)
        return await self._database.read(
            lambda connection: tuple(
                (tenant, load_memory(cells))
                for tenant, *cells in connection.execute(_SELECT_OUTSIDE, bound)
            )
        )

    async def replace_embedding(self, tenant: str, memory_id: str, embedding: Embedding) -> bool:
        def replace_embedding(connection: sqlite3.Connection) -> bool:
            found = (
                is_unicode(memory_id)
                and connection.execute(_SELECT_KEY, (tenant, memory_id)).fetchone()
            )
            if not found:
                return False
            replace_vectors(connection, tenant, found[0], embedding)
            return True

        return await self._database.write(replace_embedding)

    async def count_unindexed(self) -> int:
        return await self._database.read(indexing.count_unindexed)

    async def unindexed(self, after: tuple[str, str], limit: int) -> tuple[tuple[str, str], ...]:
        return await self._database.read(
            lambda connection: indexing.unindexed(connection, after, limit)
        )

    async def replace_terms(self, tenant: str, memory_id: str) -> bool:
        memory = await self.get(tenant, memory_id)
        if memory is None:
            return False
        terms = await dump_text(memory.text)
        return await self._database.write(
            lambda connection: indexing.replace_terms(connection, tenant, memory_id, terms)
        )

    async def count(self, tenant: str) -> int:
        return await self._database.read(
            lambda connection: int(connection.execute(_COUNT, (tenant,)).fetchone()[0])
        )

    async def stats(self, tenant: str, reach: Reach) -> MemoryStats:
        return await self._database.read(lambda connection: stats_of(connection, tenant, reach))

    async def secret(self, offered: bytes) -> bytes:
        return await secret_of(self._database, offered)

    async def purge(self, fingerprints_before: Milliseconds) -> None:
        await self._database.write(
            lambda connection: connection.execute(_PURGE, (fingerprints_before,)).rowcount
        )

    async def reset(self, tenant: str) -> int:
        def reset(connection: sqlite3.Connection) -> int:
            count_write(connection, tenant, deleted=True)
            connection.execute(_DELETE_CHANGES, (tenant, ChangeKind.FORGOTTEN))
            connection.execute(_DELETE_FINGERPRINTS, (tenant,))
            drop_all(connection, tenant)
            return connection.execute(_DELETE_MEMORIES, (tenant,)).rowcount

        count = await self._database.write(reset)
        await self._database.fold()
        return count
