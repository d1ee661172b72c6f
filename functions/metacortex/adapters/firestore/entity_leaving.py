"""Entities go with the last memories that mentioned them, unless something else holds them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from metacortex.adapters.firestore.entity_lookup import (
    count_mentions,
    load_entity,
    merged_into,
    snapshots_of,
)
from metacortex.adapters.firestore.entity_writes import put
from metacortex.adapters.firestore.failures import TAKEN
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.together import together
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
    from google.cloud.firestore_v1.base_document import DocumentSnapshot


async def put_unmentioned(
    batch: "AsyncWriteBatch", tenant: Tenant, memories: Iterable[Memory]
) -> tuple[Entity, ...]:
    """Delete, as `EntityStore` tells, what no other memory mentions than these, which the batch
    deletes, and return it. One that is merged meanwhile, or merged into, refuses the batch.
    """
    leaving = Counter(id_ for memory in memories for id_ in memory.entities)
    found = await snapshots_of(tenant, leaving)
    return await _put(batch, tenant, [each for each in found if not each.get("by_hand")], leaving)


async def keep_mentioned(tenant: Tenant, deleted: Sequence[Entity]) -> None:
    """Store again what a memory mentions that was written between the count of the mentions and
    the commit that deleted it. Who writes one looks up its entities afterwards, and who deletes
    these counts afterwards, so one of the two always sees the other.
    """
    counts = await _counts(tenant, [each.id for each in deleted])
    mentioned = [each for each, count in zip(deleted, counts, strict=True) if count]
    await put(tenant, mentioned, None, set())


async def drop(tenant: Tenant, entity_ids: Iterable[str]) -> None:
    """Delete what nothing mentions, as `EntityStore.drop` tells, but nothing where one of these is
    merged meanwhile.
    """
    batch = tenant.client.batch()
    deleted = await _put(batch, tenant, await snapshots_of(tenant, entity_ids), {})
    with suppress(*TAKEN):
        await batch.commit(retry=None)
        await keep_mentioned(tenant, deleted)


async def _put(
    batch: "AsyncWriteBatch",
    tenant: Tenant,
    entities: "Iterable[DocumentSnapshot[Any]]",
    leaving: Mapping[str, int],
) -> tuple[Entity, ...]:
    """Delete those of these that stand in no merge and that no more memories mention than are
    leaving, by their ids, and return them.
    """
    loose = await _loose(tenant, entities)
    counts = await _counts(tenant, [each.id for each in loose])
    unmentioned = [
        snapshot
        for snapshot, count in zip(loose, counts, strict=True)
        if count <= leaving.get(snapshot.id, 0)
    ]
    for snapshot in unmentioned:
        unchanged = tenant.client.write_option(last_update_time=snapshot.update_time)
        batch.delete(snapshot.reference, option=unchanged)
    return tuple(map(load_entity, unmentioned))


async def _counts(tenant: Tenant, entity_ids: Sequence[str]) -> Sequence[int]:
    """Return how many memories mention each of these."""
    states = tuple(BranchState)
    return await together(count_mentions(tenant, [id_], states) for id_ in entity_ids)


async def _loose(
    tenant: Tenant, entities: "Iterable[DocumentSnapshot[Any]]"
) -> "list[DocumentSnapshot[Any]]":
    loose = {each.id: each for each in entities if each.get("merged_with") is None}
    held = {each.merged_with for each in await merged_into(tenant, [*loose])}
    return [snapshot for id_, snapshot in loose.items() if id_ not in held]
