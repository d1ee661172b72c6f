"""The function as Google runs it: under the functions framework, in a process of its own, on the
Firestore emulator and with the model that comes with the program.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from metacortex.function_settings import FUNCTION_NAME
from tests.loopback import free_port, takes_connections
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
    port = free_port()
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
            if not takes_connections(process, port):
                pytest.fail(f"The function did not start: {logged.read_text()}")
            yield server
        finally:
            process.terminate()
            process.wait(START_SECONDS)
