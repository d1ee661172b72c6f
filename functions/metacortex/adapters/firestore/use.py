"""Use in Firestore: few documents, each with the counts of many memories, so that storing what a
process has added up takes few writes.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

from metacortex.adapters.firestore.connection import Connection
from metacortex.adapters.firestore.layout import LAST_USES_FIELD, USES_FIELD, Tenant
from metacortex.domain.stats import Reach
from metacortex.domain.use import Use, Used

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
    from google.cloud.firestore_v1.async_client import AsyncClient

SHARDS = 32
"""A memory takes about 90 bytes in the 1 MiB of its document: this has room for 350,000."""
MOST_LOOKED_AT = 300
"""How many of the most used are looked up to find those within reach."""

Counts: TypeAlias = dict[str, dict[str, Any]]


class FirestoreUseLog:
    """The `UseLog` of one database; `collection` is the name of that of the memories."""

    def __init__(self, connection: Connection, collection: str) -> None:
        self._connection = connection
        self._collection = collection

    async def add(self, tenant: str, uses: Mapping[str, Use]) -> None:
        from google.cloud.firestore_v1 import Increment, Maximum

        async def add(client: "AsyncClient") -> None:
            place, batch = Tenant(client, tenant, self._collection), client.batch()
            for shard, ids in _sharded(uses).items():
                counts: Counts = {
                    USES_FIELD: {id_: Increment(uses[id_].access_count) for id_ in ids},
                    LAST_USES_FIELD: {id_: Maximum(uses[id_].last_accessed_at) for id_ in ids},
                }
                batch.set(place.use.document(shard), counts, merge=True)
            await batch.commit(retry=None)

        await self._connection.write_once(add)

    async def most_used(self, tenant: str, reach: Reach, limit: int) -> tuple[Used, ...]:
        async def most_used(client: "AsyncClient") -> tuple[Used, ...]:
            place = Tenant(client, tenant, self._collection)
            return await _within_reach(place, await _all_uses(place), reach, limit)

        return await self._connection.read(most_used)


def put_unused(batch: "AsyncWriteBatch", tenant: Tenant, memory_ids: Iterable[str]) -> None:
    """Let a batch delete the uses of memories, whether or not there are any."""
    from google.cloud.firestore_v1 import DELETE_FIELD

    for shard, ids in _sharded(memory_ids).items():
        nothing = dict.fromkeys(ids, DELETE_FIELD)
        batch.set(
            tenant.use.document(shard), {USES_FIELD: nothing, LAST_USES_FIELD: nothing}, merge=True
        )


def _sharded(memory_ids: Iterable[str]) -> dict[str, list[str]]:
    ids_by_shard: dict[str, list[str]] = {}
    for memory_id in memory_ids:
        shard = str(crc32(memory_id.encode()) % SHARDS)
        ids_by_shard.setdefault(shard, []).append(memory_id)
    return ids_by_shard


async def _all_uses(tenant: Tenant) -> dict[str, Use]:
    """Return the use of each memory that ever came back, the most used first."""
    uses: dict[str, Use] = {}
    async for snapshot in tenant.use.stream(retry=None):
        stored = snapshot.to_dict() or {}
        # Where all of a shard's memories were forgotten, nothing is left in it.
        counts, last = stored.get(USES_FIELD, {}), stored.get(LAST_USES_FIELD, {})
        uses |= {id_: Use(count, last[id_]) for id_, count in counts.items()}
    return dict(
        sorted(
            uses.items(),
            key=lambda each: (-each[1].access_count, -each[1].last_accessed_at, each[0]),
        )
    )


async def _within_reach(
    tenant: Tenant, uses: Mapping[str, Use], reach: Reach, limit: int
) -> tuple[Used, ...]:
    from metacortex.adapters.firestore.lookup import get_records

    found: list[Used] = []
    ids: Sequence[str] = [*uses][:MOST_LOOKED_AT]
    while ids and len(found) < limit:
        page, ids = ids[:limit], ids[limit:]
        records = await get_records(tenant, page)
        memories = (records[id_].memory for id_ in page if id_ in records)
        found += [
            Used(memory, uses[memory.id])
            for memory in memories
            if memory.branch_state in reach.states
            and (reach.namespaces is None or memory.namespace in reach.namespaces)
        ]
    return tuple(found[:limit])
