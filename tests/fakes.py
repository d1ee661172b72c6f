"""Stand-ins for what costs money, time or chance: a clock and models."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from zlib import crc32

from metacortex.domain.knowledge.likeness import Described
from metacortex.domain.memory import Image
from metacortex.domain.moment import Milliseconds
from metacortex.domain.vector import EmbeddingSpace

START: Milliseconds = 1_772_366_400_000
"""2026-03-01T12:00:00Z."""

Vectors = list[list[float]]

BAG_OF_WORDS = EmbeddingSpace("bag-of-words", 256)


@dataclass
class FixedClock:
    """A clock that stands until a test moves it."""

    at: Milliseconds = START

    def now(self) -> Milliseconds:
        """Return the moment that was set."""
        return self.at


@dataclass
class RunningClock(FixedClock):
    """A clock that runs on by a millisecond each time that it is read."""

    def now(self) -> Milliseconds:
        """Return a moment that is later than all before."""
        self.at += 1
        return self.at


@dataclass
class FakeEmbedder:
    """Embeds a text as the bag of its words: equal words, equal vectors, on every machine.

    `fault` is raised by every call while it is set; `spoil` changes what would be answered;
    `gate`, where it is set, holds every call back until it opens.
    """

    space: EmbeddingSpace = BAG_OF_WORDS
    window: int = 400
    passages: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    fault: Exception | None = None
    spoil: Callable[[Vectors], Vectors] = lambda vectors: vectors
    gate: asyncio.Event | None = None

    @property
    def calls(self) -> int:
        """How many texts it was asked for."""
        return len(self.passages) + len(self.queries)

    async def embed_passages(
        self, topic: str, passages: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        """Note the passages and embed them."""
        self.passages += passages
        return await self._answer(passages)

    async def embed_query(self, query: str) -> Sequence[float]:
        """Note the query and embed it."""
        self.queries.append(query)
        return (await self._answer([query]))[0]

    async def aclose(self) -> None:
        """Do nothing."""

    async def _answer(self, texts: Sequence[str]) -> Vectors:
        # A model takes its time, so others run meanwhile.
        await asyncio.sleep(0)
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        return self.spoil([self._bag_of_words(text) for text in texts])

    def _bag_of_words(self, text: str) -> list[float]:
        numbers = [0.0] * self.space.dimension
        for word in re.findall(r"[^\W_]+", text.casefold()) or [text]:
            numbers[crc32(word.encode()) % self.space.dimension] += 1.0
        return numbers


@dataclass
class FakeDescriber:
    """Sees the same in every image, and notes what it was asked."""

    seen: str = "A whiteboard with three boxes and an arrow"
    asked: list[tuple[Image, str, str]] = field(default_factory=list)
    fault: Exception | None = None

    async def describe(self, image: Image, topic: str, context: str) -> str:
        """Note the image with its topic and context, and describe it."""
        self.asked.append((image, topic, context))
        if self.fault is not None:
            raise self.fault
        return self.seen

    async def aclose(self) -> None:
        """Do nothing."""


@dataclass
class FakeReranker:
    """Likes texts the more, the later they stand in `liked`; notes what it was asked.

    `fault` is raised while it is set; `spoil` changes what would be answered; `gate`, where it is
    set, holds every call back until it opens.
    """

    liked: tuple[str, ...] = ()
    asked: list[tuple[str, list[str]]] = field(default_factory=list)
    fault: Exception | None = None
    spoil: Callable[[list[float]], list[float]] = lambda scores: scores
    gate: asyncio.Event | None = None

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Note the question and judge the texts."""
        self.asked.append((query, [*texts]))
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        return self.spoil([self._liking(text) for text in texts])

    async def aclose(self) -> None:
        """Do nothing."""

    def _liking(self, text: str) -> float:
        # Far below nought and above one, as the numbers of real models are.
        return 7.5 * self.liked.index(text) if text in self.liked else -11.0


@dataclass
class FakeJudge:
    """Merges texts by writing one after the other, calls names the same that are in `same`, and
    notes what it was asked.

    `fault` is raised while it is set; `meanwhile` is awaited before it answers.
    """

    asked: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    compared: list[tuple[Described, Described]] = field(default_factory=list)
    same: set[tuple[str, str]] = field(default_factory=set)
    fault: Exception | None = None
    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def merge(self, texts: Sequence[str], topic: str) -> str:
        """Note the texts with their topic, and join them."""
        self.asked.append((tuple(texts), topic))
        if self.meanwhile is not None:
            await self.meanwhile()
        if self.fault is not None:
            raise self.fault
        return " ".join(texts)

    async def is_same(self, one: Described, other: Described) -> bool:
        """Note the names with their texts, and compare them."""
        self.compared.append((one, other))
        if self.meanwhile is not None:
            await self.meanwhile()
        if self.fault is not None:
            raise self.fault
        return (one.name, other.name) in self.same

    async def aclose(self) -> None:
        """Do nothing."""
