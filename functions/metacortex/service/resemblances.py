"""What a memory that is being written resembles, found beside the write and never at its cost."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Collection, Iterable
from contextlib import asynccontextmanager
from itertools import chain, islice

from metacortex.domain.client import Principal
from metacortex.domain.errors import MetaCortexError
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.resemblance import Similar, similar_to
from metacortex.domain.search import Match, MemoryFilter
from metacortex.ports import Embedding, MemoryStore
from metacortex.service.embedding import TextEmbedding

logger = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds. A store that must first load what it searches may take longer; then nothing is named."""
CANDIDATES = 5
"""How many of the nearest are compared, of each state, besides those that are left out."""


class Resemblances:
    """Looks for what a memory resembles among what its writer may see and holds now."""

    def __init__(
        self, store: MemoryStore, embedding: TextEmbedding, patience: float = PATIENCE
    ) -> None:
        self._store = store
        self._embedding = embedding
        self._patience = patience

    @asynccontextmanager
    async def sought(
        self,
        principal: Principal,
        memory: Memory,
        embedding: Embedding,
        besides: Collection[str] = (),
    ) -> AsyncIterator[Awaitable[tuple[Similar, ...]]]:
        """Look while the body runs, and no longer than that; leave out the ids in `besides`. What
        it gets comes to nothing where the store or the model fails or takes its time.
        """
        # The write may come first.
        besides = {memory.id, *besides}
        looking = asyncio.create_task(self._patiently(principal, memory, embedding, besides))
        try:
            yield looking
        finally:
            looking.cancel()

    async def _patiently(
        self,
        principal: Principal,
        memory: Memory,
        embedding: Embedding,
        besides: Collection[str],
    ) -> tuple[Similar, ...]:
        try:
            async with asyncio.timeout(self._patience):
                return await self._similar(principal, memory, embedding, besides)
        except TimeoutError:
            logger.info("What a memory resembles was not told: it took too long")
        except MetaCortexError as fault:
            logger.warning("What a memory resembles was not told: %s", fault.sentence)
        return ()

    async def _similar(
        self,
        principal: Principal,
        memory: Memory,
        embedding: Embedding,
        besides: Collection[str],
    ) -> tuple[Similar, ...]:
        states = [state for state in principal.filter_states if state is not BranchState.DEPRECATED]
        answers = await asyncio.gather(
            *(self._nearest(principal, memory, embedding, state, besides) for state in states)
        )
        others = [*chain(*answers)]
        if not others:
            return ()
        unrelated = await self._embedding.unrelated()
        # Off the loop: texts may be long, and other callers should not wait for them.
        return await asyncio.to_thread(similar_to, memory.text, others, unrelated)

    async def _nearest(
        self,
        principal: Principal,
        memory: Memory,
        embedding: Embedding,
        state: BranchState,
        besides: Collection[str],
    ) -> Iterable[Match]:
        where = MemoryFilter(
            namespaces=principal.readable_namespaces,
            branch_state=state,
            valid_at=memory.recorded_at,
        )
        # What is left out takes no place from the others, whether the store finds it or not.
        limit = CANDIDATES + len(besides)
        found = await self._store.nearest(principal.tenant, embedding, where, limit)
        return islice((match for match in found if match.memory.id not in besides), CANDIDATES)
