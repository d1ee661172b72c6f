"""Counting: what a principal's memory holds, in numbers."""

import asyncio
from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.stats import MemoryStats, Reach
from metacortex.domain.use import Used
from metacortex.domain.vector import EmbeddingSpace
from metacortex.ports import MemoryStore, UseLog
from metacortex.service.embedding import TextEmbedding

MOST_USED = 10
"""How many of the most used are told."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers, the space that searches by meaning look in, and what came back most often."""

    stats: MemoryStats
    space: EmbeddingSpace
    most_used: tuple[Used, ...]


class StatsService:
    """What a principal may know of how much its tenant holds."""

    def __init__(self, store: MemoryStore, use: UseLog, embedding: TextEmbedding) -> None:
        self._store = store
        self._use = use
        self._embedding = embedding

    async def count(self, principal: Principal) -> Counted:
        """Return the numbers of all memories that the principal may read, and the most used."""
        stats, most_used = await asyncio.gather(
            self.numbers(principal),
            self._use.most_used(principal.tenant, _reach(principal), MOST_USED),
        )
        return Counted(stats, self._embedding.space, most_used)

    async def numbers(self, principal: Principal) -> MemoryStats:
        """Return the numbers alone."""
        return await self._store.stats(principal.tenant, _reach(principal))


def _reach(principal: Principal) -> Reach:
    return Reach(principal.readable_namespaces, principal.filter_states)
