"""Compile: what answers a query best, as one text under a budget."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from metacortex.domain.bundles.bundle import (
    CHARACTER_COUNTER,
    DEFAULT_MAX_TOKENS,
    Budget,
    Bundle,
    Compile,
)
from metacortex.domain.bundles.packing import Count, pack
from metacortex.domain.client import Principal
from metacortex.domain.knowledge.replaced import without_replaced
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.moment import Milliseconds
from metacortex.domain.question import Found, Question
from metacortex.domain.question import together as found_together
from metacortex.domain.search import Match, MemoryFilter, Mode
from metacortex.domain.updates import asks_for_the_present, newest_first
from metacortex.knowledge_ports import Together
from metacortex.model_ports import TokenCounter
from metacortex.ports import Clock, MemoryStore
from metacortex.service.associations import Associations
from metacortex.service.embedding import TextEmbedding
from metacortex.service.filters import admitted, renewed
from metacortex.service.permissions import check_superseded
from metacortex.service.questions import question_of

CANDIDATES = 60
"""How many memories of a state are weighed against each other."""

_Read = tuple[Found, Sequence[Found], tuple[str, ...]]
"""What names bring to mind, what is found under each filter, and the legs that were missing."""


class ContextService:
    """What a principal may have compiled from the memories of its tenant."""

    def __init__(
        self,
        store: MemoryStore,
        associations: Associations,
        embedding: TextEmbedding,
        counter: TokenCounter,
        clock: Clock,
        together: Together | None,
    ) -> None:
        """With `together`, reading is work of this process, as embedding mostly is, and all that is
        read is read at one go: side by side they would only take the interpreter from each other.
        """
        self._store = store
        self._associations = associations
        self._embedding = embedding
        self._counter = counter
        self._clock = clock
        self._together = together

    async def compile(self, principal: Principal, asked: Compile) -> Bundle:
        """Return the bundle of what answers a query best among what holds, now or at the moment
        that is asked for, in the principal's default state and, if asked for, among the superseded.

        Raises:
            Forbidden: the past or the superseded are asked for, and the profile may not see them.
            Unavailable: the store did not answer.
        """
        wheres = _filters(principal, asked, now := self._clock.now())
        read = self._side_by_side
        # A second search in one snapshot may find that what is kept in memory has gone beyond it.
        if self._together is not None and len(wheres) == 1:
            read = partial(self._at_one_go, self._together)
        associated, founds, degraded = await read(principal, asked.query, wheres, now)
        budget, count = self._budget(asked)
        empty = Bundle(
            asked.form,
            budget,
            as_of=wheres[0].valid_at if asked.where.valid_at else None,
            incomplete=any(found.incomplete for found in founds),
            degraded=(*degraded, *found_together(founds, 0).degraded),
        )
        # Off the loop: the first call loads the tokenizer, and a store of long texts is much to
        # read.
        return await asyncio.to_thread(_packed, (associated, *founds), asked.query, empty, count)

    async def _side_by_side(
        self,
        principal: Principal,
        query: str,
        wheres: Sequence[MemoryFilter],
        now: Milliseconds,
    ) -> _Read:
        # The one takes the model, the other the store.
        (question, degraded), associated = await asyncio.gather(
            question_of(self._embedding, query, Mode.HYBRID, now),
            self._associated(principal, query, wheres, now),
        )
        wheres = renewed(wheres, now, self._clock.now())
        founds = await asyncio.gather(
            *(self._found(principal, question, where) for where in wheres)
        )
        return associated, founds, degraded

    async def _at_one_go(
        self,
        together: Together,
        principal: Principal,
        query: str,
        wheres: Sequence[MemoryFilter],
        now: Milliseconds,
    ) -> _Read:
        question, degraded = await question_of(self._embedding, query, Mode.HYBRID, now)

        async def read() -> tuple[Found, list[Found]]:
            current = renewed(wheres, now, at := self._clock.now())
            founds = [await self._found(principal, question, where) for where in current]
            return await self._associated(principal, query, current, at), founds

        return *(await together(read)), degraded

    async def _found(self, principal: Principal, question: Question, where: MemoryFilter) -> Found:
        return await self._store.find(principal.tenant, question, where, CANDIDATES)

    async def _associated(
        self,
        principal: Principal,
        query: str,
        wheres: Sequence[MemoryFilter],
        now: Milliseconds,
    ) -> Found:
        """Return what the entities that a query names bring to mind, as if it had been found."""
        facts = await self._associations.of(principal, query, wheres, now)
        return Found(tuple(Match(one.fact.memory, one.score) for one in facts))

    def _budget(self, asked: Compile) -> tuple[Budget, Count]:
        if asked.max_chars is not None:
            return Budget(asked.max_chars, CHARACTER_COUNTER), _characters
        tokens = DEFAULT_MAX_TOKENS if asked.max_tokens is None else asked.max_tokens
        return Budget(tokens, self._counter.name), self._counter.count


def _filters(principal: Principal, asked: Compile, now: Milliseconds) -> tuple[MemoryFilter, ...]:
    wheres = admitted(principal, asked.where, now)
    if not asked.include_superseded:
        return wheres
    check_superseded(principal)
    superseded = replace(asked.where, branch_state=BranchState.DEPRECATED)
    return tuple(dict.fromkeys((*wheres, *admitted(principal, superseded, now))))


def _packed(founds: Sequence[Found], query: str, empty: Bundle, count: Count) -> Bundle:
    """Pack what was found; what was found in several ways counts by its best score."""
    is_of_now = asks_for_the_present(query)
    matches = [
        match
        for found in founds
        for match in (newest_first(found.matches) if is_of_now else found.matches)
    ]
    matches = sorted(without_replaced(matches), key=lambda match: match.score)
    # Of equal memories the last counts.
    return pack(matches, query, empty, count)


def _characters(texts: Sequence[str]) -> Sequence[int]:
    return [len(text) for text in texts]
