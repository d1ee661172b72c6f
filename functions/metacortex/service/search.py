"""Search."""

from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.question import Found
from metacortex.domain.search import Mode, Search
from metacortex.ports import Clock, MemoryStore
from metacortex.service.embedding import TextEmbedding
from metacortex.service.filters import filter_of
from metacortex.service.questions import question_of
from metacortex.service.reranking import CANDIDATES, Reranking


@dataclass(frozen=True, slots=True)
class Searched:
    """What was found, the state that was searched, and the legs that were missing."""

    found: Found
    branch_state: BranchState
    degraded: tuple[str, ...]


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
        the filters and the principal admit. A reranker has the last word on their order, unless
        words alone were asked.

        Raises:
            Forbidden: the profile may not see this state.
            Unavailable: the query could not be embedded where only meaning was asked, or the store
                did not answer.
        """
        now = self._clock.now()
        where = filter_of(principal, search.topic, search.branch_state, now)
        question, degraded = await question_of(self._embedding, search.query, search.mode, now)
        limit = search.limit or self._limit
        reranking = None if search.mode is Mode.WORDS else self._reranking
        wanted = limit if reranking is None else CANDIDATES
        found = await self._store.find(principal.tenant, question, where, wanted)
        if reranking is not None:
            found, missing = await reranking.best(search.query, found, limit)
            degraded = (*degraded, *missing)
        return Searched(found, where.branch_state, degraded)
