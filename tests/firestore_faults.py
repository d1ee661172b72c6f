"""Faults that a relay answers with, as a test orders them."""

import asyncio
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

from grpc import StatusCode

from bench.firestore_relay import Fault


@dataclass
class Faults:
    """The faults to come: `every` for every call, or every one of the kind `only`, as long as it is
    set; else those of `coming` by their kind, one for each call, with None for a call that is
    carried; `gate`, where it is set, holds the same calls back until it opens. `arrived` counts the
    calls of each kind: a method's name, or that of the relay for vector queries.
    """

    every: Fault | None = None
    only: str | None = None
    coming: dict[str, deque[Fault | None]] = field(default_factory=lambda: defaultdict(deque))
    gate: asyncio.Event | None = None
    seen: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: Counter[str] = field(default_factory=Counter)

    async def __call__(self, method: str) -> Fault | None:
        """Return what the next call of this method is answered with."""
        self.seen.set()
        self.arrived[method] += 1
        meant = self.only in (None, method)
        if meant and self.gate is not None:
            await self.gate.wait()
        if meant and self.every is not None:
            return self.every
        return self.coming[method].popleft() if self.coming[method] else None

    def end(self) -> None:
        """Carry every call from now on."""
        self.every = self.gate = self.only = None
        self.coming.clear()

    def lose_answers(self, times: int) -> None:
        """Let so many commits arrive and their answers get lost."""
        self.coming["Commit"].extend([Fault(StatusCode.UNAVAILABLE, arrived=True)] * times)
