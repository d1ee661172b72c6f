"""Equal writes of one process, one at a time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Flights:
    """Of writes with one key, the first pays for the model, the next find what
    it stored.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def alone(self, key: tuple[str, str]) -> AsyncIterator[None]:
        lock, waiting = self._waiting.get(key, (asyncio.Lock(), 0))
        self._waiting[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._waiting.pop(key)
            if waiting > 1:
                self._waiting[key] = (lock, waiting - 1)
