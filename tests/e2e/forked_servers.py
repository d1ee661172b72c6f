"""Servers that a zygote forks, each on the same data directory: see `tests.e2e.zygote`."""

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx

from tests.endpoint import HANDSHAKE, Endpoint
from tests.processes import ROOT, START_SECONDS, variables
from tests.world import environment, token_of


@dataclass(frozen=True)
class ForkedServer:
    """A server that listens on a port of this machine, with the profiles of `world.PROFILES`."""

    process_id: int
    port: int

    @asynccontextmanager
    async def endpoint(
        self, client_id: str = "default", era: str = HANDSHAKE
    ) -> AsyncIterator[Endpoint]:
        """Speak to the endpoint of a client, or to the admin's."""
        path = "/mcp" if client_id == "default" else f"/clients/{client_id}/mcp"
        url = f"http://127.0.0.1:{self.port}"
        async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as http:
            yield Endpoint(http, path, token_of(client_id), era)


@dataclass(frozen=True)
class Zygote:
    """Starts and ends servers."""

    orders: IO[str]
    answers: IO[str]

    def start(self) -> ForkedServer:
        """Return a new server."""
        process_id, port = self._carried_out("start").split()
        return ForkedServer(int(process_id), int(port))

    def kill(self, server: ForkedServer) -> None:
        """End a server without a warning, and wait until it is gone."""
        self._carried_out(f"kill {server.process_id}")

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
    started_with = variables(data_dir, **environment(), **single)
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
        process.wait(START_SECONDS)
        process.stdout.close()
