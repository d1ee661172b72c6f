"""Server processes, started and ended from outside, and ways to speak to them."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx

from tests.endpoint import HANDSHAKE, Endpoint
from tests.processes import ROOT
from tests.world import environment, token_of

START_SECONDS = 60
"""How long a server may take on a busy machine."""
_READY = re.compile(r"MetaCortex serves http://127\.0\.0\.1:([0-9]+)/mcp")


@dataclass(frozen=True)
class Server:
    """A server that listens on a port of this machine."""

    process_id: int
    port: int

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def endpoint(
        self, client_id: str = "default", era: str = HANDSHAKE
    ) -> AsyncIterator[Endpoint]:
        """Speak to the endpoint of a client of `world.PROFILES`, or to the admin's."""
        path = "/mcp" if client_id == "default" else f"/clients/{client_id}/mcp"
        async with httpx.AsyncClient(base_url=self.url, timeout=60, trust_env=False) as http:
            yield Endpoint(http, path, token_of(client_id), era)


@dataclass(frozen=True)
class Zygote:
    """Starts and ends servers on one data directory: see `tests.e2e.zygote`."""

    orders: IO[str]
    answers: IO[str]

    def start(self) -> Server:
        """Return a new server."""
        process_id, port = self._carried_out("start").split()
        return Server(int(process_id), int(port))

    def kill(self, server: Server) -> None:
        """End a server without a warning, and wait until it is gone."""
        self._carried_out(f"kill {server.process_id}")

    def stop(self, server: Server) -> None:
        """End a server as Ctrl-C does, and wait until it is gone."""
        self._carried_out(f"stop {server.process_id}")

    def _carried_out(self, order: str) -> str:
        self.orders.write(f"{order}\n")
        self.orders.flush()
        answer = self.answers.readline()
        assert answer, "the zygote has ended"
        return answer


@contextmanager
def zygote(data_dir: Path) -> Iterator[Zygote]:
    """Keep a process that starts servers until the block ends; then end what it started."""
    # A process must not fork while it has threads; and one that is killed can save no coverage.
    single = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    started_with = variables(data_dir, **single)
    unmeasured = {name: started_with[name] for name in started_with if "COVERAGE" not in name}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.zygote"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=unmeasured,
        cwd=ROOT,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Zygote(process.stdin, process.stdout)
    finally:
        process.stdin.close()
        process.wait(timeout=START_SECONDS)
        process.stdout.close()


@dataclass(frozen=True)
class Command:
    """A run of `metacortex` and what it has printed so far."""

    process: "subprocess.Popen[bytes]"
    printed: Path
    logged: Path

    def text(self) -> str:
        """Return all that it has printed and logged."""
        return self.printed.read_text() + self.logged.read_text()

    def server(self) -> Server:
        """Wait until it serves, and return what it serves."""
        deadline = time.monotonic() + START_SECONDS
        while (found := _READY.search(self.printed.read_text())) is None:
            assert self.process.poll() is None, self.text()
            assert time.monotonic() < deadline, self.text()
            time.sleep(0.02)
        server = Server(self.process.pid, int(found.group(1)))
        httpx.get(f"{server.url}/healthz", timeout=60, trust_env=False).raise_for_status()
        return server


@contextmanager
def running(data_dir: Path, output: Path, *arguments: str, **more: str) -> Iterator[Command]:
    """Run `metacortex` with these arguments until the block ends, and see it end by Ctrl-C.

    What it prints and logs is kept in the folder `output`.
    """
    printed, logged = output / "printed", output / "logged"
    with printed.open("wb") as stdout, logged.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "metacortex", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=variables(data_dir, **more),
            cwd=ROOT,
        )
    try:
        yield Command(process, printed, logged)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=START_SECONDS)


@contextmanager
def serving(data_dir: Path, output: Path, **more: str) -> Iterator[tuple[Server, Command]]:
    """Run `metacortex serve` on a free port until the block ends."""
    with running(data_dir, output, "serve", "--port", "0", **more) as command:
        yield command.server(), command


def variables(data_dir: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process that finds the program, these tests and its settings."""
    paths = os.pathsep.join([str(ROOT / "functions"), str(ROOT)])
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MCP_", "METACORTEX_")) and name not in ("HOST", "PORT")
    }
    settings = environment(METACORTEX_DATA_DIR=str(data_dir))
    return {**inherited, "PYTHONPATH": paths, **settings, **more}
