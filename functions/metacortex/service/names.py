"""New names: their entities are stored with vectors, by which others that mean the same are
found.
"""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from metacortex.domain.errors import CallerError, MetaCortexError, Unavailable
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.vector import Vector
from metacortex.knowledge_ports import EntityStore
from metacortex.ports import Embedding
from metacortex.service.embedding import TextEmbedding

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NewName:
    """An entity that a write made, and the vector of its name, if it got one."""

    entity: Entity
    vector: "Vector | None"


class Names:
    """Stores entities with the vectors of their names."""

    def __init__(self, entities: EntityStore, embedding: TextEmbedding) -> None:
        self._entities = entities
        self._embedding = embedding

    async def embedded(self, entities: Sequence[Entity]) -> Embedding | None:
        """Return the vectors of their names, in order; None where there are no names, or the model
        does not answer: they have no vectors then until they are embedded again.
        """
        if not entities:
            return None
        try:
            return await self._embedding.of_names([each.name for each in entities])
        except Unavailable as fault:
            logger.warning("New names have no vectors: %s", fault.sentence)
            return None

    @asynccontextmanager
    async def stored(
        self, tenant: str, entities: Sequence[Entity], names: Embedding | None
    ) -> AsyncIterator[tuple[NewName, ...]]:
        """Store entities, with the vectors of their names, for a block that writes what mentions
        them, and give it those that were not there yet. Where the block is refused they go again,
        unless something else mentions them by then.

        Raises:
            Unavailable: the store did not answer.
        """
        new = await self._entities.put(tenant, entities, names) if entities else ()
        vectors = names.vectors if names else [None] * len(entities)
        found = zip(entities, vectors, strict=True)
        try:
            yield tuple(NewName(entity, vector) for entity, vector in found if entity.id in new)
        except CallerError:
            # Of any other failure nobody knows whether what was to be written is not there.
            if new:
                await self._drop(tenant, new)
            raise

    async def store_bare(self, tenant: str, entities: Sequence[Entity]) -> tuple[str, ...]:
        """Store those that are not there yet without asking the model, and return their ids.

        Raises:
            Unavailable: the store did not answer.
        """
        return await self._entities.put(tenant, entities)

    async def _drop(self, tenant: str, entity_ids: Sequence[str]) -> None:
        try:
            await self._entities.drop(tenant, entity_ids)
        except MetaCortexError as fault:
            logger.warning("Names of what was refused stay: %s", fault.sentence)
