"""The function as Google runs it: under the functions framework, in a process of its own, on the
Firestore emulator and with the model that comes with the program.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from metacortex.function_settings import FUNCTION_NAME
from tests.processes import ROOT, START_SECONDS, variables
from tests.server_processes import Server, serving

SOURCE = ROOT / "functions" / "main.py"
WAYS_TO_SERVE = ("serve", "function")


@contextmanager
def served(request: pytest.FixtureRequest, folder: Path, **env: str) -> Iterator[Server]:
    """Serve in the way that is the parameter of a fixture: on SQLite, or as the function."""
    if request.param == "serve":
        with serving(folder / "data", **env) as server:
            yield server
        return
    emulator = request.getfixturevalue("firestore_emulator")
    with function_serving(folder, emulator, f"served-{uuid4().hex}", **env) as server:
        yield server


@contextmanager
def function_serving(folder: Path, emulator: str, project: str, **env: str) -> Iterator[Server]:
    """Serve a project of the emulator until the block ends. What the function prints and logs is
    kept in `folder`.
    """
    port = _free_port()
    printed, logged = folder / f"{port}.printed", folder / f"{port}.logged"
    settings = {
        "METACORTEX_ENGINE": "firestore",
        "METACORTEX_EMBEDDER": "use",
        "FIRESTORE_EMULATOR_HOST": emulator,
        "GOOGLE_CLOUD_PROJECT": project,
        **env,
    }
    command = (
        *(sys.executable, "-m", "functions_framework", "--source", str(SOURCE)),
        *("--target", FUNCTION_NAME, "--host", "127.0.0.1", "--port", str(port)),
    )
    with (
        printed.open("wb") as output,
        logged.open("wb") as log,
        subprocess.Popen(
            command,
            env=variables(folder / "unused", **settings),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=log,
        ) as process,
    ):
        server = Server(process, printed, logged, f"http://127.0.0.1:{port}")
        try:
            _wait_for(server, port)
            yield server
        finally:
            process.terminate()
            process.wait(START_SECONDS)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(server: Server, port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail(f"The function did not start: {server.logged.read_text()}")
