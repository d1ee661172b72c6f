"""Clients written for Node.js against the real server: both ways to show a token, both eras."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.function_processes import WAYS_TO_SERVE, served
from tests.node_packages import node_packages
from tests.world import environment

HERE = Path(__file__).parent
CLIENT = "claude-web"
TOKEN = "claude-web-token-0123456789"
TOOLS = ["remember_context", "search_context", "fetch_context"]
BY_URL = "by_url"
BY_HEADER = "by_header"
WAYS = (BY_URL, BY_HEADER)


@pytest.fixture(scope="module")
def packages() -> Path:
    """The folder with the clients' packages in it."""
    return node_packages(HERE)


@pytest.fixture(scope="module", params=WAYS_TO_SERVE)
def endpoint(
    request: pytest.FixtureRequest, packages: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a client's endpoint on a running server."""
    profile = {"id": CLIENT, "token": TOKEN, "allowedTools": TOOLS}
    with served(request, tmp_path_factory.mktemp("node"), **environment([profile])) as server:
        yield f"{server.url}/clients/{CLIENT}/mcp"


def address(endpoint: str, way: str) -> str:
    """Return the URL for one of the ways to show the token."""
    return f"{endpoint}?auth_token={TOKEN}" if way == BY_URL else endpoint


def headers(way: str) -> dict[str, str]:
    """Return the headers for one of the ways to show the token."""
    return {} if way == BY_URL else {"Authorization": f"Bearer {TOKEN}"}


def told(program: str, endpoint: str, way: str, **environment: str) -> dict[str, Any]:
    """Run a program of this folder and return what it tells."""
    connection = {"url": address(endpoint, way), "headers": headers(way)}
    run = subprocess.run(
        ["node", str(HERE / program)],
        env={**os.environ, "CONNECTION": json.dumps(connection), **environment},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return dict(json.loads(run.stdout))


def expected(place: str, version: str) -> dict[str, Any]:
    """Return what a program tells when every call went well."""
    return {
        "protocolVersion": version,
        "tools": TOOLS,
        "writeStatus": "created",
        "found": True,
        "fetched": f"The aviary key hangs behind the {place} door.",
        "missing": {"isError": True, "text": "Document not found"},
    }


@pytest.mark.parametrize("way", WAYS)
def test_the_first_typescript_sdk_remembers_finds_and_fetches(endpoint: str, way: str) -> None:
    place = f"first {way}"
    assert told("sdk1.mjs", endpoint, way, PLACE=place) == expected(place, "2025-11-25")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("mode", "version"),
    [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")],
)
def test_the_second_typescript_sdk_remembers_finds_and_fetches_in_both_eras(
    endpoint: str, way: str, mode: str, version: str
) -> None:
    place = f"second {way} {mode}"
    assert told("sdk2.mjs", endpoint, way, PLACE=place, MODE=mode) == expected(place, version)


@pytest.mark.parametrize("way", WAYS)
async def test_mcp_remote_bridges_a_stdio_client_to_the_server(
    endpoint: str, way: str, packages: Path, tmp_path: Path
) -> None:
    program = packages / "node_modules/mcp-remote/dist/proxy.js"
    shown = [
        part for name, value in headers(way).items() for part in ("--header", f"{name}:{value}")
    ]
    bridge = StdioServerParameters(
        command="node",
        args=[str(program), address(endpoint, way), "--allow-http", *shown],
        env={**os.environ, "MCP_REMOTE_CONFIG_DIR": str(tmp_path)},
    )
    async with Client(bridge) as client:
        listed = await client.list_tools()
        content = f"The boathouse key is under the {way} pot."
        remembered = await client.call_tool("remember_context", {"content": content})
        found = await client.call_tool("search_context", {"query": "key of the boathouse"})
    assert [tool.name for tool in listed.tools] == TOOLS
    assert remembered.structured_content is not None
    assert found.structured_content is not None
    assert remembered.structured_content["item"]["id"] in [
        match["id"] for match in found.structured_content["matches"]
    ]
