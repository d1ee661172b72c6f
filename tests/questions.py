"""What the tests of a store ask it, by meaning, by words or by both."""

from typing import Any

from metacortex.domain.question import Question
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.domain.words.terms import query_terms
from metacortex.ports import MemoryStore
from tests.samples import NOW, SPACE, TENANT, a_filter


def a_question(
    vector: "Vector | None" = None,
    text: str | None = None,
    *,
    space: EmbeddingSpace = SPACE,
    unrelated: float = 0.0,
    floor: float = 0.0,
) -> Question:
    """Return a question for whatever has anything of the vector and the words of the text."""
    terms = None if text is None else tuple(query_terms(text))
    return Question(space, vector, terms, unrelated, NOW, floor)


async def found(
    store: MemoryStore,
    vector: "Vector | None" = None,
    text: str | None = None,
    *,
    tenant: str = TENANT,
    limit: int = 9,
    space: EmbeddingSpace = SPACE,
    unrelated: float = 0.0,
    floor: float = 0.0,
    **parts: Any,
) -> dict[str, float]:
    """Return the scores of what a search finds by their ids, in order."""
    question = a_question(vector, text, space=space, unrelated=unrelated, floor=floor)
    answer = await store.find(tenant, question, a_filter(**parts), limit)
    assert not answer.incomplete
    return {match.memory.id: match.score for match in answer.matches}
