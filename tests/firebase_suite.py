"""The Firebase emulator suite on a copy of this project: its functions and its Firestore."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from metacortex.commands import emulator
from tests.firestore_emulator import installed_emulator
from tests.lacking import lacking
from tests.processes import ROOT, variables

# The last that runs on a Java older than 21.
VERSION = "14.27.0"
TOOLS = ROOT / ".cache" / f"firebase-tools-{VERSION}"
# "demo-" tells the suite that there is no such project in the cloud, and nobody to log in.
PROJECT = "demo-metacortex"
PORTS = ("functions", "firestore", "hub", "logging", "eventarc", "tasks")
START_SECONDS = 180


@contextmanager
def firebase_suite(folder: Path, secrets: Mapping[str, str], **settings: str) -> Iterator[str]:
    """Run the suite in `folder` until the block ends, and yield the address of its functions.

    Skips the test where its tools are missing; with CI=true that is a failure.
    """
    program, jar = firebase_program(), _runnable(folder, installed_emulator()[1])
    config = _project(folder, secrets, settings)
    env = {
        **variables(folder / "unused"),
        "HOME": str(folder),
        "CI": "true",
        "FIRESTORE_EMULATOR_BINARY_PATH": str(jar),
    }
    del env["PYTHONPATH"]
    env.pop(emulator.HOST, None)
    log = folder / "suite.log"
    command = [
        str(program),
        "emulators:start",
        "--only",
        "functions,firestore",
        "--project",
        PROJECT,
    ]
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        ) as process,
    ):
        try:
            _wait_for(process, log)
            yield f"http://127.0.0.1:{config['emulators']['functions']['port']}/{PROJECT}"
        finally:
            _end(process)


def firebase_program() -> Path:
    """Return the Firebase command line, installed if it is not there yet.

    Skips the test where it cannot be; with CI=true that is a failure.
    """
    program, installed = TOOLS / "node_modules" / ".bin" / "firebase", TOOLS / ".installed"
    if installed.exists():
        return program
    if shutil.which("npm") is None:
        lacking("needs Node.js with npm for the Firebase emulator suite")
    command = ["npm", "install", "--prefix", str(TOOLS), "--no-save", "--ignore-scripts"]
    quiet = ["--no-audit", "--no-fund", f"firebase-tools@{VERSION}"]
    TOOLS.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([*command, *quiet], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lacking(f"needs firebase-tools, which npm could not install: {done.stderr[-300:]}")
    installed.touch()
    return program


def _runnable(folder: Path, jar: Path) -> Path:
    """Return a jar that names its main class, as the suite wants it; that of gcloud does not."""
    (folder / "emulator.jar").symlink_to(jar)
    manifest = f"Main-Class: {emulator.CLASS}\nClass-Path: emulator.jar\n"
    with zipfile.ZipFile(folder / "named.jar", "w") as named:
        named.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\n{manifest}")
    return folder / "named.jar"


def _project(
    folder: Path, secrets: Mapping[str, str], settings: Mapping[str, str]
) -> dict[str, Any]:
    """Lay out our project in `folder` with ports and an environment of its own."""
    for name in ("firestore.rules", "firestore.indexes.json"):
        (folder / name).symlink_to(ROOT / name)
    config: dict[str, Any] = json.loads((ROOT / "firebase.json").read_text())
    *ports, websocket_port = _free_ports(len(PORTS) + 1)
    for name, port in zip(PORTS, ports, strict=True):
        config["emulators"][name] = {"host": "127.0.0.1", "port": port}
    config["emulators"]["firestore"]["websocketPort"] = websocket_port
    (folder / "firebase.json").write_text(json.dumps(config))
    functions = folder / "functions"
    functions.mkdir()
    for name in ("main.py", "metacortex", "requirements.txt"):
        (functions / name).symlink_to(ROOT / "functions" / name)
    _written(functions / ".env.local", settings)
    _written(functions / ".secret.local", secrets)
    _environment(functions / "venv" / "bin", config["functions"][0]["runtime"])
    return config


def _written(path: Path, settings: Mapping[str, str]) -> None:
    path.write_text("".join(f"{name}='{value}'\n" for name, value in settings.items()))


def _environment(folder: Path, runtime: str) -> None:
    """Make what the suite takes for an environment of the runtime's Python: it is this one."""
    folder.mkdir(parents=True)
    version = runtime.removeprefix("python")
    for name, command in (
        (f"python{version[0]}.{version[1:]}", f'"{sys.executable}"'),
        ("functions-framework", f'"{sys.executable}" -m functions_framework'),
    ):
        (folder / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (folder / name).chmod(0o755)
    (folder / "activate").write_text(f'export PATH="{folder}:$PATH"\n')


def _free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        listeners = [held.enter_context(socket.socket()) for _ in range(count)]
        for listener in listeners:
            listener.bind(("127.0.0.1", 0))
        return [int(listener.getsockname()[1]) for listener in listeners]


def _wait_for(process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if "All emulators ready" in log.read_text():
            return
        time.sleep(0.1)
    pytest.fail(f"The emulator suite did not start: {log.read_text()[-2000:]}")


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(60)
    finally:
        # Whatever of it is still there would keep its ports.
        os.killpg(process.pid, signal.SIGKILL)
