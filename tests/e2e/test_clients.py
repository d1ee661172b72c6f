"""Real Python clients against a real server: by tokenized address and by header, in both eras."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.environments import python_with
from tests.e2e.tool_calls import call
from tests.endpoint import HANDSHAKE, STATELESS
from tests.function_processes import WAYS_TO_SERVE, served
from tests.server_processes import Server
from tests.world import environment, profile, token_of

pytestmark = pytest.mark.e2e

HERE = Path(__file__).parent / "clients"
CLIENT = "chatgpt-web"
PUBLIC = "https://memory.example.com"
TOOLS = ["remember_context", "search_context", "fetch_context", "search", "fetch"]
MODES = [
    ("mcp_2", "legacy", HANDSHAKE),
    ("mcp_2", STATELESS, STATELESS),
    ("mcp_2", "auto", STATELESS),
    ("mcp_1", "handshake", HANDSHAKE),
    ("fastmcp_4", "legacy", HANDSHAKE),
    ("fastmcp_4", "auto", STATELESS),
]


@pytest.fixture(scope="module", params=WAYS_TO_SERVE)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """The whole server with its own model."""
    env = environment([profile(CLIENT, allowedTools=TOOLS)], PUBLIC_URL=PUBLIC)
    with served(request, tmp_path_factory.mktemp("clients"), **env) as server:
        yield server


@pytest.mark.rule("C15", "C36", "C38", "C46", "C50")
@pytest.mark.case("K03", "K07")
@pytest.mark.parametrize("tokenized", [True, False], ids=["address", "header"])
@pytest.mark.parametrize(("program", "mode", "version"), MODES)
def test_a_client_remembers_finds_and_is_told_in_our_words_what_is_wrong(
    program: str, mode: str, version: str, tokenized: bool, server: Server
) -> None:
    address, token = f"{server.url}/clients/{CLIENT}/mcp", token_of(CLIENT)
    told = _told(
        program, *([f"{address}?auth_token={token}", mode] if tokenized else [address, mode, token])
    )
    item = told["saved"]["item"]
    assert told["version"] == version
    assert told["tools"] == TOOLS
    assert item["content"] == f"The heron of {mode} nests by the weir."
    assert told["found"]["matches"][0]["id"] == item["id"]
    assert told["fetched"] == {"item": item}
    assert told["cited"]["results"][0] == {
        "id": item["id"],
        "title": item["content"],
        "url": f"{PUBLIC}/clients/{CLIENT}/memories/{item['id']}",
    }
    assert told["read"] == {
        **told["cited"]["results"][0],
        "text": item["content"],
        "metadata": item["metadata"],
    }
    assert [json.loads(text) for text in told["resource"]] == [{"item": item}]
    (prompt,) = told["prompt"]
    assert f"`{item['content']}`" in prompt
    assert told["refused"] == [True, "Document not found"]


@pytest.mark.case("K07")
def test_the_page_of_a_citation_is_there_however_it_is_served(server: Server) -> None:
    token = token_of(CLIENT)
    item = call(f"{server.url}/clients/{CLIENT}/mcp", token, "remember_context", content="Heron.")
    page = f"{server.url}/clients/{CLIENT}/memories/{item['item']['id']}"
    shown = httpx.get(page, headers={"Authorization": f"Bearer {token}"}, trust_env=False)
    assert (shown.status_code, shown.headers["cache-control"]) == (200, "no-store")
    assert '<h1 dir="auto">Heron.</h1>' in shown.text
    assert httpx.get(page, trust_env=False).status_code == 401


def _told(program: str, *arguments: str) -> dict[str, Any]:
    requirements = HERE / f"{program}.txt"
    python = python_with(requirements) if requirements.exists() else sys.executable
    run = subprocess.run(
        [str(python), str(HERE / f"{program}.py"), *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return dict(json.loads(run.stdout))
