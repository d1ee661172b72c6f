"""The official conformance suite against the product's own door, endpoint and events."""

import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.loopback import free_port
from tests.node_packages import node_packages
from tests.processes import ROOT, START_SECONDS, variables
from tests.world import environment

HERE = Path(__file__).parent
VERSIONS = ("2025-11-25", "2026-07-28")
TOKEN = "conformance-token-0123456789"


@dataclass(frozen=True)
class Server:
    """A running server, and the folder that it keeps its memory in."""

    port: int
    data_dir: Path

    @property
    def url(self) -> str:
        """The endpoint of the one client."""
        return f"http://127.0.0.1:{self.port}/clients/conformance/mcp"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app with fixtures in a process of its own."""
    # Found before the start, because the profile allows the origin that has this port.
    port = free_port()
    data_dir = tmp_path_factory.mktemp("conformance")
    profile = {
        "id": "conformance",
        "token": TOKEN,
        "allowedTools": ["remember_context", "search_context", "fetch_context"],
        "allowedOrigins": [f"http://127.0.0.1:{port}"],
    }
    env = variables(data_dir, **environment([profile]), CONFORMANCE_TOKEN=TOKEN)
    command = [sys.executable, "-m", "uvicorn", "--factory", "tests.conformance.served:create_app"]
    options = ["--port", str(port), "--log-level", "warning"]
    with subprocess.Popen([*command, *options], cwd=ROOT, env=env) as process:
        try:
            _await_answer(process, port)
            yield Server(port, data_dir)
        finally:
            process.terminate()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_official_suite_finds_only_what_is_expected(
    version: str, server: Server, tmp_path: Path
) -> None:
    program = node_packages(HERE) / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    command = ["node", str(program), "server", "--url", server.url, "--requirements", version]
    options = ["--expected-failures", str(_expected(version)), "--output-dir", str(tmp_path)]
    run = subprocess.run(
        [*command, *options], check=False, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]


def test_a_call_of_a_fixture_tool_leaves_one_event_as_the_products_own_do(server: Server) -> None:
    # The database is made at the first call, which need not have been one of the suite's.
    _call_fixture_tool(server)
    before = _stored_events(server)
    _call_fixture_tool(server)
    assert _stored_events(server) == before + 1


@pytest.mark.parametrize("version", VERSIONS)
def test_each_expected_failure_has_its_reason(version: str) -> None:
    entries = [line for line in _expected(version).read_text().splitlines() if "- " in line[:6]]
    assert entries
    assert [line for line in entries if not re.search(r" # \w+ \w+", line)] == []


def _call_fixture_tool(server: Server) -> None:
    called = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    answer = httpx.post(
        server.url, json={**called, "params": {"name": "test_simple_text"}}, trust_env=False
    )
    assert answer.json()["result"]["content"][0]["text"].startswith("This is a simple text")


def _await_answer(process: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("The server did not start")


def _expected(version: str) -> Path:
    return HERE / f"expected-{version}.yaml"


def _stored_events(server: Server) -> int:
    with closing(sqlite3.connect(server.data_dir / "metacortex.db")) as database:
        rows = database.execute("SELECT count(*) FROM events").fetchone()
    return int(rows[0])
