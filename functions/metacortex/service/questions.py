"""From the text of a query to the question that a store is asked."""

import logging

from metacortex.domain.errors import Unavailable
from metacortex.domain.moment import Milliseconds
from metacortex.domain.question import Question
from metacortex.domain.search import Mode
from metacortex.domain.words.terms import query_terms
from metacortex.service.embedding import TextEmbedding

logger = logging.getLogger(__name__)


async def question_of(
    embedding: TextEmbedding, query: str, mode: Mode, now: Milliseconds
) -> tuple[Question, tuple[str, ...]]:
    """Return what the store is asked, and the legs that cannot be: without a model, words.

    Raises:
        Unavailable: the query could not be embedded and there are no words to go by.
    """
    vector, unrelated = None, 0.0
    degraded: tuple[str, ...] = ()
    terms = None if mode is Mode.MEANING else tuple(query_terms(query))
    if mode is not Mode.WORDS:
        try:
            unrelated = await embedding.unrelated()
            vector = await embedding.of_query(query)
        except Unavailable as fault:
            if not terms:
                raise
            # Measuring embeds passages, whose faults speak of saving; here nothing was to be saved.
            reason = fault.sentence.replace("; nothing was saved", "")
            logger.warning("Searched by words alone: %s", reason)
            degraded = (Mode.MEANING.value,)
    return Question(embedding.space, vector, terms, unrelated, now), degraded
