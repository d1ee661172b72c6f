"""Faults that a relay answers with, as a test orders them."""

import asyncio
from collections import defaultdict, deque
from dataclasses import dataclass, field

from grpc import StatusCode

from bench.firestore_relay import Fault


@dataclass
class Faults:
    """The faults to come: `every` for every call as long as it is set; else those of `coming` by
    the method's name, one for each call, with None for a call that is carried; `gate`, where it is
    set, holds calls back until it opens.
    """

    every: Fault | None = None
    coming: dict[str, deque[Fault | None]] = field(default_factory=lambda: defaultdict(deque))
    gate: asyncio.Event | None = None
    seen: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, method: str) -> Fault | None:
        """Return what the next call of this method is answered with."""
        self.seen.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.every is not None:
            return self.every
        return self.coming[method].popleft() if self.coming[method] else None

    def end(self) -> None:
        """Carry every call from now on."""
        self.every = self.gate = None
        self.coming.clear()

    def lose_answers(self, times: int) -> None:
        """Let so many commits arrive and their answers get lost."""
        self.coming["Commit"].extend([Fault(StatusCode.UNAVAILABLE, arrived=True)] * times)
