"""Which memories mention entities: an index of what each lists tells."""

from collections.abc import Sequence

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import MEMORY_FIELDS, load_memory
from metacortex.adapters.firestore.layout import KIND_FIELD, MENTIONS_FIELD, Tenant
from metacortex.adapters.firestore.lookup import pieces
from metacortex.adapters.firestore.together import together
from metacortex.domain.listing import Place
from metacortex.domain.memory import Memory
from metacortex.domain.search import MemoryFilter, passes

MOST_LOOKED_AT = 300
"""How many memories, of those that mention any of thirty entities, are looked at."""


async def mentioning(
    tenant: Tenant, entity_ids: Sequence[str], where: MemoryFilter, limit: int
) -> tuple[Memory, ...]:
    """Return memories as `EntityStore.mentioning` tells."""
    found = await together(_of_any(tenant, piece, where) for piece in pieces(entity_ids))
    memories = {memory.id: memory for some in found for memory in some if passes(memory, where)}
    return tuple(sorted(memories.values(), key=Place.of, reverse=True)[:limit])


async def _of_any(tenant: Tenant, entity_ids: Sequence[str], where: MemoryFilter) -> list[Memory]:
    # A range or an order would need an index of its own; these merge those of each field.
    query = tenant.memories.where(
        filter=FieldFilter(MENTIONS_FIELD, "array_contains_any", entity_ids)
    ).where(filter=FieldFilter("branch_state", "==", where.branch_state.value))
    if len(where.kinds) == 1:
        query = query.where(filter=FieldFilter(KIND_FIELD, "==", where.kinds[0].value))
    query = query.select(MEMORY_FIELDS).limit(MOST_LOOKED_AT)
    return [
        load_memory(snapshot.id, snapshot.to_dict() or {})
        async for snapshot in query.stream(retry=None)
    ]
