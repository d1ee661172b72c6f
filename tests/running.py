"""A server in a process of its own, for as long as a test needs it."""

import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parent.parent
START_SECONDS = 60


def free_port() -> int:
    """Return a loopback port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str], port: int) -> Iterator[None]:
    """Run `command` from the repository's root until the block ends, once it answers on `port`."""
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            _await_answer(process, port)
            yield
        finally:
            process.terminate()


def _await_answer(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"http://127.0.0.1:{port}/healthz")
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("The server did not start")
