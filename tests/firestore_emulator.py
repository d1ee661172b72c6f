"""The official Firestore emulator, run once for all tests of a session."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from metacortex.commands import emulator
from metacortex.domain.errors import ConfigurationError
from tests.lacking import lacking
from tests.processes import START_SECONDS

HOST = emulator.HOST


@contextmanager
def running_emulator(folder: Path, *arguments: str) -> Iterator[str]:
    """Run an emulator until the block ends, and yield its `host:port`; one that is running already
    is used as it is. What it says is kept in `folder`.
    """
    if (host := os.environ.get(HOST)) and not arguments:
        yield host
        return
    java, jar = installed_emulator()
    port = _free_port()
    command = [java, "-cp", str(jar), emulator.CLASS, "--host", "127.0.0.1", "--port", str(port)]
    with (
        (folder / "emulator.log").open("wb") as log,
        subprocess.Popen([*command, *arguments], stdout=log, stderr=log) as process,
    ):
        try:
            _wait_for(process, port)
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


def installed_emulator() -> tuple[str, Path]:
    """Return Java and the emulator that it runs.

    Skips the test where either is missing; with CI=true that is a failure.
    """
    java = shutil.which("java")
    if java is None:
        lacking("needs Java for the Firestore emulator")
    try:
        return java, emulator.find_jar(os.environ)
    except ConfigurationError as error:
        lacking(error.sentence)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(process: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("The Firestore emulator did not start")
