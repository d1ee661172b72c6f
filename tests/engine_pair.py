"""Two programs that differ in their engine alone and are asked the same at the same moment."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from metacortex.bootstrap import build_services
from metacortex.config import Settings
from metacortex.domain.client import Principal
from metacortex.domain.errors import MetaCortexError
from metacortex.engines import Engine, sqlite_engine
from metacortex.service.services import Services
from tests.fakes import FakeEmbedder, FixedClock
from tests.outside import outside_of
from tests.samples import CACHE_MB
from tests.world import TOOL_NAMES, environment

WINDOW = 60
"""Characters; a text of two sentences has two windows."""
UNKNOWN = ("unknown", "no id", "__unknown__", "a/b", "", "..")

_CHANCE = re.compile("[0-9a-f]{64}|(?<=salt=')[0-9a-f]{32}")
"""Digests, which salts and ids go into, and salts."""
_EVENT_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass
class Side:
    """One of the programs; `ids` are those that it gave its memories, in order."""

    engine: Engine
    services: Services
    ids: list[str] = field(default_factory=list)

    def id_at(self, place: int) -> str:
        """Return the id of a memory by its place, or one that no memory has."""
        return self.ids[place] if place < len(self.ids) else UNKNOWN[place % len(UNKNOWN)]

    def shown(self, outcome: object) -> str:
        """Return what can be compared of an outcome: its ids are its own."""
        text = repr(outcome)
        for place, memory_id in enumerate(self.ids):
            text = text.replace(memory_id, f"#{place}")
        return _EVENT_ID.sub("event", _CHANCE.sub("digest", text))


class Pair:
    """A program on SQLite in memory, and the same on another engine."""

    def __init__(self, other: Engine) -> None:
        self.clock = FixedClock()
        self.settings = Settings.from_env(environment(), TOOL_NAMES)
        self._sides = [self._side(sqlite_engine(None, CACHE_MB)), self._side(other)]

    @property
    def count(self) -> int:
        """How many memories have been made."""
        return len(self._sides[0].ids)

    def principal(self, client_id: str) -> Principal:
        """Return what the door makes of a client."""
        return self.settings.profiles[client_id].principal

    async def same(self, call: Callable[[Side], Awaitable[object]]) -> None:
        """Hold that a call comes to the same on both sides, be it a result or an error."""
        one, other = await asyncio.gather(*(_outcome(side, call) for side in self._sides))
        assert one == other

    async def aclose(self) -> None:
        """Release what the engines hold."""
        for side in self._sides:
            await side.services.activity.aclose()
            await side.engine.aclose()

    def _side(self, engine: Engine) -> Side:
        outside = outside_of(engine, embedder=FakeEmbedder(window=WINDOW), clock=self.clock)
        return Side(engine, build_services(self.settings, outside))


async def _outcome(side: Side, call: Callable[[Side], Awaitable[object]]) -> str:
    try:
        return side.shown(await call(side))
    except MetaCortexError as error:
        return side.shown((type(error), error.sentence))
