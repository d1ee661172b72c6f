"""An embedder behind HTTP: `/v1/embeddings` as OpenAI, Ollama, vLLM and many others serve it.

What the endpoint answers must be as many vectors as texts, each of the dimension that was set.
Every failure is `Unavailable` with a sentence that names the setting to look at, never a text.
"""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from metacortex.domain.errors import Unavailable
from metacortex.domain.json import JSON
from metacortex.domain.vector import EmbeddingSpace, NotAVector, Vector, unit

if TYPE_CHECKING:
    import httpx

AT_ONCE = 64
ATTEMPTS = 3
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
"""Seconds. Who is told to wait for longer gives up at once: somebody waits for the answer."""

Pause: TypeAlias = Callable[[float], Awaitable[None]]

_REFUSED = {
    400: "refused the request; check that METACORTEX_EMBEDDING_MODEL is a model that embeds",
    401: "refused the key; check METACORTEX_EMBEDDING_API_KEY",
    402: "wants to be paid; check the account of METACORTEX_EMBEDDING_API_KEY",
    403: "refused the key; check METACORTEX_EMBEDDING_API_KEY",
    404: "has no such model or path; check METACORTEX_EMBEDDING_URL and METACORTEX_EMBEDDING_MODEL",
    429: "asks for fewer calls; try again later",
}
_PASSING = frozenset({429, 500, 502, 503, 504})
"""Statuses that another attempt may get over."""


class OpenAIEmbedder:
    """Embeds with one model of one endpoint; `url` is the part before `/embeddings`.

    `seconds` is how long one attempt may take. Several attempts are made where the endpoint is
    overloaded, fails or cannot be reached.
    """

    window = 500

    def __init__(
        self,
        url: str,
        model: str,
        dimension: int,
        key: str | None = None,
        seconds: float = 30.0,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._url = f"{url.rstrip('/')}/embeddings"
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._seconds = seconds
        self._pause = pause
        self._space = EmbeddingSpace(model, dimension)
        self._connections: httpx.AsyncClient | None = None

    @property
    def space(self) -> EmbeddingSpace:
        """The model and the dimension as they were set."""
        return self._space

    async def embed_passages(self, topic: str, passages: Sequence[str]) -> Sequence[Vector]:
        """Return one vector for each passage, without the topic.

        Raises:
            Unavailable: the endpoint did not answer, or not with vectors of the space.
        """
        vectors: list[Vector] = []
        for start in range(0, len(passages), AT_ONCE):
            vectors += await self._embed(passages[start : start + AT_ONCE])
        return vectors

    async def embed_query(self, query: str) -> Vector:
        """Return the vector of a query, made as those of passages are.

        Raises:
            Unavailable: as `embed_passages`.
        """
        return (await self._embed([query]))[0]

    async def aclose(self) -> None:
        """Close the connections. A later text would open others."""
        if self._connections is not None:
            await self._connections.aclose()
            self._connections = None

    async def _embed(self, texts: Sequence[str]) -> list[Vector]:
        # A lone surrogate has no UTF-8.
        sendable = [text.encode(errors="replace").decode() for text in texts]
        body: JSON = {
            "model": self._space.model,
            "input": sendable,
            "encoding_format": "float",
        }
        return _vectors(await self._answer(body), len(texts), self._space.dimension)

    async def _answer(self, body: JSON) -> bytes:
        attempt = 0
        while not isinstance(outcome := await self._attempt(body), bytes):
            attempt += 1
            pause = outcome.pause or FIRST_PAUSE * 2**attempt * random.uniform(0.5, 1.0)
            if attempt == ATTEMPTS or not outcome.passes or pause > LONGEST_PAUSE:
                raise Unavailable(f"The embedding endpoint {outcome.fault}")
            await self._pause(pause)
        return outcome

    async def _attempt(self, body: JSON) -> "bytes | _Failure":
        import httpx

        if self._connections is None:
            self._connections = httpx.AsyncClient(headers=self._headers, timeout=None)
        try:
            # One limit for all of it: those of httpx begin anew with every byte.
            async with asyncio.timeout(self._seconds):
                response = await self._connections.post(self._url, json=body)
        except TimeoutError:
            return _Failure("did not answer in time; try again later", passes=False)
        except (httpx.HTTPError, httpx.InvalidURL):
            return _Failure("cannot be reached; check METACORTEX_EMBEDDING_URL")
        return response.content if response.is_success else _failure(response)


@dataclass(frozen=True, slots=True)
class _Failure:
    """What went wrong, whether another attempt may go well, and after how many seconds."""

    fault: str
    passes: bool = True
    pause: float = 0.0


def _failure(response: "httpx.Response") -> _Failure:
    status = response.status_code
    wanted = response.headers.get("Retry-After", "")
    return _Failure(
        _REFUSED.get(status, f"failed with status {status}; try again later"),
        status in _PASSING,
        # A date is read as if there were none: the other end's clock is not ours.
        float(wanted) if wanted.isdecimal() else 0.0,
    )


def _vectors(answer: bytes, expected: int, dimension: int) -> list[Vector]:
    try:
        row_by_index = {row["index"]: row["embedding"] for row in json.loads(answer)["data"]}
        rows = [row_by_index[index] for index in range(len(row_by_index))]
        vectors = [unit(row, dimension) for row in rows if {*map(type, row)} <= {int, float}]
    except NotAVector as fault:
        raise Unavailable(
            f"The embedding endpoint answered {fault}; check METACORTEX_EMBEDDING_DIMENSIONS"
        ) from fault
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as fault:
        raise Unavailable(
            "The embedding endpoint answered with something else; check METACORTEX_EMBEDDING_URL"
        ) from fault
    if len(vectors) != expected:
        raise Unavailable(
            f"The embedding endpoint answered {len(vectors)} vectors for {expected} texts;"
            " check METACORTEX_EMBEDDING_MODEL"
        )
    return vectors
