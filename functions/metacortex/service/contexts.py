"""Compile: what answers a query best, as one text under a budget."""

import asyncio
from collections.abc import Sequence

from metacortex.domain.bundle import (
    CHARACTER_COUNTER,
    DEFAULT_MAX_TOKENS,
    Budget,
    Bundle,
    Compile,
)
from metacortex.domain.client import Principal
from metacortex.domain.errors import Forbidden
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.packing import Count, pack
from metacortex.domain.question import Found, Question
from metacortex.domain.ranking import EACH_LEG
from metacortex.domain.search import MemoryFilter, Mode
from metacortex.model_ports import TokenCounter
from metacortex.ports import Clock, MemoryStore
from metacortex.service.embedding import TextEmbedding
from metacortex.service.questions import question_of

CANDIDATES = 60
"""How many memories of a state are weighed against each other."""


class ContextService:
    """What a principal may have compiled from the memories of its tenant."""

    def __init__(
        self, store: MemoryStore, embedding: TextEmbedding, counter: TokenCounter, clock: Clock
    ) -> None:
        self._store = store
        self._embedding = embedding
        self._counter = counter
        self._clock = clock

    async def compile(self, principal: Principal, asked: Compile) -> Bundle:
        """Return the bundle of what answers a query best among what holds now, in the principal's
        default state and, if asked for, among the superseded.

        Raises:
            Forbidden: the superseded are asked for, and the profile may not see them.
            Unavailable: the store did not answer.
        """
        states = _states(principal, asked)
        question, degraded = await question_of(
            self._embedding, asked.query, Mode.HYBRID, self._clock.now()
        )
        founds = await asyncio.gather(
            *(self._found(principal, asked, question, state) for state in states)
        )
        matches = [
            match for found in founds for match in found.matches if _is_asked(asked, match.memory)
        ]
        incomplete = any(_may_lack(found, asked) for found in founds)
        budget, count = self._budget(asked)
        empty = Bundle(asked.form, budget, incomplete=incomplete, degraded=degraded)
        # Off the loop: the first call loads the tokenizer, and a store of long texts is much to
        # read.
        return await asyncio.to_thread(pack, matches, asked.query, empty, count)

    async def _found(
        self, principal: Principal, asked: Compile, question: Question, state: BranchState
    ) -> Found:
        where = MemoryFilter(
            namespaces=principal.readable_namespaces,
            branch_state=state,
            valid_at=question.now,
            topic=asked.topic,
        )
        return await self._store.find(principal.tenant, question, where, CANDIDATES)

    def _budget(self, asked: Compile) -> tuple[Budget, Count]:
        if asked.max_chars is not None:
            return Budget(asked.max_chars, CHARACTER_COUNTER), _characters
        tokens = DEFAULT_MAX_TOKENS if asked.max_tokens is None else asked.max_tokens
        return Budget(tokens, self._counter.name), self._counter.count


def _states(principal: Principal, asked: Compile) -> tuple[BranchState, ...]:
    state = principal.default_filter_state
    if not asked.include_superseded:
        return (state,)
    if BranchState.DEPRECATED not in principal.filter_states:
        raise Forbidden("include_superseded is not allowed for this client")
    return tuple(dict.fromkeys((state, BranchState.DEPRECATED)))


def _is_asked(asked: Compile, memory: Memory) -> bool:
    return (not asked.kinds or memory.kind in asked.kinds) and (
        asked.session_id is None or memory.session_id == asked.session_id
    )


def _may_lack(found: Found, asked: Compile) -> bool:
    """Whether others that are asked for may stand behind those that were found and are not."""
    full = len(found.matches) >= EACH_LEG
    return found.incomplete or (
        full and not all(_is_asked(asked, match.memory) for match in found.matches)
    )


def _characters(texts: Sequence[str]) -> Sequence[int]:
    return [len(text) for text in texts]
