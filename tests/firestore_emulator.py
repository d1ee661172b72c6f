"""The official Firestore emulator, run once for all tests of a session."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from metacortex.commands import emulator
from metacortex.domain.errors import ConfigurationError
from tests.lacking import lacking
from tests.loopback import free_port, takes_connections

HOST = emulator.HOST

# In a life this short, the second compiler and a collector with threads of its own cost more than
# they save: with them, tests on Firestore take a third longer.
JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g")


@contextmanager
def running_emulator(folder: Path, *arguments: str) -> Iterator[str]:
    """Run an emulator until the block ends, and yield its `host:port`; one that is running already
    is used as it is. What it says is kept in `folder`.
    """
    if (host := os.environ.get(HOST)) and not arguments:
        yield host
        return
    java, jar = installed_emulator()
    port = free_port()
    command = [java, *JVM, "-cp", str(jar), emulator.CLASS, "--host", "127.0.0.1"]
    with (
        (folder / "emulator.log").open("wb") as log,
        subprocess.Popen(
            [*command, "--port", str(port), *arguments], stdout=log, stderr=log
        ) as process,
    ):
        try:
            if not takes_connections(process, port):
                pytest.fail("The Firestore emulator did not start")
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
