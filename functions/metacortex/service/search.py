"""Search."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from metacortex.domain.client import Principal
from metacortex.domain.knowledge.replaced import without_replaced
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.question import Found, Question, together
from metacortex.domain.search import MemoryFilter, Mode, Search
from metacortex.domain.updates import asks_for_the_present, newest_first
from metacortex.ports import Clock, MemoryStore
from metacortex.service.embedding import TextEmbedding
from metacortex.service.filters import admitted, renewed
from metacortex.service.questions import question_of
from metacortex.service.reranking import CANDIDATES, Reranking

MOST_UNDATED = 30
"""How many are looked for that a range on the start leaves out."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What was found, under which filters, one for each state that was searched; and the legs that
    were missing.
    """

    found: Found
    where: tuple[MemoryFilter, ...]
    degraded: tuple[str, ...]
    undated: int = 0
    """How many of the best that a range on the start left out, since theirs is unknown."""

    @property
    def branch_state(self) -> BranchState:
        """The state that was searched, or the first of two."""
        return self.where[0].branch_state


class SearchService:
    """What a principal may find among the memories of its tenant."""

    def __init__(
        self,
        store: MemoryStore,
        embedding: TextEmbedding,
        clock: Clock,
        search_result_limit: int,
        reranking: Reranking | None = None,
    ) -> None:
        self._store = store
        self._embedding = embedding
        self._clock = clock
        self._limit = search_result_limit
        self._reranking = reranking

    async def search(self, principal: Principal, search: Search) -> Searched:
        """Return the memories that answer the query best, by meaning and by words, among those that
        the filters and the principal admit. Where the present is asked for, the newer of two that
        speak of the same comes first. A reranker has the last word on their order, unless words
        alone were asked.

        Raises:
            Forbidden: the profile may not see this state, this namespace or the past.
            Unavailable: the query could not be embedded where only meaning was asked, or the store
                did not answer.
        """
        now = self._clock.now()
        wheres = admitted(principal, search.where, now)
        question, degraded = await question_of(self._embedding, search.query, search.mode, now)
        wheres = renewed(wheres, now, self._clock.now())
        floor = max(question.floor, search.min_score)
        question = replace(question, floor=floor, explain=search.explain)
        limit = search.limit or self._limit
        reranking = None if search.mode is Mode.WORDS else self._reranking
        wanted = limit if reranking is None else CANDIDATES
        found, undated = await asyncio.gather(
            self._found(principal, question, wheres, wanted),
            self._found(principal, question, _undated(wheres), MOST_UNDATED),
        )
        degraded = (*degraded, *together((found, undated), 0).degraded)
        if asks_for_the_present(search.query):
            # Off the loop: twenty long texts are much to read.
            matches = await asyncio.to_thread(newest_first, found.matches)
            found = replace(found, matches=matches)
        if reranking is not None:
            found, missing = await reranking.best(search.query, found, limit)
            degraded = (*degraded, *missing)
        return Searched(found, wheres, degraded, len(undated.matches))

    async def _found(
        self, principal: Principal, question: Question, wheres: Iterable[MemoryFilter], limit: int
    ) -> Found:
        founds = await asyncio.gather(
            *(self._store.find(principal.tenant, question, where, limit) for where in wheres)
        )
        found = together(founds, limit)
        return replace(found, matches=without_replaced(found.matches))


def _undated(wheres: Iterable[MemoryFilter]) -> Iterator[MemoryFilter]:
    """Yield what finds the memories that a range on the start leaves out for want of one."""
    for where in wheres:
        if where.started_from is not None or where.started_until is not None:
            yield replace(where, started_from=None, started_until=None, undated=True)
