"""The upkeep of a store: renewing vectors and terms, forgetting what has expired, starting over."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.moment import Milliseconds
from metacortex.domain.vector import EmbeddingSpace
from metacortex.knowledge_ports import NameIndex
from metacortex.ports import Clock, EventLog, MemoryStore
from metacortex.service.embedding import TextEmbedding
from metacortex.service.mentions import Mentions

BATCH = 100


@dataclass(frozen=True, slots=True)
class Coverage:
    """The present embedding space, how many memories still live in each of the others, and how many
    names of entities have no vector in it.
    """

    space: EmbeddingSpace
    elsewhere: Mapping[EmbeddingSpace, int]
    names: int = 0

    @property
    def uncovered(self) -> int:
        """How many memories and names nothing finds by meaning until they are re-embedded."""
        return self._memories + self.names

    @property
    def finding(self) -> str:
        """What an operator should know of it; to re-embed is the remedy where one is needed."""
        if not self.uncovered:
            return f"All memories are embedded in {self.space}"
        spaces = ", ".join(sorted(str(space) for space in self.elsewhere))
        of_memories = (
            f"{self._memories} memories were embedded by another model ({spaces}) than the present"
            f" one ({self.space}), and no search finds them by"
            " meaning"
        )
        of_names = (
            f"{self.names} names of entities have no vector of the present model ({self.space}),"
            " and are not proposed by meaning"
        )
        told = [of_memories] * bool(self._memories) + [of_names] * bool(self.names)
        return "; ".join(told)

    @property
    def _memories(self) -> int:
        return sum(self.elsewhere.values())


class MaintenanceService:
    """What an operator does to the store as a whole."""

    def __init__(
        self,
        store: MemoryStore,
        events: EventLog,
        names: NameIndex,
        mentions: Mentions,
        embedding: TextEmbedding,
        clock: Clock,
        idempotency_window: Milliseconds,
    ) -> None:
        self._store = store
        self._events = events
        self._names = names
        self._mentions = mentions
        self._embedding = embedding
        self._clock = clock
        self._window = idempotency_window

    async def warm(self) -> None:
        """Load the model and measure its space, before the first search waits for both.

        Raises:
            Unavailable: the model did not answer, or not with vectors.
        """
        await self._embedding.unrelated()

    async def coverage(self) -> Coverage:
        """Return what the present embedding space covers, over all tenants."""
        spaces = dict(await self._store.spaces())
        spaces.pop(self._embedding.space, None)
        names = await self._names.count_outside(self._embedding.space)
        return Coverage(self._embedding.space, spaces, names)

    async def reembed(self) -> AsyncIterator[int]:
        """Embed anew every memory that lives in another space, and every name that has no vector in
        the present one; yield how many are done after each memory and each batch of names.

        May be stopped at any moment and started again: what is done is kept and not done twice.
        """
        done, after = 0, ("", "")
        while batch := await self._store.outside(self._embedding.space, after, BATCH):
            for tenant, memory in batch:
                await self._store.replace_embedding(
                    tenant, memory.id, await self._embedding.of_memory(memory)
                )
                done += 1
                after = (tenant, memory.id)
                yield done
        after = ("", "")
        while lacking := await self._names.outside(self._embedding.space, after, BATCH):
            await self._embed_names(lacking)
            done += len(lacking)
            tenant, last = lacking[-1]
            after = (tenant, last.id)
            yield done
            if len(lacking) < BATCH:
                # To find that there are no more, a store may go through all other names.
                break

    async def unindexed(self) -> int:
        """Return how many memories, over all tenants, no words find until they are indexed."""
        return await self._store.count_unindexed()

    async def reindex(self) -> AsyncIterator[int]:
        """Index the words of every memory that an earlier version wrote, link it to what it
        mentions, and yield how many are done after each batch.

        May be stopped at any moment and started again: what is done is kept and not done twice.
        """
        done, after = 0, ("", "")
        while batch := await self._store.unindexed(after, BATCH):
            # Together, so that they share the cost of being made durable.
            indexed = await asyncio.gather(*(self._indexed(*each) for each in batch))
            done += sum(indexed)
            after = batch[-1]
            yield done

    async def _embed_names(self, lacking: Sequence[tuple[str, Entity]]) -> None:
        of_tenant: dict[str, list[Entity]] = {}
        for tenant, entity in lacking:
            of_tenant.setdefault(tenant, []).append(entity)
        for tenant, entities in of_tenant.items():
            names = await self._embedding.of_names([each.name for each in entities])
            await self._names.replace(tenant, [each.id for each in entities], names)

    async def _indexed(self, tenant: str, memory_id: str) -> bool:
        """Link a memory and then index it, so that what was stopped between is done anew."""
        memory = await self._store.get(tenant, memory_id)
        if memory is None:
            return False
        await self._mentions.link(tenant, memory)
        return await self._store.replace_terms(tenant, memory_id)

    async def purge(self) -> None:
        """Forget expired events, and fingerprints older than the idempotency window."""
        now = self._clock.now()
        await self._events.purge(now)
        await self._store.purge(now - self._window)

    async def reset(self, tenant: str) -> int:
        """Delete all memories of a tenant and return how many there were. Its events stay."""
        return await self._store.reset(tenant)

    async def count(self, tenant: str) -> int:
        """Return how many memories a tenant holds."""
        return await self._store.count(tenant)
