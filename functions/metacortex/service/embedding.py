"""From text to the vectors that stand for it, held to be vectors of their space."""

import asyncio
from array import array
from collections.abc import Sequence
from itertools import islice

from metacortex.domain.calibration import PROBES, unrelated_cosine
from metacortex.domain.errors import Unavailable
from metacortex.domain.knowledge.fact import spoken
from metacortex.domain.memory import DEFAULT_TOPIC, Memory
from metacortex.domain.passage import windows
from metacortex.domain.vector import EmbeddingSpace, NotAVector, Vector, unit
from metacortex.model_ports import Embedder
from metacortex.ports import Embedding

QUERY_WINDOWS = 8
"""A query longer than this many windows is read up to there: what follows rarely changes what it
asks for.
"""


class TextEmbedding:
    """Cuts texts into windows, has them embedded and checks what comes back."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._measuring: asyncio.Task[float] | None = None
        self._unrelated: float | None = None

    @property
    def space(self) -> EmbeddingSpace:
        """The space that all vectors live in."""
        return self._embedder.space

    async def of_memory(self, memory: Memory) -> Embedding:
        """Return the vectors of a memory, one for each window of its text.

        Raises:
            Unavailable: the model did not answer, or not with vectors.
        """
        return await self._of_passages(memory.topic, self._passages(memory))

    async def of_fact(self, memory: Memory, names: Sequence[str]) -> tuple[Embedding, Embedding]:
        """Return the vectors of a fact, as `of_memory` does, and those of names, as `of_names`
        does, from one call of the model.

        Raises:
            Unavailable: the model did not answer, or not with vectors.
        """
        passages = self._passages(memory)
        both = await self._of_passages(memory.topic, [*passages, *map(_read_aloud, names)])
        of_text, of_names = both.vectors[: len(passages)], both.vectors[len(passages) :]
        return Embedding(self.space, of_text), Embedding(self.space, of_names)

    async def of_names(self, names: Sequence[str]) -> Embedding:
        """Return the vectors of names, in order, each by itself and read as the words that it is
        made of.

        Raises:
            Unavailable: the model did not answer, or not with vectors.
        """
        return await self._of_passages(DEFAULT_TOPIC, [*map(_read_aloud, names)])

    async def of_query(self, query: str) -> Vector:
        """Return the vector of a query; of one longer than a window, the mean of its windows.

        Raises:
            Unavailable: the model did not answer, or not with a vector.
        """
        parts = islice(windows(query, self._embedder.window, 0), QUERY_WINDOWS)
        vectors = self._checked([await self._embedder.embed_query(part) for part in parts])
        if len(vectors) == 1:
            return vectors[0]
        return self._checked([array("f", map(sum, zip(*vectors, strict=True)))])[0]

    async def unrelated(self) -> float:
        """Return the cosine that texts of the space have which share nothing, measured once.

        Raises:
            Unavailable: the model did not answer, or not with vectors.
        """
        if self._unrelated is None:
            # Searches that begin together share one measuring, and its failure. Of those that give
            # up before it is done the next ones still have it.
            if self._measuring is None:
                self._measuring = asyncio.create_task(self._measure())
                self._measuring.add_done_callback(self._measured)
            measuring = self._measuring
            await asyncio.wait([measuring])
            return measuring.result()
        return self._unrelated

    def _passages(self, memory: Memory) -> list[str]:
        return [*windows(memory.text, self._embedder.window, self._embedder.window // 8)]

    async def _of_passages(self, topic: str, passages: Sequence[str]) -> Embedding:
        vectors = await self._embedder.embed_passages(topic, passages)
        return Embedding(self.space, self._checked(vectors, len(passages)))

    async def _measure(self) -> float:
        return unrelated_cosine((await self._of_passages(DEFAULT_TOPIC, PROBES)).vectors)

    def _measured(self, measuring: asyncio.Task[float]) -> None:
        self._measuring = None
        if not measuring.cancelled() and measuring.exception() is None:
            self._unrelated = measuring.result()

    def _checked(
        self, vectors: Sequence[Sequence[float]], expected: int | None = None
    ) -> tuple[Vector, ...]:
        if expected is not None and len(vectors) != expected:
            raise Unavailable(
                f"The embedding model answered {len(vectors)} vectors for {expected} texts; "
                "nothing was saved"
            )
        try:
            return tuple(unit(vector, self.space.dimension) for vector in vectors)
        except NotAVector as fault:
            raise Unavailable(
                f"The embedding model answered {fault}; nothing was saved; check its settings"
            ) from fault


def _read_aloud(name: str) -> str:
    return spoken(name) or name
