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

from tests.lacking import lacking
from tests.processes import START_SECONDS

CLASS = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
JAR = "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"
HOST = "FIRESTORE_EMULATOR_HOST"


@contextmanager
def running_emulator(folder: Path, *arguments: str) -> Iterator[str]:
    """Run an emulator until the block ends, and yield its `host:port`; one that is running already
    is used as it is. What it says is kept in `folder`.
    """
    if (host := os.environ.get(HOST)) and not arguments:
        yield host
        return
    java, jar = shutil.which("java"), _jar()
    if java is None or jar is None:
        lacking("the Firestore emulator, or the Java that it needs, is not installed")
    port = _free_port()
    command = [java, "-cp", str(jar), CLASS, "--host", "127.0.0.1", "--port", str(port)]
    with (
        (folder / "emulator.log").open("wb") as log,
        subprocess.Popen([*command, *arguments], stdout=log, stderr=log) as process,
    ):
        try:
            _wait_for(process, port)
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


def _jar() -> Path | None:
    gcloud = shutil.which("gcloud")
    jar = Path(gcloud).resolve().parents[1] / JAR if gcloud else None
    return jar if jar and jar.exists() else None


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
