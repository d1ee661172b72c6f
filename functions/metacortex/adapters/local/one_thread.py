"""A model that lives on one thread of its own, and reads together what waits for it."""

import asyncio
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from metacortex.adapters.local.readable import readable
from metacortex.domain.vector import Vector

AT_ONCE = 32
"""Texts a model reads in one go. A longer list goes in pieces: no query waits for a whole book."""


class Row(Protocol):
    """One vector as numpy holds it: 32-bit floats in memory."""

    def tobytes(self) -> bytes:
        """Return the bytes of the floats."""


Encode = Callable[[list[str], bool], Iterable[Row]]
"""Encodes texts, which are queries where the second argument says so."""


@dataclass(slots=True, eq=False)
class _Job:
    texts: Sequence[str]
    queries: bool
    vectors: Sequence[Vector] = ()


class OneThread:
    """Runs a model off the event loop. The first text loads it, on its own thread, hence once.

    `load` returns the function that encodes; what it raises reaches whoever waits, and the next
    text loads anew. The model is given at most `cap` characters of a text, made readable.
    """

    def __init__(self, load: Callable[[], Encode], cap: int) -> None:
        self._load = load
        self._cap = cap
        self._encode: Encode | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding")
        self._waiting: list[_Job] = []

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector for each text, in order."""
        found: list[Vector] = []
        for start in range(0, len(texts), AT_ONCE):
            found += await self._piece(texts[start : start + AT_ONCE], queries=False)
        return found

    async def query(self, text: str) -> Vector:
        """Return the vector of one text, which the model reads as a query."""
        return (await self._piece([text], queries=True))[0]

    async def _piece(self, texts: Sequence[str], *, queries: bool) -> Sequence[Vector]:
        job = _Job([readable(text, self._cap) for text in texts], queries)
        self._waiting.append(job)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._answer, job)
        finally:
            self._waiting.remove(job)

    def _answer(self, job: _Job) -> Sequence[Vector]:
        if not job.vectors:
            together = [*self._with_others(job)]
            texts = [text for member in together for text in member.texts]
            vectors = iter(self._vectors(texts, job.queries))
            for member in together:
                member.vectors = [*islice(vectors, len(member.texts))]
        return job.vectors

    def _with_others(self, job: _Job) -> Iterator[_Job]:
        yield job
        room = AT_ONCE - len(job.texts)
        for other in self._waiting.copy():
            waits = other is not job and not other.vectors
            if waits and other.queries == job.queries and len(other.texts) <= room:
                room -= len(other.texts)
                yield other

    def _vectors(self, texts: list[str], queries: bool) -> list[Vector]:
        if self._encode is None:
            self._encode = self._load()
        return [array("f", row.tobytes()) for row in self._encode(texts, queries)]
