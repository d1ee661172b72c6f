"""The command line under test: run in this process, or in one of its own."""

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from metacortex import cli
from tests.processes import ROOT, START_SECONDS, variables


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
    names = (None, "metacortex", "metacortex.calls", "metacortex.roots")
    root, *named = (logging.getLogger(name) for name in names)
    handlers, levels = root.handlers[:], [logger.level for logger in (root, *named)]
    try:
        yield
    finally:
        root.handlers[:] = handlers
        for logger, level in zip((root, *named), levels, strict=True):
            logger.setLevel(level)
        logging.captureWarnings(False)


@contextmanager
def _standard_input(given: str) -> Iterator[None]:
    kept, sys.stdin = sys.stdin, io.StringIO(given)
    try:
        yield
    finally:
        sys.stdin = kept


def run_process(data_dir: Path, *arguments: str, given: str = "", **env: str) -> Ended:
    """Run one command to its end in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "metacortex", *arguments],
        env=variables(data_dir, **env),
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)
