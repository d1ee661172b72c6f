"""Having the best of what a search found put into a better order, where there is a reranker."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from metacortex.domain.errors import Unavailable
from metacortex.domain.question import Found
from metacortex.domain.reranking import passage_for, reordered
from metacortex.domain.search import Match
from metacortex.model_ports import Reranker

logger = logging.getLogger(__name__)

CANDIDATES = 30
"""How many matches a reranker is shown, however few are asked for."""
SECONDS = 3.0
"""How long a search waits for it. Loading a model takes longer, so the first may go without."""
LEG = "reranker"


async def reranked(
    reranker: Reranker, query: str, found: Found, limit: int, seconds: float = SECONDS
) -> tuple[Found, tuple[str, ...]]:
    """Return the `limit` best of what was found, and what was missing: without an answer in time
    they stay in the order of the search.
    """
    if len(found.matches) < 2:
        return found, ()
    try:
        matches = reordered(found.matches, await _scores(reranker, query, found.matches, seconds))
    except Unavailable as fault:
        logger.warning("Searched without the reranker: %s", fault.sentence)
        return replace(found, matches=found.matches[:limit]), (LEG,)
    return replace(found, matches=matches[:limit]), ()


async def _scores(
    reranker: Reranker, query: str, matches: Sequence[Match], seconds: float
) -> Sequence[float]:
    texts = [passage_for(query, match.memory.text) for match in matches]
    try:
        async with asyncio.timeout(seconds):
            scores = await reranker.rerank(query, texts)
    except TimeoutError as late:
        raise Unavailable("The reranker did not answer in time") from late
    if len(scores) != len(texts) or not all(map(isfinite, scores)):
        raise Unavailable("The reranker did not answer one number for each text")
    return scores
