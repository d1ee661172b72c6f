"""Consolidate: one memory takes the place of several."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.consolidation import (
    FEWEST_SOURCES,
    MOST_SOURCES,
    Consolidation,
    check_together,
    fitting,
    merged,
    oldest_first,
    topic_of,
)
from metacortex.domain.errors import TooLarge
from metacortex.domain.lifecycle import BranchState, check_unreplaced
from metacortex.domain.listing import Place
from metacortex.domain.memory import Memory, Origin
from metacortex.domain.search import MemoryFilter
from metacortex.model_ports import Judge
from metacortex.ports import Clock, MemoryStore
from metacortex.service.memories import MemoryService, Remembered
from metacortex.service.permissions import (
    UNKNOWN,
    check_may_change,
    check_may_see,
    check_may_write,
    check_may_write_to,
    known,
)


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The memories that one stands for from now on, oldest first, and that one: None where nothing
    was changed, and they are what can be merged.
    """

    sources: tuple[Memory, ...]
    left_out: tuple[str, ...]
    """Ids of those that were asked for too, and are too much to be merged at once."""
    remembered: Remembered | None = None


class ConsolidationService:
    """What a principal may merge of the memories of its tenant; `judge` is None where no language
    model is configured for it.
    """

    def __init__(
        self, store: MemoryStore, memories: MemoryService, judge: Judge | None, clock: Clock
    ) -> None:
        self._store = store
        self._memories = memories
        self._judge = judge
        self._clock = clock

    async def consolidate(self, principal: Principal, asked: Consolidation) -> Consolidated:
        """Merge memories into one, by the caller's text or the judge's, and supersede them by it,
        all or none. Without either text, or where only a preview is asked for, return what is
        ready to be merged.

        Raises:
            InvalidInput: they cannot be merged into one, or the text cannot be kept.
            NotFound: the principal knows no memory of one of the ids.
            Forbidden: the profile may not see the state of one, or not change its namespace, or not
                write the state of the merged one.
            Conflict: one of them has another replacement.
            TooLarge: the ids name more than the judge can merge at once.
            Unavailable: the judge did not answer, or the text was not embedded or stored.
        """
        found = oldest_first(await self._sources(principal, asked))
        check_together(found)
        if found:
            check_may_write(principal, asked.branch_state)
            check_may_write_to(principal, found[0].namespace)
        if asked.content is not None and not asked.preview:
            remembered = await self._write(principal, asked, found, asked.content, Origin.ASSERTED)
            return Consolidated(tuple(found), (), remembered)
        for memory in found:
            check_unreplaced(memory.standing)
        count = fitting(found)
        ready, left = tuple(found[:count]), tuple(memory.id for memory in found[count:])
        if self._judge is None or asked.preview or len(found) < FEWEST_SOURCES:
            return Consolidated(ready, left)
        if (left and asked.ids) or count < FEWEST_SOURCES:
            raise TooLarge("The memories are too long to be merged at once; name fewer in ids")
        topic = topic_of(asked, ready)
        text = await self._judge.merge([memory.text for memory in ready], topic)
        return Consolidated(
            ready, left, await self._write(principal, asked, ready, text, Origin.INFERRED)
        )

    async def _sources(self, principal: Principal, asked: Consolidation) -> Sequence[Memory]:
        if not asked.ids:
            return await self._drafts(principal, asked.topic)
        found = await asyncio.gather(
            *(self._store.get(principal.tenant, memory_id) for memory_id in asked.ids)
        )
        return [
            _changeable(principal, memory, number) for number, memory in enumerate(found, start=1)
        ]

    async def _drafts(self, principal: Principal, topic: str | None) -> Sequence[Memory]:
        """Return the newest drafts of a topic, one more than may be merged at once."""
        check_may_see(principal, BranchState.WIP)
        where = MemoryFilter(
            namespaces=None if principal.reads_all else (principal.own_namespace,),
            branch_state=BranchState.WIP,
            valid_at=self._clock.now(),
            topic=topic,
        )
        drafts: list[Memory] = []
        after: Place | None = None
        while len(drafts) <= MOST_SOURCES:
            wanted = MOST_SOURCES + 1 - len(drafts)
            page = await self._store.list(principal.tenant, where, after, wanted)
            drafts += page.memories
            if (after := page.end) is None:
                break
        return drafts

    async def _write(
        self,
        principal: Principal,
        asked: Consolidation,
        sources: Sequence[Memory],
        text: str,
        origin: Origin,
    ) -> Remembered:
        return await self._memories.write(principal, merged(asked, sources, text, origin))


def _changeable(principal: Principal, found: Memory | None, number: int) -> Memory:
    memory = known(principal, found, f"{UNKNOWN}: number {number} of ids")
    check_may_see(principal, memory.branch_state)
    check_may_change(principal, memory.namespace)
    return memory
