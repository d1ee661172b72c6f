"""What the services need of models, and of what else reads texts, in their own words.

As with `metacortex.ports`, an adapter answers each, and a model that does not answer is
`Unavailable`.
"""

from collections.abc import Sequence
from typing import Protocol

from metacortex.domain.knowledge.likeness import Described
from metacortex.domain.memory import Image
from metacortex.domain.redaction import Secret
from metacortex.domain.vector import EmbeddingSpace


class Embedder(Protocol):
    """Turns text into vectors of unit length."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space of every vector that this embedder makes. Asking for it loads no model."""

    @property
    def window(self) -> int:
        """How many characters of a text one vector can stand for."""

    async def embed_passages(
        self, topic: str, passages: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        """Return one vector for each passage of one text to be found, in order."""

    async def embed_query(self, query: str) -> Sequence[float]:
        """Return the vector of a text to find by."""

    async def aclose(self) -> None:
        """Let go of what the model holds beyond its memory: connections, a child process."""


class ImageDescriber(Protocol):
    """Turns an image into text by which it can be found."""

    async def describe(self, image: Image, topic: str, context: str) -> str:
        """Return what is seen in the image; `context` is what the caller said of it, possibly
        nothing.

        Raises:
            Unavailable: no describer is configured, or it did not answer.
        """

    async def aclose(self) -> None:
        """Let go of what the model holds beyond its memory: connections."""


class Judge(Protocol):
    """A language model that decides."""

    async def merge(self, texts: Sequence[str], topic: str) -> str:
        """Return one text that says what all of `texts` say, which come oldest first.

        Raises:
            Unavailable: it did not answer, or not with a whole text.
        """

    async def is_same(self, one: Described, other: Described) -> bool:
        """Whether two names stand for one thing; what it is not sure of is not the same.

        Raises:
            Unavailable: it did not answer.
        """

    async def aclose(self) -> None:
        """Let go of what the model holds beyond its memory: connections."""


class Reranker(Protocol):
    """Judges how well texts answer a query by reading each of them with it."""

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one number for each text, in order: the higher, the better it answers, on a scale
        of the model's own. It may read the beginning of a long text alone.

        Raises:
            Unavailable: the model did not answer.
        """

    async def aclose(self) -> None:
        """Let go of what the model holds beyond its memory."""


class SecretScanner(Protocol):
    """Finds what has the shape of a live secret."""

    def scan(self, text: str) -> tuple[Secret, ...]:
        """Return the whole span of every secret in `text`, in order of their starts."""


class TokenCounter(Protocol):
    """Counts what a text costs a language model."""

    @property
    def name(self) -> str:
        """What it counts by, as shown to callers."""

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return how many tokens each text has. The first call may take its time."""
