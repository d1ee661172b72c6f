"""Counting: what a principal's memory holds, in numbers."""

from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.stats import MemoryStats, Reach
from metacortex.domain.vector import EmbeddingSpace
from metacortex.ports import MemoryStore
from metacortex.service.embedding import TextEmbedding


@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers, and the space that searches by meaning look in."""

    stats: MemoryStats
    space: EmbeddingSpace


class StatsService:
    """What a principal may know of how much its tenant holds."""

    def __init__(self, store: MemoryStore, embedding: TextEmbedding) -> None:
        self._store = store
        self._embedding = embedding

    async def count(self, principal: Principal) -> Counted:
        """Return the numbers of all memories that the principal may read."""
        reach = Reach(principal.readable_namespaces, principal.filter_states)
        stats = await self._store.stats(principal.tenant, reach)
        return Counted(stats, self._embedding.space)
