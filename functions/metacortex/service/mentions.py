"""What a memory that is being written mentions: its links to entities, found without any model."""

import asyncio
from collections.abc import Sequence
from itertools import chain

from metacortex.domain.knowledge.entity import Entity, EntityType, entity_id
from metacortex.domain.knowledge.naming import (
    beginning_of,
    beginnings,
    mentioned,
    names_in,
    type_of,
    words_of,
)
from metacortex.domain.memory import Memory
from metacortex.knowledge_ports import EntityStore

MOST_MENTIONS = 64
"""How many entities one memory lists. What was given comes first, then the order of the text."""


class Mentions:
    """Links memories to the entities that they mention, and makes entities of new names."""

    def __init__(self, entities: EntityStore) -> None:
        self._entities = entities

    async def of(self, tenant: str, memory: Memory, names: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the ids of what a memory mentions: the names that were given with it, names that
        are known by how they are written, and known names that its text holds.

        Of new names entities are stored, whether or not the memory is in the end.

        Raises:
            Unavailable: the store did not answer.
        """
        # Off the loop: a long text takes longer than other callers should wait.
        words = await asyncio.to_thread(words_of, memory.text)
        named: dict[str, EntityType] = {name: type_of(name) for name in names if _is_name(name)}
        named |= names_in(words)
        new = {entity_id(memory.namespace, name): (name, type_) for name, type_ in named.items()}
        first = beginnings([*chain.from_iterable(map(words_of, named)), *words])
        known = await self._entities.beginning(tenant, (memory.namespace,), first) if first else ()
        ids = [*dict.fromkeys((*new, *mentioned(words, known)))][:MOST_MENTIONS]
        there = {entity.id for entity in known}
        missing = [id_ for id_ in ids if id_ in new and id_ not in there]
        if missing:
            entities = [_entity(id_, memory, *new[id_]) for id_ in missing]
            await self._entities.put(tenant, entities)
        return tuple(ids)


def _is_name(given: str) -> bool:
    """Whether what was given names something, and no secret stood in its place."""
    return bool(beginning_of(given)) and "[redacted " not in given


def _entity(id_: str, memory: Memory, name: str, type_: EntityType) -> Entity:
    return Entity(id_, memory.namespace, name, type_, memory.recorded_at)
