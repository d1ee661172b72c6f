"""The whole command line with the installed model: alone, serving, and beside a server."""

import asyncio
import json
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

import metacortex
from metacortex.bootstrap import DATABASE_NAME
from metacortex.credentials import credentials_file
from metacortex.domain.errors import ConfigurationError, InvalidInput, NotFound
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import NewMemory
from tests.command_line import CommandLine, environment, run_process, serving
from tests.fakes import FakeEmbedder
from tests.world import build_world

pytestmark = pytest.mark.e2e

SESSIONS = "Sessions of the web shop end after thirty days."
CAKE = "The cake for the party is ordered from the bakery in Main Street."


@pytest.fixture
def command_line(tmp_path: Path) -> CommandLine:
    """The command line, on a data directory that is not there yet."""
    return CommandLine(tmp_path / "memory")


def credentials(data_dir: Path) -> tuple[str, dict[str, str]]:
    """Return the admin's token and those of the clients."""
    stored = json.loads(credentials_file(data_dir).read_text())
    clients = {entry["id"]: entry["token"] for entry in stored["MCP_CLIENT_PROFILES_JSON"]}
    return stored["MCP_ADMIN_TOKEN"], clients


def call(url: str, token: str, tool: str, **arguments: str) -> dict[str, Any]:
    """Call a tool as a script does, with one POST."""
    answer = httpx.post(
        url,
        headers={"Authorization": f"Bearer {token}"},
        json={
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        },
        timeout=60,
        trust_env=False,
    )
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()["result"]["structuredContent"]
    return result


async def other_model(data_dir: Path, *texts: str) -> None:
    """Store texts that another model has embedded."""
    data_dir.mkdir()
    world = build_world(path=data_dir / DATABASE_NAME, embedder=FakeEmbedder())
    for text in texts:
        await world.services.memories.remember(world.principal(), NewMemory(text))
    await world.aclose()


def test_what_is_kept_is_found_fetched_and_replaced(command_line: CommandLine) -> None:
    kept = command_line("remember", SESSIONS, "--topic", "auth", "--ref", "gs://a/b", "--json")
    old = kept.json()["item"]["id"]
    new = command_line("remember", "-", given=f"{SESSIONS} Now sixty.\n").out.strip()
    assert command_line("remember", SESSIONS, "--topic", "auth", "--ref", "gs://a/b").err == (
        "Already kept under topic 'auth'\n"
    )
    found = command_line("search", "How long do sessions of the shop last?", "--topic", "auth")
    assert found.out.splitlines()[0].split()[1:] == [old, "auth"]
    assert command_line("deprecate", old, "--by", new).out == f"{old} is superseded by {new}\n"
    fetched = command_line("fetch", old)
    assert fetched.out == f"{SESSIONS}\n"
    assert "branch_state: deprecated" in fetched.err
    assert "artifact_refs: gs://a/b" in fetched.err
    past = command_line("search", "sessions", "--state", "deprecated", "--limit", "1", "--json")
    assert [match["id"] for match in past.json()["matches"]] == [old]
    events = command_line("events", "--json").lines()
    assert [event["tool_name"] for event in events] == [
        *["remember_context"] * 3,
        *("search_context", "deprecate_context", "fetch_context", "search_context"),
    ]
    assert {event["status"] for event in events} == {"success"}
    assert "1 found" in command_line("events").out


def test_what_is_wrong_with_a_text_is_said_as_a_tool_says_it(command_line: CommandLine) -> None:
    ended = command_line("remember", "x", "--draft", "--state", "active")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == "Provide either draft or branch_state, not both\n"
    assert command_line("search", "anything").err == "Nothing found in state active\n"


def test_a_secret_is_taken_out_and_said(command_line: CommandLine) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    ended = command_line("remember", f"The deploy key is {token}.")
    assert "Taken out, as what looks like a live secret" in ended.err
    assert token not in command_line("fetch", ended.out.strip()).out


def test_text_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "metacortex", "remember", "-"],
        env=environment(tmp_path, {"PYTHONIOENCODING": "utf-8:strict"}),
        input=b"\xff\xfe",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.decode() == "Standard input is not UTF-8 text\n"


def test_another_model_is_noticed_and_what_it_embedded_renewed(command_line: CommandLine) -> None:
    asyncio.run(other_model(command_line.data_dir, SESSIONS, CAKE))
    before = command_line("doctor", "--json")
    (check,) = (line for line in before.lines() if line["check"] == "embeddings")
    assert (before.status, check["verdict"]) == (0, "warn")
    assert check["finding"].endswith("run: metacortex reembed")
    assert command_line("search", "birthday cake").err.startswith("Nothing found")
    renewed = command_line("reembed", "--json")
    assert renewed.json() == {"reembedded": 2, "space": "use-multilingual-v3/512"}
    assert CAKE in command_line("search", "birthday cake", "--limit", "1").out
    assert "0 memories were embedded anew" in command_line("reembed").err


def test_a_renewal_that_is_stopped_goes_on_where_it_was(command_line: CommandLine) -> None:
    total = 600
    asyncio.run(other_model(command_line.data_dir, *(f"Note {place}" for place in range(total))))
    with subprocess.Popen(
        [sys.executable, "-m", "metacortex", "reembed"],
        env=environment(command_line.data_dir, {}),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == f"100 of {total}\n"
        process.send_signal(signal.SIGINT)
        stopped = process.stderr.read().splitlines()[-1]
        assert process.wait(60) == 130
    done = int(stopped.removeprefix("Stopped after ").split()[0])
    assert stopped == f"Stopped after {done} of {total}; start it again to go on"
    assert command_line("reembed", "--json").json()["reembedded"] in (
        total - done,
        total - done - 1,
    )


def test_a_reset_says_what_it_would_do_before_it_does_it(command_line: CommandLine) -> None:
    command_line("remember", SESSIONS)
    asked = command_line("reset")
    assert asked.status == 1
    assert "This would delete 1 memories of tenant 'default'" in asked.err
    assert command_line("reset", "--confirm", "--json").json() == {
        "tenant": "default",
        "deleted": 1,
    }
    assert "0 memories of tenant 'default' were deleted" in command_line("reset", "--confirm").err
    assert len(command_line("events", "--json").lines()) == 1


def verdicts(command_line: CommandLine, **env: str) -> dict[str, str]:
    """Return what doctor says of each thing."""
    lines = command_line("doctor", "--json", **env).lines()
    return {line["check"]: line["verdict"] for line in lines}


def test_a_doctor_finds_a_new_machine_well_and_changes_nothing(command_line: CommandLine) -> None:
    assert verdicts(command_line) == {
        "configuration": "warn",
        "data directory": "ok",
        "disk": "ok",
        "store": "ok",
        "clock": "ok",
        "embedding model": "ok",
    }
    assert not command_line.data_dir.exists()


def test_a_doctor_tells_what_others_may_read_and_the_remedy(command_line: CommandLine) -> None:
    command_line("clients", "add", "desk")
    command_line.data_dir.chmod(0o755)
    ended = command_line("doctor", MCP_ADMIN_TOKEN="admin-token-0123456789")
    assert ended.status == 0
    assert (
        f"warn  data directory: '{command_line.data_dir}' is open to other users; run: chmod 700"
        in (ended.out)
    )
    assert "ok    configuration: " in ended.out


def test_a_doctor_fails_for_what_keeps_a_server_from_working(command_line: CommandLine) -> None:
    profile = {"id": "desk", "token": "desk-token-0123456789", "allowedTools": ["search_context"]}
    command_line("clients", "add", "desk")
    ended = command_line("doctor", "--json", MCP_CLIENT_PROFILES_JSON=json.dumps([profile]))
    (check,) = (line for line in ended.lines() if line["verdict"] == "fail")
    assert (ended.status, check["check"]) == (1, "clients")
    assert "desk" in check["finding"]
    (command_line.data_dir / DATABASE_NAME).write_bytes(b"no database" * 1000)
    assert verdicts(command_line)["store"] == "fail"
    broken = command_line("doctor", SEARCH_RESULT_LIMIT="x", IDEMPOTENCY_WINDOW_SECONDS="x")
    assert (broken.status, len(broken.out.splitlines())) == (1, 2)


def test_a_doctor_fails_for_a_model_that_does_not_answer(command_line: CommandLine) -> None:
    found = verdicts(
        command_line,
        METACORTEX_EMBEDDER="openai",
        METACORTEX_EMBEDDING_URL="http://127.0.0.1:1/v1",
        METACORTEX_EMBEDDING_MODEL="none",
        METACORTEX_EMBEDDING_DIMENSIONS="8",
    )
    assert found["embedding model"] == "fail"


def test_events_are_followed_as_they_happen(command_line: CommandLine) -> None:
    command_line("fetch", "before")
    with subprocess.Popen(
        [sys.executable, "-m", "metacortex", "events", "--follow", "--json"],
        env=environment(command_line.data_dir, {}),
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["request"]["document_id"] == "before"
        command_line("fetch", "after")
        assert json.loads(process.stdout.readline())["request"]["document_id"] == "after"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stdout.read() == b""


def test_a_first_start_makes_what_a_second_one_finds(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    with serving(data_dir) as first:
        admin, clients = credentials(data_dir)
        kept = call(f"{first.url}/mcp", admin, "remember_context", content=SESSIONS)
        ended = first.stop()
    assert ended.status == 0
    assert stat.S_IMODE(credentials_file(data_dir).stat().st_mode) == 0o600
    assert not any(token in ended.out for token in (admin, *clients.values()))
    assert f"'{data_dir}/credentials.json'" in ended.out
    with serving(data_dir) as second:
        assert credentials(data_dir) == (admin, clients)
        url = f"{second.url}/clients/claude-web/mcp"
        found = call(url, clients["claude-web"], "search_context", query="shop sessions")
        assert second.stop(signal.SIGTERM).status == 0
    assert [match["id"] for match in found["matches"]] == [kept["item"]["id"]]


def test_a_token_in_an_address_comes_to_rest_nowhere(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    with serving(data_dir) as server:
        _, clients = credentials(data_dir)
        for token in (clients["chatgpt-web"], "wrong-token-0123456789"):
            httpx.post(
                f"{server.url}/clients/chatgpt-web/mcp?auth_token={token}",
                json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                trust_env=False,
            )
        logged = server.stop().out
    events = run_process(data_dir, "events", "--json").out
    for secret in (clients["chatgpt-web"], "wrong-token-0123456789", "auth_token"):
        assert secret not in logged + events


def test_a_terminal_or_whoever_asks_is_told_how_to_connect(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    with serving(data_dir, "--print-connection") as server:
        admin, _ = credentials(data_dir)
        printed = server.stop().out
    assert f"claude mcp add --transport http metacortex {server.url}/mcp" in printed
    assert admin in printed


def test_a_client_registered_beside_a_running_server_comes_in(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    with serving(data_dir) as server:
        token = run_process(data_dir, "clients", "add", "desk", "--json").json()["token"]
        url = f"{server.url}/clients/desk/mcp"
        assert call(url, token, "search_context", query="anything")["matches"] == []


def test_a_start_tells_of_another_model_and_of_ids_set_twice(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    asyncio.run(other_model(data_dir, SESSIONS))
    run_process(data_dir, "clients", "add", "claude-web")
    with serving(data_dir) as server:
        logged = server.stop().out
    assert "1 memories were embedded by another model (bag-of-words/256)" in logged
    assert "metacortex reembed" in logged
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
        logged = server.stop().out
    assert answer["error"]["code"] == "unavailable"
    assert "until then nothing can be remembered or searched" in logged


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
    env = environment(data_dir, {})
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


def exchanged(data_dir: Path, *messages: dict[str, Any], client: str = "default") -> list[Any]:
    """Return what `stdio` writes when it reads these messages."""
    given = "".join(f"{json.dumps({'jsonrpc': '2.0', **message})}\n" for message in messages)
    process = subprocess.Popen(
        [sys.executable, "-m", "metacortex", "stdio", "--client", client],
        env=environment(data_dir, {}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write(given)
        process.stdin.flush()
        expected = [message for message in messages if "id" in message]
        answers = [json.loads(process.stdout.readline()) for _ in expected]
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(60) == 0
    return sorted(answers, key=lambda answer: answer["id"])


HANDSHAKE: tuple[dict[str, Any], ...] = (
    {
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
)


def test_stdio_serves_the_admin_where_no_token_was_ever_made(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    remember = {"name": "remember_context", "arguments": {"content": SESSIONS}}
    _, listed, called = exchanged(
        data_dir,
        *HANDSHAKE,
        {"id": 1, "method": "tools/list"},
        {"id": 2, "method": "tools/call", "params": remember},
    )
    assert len(listed["result"]["tools"]) == 4
    assert called["result"]["structuredContent"]["write_status"] == "created"
    assert not credentials_file(data_dir).exists()
    (event,) = run_process(data_dir, "events", "--json").lines()
    assert (event["client_id"], event["status"]) == ("default", "success")


def test_stdio_serves_a_registered_client_its_own_tools(tmp_path: Path) -> None:
    data_dir = tmp_path / "memory"
    run_process(data_dir, "clients", "add", "reader", "--tools", "search_context")
    _, listed = exchanged(data_dir, *HANDSHAKE, {"id": 1, "method": "tools/list"}, client="reader")
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["search_context"]


def test_stdio_refuses_a_client_that_nobody_knows(tmp_path: Path) -> None:
    ended = run_process(tmp_path, "stdio", "--client", "nobody")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == "client 'nobody' is not known; see: metacortex clients list\n"


async def test_the_library_does_what_the_tools_do(tmp_path: Path) -> None:
    async with metacortex.open(tmp_path / "memory") as memory:
        old = (await memory.remember(SESSIONS, topic="auth")).memory
        new = (await memory.remember(CAKE)).memory
        assert [match.memory.id for match in await memory.search("birthday cake", limit=1)] == [
            new.id
        ]
        superseded = await memory.deprecate(old.id, by=new.id)
        assert await memory.fetch(old.id) == superseded
        assert superseded.branch_state is BranchState.DEPRECATED
        with pytest.raises(InvalidInput, match="query must not be empty"):
            await memory.search(" ")
    async with metacortex.open(str(tmp_path / "memory"), tenant="acme") as memory:
        with pytest.raises(NotFound):
            await memory.fetch(new.id)


async def test_the_library_refuses_what_it_cannot_work_with(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="tenant must be"):
        async with metacortex.open(tmp_path, tenant=".."):
            pass
    with pytest.raises(ConfigurationError, match="SEARCH_RESULT_LIMIT"):
        async with metacortex.open(tmp_path, settings={"SEARCH_RESULT_LIMIT": "x"}):
            pass


def test_the_library_does_not_read_the_environment(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys, metacortex\n"
        "assert 'numpy' not in sys.modules and 'mcp' not in sys.modules\n"
        "async def use():\n"
        f"    async with metacortex.open({str(tmp_path / 'memory')!r}): pass\n"
        "asyncio.run(use())\n"
    )
    env = environment(tmp_path / "elsewhere", {"SEARCH_RESULT_LIMIT": "nonsense"})
    subprocess.run([sys.executable, "-c", script], env=env, check=True, timeout=60)
    assert [path.name for path in tmp_path.iterdir()] == ["memory"]
