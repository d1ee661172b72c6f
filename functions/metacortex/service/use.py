"""Use, added up in the process: reading writes nothing, but now and then an event takes along what
has come together.
"""

import logging
from collections.abc import Iterable

from metacortex.domain.errors import MetaCortexError
from metacortex.domain.moment import Milliseconds
from metacortex.domain.use import NO_USE, Use
from metacortex.ports import Clock, UseLog

logger = logging.getLogger(__name__)

FLUSHED_EVERY: Milliseconds = 30_000
MOST_PENDING = 2_000
"""As many memories of one tenant do not wait for the time."""


class UseCounter:
    """Counts which memories came back. What is not stored yet is lost with the process, and what
    could not be stored is logged and lost too: no answer depends on it.
    """

    def __init__(self, log: UseLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._pending: dict[str, dict[str, Use]] = {}
        self._flushed: dict[str, Milliseconds] = {}

    def note(self, tenant: str, memory_ids: Iterable[str]) -> bool:
        """Count that these memories came back now, and tell whether it is time to `flush`: at most
        every 30 seconds, unless very many wait.
        """
        now, pending = self._clock.now(), self._pending.setdefault(tenant, {})
        for memory_id in memory_ids:
            pending[memory_id] = pending.get(memory_id, NO_USE).again(now)
        flushed = self._flushed.get(tenant)
        waits = flushed is not None and flushed <= now < flushed + FLUSHED_EVERY
        return len(pending) >= MOST_PENDING or (bool(pending) and not waits)

    async def flush(self, tenant: str) -> None:
        """Store what waits."""
        uses = self._pending.pop(tenant, None)
        if not uses:
            return
        self._flushed[tenant] = self._clock.now()
        try:
            await self._log.add(tenant, uses)
        except MetaCortexError as error:
            logger.error("The use of memories could not be stored: %s", error.sentence)

    async def aclose(self) -> None:
        """Store what waits of every tenant."""
        for tenant in [*self._pending]:
            await self.flush(tenant)
