"""`metacortex serve` with the model that comes with the program: its starts and its ends."""

import asyncio
import json
import shlex
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from metacortex.credentials import credentials_file
from metacortex.engines import DATABASE_NAME
from tests.command_line import run_process
from tests.e2e.notes import CAKE, SESSIONS, embed_by_another_model
from tests.e2e.tool_calls import call
from tests.earlier import write_earlier
from tests.processes import variables
from tests.samples import a_memory
from tests.server_processes import serving

pytestmark = pytest.mark.e2e


def credentials(data_dir: Path) -> tuple[str, dict[str, str]]:
    """Return the admin's token and those of the clients."""
    stored = json.loads(credentials_file(data_dir).read_text())
    clients = {entry["id"]: entry["token"] for entry in stored["MCP_CLIENT_PROFILES_JSON"]}
    return stored["MCP_ADMIN_TOKEN"], clients


def test_a_first_start_makes_what_a_second_one_finds(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    with serving(data_dir) as first:
        admin, clients = credentials(data_dir)
        kept = call(f"{first.url}/mcp", admin, "remember_context", content=SESSIONS)
        ended = first.stop()
    assert ended.status == 0
    assert stat.S_IMODE(credentials_file(data_dir).stat().st_mode) == 0o600
    assert not any(token in ended.out + ended.err for token in (admin, *clients.values()))
    assert f"'{data_dir}/credentials.json'" in ended.out
    with serving(data_dir) as second:
        assert credentials(data_dir) == (admin, clients)
        url = f"{second.url}/clients/claude-web/mcp"
        found = call(url, clients["claude-web"], "search_context", query="shop sessions")
        assert second.stop(signal.SIGTERM).status == 0
    assert [match["id"] for match in found["matches"]] == [kept["item"]["id"]]


def test_a_terminal_or_whoever_asks_is_told_how_to_connect(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    with serving(data_dir, "--print-connection") as server:
        admin, _ = credentials(data_dir)
        printed = server.stop().out
    assert f"claude mcp add --transport http metacortex {server.url}/mcp" in printed
    assert f"\nAdmin token: {admin}\n" in printed
    assert shlex.split(printed.splitlines()[-1])[-4:] == [
        *("--data-dir", str(data_dir)),
        *("events", "--follow"),
    ]


def test_a_client_registered_beside_a_running_server_comes_in(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    with serving(data_dir) as server:
        token = run_process(data_dir, "clients", "add", "desk", "--json").json()["token"]
        url = f"{server.url}/clients/desk/mcp"
        assert call(url, token, "search_context", query="anything")["matches"] == []


def test_a_start_tells_of_another_model_and_of_ids_set_twice(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    asyncio.run(embed_by_another_model(data_dir, SESSIONS))
    run_process(data_dir, "clients", "add", "claude-web")
    with serving(data_dir) as server:
        logged = server.stop().err
    assert "1 memories were embedded by another model (bag-of-words/256)" in logged
    assert f"--data-dir {data_dir} reembed" in logged
    assert "Client 'claude-web' is both in MCP_CLIENT_PROFILES_JSON and registered" in logged


def test_a_model_that_does_not_answer_keeps_the_server_from_nothing_else(tmp_path: Path) -> None:
    env = {
        "METACORTEX_EMBEDDER": "openai",
        "METACORTEX_EMBEDDING_URL": "http://127.0.0.1:1/v1",
        "METACORTEX_EMBEDDING_MODEL": "none",
        "METACORTEX_EMBEDDING_DIMENSIONS": "8",
    }
    data_dir = tmp_path / "memory"
    with serving(data_dir, **env) as server:
        admin, _ = credentials(data_dir)
        answer = call(f"{server.url}/mcp", admin, "remember_context", content=SESSIONS)
        logged = server.stop().err
    assert answer["error"]["code"] == "unavailable"
    assert "until then nothing can be remembered, and searches go by words" in logged


def test_a_server_indexes_what_an_earlier_version_wrote(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    data_dir.mkdir()
    asyncio.run(write_earlier(data_dir / DATABASE_NAME, a_memory(content=CAKE), tenant="default"))
    with serving(data_dir) as server:
        admin, _ = credentials(data_dir)
        server.until_logged("Their words are indexed")
        query = {"query": CAKE, "mode": "words"}
        found = call(f"{server.url}/mcp", admin, "search_context", **query)
        logged = server.stop().err
    assert [match["id"] for match in found["matches"]] == ["m1"]
    assert "1 memories of an earlier version are not yet found by words" in logged


def test_a_port_in_use_ends_the_start_and_leaves_nothing_behind(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        ended = run_process(data_dir, "serve", PORT=str(port))
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        f"Port {port} of 127.0.0.1 is in use by another program; stop that one,"
        " or set PORT to another port\n"
    )
    assert not data_dir.exists()


def test_a_file_that_is_no_database_ends_the_start(tmp_path: Path) -> None:
    (tmp_path / DATABASE_NAME).write_bytes(b"no database" * 1000)
    ended = run_process(tmp_path, "serve", "--port", "0")
    assert (ended.status, ended.out) == (1, "")
    assert "no SQLite database" in ended.err
    assert "METACORTEX_DATA_DIR" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_two_first_starts_at_once_agree(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    env = variables(data_dir)
    command = [sys.executable, "-m", "metacortex", "serve", "--port", "0", "--print-connection"]
    processes = [
        subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) for _ in "12"
    ]
    printed: list[str] = ["", ""]

    def read(place: int) -> None:
        output = processes[place].stdout
        assert output is not None
        for line in output:
            printed[place] += line
            if line.startswith("Ctrl-C"):
                processes[place].send_signal(signal.SIGINT)
        output.close()

    readers = [threading.Thread(target=read, args=(place,)) for place in (0, 1)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(120)
    assert [process.wait(60) for process in processes] == [0, 0]
    admin, _ = credentials(data_dir)
    assert all(f"Bearer {admin}" in text for text in printed)
