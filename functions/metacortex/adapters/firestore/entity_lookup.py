"""Reading entities: by their ids, by keys of their names, and by what they were merged into; and
counting what mentions them.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Any

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.layout import MENTIONS_FIELD, NAME_KEYS_FIELD, Tenant
from metacortex.adapters.firestore.lookup import pieces
from metacortex.adapters.firestore.together import together
from metacortex.adapters.firestore.upkeep import count_of
from metacortex.domain.knowledge.entity import Entity, EntityType, folded_name, is_entity_id
from metacortex.domain.knowledge.likeness import MOST_COMPARED
from metacortex.domain.lifecycle import BranchState

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_query import AsyncQuery
    from google.cloud.firestore_v1.base_document import DocumentSnapshot

ENTITY_FIELDS = ("namespace", "name", "type", "created_at", "by_hand", "merged_with")
"""What is read of an entity: its keys and its vector are only for finding it."""


async def find(tenant: Tenant, entity_ids: Iterable[str]) -> tuple[Entity, ...]:
    """Return entities as `EntityStore.find` tells."""
    return _in_order(map(load_entity, await snapshots_of(tenant, entity_ids)))


async def named(tenant: Tenant, name: str) -> tuple[Entity, ...]:
    """Return those of this name in any namespace, as `EntityStore.named` tells."""
    return _in_order(
        await _found(tenant.entities.where(filter=FieldFilter("folded", "==", name_digest(name))))
    )


async def keyed(
    tenant: Tenant, namespaces: Sequence[str] | None, keys: Sequence[str]
) -> tuple[Entity, ...]:
    """Return those that are found under any of these keys; of each namespace, and of as many keys
    as one query takes, `likeness.MOST_COMPARED` at most.
    """
    within = (None,) if namespaces is None else namespaces
    found = await together(
        _found(_holding(tenant, namespace, piece)) for namespace in within for piece in pieces(keys)
    )
    return _in_order(chain.from_iterable(found))


async def merged_into(tenant: Tenant, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
    """Return entities as `EntityStore.merged_into` tells."""
    found = await together(
        _found(tenant.entities.where(filter=FieldFilter("merged_with", "in", [*piece])))
        for piece in pieces(entity_ids)
    )
    return _in_order(chain.from_iterable(found))


async def count_names(tenant: Tenant, entity_ids: Sequence[str]) -> int:
    """Return how many names these entities have together, with all that was merged into them."""
    count, level = 0, entity_ids
    while level:
        count += len(level)
        level = [each.id for each in await merged_into(tenant, level)]
    return count


async def merged(tenant: Tenant) -> tuple[Entity, ...]:
    """Return entities as `EntityStore.merged` tells."""
    is_merged = FieldFilter("merged_with", "!=", None)
    return _in_order(await _found(tenant.entities.where(filter=is_merged)))


async def count_mentions(
    tenant: Tenant, entity_ids: Sequence[str], states: Sequence[BranchState]
) -> int:
    """Return how many memories in these states mention any of so few entities."""
    mentioning = tenant.memories.where(
        filter=FieldFilter(MENTIONS_FIELD, "array_contains_any", [*entity_ids])
    )
    if set(states) == set(BranchState):
        return await count_of(mentioning)
    of_each = (
        mentioning.where(filter=FieldFilter("branch_state", "==", state.value)) for state in states
    )
    return sum(await together(count_of(query) for query in of_each))


async def snapshots_of(tenant: Tenant, entity_ids: Iterable[str]) -> "list[DocumentSnapshot[Any]]":
    """Return the documents of those entities that are there."""
    places = [tenant.entity(id_) for id_ in dict.fromkeys(entity_ids) if is_entity_id(id_)]
    if not places:
        return []
    found = tenant.client.get_all(places, ENTITY_FIELDS, retry=None)
    return [each async for each in found if each.exists]


def load_entity(snapshot: "DocumentSnapshot[Any]") -> Entity:
    """Return an entity as its document has it."""
    return entity_of(snapshot.id, snapshot.to_dict() or {})


def entity_of(entity_id: str, stored: Mapping[str, Any]) -> Entity:
    """Return an entity of its id and its fields."""
    return Entity(
        entity_id,
        stored["namespace"],
        stored["name"],
        EntityType(stored["type"]),
        stored["created_at"],
        stored["by_hand"],
        stored["merged_with"],
    )


def name_digest(name: str) -> str:
    """Return what stands for a folded name: one that is long is no value of an index."""
    return sha256(folded_name(name).encode("utf-8", "surrogatepass")).hexdigest()


def _holding(tenant: Tenant, namespace: str | None, keys: Sequence[str]) -> "AsyncQuery":
    query = tenant.entities.where(filter=FieldFilter(NAME_KEYS_FIELD, "array_contains_any", keys))
    if namespace is not None:
        query = query.where(filter=FieldFilter("namespace", "==", namespace))
    return query.limit(MOST_COMPARED)


async def _found(query: "AsyncQuery") -> list[Entity]:
    chosen = query.select(ENTITY_FIELDS)
    return [load_entity(snapshot) async for snapshot in chosen.stream(retry=None)]


def _in_order(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return each once, by id."""
    by_id = {entity.id: entity for entity in entities}
    return tuple(by_id[id_] for id_ in sorted(by_id))
