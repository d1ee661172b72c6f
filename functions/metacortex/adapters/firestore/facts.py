"""Facts in Firestore: records as all memories are, found by what they speak of."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from metacortex.adapters.firestore.tenants import Tenants
from metacortex.domain.details import Kind
from metacortex.domain.forgetting import Entry
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.placing import Check, Placed, accept
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.ports import Embedding

if TYPE_CHECKING:
    from metacortex.adapters.firestore.fact_writes import FactWrite


class FirestoreFactStore:
    """The `FactStore` of one database."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants
        self._locks: WeakValueDictionary[object, asyncio.Lock] = WeakValueDictionary()

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
        from metacortex.adapters.firestore.fact_writes import FactWrite, add_fact
        from metacortex.adapters.firestore.terms import read_terms
        from metacortex.adapters.firestore.windows import commits_of

        terms = await read_terms(memory.text)
        new = FactWrite(Fact(memory), embedding, terms, client, aliases, object_aliases, check)
        async with self._lock(tenant, new):
            outcome = await self._tenants.write(
                tenant, lambda place: add_fact(place, new), commits_of(len(embedding.vectors))
            )
        await self._tenants.move_left(tenant, outcome.ended)
        return outcome.placed

    async def facts_about(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        entity_ids: Sequence[str],
        states: Sequence[BranchState] = tuple(BranchState),
        limit: int | None = None,
    ) -> tuple[Fact, ...]:
        from metacortex.adapters.firestore.fact_lookup import facts_about

        return await self._tenants.read(
            tenant, lambda place: facts_about(place, namespaces, entity_ids, states, limit)
        )

    async def timeline(
        self, tenant: str, namespace: str, subject_ids: Sequence[str], predicate: str
    ) -> tuple[Fact, ...]:
        from metacortex.adapters.firestore.timelines import whole_timeline

        keys = [(namespace, subject, predicate) for subject in subject_ids]
        return await self._tenants.read(tenant, lambda place: whole_timeline(place, keys))

    async def drawn_from(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Fact, ...]:
        from metacortex.adapters.firestore.fact_lookup import drawn_from

        return await self._tenants.read(tenant, lambda place: drawn_from(place, memory_ids))

    async def facts(
        self, tenant: str, namespaces: Sequence[str] | None, limit: int
    ) -> tuple[Fact, ...]:
        return tuple(map(Fact, await self._newest(tenant, Kind.FACT, namespaces, limit)))

    async def episodes(
        self, tenant: str, namespaces: Sequence[str] | None, limit: int
    ) -> tuple[Memory, ...]:
        return await self._newest(tenant, Kind.EPISODE, namespaces, limit)

    async def changes_of(
        self, tenant: str, memory_ids: Sequence[str]
    ) -> Mapping[str, tuple[Entry, ...]]:
        from metacortex.adapters.firestore.lookup import get_changes

        return await self._tenants.read(tenant, lambda place: get_changes(place, memory_ids))

    async def _newest(
        self, tenant: str, kind: Kind, namespaces: Sequence[str] | None, limit: int
    ) -> tuple[Memory, ...]:
        from metacortex.adapters.firestore.fact_lookup import newest

        return await self._tenants.read(
            tenant, lambda place: newest(place, kind, namespaces, limit)
        )

    def _lock(self, tenant: str, new: "FactWrite") -> asyncio.Lock:
        """Return what writers of one timeline take turns by in this process: of all at once, each
        but one would be refused by the store and try anew.
        """
        from metacortex.adapters.firestore.timelines import keys_of

        first = min(keys_of(new.fact, new.aliases))
        return self._locks.setdefault((tenant, first), asyncio.Lock())
