"""The command line under test: run in this process, or in one of its own."""

import io
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from metacortex import cli

ROOT = Path(__file__).parent.parent
START_SECONDS = 60


@dataclass(frozen=True)
class Ended:
    """What a command printed, and the status it ended with."""

    status: int
    out: str
    err: str

    def lines(self) -> list[Any]:
        """Return its output as JSON, line by line."""
        return [json.loads(line) for line in self.out.splitlines()]

    def json(self) -> Any:
        """Return the one JSON object that it printed."""
        (line,) = self.lines()
        return line


@dataclass(frozen=True)
class CommandLine:
    """Runs commands on one data directory in this process."""

    data_dir: Path

    def __call__(self, *arguments: str, given: str = "", **env: str) -> Ended:
        """Run one command with `env`, and `given` as its standard input."""
        out, err = io.StringIO(), io.StringIO()
        everything = {"METACORTEX_DATA_DIR": str(self.data_dir), **env}
        with ExitStack() as stack:
            stack.enter_context(_own_logging())
            stack.enter_context(_standard_input(given))
            stack.enter_context(redirect_stdout(out))
            stack.enter_context(redirect_stderr(err))
            ended = stack.enter_context(pytest.raises(SystemExit))
            cli.run(arguments, everything)
        status = ended.value.code
        assert isinstance(status, int)
        return Ended(status, out.getvalue(), err.getvalue())


@contextmanager
def _own_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        logging.captureWarnings(False)


@contextmanager
def _standard_input(given: str) -> Iterator[None]:
    kept, sys.stdin = sys.stdin, io.StringIO(given)
    try:
        yield
    finally:
        sys.stdin = kept


def environment(data_dir: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a process that finds the program and no settings but these."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MCP_", "METACORTEX_")) and name not in ("HOST", "PORT")
    }
    source = {"PYTHONPATH": str(ROOT / "functions"), "METACORTEX_DATA_DIR": str(data_dir)}
    return {**kept, **source, **env}


def run_process(data_dir: Path, *arguments: str, given: str = "", **env: str) -> Ended:
    """Run one command to its end in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "metacortex", *arguments],
        env=environment(data_dir, env),
        input=given,
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True)
class Serving:
    """A running `metacortex serve`, and the file that holds what it prints and logs."""

    process: "subprocess.Popen[bytes]"
    printed: Path
    url: str

    def stop(self, number: int = signal.SIGINT) -> Ended:
        """Send a signal, and return how the server ended."""
        self.process.send_signal(number)
        self.process.wait(START_SECONDS)
        return Ended(self.process.returncode, self.printed.read_text(), "")


@contextmanager
def serving(data_dir: Path, *arguments: str, **env: str) -> Iterator[Serving]:
    """Run `metacortex serve` on a free port until the block ends."""
    printed = data_dir.with_suffix(".printed")
    with (
        printed.open("wb") as output,
        subprocess.Popen(
            [sys.executable, "-m", "metacortex", "serve", "--port", "0", *arguments],
            env=environment(data_dir, env),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        ) as process,
    ):
        try:
            yield Serving(process, printed, _url(process, printed))
        finally:
            process.terminate()
            process.wait(START_SECONDS)


def _url(process: "subprocess.Popen[bytes]", printed: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        for line in printed.read_text().splitlines():
            if line.startswith("MetaCortex serves "):
                return line.split()[2].removesuffix("/mcp;")
        time.sleep(0.05)
    pytest.fail(f"The server did not start: {printed.read_text()}")
