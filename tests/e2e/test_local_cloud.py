"""`metacortex serve` on Firestore: with an emulator of its own, and on one that runs already."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
from pathlib import Path
from uuid import uuid4

import pytest

from metacortex.credentials import credentials_file
from tests.command_line import run_process
from tests.e2e.notes import SESSIONS
from tests.e2e.tool_calls import call
from tests.firestore_emulator import installed_emulator
from tests.processes import START_SECONDS
from tests.server_processes import serving

pytestmark = pytest.mark.e2e

LOCAL_CLOUD = ("--engine", "firestore-emulator")
EXPORTED = re.compile(r"^  (export FIRESTORE_EMULATOR_HOST=.*)$", re.MULTILINE)


def admin_token(data_dir: Path) -> str:
    """Return the token that the server made for the admin."""
    return str(json.loads(credentials_file(data_dir).read_text())["MCP_ADMIN_TOKEN"])


def exported(told: str) -> dict[str, str]:
    """Return the settings that a server says other commands need."""
    line = EXPORTED.search(told)
    assert line is not None, told
    return dict(word.split("=", 1) for word in shlex.split(line[1])[1:])


def listens(host: str) -> bool:
    """Whether something takes connections at a host and port."""
    name, _, port = host.rpartition(":")
    try:
        socket.create_connection((name, int(port)), 1).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_the_local_cloud_serves_and_ends_with_all_that_it_started(
    tmp_path: Path, number: signal.Signals
) -> None:
    installed_emulator()
    data_dir = tmp_path / "memory"
    with serving(data_dir, *LOCAL_CLOUD, FIRESTORE_EMULATOR_HOST="") as server:
        kept = call(
            f"{server.url}/mcp", admin_token(data_dir), "remember_context", content=SESSIONS
        )
        settings = exported(server.logged.read_text())
        assert server.url.endswith(f":{settings['PORT']}")
        found = run_process(data_dir, "search", "shop sessions", "--json", **settings).json()
        assert listens(settings["FIRESTORE_EMULATOR_HOST"])
        ended = server.stop(number)
    assert ended.status == 0, ended.err
    assert [match["id"] for match in found["matches"]] == [kept["item"]["id"]]
    assert not listens(settings["FIRESTORE_EMULATOR_HOST"])
    assert not listens(server.url.removeprefix("http://"))
    assert "nothing of it is kept" in ended.err


@pytest.mark.parametrize(
    ("program", "told"),
    [("CloudFirestore", "The Firestore emulator"), ("functions_framework", "The function")],
)
def test_the_local_cloud_ends_when_a_part_of_it_does(
    tmp_path: Path, program: str, told: str
) -> None:
    installed_emulator()
    data_dir = tmp_path / "memory"
    with serving(data_dir, *LOCAL_CLOUD, FIRESTORE_EMULATOR_HOST="") as server:
        settings = exported(server.logged.read_text())
        find = ["pgrep", "-P", str(server.process.pid), "-f", program]
        found = subprocess.run(find, capture_output=True, text=True, check=True).stdout
        os.kill(int(found), signal.SIGKILL)
        status = server.process.wait(START_SECONDS)
    assert status == 1
    assert f"{told} ended by itself; start again" in server.logged.read_text()
    assert not listens(settings["FIRESTORE_EMULATOR_HOST"])
    assert not listens(server.url.removeprefix("http://"))


def test_a_running_emulator_is_used_and_left_running(
    firestore_emulator: str, tmp_path: Path
) -> None:
    data_dir, project = tmp_path / "memory", f"serve-{uuid4().hex}"
    env = {"FIRESTORE_EMULATOR_HOST": firestore_emulator, "GOOGLE_CLOUD_PROJECT": project}
    statuses = []
    for _ in "12":
        with serving(data_dir, *LOCAL_CLOUD, **env) as server:
            url, token = f"{server.url}/mcp", admin_token(data_dir)
            kept = call(url, token, "remember_context", content=SESSIONS)
            statuses.append(kept["write_status"])
            assert exported(server.logged.read_text())["GOOGLE_CLOUD_PROJECT"] == project
    assert statuses == ["created", "duplicate"]
    assert listens(firestore_emulator)


def test_the_server_of_one_machine_serves_firestore_too(
    firestore_emulator: str, tmp_path: Path
) -> None:
    env = {
        "FIRESTORE_EMULATOR_HOST": firestore_emulator,
        "GOOGLE_CLOUD_PROJECT": f"serve-{uuid4().hex}",
        "METACORTEX_EMBEDDER": "use",
    }
    data_dir = tmp_path / "memory"
    with serving(data_dir, "--engine", "firestore", **env) as server:
        kept = call(
            f"{server.url}/mcp", admin_token(data_dir), "remember_context", content=SESSIONS
        )
        fetched = run_process(
            data_dir, "fetch", kept["item"]["id"], "--json", METACORTEX_ENGINE="firestore", **env
        )
        assert server.stop().status == 0
    assert fetched.json()["item"]["content"] == SESSIONS
    assert not list(data_dir.glob("*.db"))


def test_a_doctor_looks_at_firestore(firestore_emulator: str, tmp_path: Path) -> None:
    env = {
        "METACORTEX_ENGINE": "firestore",
        "METACORTEX_EMBEDDER": "use",
        "GOOGLE_CLOUD_PROJECT": f"doctor-{uuid4().hex}",
    }
    well = run_process(tmp_path, "doctor", "--json", **env)
    checks = {line["check"]: line["verdict"] for line in well.lines()}
    assert well.status == 0
    assert "disk" not in checks
    assert checks["store"] == checks["embeddings"] == "ok"
    nowhere = run_process(
        tmp_path, "doctor", "--json", **env, FIRESTORE_EMULATOR_HOST="127.0.0.1:1"
    )
    (failed,) = (line for line in nowhere.lines() if line["verdict"] == "fail")
    assert failed["check"] == "store"
    assert failed["finding"].endswith("FIRESTORE_EMULATOR_HOST names, 127.0.0.1:1")


def test_a_reset_names_the_place_that_it_would_empty(
    firestore_emulator: str, tmp_path: Path
) -> None:
    env = {
        "METACORTEX_ENGINE": "firestore",
        "METACORTEX_EMBEDDER": "use",
        "GOOGLE_CLOUD_PROJECT": f"reset-{uuid4().hex}",
    }
    asked = run_process(tmp_path, "reset", **env)
    assert (asked.status, asked.err) == (
        1,
        "This would delete 0 memories of tenant 'default' in the Firestore emulator at"
        f" {firestore_emulator} for good; to do it, add --confirm\n",
    )


def test_a_doctor_tells_that_the_index_file_is_for_another_model(tmp_path: Path) -> None:
    env = {
        "METACORTEX_ENGINE": "firestore",
        "METACORTEX_EMBEDDER": "use",
        "FIRESTORE_EMULATOR_HOST": "",
        "GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "none.json"),
    }
    (finding,) = (
        line["finding"]
        for line in run_process(tmp_path, "doctor", "--json", **env).lines()
        if line["check"] == "indexes"
    )
    assert "is for vectors of 768 numbers, and use-multilingual-v3 makes 512" in finding


def test_a_machine_without_java_is_told_so_and_nothing_is_left_behind(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    env = {"PATH": str(tmp_path), "FIRESTORE_EMULATOR_HOST": ""}
    ended = run_process(data_dir, "serve", *LOCAL_CLOUD, "--port", "0", **env)
    assert (ended.status, ended.out) == (1, "")
    assert "there is no java on the PATH; install version 21 or newer" in ended.err
    assert not data_dir.exists()
