"""Writing entities: new names, what memories mention, and which names stand for one thing."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from google.api_core.exceptions import AlreadyExists, NotFound
from google.cloud.firestore_v1 import SERVER_TIMESTAMP

from metacortex.adapters.firestore.documents import dump_change
from metacortex.adapters.firestore.entity_lookup import count_names, find, name_digest, snapshots_of
from metacortex.adapters.firestore.failures import TAKEN
from metacortex.adapters.firestore.layout import (
    JOINED_FIELD,
    MENTIONS_FIELD,
    NAME_KEYS_FIELD,
    SPACE_FIELD,
    VECTOR_FIELD,
    Tenant,
)
from metacortex.adapters.firestore.lookup import get_record
from metacortex.adapters.firestore.together import together
from metacortex.adapters.firestore.vectors import add_vector
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.knowledge.likeness import keys_of
from metacortex.domain.knowledge.merging import check_room
from metacortex.domain.lifecycle import Change
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import Embedding

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
    from google.cloud.firestore_v1.base_document import DocumentSnapshot


async def put(
    tenant: Tenant, entities: Sequence[Entity], names: Embedding | None, begun: set[str]
) -> tuple[str, ...]:
    """Store entities as `EntityStore.put` tells; `begun` holds the ids of those of which an earlier
    attempt may have arrived.
    """
    vectors: Sequence[Vector | None] = names.vectors if names else [None] * len(entities)
    space = names.space if names else None
    created = await together(
        _create(tenant, entity, space, vector, begun)
        for entity, vector in zip(entities, vectors, strict=True)
    )
    return tuple(entity.id for entity, is_new in zip(entities, created, strict=True) if is_new)


async def replace_names(tenant: Tenant, entity_ids: Sequence[str], names: Embedding) -> None:
    """Give entities vectors as `NameIndex.replace` tells."""
    # Looked up before, since what lacks the whole database answers to a write alike.
    there = {each.id for each in await find(tenant, entity_ids)}
    await together(
        _place(tenant, id_, names.space, vector)
        for id_, vector in zip(entity_ids, names.vectors, strict=True)
        if id_ in there
    )


async def link(tenant: Tenant, memory_id: str, entity_ids: Sequence[str]) -> bool:
    """Let a memory list entities, as `EntityStore.link` tells."""
    # Looked up before, since what lacks the whole database answers to a write alike.
    record = await get_record(tenant, memory_id)
    if record is None:
        return False
    try:
        await record.snapshot.reference.update({MENTIONS_FIELD: [*entity_ids]}, retry=None)
    except NotFound:
        return False
    return True


async def merge(tenant: Tenant, change: Change) -> bool:
    """Merge an entity, or undo that, as `EntityStore.merge` tells."""
    into, recorded = change.after.superseded_by, tenant.changes.document(change.sha256)
    named = [change.subject_id, *filter(None, [into])]
    found = {snapshot.id: snapshot for snapshot in await snapshots_of(tenant, named)}
    if not _is_as_before(found, named, change):
        return bool((await recorded.get([], retry=None)).exists)
    if into is not None:
        check_room(await count_names(tenant, named))
    batch = tenant.client.batch()
    _put_merged(batch, tenant, found[change.subject_id], {"merged_with": into})
    if into is not None:
        # A write that changes nothing would not be seen by what deletes it or merges it meanwhile.
        _put_merged(batch, tenant, found[into], {JOINED_FIELD: SERVER_TIMESTAMP})
    batch.create(recorded, dump_change(change))
    try:
        await batch.commit(retry=None)
    except TAKEN:
        return bool((await recorded.get([], retry=None)).exists)
    return True


async def _create(
    tenant: Tenant,
    entity: Entity,
    space: EmbeddingSpace | None,
    vector: "Vector | None",
    begun: set[str],
) -> bool:
    perhaps_there = entity.id in begun
    begun.add(entity.id)
    batch = tenant.client.batch()
    batch.create(tenant.entity(entity.id), _dump(entity) | _dump_space(space))
    if vector is not None:
        add_vector(batch, vector)
    try:
        await batch.commit(retry=None)
    except AlreadyExists:
        return perhaps_there and await find(tenant, [entity.id]) == (entity,)
    return True


async def _place(tenant: Tenant, entity_id: str, space: EmbeddingSpace, vector: Vector) -> None:
    batch = tenant.client.batch()
    batch.update(tenant.entity(entity_id), {**_dump_space(space), VECTOR_FIELD: None})
    add_vector(batch, vector)
    with suppress(NotFound):
        await batch.commit(retry=None)


def _dump_space(space: EmbeddingSpace | None) -> dict[str, str]:
    return {SPACE_FIELD: str(space)} if space else {}


def _put_merged(
    batch: "AsyncWriteBatch",
    tenant: Tenant,
    snapshot: "DocumentSnapshot[Any]",
    fields: Mapping[str, object],
) -> None:
    unchanged = tenant.client.write_option(last_update_time=snapshot.update_time)
    batch.update(snapshot.reference, {**fields}, option=unchanged)


def _is_as_before(
    found: "Mapping[str, DocumentSnapshot[Any]]", named: Sequence[str], change: Change
) -> bool:
    if any(id_ not in found for id_ in named):
        return False
    into, former = change.after.superseded_by, change.before and change.before.superseded_by
    is_free = into is None or found[into].get("merged_with") is None
    return is_free and found[change.subject_id].get("merged_with") == former


def _dump(entity: Entity) -> dict[str, Any]:
    return {
        "namespace": entity.namespace,
        "name": entity.name,
        "folded": name_digest(entity.name),
        "type": entity.type.value,
        "created_at": entity.created_at,
        "by_hand": entity.by_hand,
        "merged_with": entity.merged_with,
        NAME_KEYS_FIELD: [*keys_of(entity.name)],
    }
