"""The embedder that asks Gemini.

Passages are embedded as documents with their topic as the title, queries as queries: by task types,
or by words around the text for the models that know no task types. Each text is a content of its
own, because newer models fuse the parts of one content into one vector.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metacortex.adapters.gemini.connection import GeminiConnection
from metacortex.adapters.gemini.failures import Purpose
from metacortex.domain.errors import Unavailable
from metacortex.domain.vector import EmbeddingSpace, NotAVector, Vector, unit

if TYPE_CHECKING:
    from google.genai.types import ContentDict, EmbedContentConfigDict, EmbedContentResponse

TEXTS_AT_ONCE = 100
"""More are refused by the Gemini API."""
REQUESTS_AT_ONCE = 8

_QUERY = Purpose(
    "GEMINI_EMBEDDING_MODEL",
    "refused the request; check that GEMINI_EMBEDDING_MODEL is a model that embeds texts, and"
    " GEMINI_EMBEDDING_DIMENSIONS",
)
_PASSAGES = Purpose(_QUERY.model, _QUERY.refused, "; nothing was saved")


class GeminiEmbedder:
    """Embeds with one model, whose vectors are shortened to `dimension`."""

    # The models read 2,048 tokens of topic and text. A token is seldom less than a character of
    # Chinese, Japanese or Korean, and about four of English.
    window = 1_000

    def __init__(self, connection: GeminiConnection, model: str, dimension: int) -> None:
        self._connection = connection
        self._space = EmbeddingSpace(model, dimension)
        self._knows_tasks = not model.rpartition("/")[2].startswith("gemini-embedding-2")
        # On Vertex AI gemini-embedding-001 takes one text a request.
        self._texts_at_once = 1 if connection.vertex else TEXTS_AT_ONCE
        self._turns = asyncio.Semaphore(REQUESTS_AT_ONCE)

    @property
    def space(self) -> EmbeddingSpace:
        """The model and the dimension as they were set."""
        return self._space

    async def embed_passages(self, topic: str, passages: Sequence[str]) -> Sequence[Vector]:
        """Return one vector for each passage.

        Raises:
            Unavailable: Gemini did not answer, or not with vectors of the space.
        """
        until = self._connection.until()
        texts, how = self._documents(topic, passages)
        size = self._texts_at_once
        try:
            async with asyncio.TaskGroup() as group:
                batches = [
                    group.create_task(
                        self._embed(_PASSAGES, until, texts[start : start + size], how)
                    )
                    for start in range(0, len(texts), size)
                ]
        except ExceptionGroup as failed:
            # Whichever was first: the others were cancelled, or failed for the same reason.
            raise failed.exceptions[0] from None
        return [vector for batch in batches for vector in batch.result()]

    async def embed_query(self, query: str) -> Vector:
        """Return the vector of a query.

        Raises:
            Unavailable: as `embed_passages`.
        """
        how: EmbedContentConfigDict = {"output_dimensionality": self._space.dimension}
        if self._knows_tasks:
            how["task_type"] = "RETRIEVAL_QUERY"
        else:
            query = f"task: search result | query: {query}"
        return (await self._embed(_QUERY, self._connection.until(), [query], how))[0]

    async def aclose(self) -> None:
        """Close the connection. A later text would open another."""
        await self._connection.aclose()

    def _documents(
        self, topic: str, passages: Sequence[str]
    ) -> "tuple[Sequence[str], EmbedContentConfigDict]":
        how: EmbedContentConfigDict = {"output_dimensionality": self._space.dimension}
        if not self._knows_tasks:
            return [f"title: {topic} | text: {passage}" for passage in passages], how
        how["task_type"] = "RETRIEVAL_DOCUMENT"
        how["title"] = _sendable(topic)
        return passages, how

    async def _embed(
        self, purpose: Purpose, until: float, texts: Sequence[str], how: "EmbedContentConfigDict"
    ) -> list[Vector]:
        contents: list[ContentDict] = [{"parts": [{"text": _sendable(text)}]} for text in texts]
        async with self._turns:
            answer = await self._connection.ask(
                purpose,
                until,
                lambda models: models.embed_content(
                    model=self._space.model, contents=contents, config=how
                ),
            )
        return _vectors(answer, len(texts), self._space.dimension, purpose)


def _sendable(text: str) -> str:
    """Return a text without lone surrogates, which have no UTF-8."""
    return text.encode(errors="replace").decode()


def _vectors(
    answer: "EmbedContentResponse", expected: int, dimension: int, purpose: Purpose
) -> list[Vector]:
    rows = [embedding.values or [] for embedding in answer.embeddings or []]
    if len(rows) != expected:
        raise Unavailable(
            f"Gemini answered {len(rows)} vectors for {expected} texts; check"
            f" {purpose.model}{purpose.outcome}"
        )
    try:
        return [unit(row, dimension) for row in rows]
    except NotAVector as fault:
        raise Unavailable(
            f"Gemini answered {fault}; check {purpose.model} and GEMINI_EMBEDDING_DIMENSIONS"
            f"{purpose.outcome}"
        ) from fault
