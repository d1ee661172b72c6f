"""Having the best of what a search found put into a better order, where there is a reranker."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from metacortex.domain.errors import Unavailable
from metacortex.domain.moment import Milliseconds
from metacortex.domain.question import Found
from metacortex.domain.reranking import passage_for, reordered
from metacortex.domain.search import Match
from metacortex.model_ports import Reranker
from metacortex.ports import Clock

logger = logging.getLogger(__name__)

CANDIDATES = 30
"""How many matches a reranker is shown, however few are asked for."""
SECONDS = 3.0
"""How long a search waits for it. Loading a model may take longer: the first go without."""
REST: Milliseconds = 30_000
LEG = "reranker"


class Reranking:
    """Asks a reranker for a better order. After a failure it is left alone for a while, so that not
    every search waits for what does not answer.
    """

    def __init__(self, reranker: Reranker, clock: Clock, seconds: float = SECONDS) -> None:
        self._reranker = reranker
        self._clock = clock
        self._seconds = seconds
        self._resting_until: Milliseconds = 0

    async def best(self, query: str, found: Found, limit: int) -> tuple[Found, tuple[str, ...]]:
        """Return the `limit` best of what was found, and what was missing: without an answer in
        time they stay in the order of the search.
        """
        if len(found.matches) < 2:
            return found, ()
        cut = replace(found, matches=found.matches[:limit])
        if self._clock.now() < self._resting_until:
            return cut, (LEG,)
        try:
            scores = await self._scores(query, found.matches)
        except Unavailable as fault:
            logger.warning("Searched without the reranker: %s", fault.sentence)
            self._resting_until = self._clock.now() + REST
            return cut, (LEG,)
        return replace(found, matches=reordered(found.matches, scores)[:limit]), ()

    async def _scores(self, query: str, matches: Sequence[Match]) -> Sequence[float]:
        texts = [passage_for(query, match.memory.text) for match in matches]
        try:
            async with asyncio.timeout(self._seconds):
                scores = await self._reranker.rerank(query, texts)
        except TimeoutError as late:
            raise Unavailable("The reranker did not answer in time") from late
        if len(scores) != len(texts) or not all(map(isfinite, scores)):
            raise Unavailable("The reranker did not answer one number for each text")
        return scores
