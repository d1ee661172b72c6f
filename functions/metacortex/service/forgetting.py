"""Forgetting: what is deleted for good, by its ids at once, or by filters after a preview."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from metacortex.domain.client import Principal
from metacortex.domain.confirmation import (
    CONFIRMATION,
    MOST_IDS,
    SHOWN_IDS,
    Preview,
    preview_json,
    read_preview,
)
from metacortex.domain.errors import InvalidInput
from metacortex.domain.forgetting import Forgetting, Mark, Tombstone, tombstone_key
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import Filters, MemoryFilter, digest_of
from metacortex.knowledge_ports import FactStore
from metacortex.ports import Clock, MemoryStore
from metacortex.service.filters import admitted
from metacortex.service.permissions import UNKNOWN, check_may_change, check_may_see, known
from metacortex.service.seals import Seals

PAGE = 300
"""How many memories are looked through at a time."""


@dataclass(frozen=True, slots=True)
class Previewed:
    """How many memories filters have found, a few of their ids, and what confirms that they are to
    be forgotten until when; None where there are none.
    """

    count: int
    ids: tuple[str, ...]
    facts: int
    """How many facts would go too, since they were drawn from these."""
    confirmation: str | None
    expires_at: Milliseconds


class ForgettingService:
    """What a principal may forget of the memories of its tenant: what it may see and change.

    The facts that were drawn from a memory go with it, in whatever state, where the principal may
    change their namespace. That is the memory's own but for facts that an earlier version wrote.
    """

    def __init__(self, store: MemoryStore, facts: FactStore, seals: Seals, clock: Clock) -> None:
        self._store = store
        self._facts = facts
        self._seals = seals
        self._clock = clock

    async def forget(self, principal: Principal, memory_ids: Sequence[str]) -> int:
        """Forget memories by their ids and return how many there were, with the facts drawn from
        them: all, or none if one may not be. Those that this client has forgotten before are not
        missed.

        Raises:
            InvalidInput: none is named, or too many.
            NotFound: one of them is unknown to the principal.
            Forbidden: one of them is in a state that the profile may not see, or in a namespace
                that it only reads.
        """
        named = [*dict.fromkeys(memory_ids)]
        if not 1 <= len(named) <= MOST_IDS:
            raise InvalidInput(f"ids must name 1 to {MOST_IDS} memories")
        found = await asyncio.gather(*(self._store.get(principal.tenant, id_) for id_ in named))
        for number, (memory_id, memory) in enumerate(zip(named, found, strict=True), start=1):
            if memory is None and await self._has_forgotten(principal, memory_id):
                continue
            memory = known(principal, memory, f"{UNKNOWN}: number {number} of ids")
            check_may_see(principal, memory.branch_state)
            check_may_change(principal, memory.namespace)
        return await self._forget(principal, named)

    async def preview(self, principal: Principal, asked: Filters, at: Milliseconds) -> Previewed:
        """Count what filters find at a moment, whenever it is true, and return what confirms that
        it is to be forgotten.

        Raises:
            Forbidden: the profile may not see the state, or not change the namespace.
        """
        filters = _filters(principal, asked, at)
        # Before it counts: what comes between the two is counted, and left.
        mark = await self._store.mark(principal.tenant)
        ids = [id_ async for id_ in self._found(principal, filters)]
        confirmation = None
        if ids:
            sealed = preview_json(Preview(at, mark, digest_of(filters)))
            confirmation = await self._seals.seal(CONFIRMATION, principal, sealed)
        facts = len(await self._drawn_from(principal, ids))
        expires_at = self._clock.now() + CONFIRMATION.lifetime
        return Previewed(len(ids), tuple(ids[:SHOWN_IDS]), facts, confirmation, expires_at)

    async def confirmed(self, principal: Principal, confirmation: str) -> Preview:
        """Return the preview that was given out with this confirmation.

        Raises:
            InvalidInput: it was not given to this principal, is altered, or has expired.
        """
        return read_preview(await self._seals.opened(CONFIRMATION, principal, confirmation))

    async def forget_previewed(self, principal: Principal, asked: Filters, preview: Preview) -> int:
        """Forget what a preview has counted, but what has changed since, and return how many
        memories and facts it was. Where it fails in the middle, the same call goes on.

        Raises:
            InvalidInput: the preview had other filters.
            Forbidden: as `preview` does.
        """
        filters = _filters(principal, asked, preview.at)
        preview.check(filters)
        ids = [id_ async for id_ in self._found(principal, filters)]
        return await self._forget(principal, ids, preview.mark)

    async def _found(
        self, principal: Principal, filters: Sequence[MemoryFilter]
    ) -> AsyncIterator[str]:
        for where in filters:
            page = await self._store.list(principal.tenant, where, None, PAGE)
            while True:
                for memory in page.memories:
                    yield memory.id
                if page.end is None:
                    break
                page = await self._store.list(principal.tenant, where, page.end, PAGE)

    async def _forget(
        self, principal: Principal, memory_ids: Sequence[str], mark: Mark | None = None
    ) -> int:
        key = tombstone_key(await self._seals.secret(), principal.tenant)
        how = Forgetting(key, principal.client_id, self._clock.now(), mark)
        # Facts go first: where it fails in the middle, the memories still lead to them.
        ids = [*await self._drawn_from(principal, memory_ids), *memory_ids]
        tried, forgotten = set[str](), 0
        while ids:
            for start in range(0, len(ids), MOST_IDS):
                some = ids[start : start + MOST_IDS]
                forgotten += len(await self._store.forget(principal.tenant, some, how))
            tried.update(ids)
            # Others may have drawn more meanwhile; from what is gone now nobody can.
            drawn = await self._drawn_from(principal, memory_ids)
            ids = [id_ for id_ in drawn if id_ not in tried]
        return forgotten

    async def _drawn_from(self, principal: Principal, memory_ids: Sequence[str]) -> Sequence[str]:
        """Return the ids of further facts that were drawn from memories, or from such facts."""
        seen, asked = {*memory_ids}, memory_ids
        drawn: list[str] = []
        while asked:
            found = await self._facts.drawn_from(principal.tenant, asked)
            asked = [
                fact.id
                for fact in found
                if fact.id not in seen and principal.may_change(fact.memory.namespace)
            ]
            seen.update(asked)
            drawn += asked
        return drawn

    async def _has_forgotten(self, principal: Principal, memory_id: str) -> bool:
        """Whether this client has forgotten a memory: to others its tombstone says nothing."""
        entries = await self._store.changes(principal.tenant, memory_id)
        return any(
            isinstance(entry, Tombstone) and entry.client == principal.client_id
            for entry in entries
        )


def _filters(principal: Principal, asked: Filters, at: Milliseconds) -> list[MemoryFilter]:
    """Return a filter for each state, of all that the profile may see unless one is named, in the
    namespaces that it may change.
    """
    states = principal.filter_states if asked.branch_state is None else (asked.branch_state,)
    filters = [
        where
        for state in states
        for where in admitted(principal, replace(asked, branch_state=state), at)
    ]
    if asked.namespace is not None:
        check_may_change(principal, asked.namespace)
    elif not principal.reads_all:
        own = (principal.own_namespace,)
        filters = [replace(where, namespaces=own) for where in filters]
    return [replace(where, valid_at=None) for where in filters]
