"""`metacortex serve` in a process of its own, started and ended from outside."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command_line import Ended
from tests.processes import ROOT, START_SECONDS, variables

_SERVES = re.compile(r"^MetaCortex serves (http://127\.0\.0\.1:[0-9]+)/mcp;", re.MULTILINE)


@dataclass(frozen=True)
class Server:
    """A running server, and the files that hold what it prints and logs."""

    process: "subprocess.Popen[bytes]"
    printed: Path
    logged: Path
    url: str

    def until_logged(self, words: str) -> None:
        """Wait until the server has logged these words."""
        deadline = time.monotonic() + START_SECONDS
        while words not in self.logged.read_text():
            assert time.monotonic() < deadline, self.logged.read_text()
            time.sleep(0.02)

    def stop(self, number: int = signal.SIGINT) -> Ended:
        """Send a signal, and return how the server ended."""
        self.process.send_signal(number)
        status = self.process.wait(START_SECONDS)
        return Ended(status, self.printed.read_text(), self.logged.read_text())


@contextmanager
def serving(data_dir: Path, *arguments: str, **env: str) -> Iterator[Server]:
    """Serve `data_dir` on a free port until the block ends, or until the server is stopped in it.

    What the server prints and logs is kept beside `data_dir`.
    """
    printed, logged = data_dir.with_suffix(".printed"), data_dir.with_suffix(".logged")
    with (
        printed.open("wb") as output,
        logged.open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "metacortex", "serve", "--port", "0", *arguments],
            env=variables(data_dir, **env),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=log,
        ) as process,
    ):
        try:
            yield Server(process, printed, logged, _url(process, printed, logged))
        finally:
            process.terminate()
            process.wait(START_SECONDS)


def _url(process: "subprocess.Popen[bytes]", printed: Path, logged: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if serves := _SERVES.search(printed.read_text()):
            return serves[1]
        time.sleep(0.02)
    pytest.fail(f"The server did not start: {printed.read_text()}{logged.read_text()}")
