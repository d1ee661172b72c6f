"""Memories in Firestore: each with its vectors, fingerprint and Change, in one commit.

Google's libraries take longer to load than all else together, so only a call loads them.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from metacortex.adapters.firestore.tenants import Tenants
from metacortex.domain.forgetting import Entry, Forgetting, Mark
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import BranchState, Change
from metacortex.domain.listing import Page, Place
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.question import Found, Question
from metacortex.domain.search import Match, MemoryFilter
from metacortex.domain.stats import MemoryStats, Reach
from metacortex.domain.vector import EmbeddingSpace
from metacortex.ports import Embedding, Moved

if TYPE_CHECKING:
    from metacortex.adapters.firestore.changes import Move

VECTOR_QUERIES = 8
"""How many a process has under way at once. Each goes through all that pass: of too many at once,
all would end late, and none in time.
"""
VECTOR_QUERIES_OF_EMULATOR = 2
"""How many, where one machine does the work of Firestore."""


class FirestoreMemoryStore:
    """The `MemoryStore` of one database; its vector queries share `permits` with those of names."""

    def __init__(self, tenants: Tenants, permits: asyncio.Semaphore) -> None:
        self._tenants = tenants
        self._permits = permits

    async def add(
        self,
        tenant: str,
        memory: Memory,
        embedding: Embedding,
        change: Change,
        fingerprint: Fingerprint,
        superseding: Sequence[str] = (),
    ) -> tuple[Memory, bool]:
        from metacortex.adapters.firestore.terms import read_terms
        from metacortex.adapters.firestore.windows import commits_of
        from metacortex.adapters.firestore.writes import NewRecord, add

        terms = await read_terms(memory.text)
        new = NewRecord(memory, embedding, terms, change, fingerprint, superseding)
        added = await self._tenants.write(
            tenant, lambda place: add(place, new), commits_of(len(embedding.vectors))
        )
        await self._tenants.move_left(tenant, added.superseded)
        return added.memory, added.created

    async def find_written(
        self, tenant: str, fingerprint: Fingerprint, state: BranchState
    ) -> Memory | None:
        from metacortex.adapters.firestore.lookup import get_written

        written = await self._tenants.read(
            tenant, lambda place: get_written(place, fingerprint.digest)
        )
        return written.memory if written and written.equals(fingerprint, state) else None

    async def get(self, tenant: str, memory_id: str) -> Memory | None:
        from metacortex.adapters.firestore.lookup import get_record

        record = await self._tenants.read(tenant, lambda place: get_record(place, memory_id))
        return record.memory if record else None

    async def find(self, tenant: str, question: Question, where: MemoryFilter, limit: int) -> Found:
        from metacortex.adapters.firestore.patience import Patience
        from metacortex.adapters.firestore.search import find

        patience = Patience(self._permits, self._tenants.connection.deadline)
        return await self._tenants.read(
            tenant,
            lambda place: find(place, self._tenants.statistics, patience, question, where, limit),
        )

    async def list(self, tenant: str, where: MemoryFilter, after: Place | None, limit: int) -> Page:
        from metacortex.adapters.firestore.listing import list_memories

        return await self._tenants.read(
            tenant, lambda place: list_memories(place, where, after, limit)
        )

    async def nearest(
        self, tenant: str, embedding: Embedding, where: MemoryFilter, limit: int
    ) -> tuple[Match, ...]:
        from metacortex.adapters.firestore.nearest import nearest

        return await self._tenants.read(
            tenant, lambda place: nearest(place, self._permits, embedding, where, limit)
        )

    async def supersede(
        self, tenant: str, memory_id: str, replacement_id: str, client: str, at: Milliseconds
    ) -> Moved | None:
        from metacortex.adapters.firestore.changes import Move, supersession_by

        return await self._move(
            tenant, Move(memory_id, supersession_by(replacement_id, client, at))
        )

    async def promote(
        self, tenant: str, memory_id: str, state: BranchState, client: str, at: Milliseconds
    ) -> Moved | None:
        from metacortex.adapters.firestore.changes import Move, promotion_to

        return await self._move(tenant, Move(memory_id, promotion_to(state, client, at)))

    async def mark(self, tenant: str) -> Mark:
        from metacortex.adapters.firestore.forgetting import mark

        return await self._tenants.read(tenant, mark)

    async def forget(
        self, tenant: str, memory_ids: Sequence[str], how: Forgetting
    ) -> tuple[str, ...]:
        from metacortex.adapters.firestore.forgetting import COMMITS, Leaving, forget
        from metacortex.adapters.firestore.lookup import pieces

        gone: set[str] = set()
        for piece in pieces(memory_ids):
            work = partial(forget, leaving=Leaving(piece, how, gone))
            await self._tenants.write(tenant, work, COMMITS)
        return tuple(sorted(gone))

    async def is_forgotten(self, tenant: str, memory_id: str, text_mac: str) -> bool:
        from metacortex.adapters.firestore.forgetting import is_forgotten

        return await self._tenants.read(
            tenant, lambda place: is_forgotten(place, memory_id, text_mac)
        )

    async def changes(self, tenant: str, memory_id: str) -> tuple[Entry, ...]:
        from metacortex.adapters.firestore.lookup import get_changes

        found = await self._tenants.read(tenant, lambda place: get_changes(place, [memory_id]))
        return found[memory_id]

    async def spaces(self) -> Mapping[EmbeddingSpace, int]:
        from metacortex.adapters.firestore.upkeep import spaces

        return await self._tenants.connection.read(
            lambda client: spaces(client, self._tenants.collection)
        )

    async def outside(
        self, space: EmbeddingSpace, after: tuple[str, str], limit: int
    ) -> tuple[tuple[str, Memory], ...]:
        from metacortex.adapters.firestore.upkeep import outside

        return await self._tenants.connection.read(
            lambda client: outside(client, self._tenants.collection, space, after, limit)
        )

    async def replace_embedding(self, tenant: str, memory_id: str, embedding: Embedding) -> bool:
        from metacortex.adapters.firestore.windows import commits_of
        from metacortex.adapters.firestore.writes import replace_embedding

        return await self._tenants.write(
            tenant,
            lambda place: replace_embedding(place, memory_id, embedding),
            commits_of(len(embedding.vectors)),
        )

    async def count_unindexed(self) -> int:
        from metacortex.adapters.firestore.indexing import count_unindexed

        return await self._tenants.connection.read(
            lambda client: count_unindexed(client, self._tenants.collection)
        )

    async def unindexed(self, after: tuple[str, str], limit: int) -> tuple[tuple[str, str], ...]:
        from metacortex.adapters.firestore.indexing import unindexed

        return await unindexed(self._tenants.connection, self._tenants.collection, after, limit)

    async def replace_terms(self, tenant: str, memory_id: str) -> bool:
        from metacortex.adapters.firestore.indexing import replace_terms

        return await self._tenants.write(tenant, lambda place: replace_terms(place, memory_id))

    async def count(self, tenant: str) -> int:
        from metacortex.adapters.firestore.upkeep import count_of

        return await self._tenants.read(tenant, lambda place: count_of(place.memories))

    async def stats(self, tenant: str, reach: Reach) -> MemoryStats:
        from metacortex.adapters.firestore.stats import stats_of

        return await self._tenants.read(tenant, lambda place: stats_of(place, reach))

    async def secret(self, offered: bytes) -> bytes:
        from metacortex.adapters.firestore.secret import secret_of

        return await secret_of(self._tenants.connection, offered)

    async def purge(self, fingerprints_before: Milliseconds) -> None:
        from metacortex.adapters.firestore.upkeep import purge_fingerprints

        await purge_fingerprints(self._tenants.connection, fingerprints_before)

    async def reset(self, tenant: str) -> int:
        from metacortex.adapters.firestore.upkeep import reset

        try:
            return await reset(
                self._tenants.connection, lambda client: self._tenants.place(client, tenant)
            )
        finally:
            self._tenants.statistics.forget(tenant)

    async def _move(self, tenant: str, wanted: "Move") -> Moved | None:
        from metacortex.adapters.firestore.changes import move
        from metacortex.adapters.firestore.windows import TOGETHER

        done = await self._tenants.write(tenant, lambda place: move(place, wanted))
        if done is None:
            return None
        moved, windows = done
        state = moved.memory.branch_state
        await self._tenants.move_windows(tenant, wanted.memory_id, state, range(TOGETHER, windows))
        return moved
