"""Vector queries take turns, and a search that words can answer too does not wait for them to the
end: what they do not return in time, or at all, the words leg answers alone.
"""

import asyncio
import logging
from collections.abc import Awaitable
from typing import TypeVar

from google.api_core.exceptions import GoogleAPIError

from metacortex.adapters.firestore.failures import PASSING, unanswered

T = TypeVar("T")

SHARE = 0.6
"""The part of a search's time that its vector queries may take, waiting for their turn included:
the rest is for what follows the legs.
"""
MOST_FAULTS = 3
"""How often they may fail with what another attempt may get over: less often than the attempts that
a search has.
"""

logger = logging.getLogger(__name__)


class Patience:
    """How long one search waits for its vector queries, all its attempts together; each takes one
    of `permits`, which all searches of the process share.
    """

    def __init__(self, permits: asyncio.Semaphore, deadline: float) -> None:
        self.permits = permits
        self._until = asyncio.get_running_loop().time() + SHARE * deadline
        self._faults = 0

    async def wait(self, meaning: Awaitable[T]) -> T | None:
        """Return what comes of them, or None where words are to answer alone.

        Raises:
            GoogleAPIError: another attempt may get over it.
        """
        try:
            async with asyncio.timeout_at(self._until):
                return await meaning
        except (GoogleAPIError, TimeoutError) as fault:
            self._faults += 1
            if isinstance(fault, PASSING) and self._faults < MOST_FAULTS:
                raise
            told = unanswered([fault], writing=False)
            logger.warning("Searched by words alone: %s", told.sentence)
            return None
