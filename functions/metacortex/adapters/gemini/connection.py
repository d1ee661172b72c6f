"""A connection to Gemini: bounded attempts within a deadline, behind a circuit.

Nothing is loaded or connected before the first question.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from metacortex.adapters.gemini.circuit import FAILURES, Circuit, Monotonic
from metacortex.adapters.gemini.client import Access, Opened, open_client
from metacortex.adapters.gemini.failures import LATE, Failure, Purpose, failure_of, recognised
from metacortex.domain.errors import Unavailable

if TYPE_CHECKING:
    from google.auth.credentials import Credentials
    from google.genai.models import AsyncModels

ATTEMPTS = 3
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
"""Seconds. Who is told to wait for longer gives up at once: somebody waits for the answer."""

Pause: TypeAlias = Callable[[float], Awaitable[None]]
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that one attempt may take, and all that one call of a port asks for."""

    attempt: float
    call: float


USUAL = Limits(15.0, 25.0)
"""An image that is described and then embedded stays within the minute that a function has."""


class GeminiConnection:
    """Reaches the Gemini API with `api_key`, or Vertex AI in `project` and `location`.

    Without a key it asks as `credentials`, or as the identity of the machine where they are None.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        project: str | None = None,
        location: str = "global",
        url: str | None = None,
        credentials: "Credentials | None" = None,
        limits: Limits = USUAL,
        pause: Pause = asyncio.sleep,
        clock: Monotonic = time.monotonic,
    ) -> None:
        self._access = Access(api_key, project, location, url, credentials)
        self._limits = limits
        self._pause = pause
        self._clock = clock
        self._circuit = Circuit(clock)
        self._opening = asyncio.Lock()
        self._opened: Opened | None = None

    @property
    def vertex(self) -> bool:
        """Whether it is Vertex AI."""
        return self._access.vertex

    def until(self) -> float:
        """Return the end of the time that a call of a port has from now on."""
        return self._clock() + self._limits.call

    async def ask(
        self,
        purpose: Purpose,
        until: float,
        request: Callable[["AsyncModels"], Awaitable[Answer]],
    ) -> Answer:
        """Return the answer to one request, which is made again where that may help.

        Raises:
            Unavailable: there is none. Of the request nothing is quoted.
        """
        if not self._circuit.admits():
            raise Unavailable(
                f"Gemini {self._circuit.fault}; it failed {FAILURES} times in a row and is not"
                f" asked for a while{purpose.outcome}"
            )
        attempt = 0
        while isinstance(outcome := await self._attempt(purpose, until, request), Failure):
            attempt += 1
            pause = outcome.pause or FIRST_PAUSE * 2**attempt * random.uniform(0.5, 1.0)
            longest = min(LONGEST_PAUSE, until - self._clock())
            if attempt == ATTEMPTS or not outcome.passes or pause > longest:
                raise self._unavailable(outcome, purpose)
            await self._pause(pause)
        self._circuit.succeeded()
        return outcome

    async def aclose(self) -> None:
        """Close what was opened. A later question would open it anew."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.aclose()

    async def _attempt(
        self,
        purpose: Purpose,
        until: float,
        request: Callable[["AsyncModels"], Awaitable[Answer]],
    ) -> Answer | Failure:
        try:
            # One limit for all of it: those of an HTTP library begin anew with every byte.
            async with asyncio.timeout(min(self._limits.attempt, until - self._clock())):
                return await request(await self._models())
        except TimeoutError:
            return LATE
        except recognised() as error:
            return failure_of(error, self._access, purpose)

    async def _models(self) -> "AsyncModels":
        async with self._opening:
            if self._opened is None:
                # In a thread: the library takes half a second to load, and the server of
                # credentials as long as it likes.
                self._opened = await asyncio.to_thread(open_client, self._access)
            return self._opened.models

    def _unavailable(self, failure: Failure, purpose: Purpose) -> Unavailable:
        if failure.ill:
            self._circuit.failed(failure.fault)
        else:
            self._circuit.succeeded()
        return Unavailable(f"Gemini {failure.fault}{purpose.outcome}")
