"""Recognizing what this memory itself returned, when it is saved again."""

import asyncio

from metacortex.domain.bundles.recall import cited, short_digest
from metacortex.domain.client import Principal
from metacortex.ports import MemoryStore


async def recalled_from(store: MemoryStore, principal: Principal, text: str) -> tuple[str, ...]:
    """Return the ids that a text cites as a bundle does, of memories that the principal may read
    and that have the digests that it cites, sorted. Nothing is read where nothing is cited.
    """
    citations = cited(text)
    memories = await asyncio.gather(*(store.get(principal.tenant, each) for each in citations))
    return tuple(
        sorted(
            memory.id
            for memory in memories
            if memory is not None
            and principal.may_read(memory.namespace)
            and short_digest(memory) == citations[memory.id]
        )
    )
