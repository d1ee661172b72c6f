"""Entities as rows, as every query that returns them reads them."""

from collections.abc import Sequence

from metacortex.domain.knowledge.entity import Entity, EntityType

ENTITY_COLUMNS = "e.id, e.namespace, e.name, e.type, e.created_at, e.by_hand, e.merged_with"


def dump_entity(entity: Entity) -> tuple[str | int | None, ...]:
    """Return the cells of an entity in the order of these columns."""
    place = (entity.id, entity.namespace, entity.name, entity.type.value)
    return (*place, entity.created_at, int(entity.by_hand), entity.merged_with)


def load_entity(cells: Sequence[str]) -> Entity:
    """Return the entity of a row of `ENTITY_COLUMNS`."""
    id_, namespace, name, type_, created_at, by_hand, merged_with = cells
    return Entity(
        id_, namespace, name, EntityType(type_), int(created_at), bool(by_hand), merged_with
    )
