"""The vectors of names in Firestore: each stands in the document of its entity."""

import asyncio
from collections.abc import Sequence

from metacortex.adapters.firestore.tenants import Tenants
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.knowledge.likeness import Near
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import Embedding


class FirestoreNameIndex:
    """The `NameIndex` of one database, whose queries share `permits` with those of memories."""

    def __init__(self, tenants: Tenants, permits: asyncio.Semaphore) -> None:
        self._tenants = tenants
        self._permits = permits

    async def near(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        space: EmbeddingSpace,
        vector: Vector,
        limit: int,
    ) -> tuple[Near, ...]:
        from metacortex.adapters.firestore.name_lookup import near

        return await self._tenants.read(
            tenant,
            lambda place: near(place, self._permits, namespaces, space, vector, limit),
        )

    async def outside(
        self, space: EmbeddingSpace, after: tuple[str, str], limit: int
    ) -> tuple[tuple[str, Entity], ...]:
        from metacortex.adapters.firestore.name_lookup import outside

        return await outside(self._tenants, space, after, limit)

    async def count_outside(self, space: EmbeddingSpace) -> int:
        from metacortex.adapters.firestore.name_lookup import count_outside

        return await self._tenants.connection.read(lambda client: count_outside(client, space))

    async def replace(self, tenant: str, entity_ids: Sequence[str], names: Embedding) -> None:
        from metacortex.adapters.firestore.entity_writes import replace_names

        await self._tenants.write(tenant, lambda place: replace_names(place, entity_ids, names))
