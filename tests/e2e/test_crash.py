"""A server that is killed at random moments of a stream of writes, again and again."""

import asyncio
import random
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from tests.e2e import stored
from tests.e2e.forked_servers import ForkedServer, zygote
from tests.endpoint import Endpoint
from tests.processes import START_SECONDS

pytestmark = pytest.mark.e2e

KILLS = 50
WRITERS = 8
WRITING_SECONDS = 0.08
OPENING_SECONDS = 0.1


@dataclass
class Stream:
    """What is written: texts that wait for their turn, and what the server has acknowledged."""

    chance: random.Random
    waiting: deque[str] = field(default_factory=deque)
    id_by_text: dict[str, str] = field(default_factory=dict)
    current: list[str] = field(default_factory=list)
    """Ids of acknowledged memories that nobody has begun to deprecate."""
    replacement_by_id: dict[str, str] = field(default_factory=dict)
    interrupted: int = 0
    acknowledged: asyncio.Event = field(default_factory=asyncio.Event)

    async def write(self, server: ForkedServer) -> None:
        """Remember one text after another, deprecating some, until the server is gone."""
        async with server.endpoint() as endpoint:
            while True:
                text = self.waiting.popleft() if self.waiting else self._new_text()
                try:
                    await self._remember(endpoint, text)
                except httpx.TransportError:
                    self.interrupted += 1
                    self.waiting.append(text)
                    return

    async def _remember(self, endpoint: Endpoint, text: str) -> None:
        saved = await endpoint.save(text, topic="crash")
        self.id_by_text[text] = saved["id"]
        self.acknowledged.set()
        if self.current and self.chance.random() < 0.5:
            old = self.current.pop(self.chance.randrange(len(self.current)))
            await self._deprecate(endpoint, old, saved["id"])
        self.current.append(saved["id"])

    async def _deprecate(self, endpoint: Endpoint, old: str, new: str) -> None:
        with suppress(httpx.TransportError):
            outcome = await endpoint.deprecate(old, new)
            assert outcome.success["item"]["superseded_by"] == new
            self.replacement_by_id[old] = new

    def _new_text(self) -> str:
        words = str(UUID(int=self.chance.getrandbits(128))).replace("-", " ")
        return f"The valve of pump {words} sticks in frost."


async def test_no_kill_loses_or_halves_what_was_acknowledged(tmp_path: Path) -> None:
    stream = Stream(random.Random(20_260_301))
    with zygote(tmp_path) as forked:
        for number in range(KILLS):
            before = set(stream.id_by_text)
            server = forked.start()
            stream.acknowledged.clear()
            writers = [asyncio.create_task(stream.write(server)) for _ in range(WRITERS)]
            await _random_moment(stream, writers, opening=number % 5 == 0)
            forked.kill(server)
            await asyncio.gather(*writers)

            restarted = forked.start()
            async with restarted.endpoint() as endpoint:
                await endpoint.search("Does the file open?")
                news = set(stream.id_by_text) - before
                await asyncio.gather(*(_assert_served(endpoint, stream, text) for text in news))
            _assert_kept(tmp_path, stream)
            forked.kill(restarted)

        last = forked.start()
        async with last.endpoint() as endpoint:
            for text in stream.waiting:
                stream.id_by_text[text] = (await endpoint.save(text, topic="crash"))["id"]
        _assert_kept(tmp_path, stream)
    # Otherwise the kills would have come too early or too late to show anything.
    assert len(stream.id_by_text) > KILLS // 2
    assert len(stream.replacement_by_id) > KILLS // 10
    assert stream.interrupted > KILLS


async def _random_moment(
    stream: Stream, writers: list[asyncio.Task[None]], *, opening: bool
) -> None:
    """Let some time go by: while the server opens its file, or while it takes writes."""
    if not opening:
        await asyncio.wait_for(stream.acknowledged.wait(), START_SECONDS)
    longest = OPENING_SECONDS if opening else WRITING_SECONDS
    await asyncio.wait(writers, timeout=stream.chance.uniform(0, longest))


async def _assert_served(endpoint: Endpoint, stream: Stream, text: str) -> None:
    memory_id = stream.id_by_text[text]
    item = await endpoint.item(memory_id)
    assert item["content"] == text
    state = item["metadata"]["branch_state"]
    assert memory_id in await endpoint.found(text, filter_state=state, limit=20)
    if memory_id in stream.replacement_by_id:
        assert item["metadata"]["superseded_by"] == stream.replacement_by_id[memory_id]


def _assert_kept(data_dir: Path, stream: Stream) -> None:
    kept = stored.read(data_dir)
    kept.assert_whole()
    told_of = kept.told_of()
    texts = [memory.content for memory in kept.memory_by_id.values()]
    assert len(texts) == len(set(texts))
    for text, memory_id in stream.id_by_text.items():
        assert kept.memory_by_id[memory_id].content == text
        assert told_of["remember_context", memory_id] >= 1
    for old, new in stream.replacement_by_id.items():
        assert kept.memory_by_id[old].superseded_by == new
        assert told_of["deprecate_context", old] >= 1
    assert {memory_id for _, memory_id in told_of} <= set(kept.memory_by_id)
