"""A proxy between a client and a server on loopback, whose connections can be made to fail as a
network's do.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum

AT_ONCE = 65_536


class Mode(Enum):
    """What becomes of connections: both of those that there are and of new ones."""

    PASSING = "passing"
    SILENT = "silent"
    """Nothing comes through any more, and nobody is told."""
    REFUSING = "refusing"
    """New ones end as soon as they are made."""
    GARBLED = "garbled"
    """What the server says is replaced by something else."""


@dataclass
class Proxy:
    """A proxy that listens at `host`."""

    host: str = ""
    mode: Mode = Mode.PASSING
    accepted: int = 0
    _open: set[asyncio.StreamWriter] = field(default_factory=set)
    _dead: set[asyncio.StreamWriter] = field(default_factory=set)

    def fail(self, mode: Mode) -> None:
        """Let connections fail from now on."""
        self.mode = mode
        if mode is Mode.SILENT:
            self._dead |= self._open
        if mode is Mode.REFUSING:
            self.cut()

    def heal(self) -> None:
        """Pass on what new connections say; those that fell silent stay so."""
        self.mode = Mode.PASSING

    def cut(self) -> None:
        """End every connection."""
        for writer in self._open:
            writer.transport.abort()

    async def carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, server: str
    ) -> None:
        """Carry one connection until it ends."""
        self.accepted += 1
        if self.mode is Mode.REFUSING:
            writer.transport.abort()
            return
        host, port = server.rsplit(":", 1)
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        self._open |= {writer, far_writer}
        if self.mode is Mode.SILENT:
            self._dead |= {writer, far_writer}
        with suppress(ConnectionError):
            await asyncio.gather(
                self._pump(reader, far_writer), self._pump(far_reader, writer, answering=True)
            )
        self._open -= {writer, far_writer}

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        answering: bool = False,
    ) -> None:
        try:
            while some := await reader.read(AT_ONCE):
                if writer in self._dead:
                    continue
                garbled = answering and self.mode is Mode.GARBLED
                writer.write(b"HTTP/1.1 502 Bad Gateway\r\n\r\n<html>" if garbled else some)
                await writer.drain()
        finally:
            writer.close()


@asynccontextmanager
async def proxying(server: str) -> AsyncIterator[Proxy]:
    """Run a proxy before the server at this `host:port` until the block ends."""
    proxy = Proxy()
    listener = await asyncio.start_server(
        lambda reader, writer: proxy.carry(reader, writer, server), "127.0.0.1", 0
    )
    proxy.host = f"127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        proxy.cut()
        listener.close()
        await listener.wait_closed()
