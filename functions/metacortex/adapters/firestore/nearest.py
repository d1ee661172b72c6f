"""The nearest memories by their first vectors alone: one bounded query for each namespace."""

from asyncio import Semaphore

from metacortex.adapters.firestore.documents import load_memory
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.queries import legs
from metacortex.adapters.firestore.together import together
from metacortex.domain.search import Match, MemoryFilter, passes
from metacortex.ports import Embedding


async def nearest(
    tenant: Tenant,
    permits: Semaphore,
    embedding: Embedding,
    where: MemoryFilter,
    limit: int,
) -> tuple[Match, ...]:
    """Return the nearest memories, as `MemoryStore.nearest` tells."""
    # A record holds the first vector of its memory.
    over = [leg for leg in legs(tenant, embedding.space, where) if not leg.over_windows]
    answers = await together(leg.nearest(embedding.vectors[0], limit, permits) for leg in over)
    found = [
        Match(load_memory(row.memory_id, row.record), row.cosine)
        for rows in answers
        for row in rows
        if row.record is not None
    ]
    passing = [match for match in found if passes(match.memory, where)]
    return tuple(sorted(passing, key=lambda match: -match.score)[:limit])
