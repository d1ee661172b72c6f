"""Entities in Firestore: a document each, with the keys of its name; who mentions it stands in the
memories.

A memory lists what it mentions, and an index of that list counts. So nothing is counted twice, and
a write changes no entity that is there already.
"""

from collections.abc import Mapping, Sequence

from metacortex.adapters.firestore.tenants import Tenants
from metacortex.domain.knowledge.entity import Entity, entity_id
from metacortex.domain.knowledge.likeness import MOST_KEYS, beginning_key, likeness_keys
from metacortex.domain.lifecycle import BranchState, Change
from metacortex.domain.memory import Memory
from metacortex.domain.search import MemoryFilter
from metacortex.ports import Embedding


class FirestoreEntityStore:
    """The `EntityStore` of one database."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants

    async def put(
        self, tenant: str, entities: Sequence[Entity], names: Embedding | None = None
    ) -> tuple[str, ...]:
        from metacortex.adapters.firestore.entity_writes import put

        begun: set[str] = set()
        return await self._tenants.write(tenant, lambda place: put(place, entities, names, begun))

    async def drop(self, tenant: str, entity_ids: Sequence[str]) -> None:
        from metacortex.adapters.firestore.entity_leaving import drop

        await self._tenants.write(tenant, lambda place: drop(place, entity_ids))

    async def find(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        from metacortex.adapters.firestore.entity_lookup import find

        return await self._tenants.read(tenant, lambda place: find(place, entity_ids))

    async def named(
        self, tenant: str, namespaces: Sequence[str] | None, name: str
    ) -> tuple[Entity, ...]:
        from metacortex.adapters.firestore.entity_lookup import named

        if namespaces is not None:
            return await self.find(tenant, [entity_id(each, name) for each in namespaces])
        return await self._tenants.read(tenant, lambda place: named(place, name))

    async def beginning(
        self, tenant: str, namespaces: Sequence[str] | None, words: Sequence[str]
    ) -> tuple[Entity, ...]:
        keys = [*dict.fromkeys(map(beginning_key, words))]
        return await self._keyed(tenant, namespaces, keys)

    async def resembling(
        self, tenant: str, namespaces: Sequence[str] | None, name: str
    ) -> tuple[Entity, ...]:
        keys = likeness_keys(name)[:MOST_KEYS]
        return await self._keyed(tenant, namespaces, keys)

    async def merged_into(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        from metacortex.adapters.firestore.entity_lookup import merged_into

        return await self._tenants.read(tenant, lambda place: merged_into(place, entity_ids))

    async def merged(self, tenant: str) -> tuple[Entity, ...]:
        from metacortex.adapters.firestore.entity_lookup import merged

        return await self._tenants.read(tenant, merged)

    async def mentions(
        self, tenant: str, families: Mapping[str, Sequence[str]], states: Sequence[BranchState]
    ) -> Mapping[str, int]:
        from metacortex.adapters.firestore.entity_lookup import count_mentions
        from metacortex.adapters.firestore.together import together

        counts = await self._tenants.read(
            tenant,
            lambda place: together(count_mentions(place, ids, states) for ids in families.values()),
        )
        return dict(zip(families, counts, strict=True))

    async def mentioning(
        self, tenant: str, entity_ids: Sequence[str], where: MemoryFilter, limit: int
    ) -> tuple[Memory, ...]:
        from metacortex.adapters.firestore.mentioning import mentioning

        return await self._tenants.read(
            tenant, lambda place: mentioning(place, entity_ids, where, limit)
        )

    async def link(self, tenant: str, memory_id: str, entity_ids: Sequence[str]) -> bool:
        from metacortex.adapters.firestore.entity_writes import link

        return await self._tenants.write(tenant, lambda place: link(place, memory_id, entity_ids))

    async def merge(self, tenant: str, change: Change) -> bool:
        from metacortex.adapters.firestore.entity_writes import merge

        return await self._tenants.write(tenant, lambda place: merge(place, change))

    async def _keyed(
        self, tenant: str, namespaces: Sequence[str] | None, keys: Sequence[str]
    ) -> tuple[Entity, ...]:
        from metacortex.adapters.firestore.entity_lookup import keyed

        return await self._tenants.read(tenant, lambda place: keyed(place, namespaces, keys))
