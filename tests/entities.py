"""Entities by their names, and merging them in a store."""

from metacortex.domain.knowledge.entity import Entity, EntityType, entity_id
from metacortex.domain.knowledge.merging import merger
from metacortex.knowledge_ports import EntityStore
from tests.samples import NOW, TENANT


def an_entity(
    name: str, namespace: str = "default", *, by_hand: bool = False, into: Entity | None = None
) -> Entity:
    """Return the entity of a name; with `into`, as it is when merged into that."""
    id_ = entity_id(namespace, name)
    merged_with = into.id if into else None
    return Entity(id_, namespace, name, EntityType.NAME, NOW, by_hand, merged_with)


async def merge(store: EntityStore, entity: Entity, into: Entity) -> bool:
    """Merge one entity, as it was read, into another, and return whether that was done."""
    change = merger(entity, into, "cli", NOW)
    assert change is not None
    return await store.merge(TENANT, change)
