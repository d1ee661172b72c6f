"""Entities go with the last memories that mentioned them, unless something else holds them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from metacortex.adapters.firestore.entity_lookup import (
    count_mentions,
    merged_into,
    snapshots_of,
)
from metacortex.adapters.firestore.failures import TAKEN
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.together import together
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
    from google.cloud.firestore_v1.base_document import DocumentSnapshot


async def put_unmentioned(
    batch: "AsyncWriteBatch", tenant: Tenant, memories: Iterable[Memory]
) -> None:
    """Delete, as `EntityStore` tells, what no other memory mentions than these, which the batch
    deletes. One that is merged meanwhile, or merged into, refuses the batch.
    """
    leaving = Counter(id_ for memory in memories for id_ in memory.entities)
    found = await snapshots_of(tenant, leaving)
    await _put(batch, tenant, [each for each in found if not each.get("by_hand")], leaving)


async def drop(tenant: Tenant, entity_ids: Iterable[str]) -> None:
    """Delete what nothing mentions, as `EntityStore.drop` tells, but nothing where one of these is
    merged meanwhile.
    """
    batch = tenant.client.batch()
    await _put(batch, tenant, await snapshots_of(tenant, entity_ids), {})
    with suppress(*TAKEN):
        await batch.commit(retry=None)


async def _put(
    batch: "AsyncWriteBatch",
    tenant: Tenant,
    entities: "Iterable[DocumentSnapshot[Any]]",
    leaving: Mapping[str, int],
) -> None:
    """Delete those of these that stand in no merge and that no more memories mention than are
    leaving, by their ids.
    """
    loose = await _loose(tenant, entities)
    counts = await together(count_mentions(tenant, [each.id], tuple(BranchState)) for each in loose)
    for snapshot, count in zip(loose, counts, strict=True):
        if count <= leaving.get(snapshot.id, 0):
            unchanged = tenant.client.write_option(last_update_time=snapshot.update_time)
            batch.delete(snapshot.reference, option=unchanged)


async def _loose(
    tenant: Tenant, entities: "Iterable[DocumentSnapshot[Any]]"
) -> "list[DocumentSnapshot[Any]]":
    loose = {each.id: each for each in entities if each.get("merged_with") is None}
    held = {each.merged_with for each in await merged_into(tenant, [*loose])}
    return [snapshot for id_, snapshot in loose.items() if id_ not in held]
