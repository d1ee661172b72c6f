"""New names: their entities are stored with vectors, by which others that mean the same are
found.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from metacortex.domain.errors import Unavailable
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.vector import Vector
from metacortex.knowledge_ports import EntityStore
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

    async def store(self, tenant: str, entities: Sequence[Entity]) -> tuple[NewName, ...]:
        """Store those that are not there yet, and return them. Where the model does not answer
        they have no vectors until they are embedded again.

        Raises:
            Unavailable: the store did not answer.
        """
        try:
            names = await self._embedding.of_names([each.name for each in entities])
        except Unavailable as fault:
            logger.warning("New names have no vectors: %s", fault.sentence)
            new = await self.store_bare(tenant, entities)
            return tuple(NewName(each, None) for each in entities if each.id in new)
        new = await self._entities.put(tenant, entities, names)
        found = zip(entities, names.vectors, strict=True)
        return tuple(NewName(entity, vector) for entity, vector in found if entity.id in new)

    async def store_bare(self, tenant: str, entities: Sequence[Entity]) -> tuple[str, ...]:
        """Store those that are not there yet without asking the model, and return their ids.

        Raises:
            Unavailable: the store did not answer.
        """
        return await self._entities.put(tenant, entities)
