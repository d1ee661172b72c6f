"""`metacortex stdio`: the tools of one client over standard input and output."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import TextResourceContents

from metacortex.credentials import credentials_file
from tests.command_line import run_process
from tests.e2e import stored
from tests.endpoint import HANDSHAKE, STATELESS
from tests.processes import ROOT, variables
from tests.world import TOOL_NAMES, environment

pytestmark = pytest.mark.e2e

COMMAND = ["-m", "metacortex", "stdio", "--client"]
PROFILES = environment()
"""The settings of a server with the profiles of `world.PROFILES`."""


@pytest.mark.parametrize(("mode", "version"), [("legacy", HANDSHAKE), (STATELESS, STATELESS)])
async def test_a_client_has_its_own_tools_and_they_work(
    mode: str, version: str, tmp_path: Path
) -> None:
    async with Client(_parameters(tmp_path, "chatgpt-web"), mode=mode) as client:
        assert client.protocol_version == version
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools == ["remember_context", "search_context", "fetch_context"]
        saved = await _answer(client, "remember_context", content="Swifts sleep on the wing.")
        found = await _answer(client, "search_context", query="How do swifts sleep?")
        assert [match["id"] for match in found["matches"]] == [saved["item"]["id"]]
        fetched = await _answer(client, "fetch_context", document_id=saved["item"]["id"])
        assert fetched == {"item": saved["item"]}
        refused = await _answer(client, "fetch_context", document_id="no-such-id")
        assert refused == {"error": {"code": "not_found", "message": "Document not found"}}
        uri = f"metacortex://memories/{saved['item']['id']}"
        (content,) = (await client.read_resource(uri)).contents
        assert isinstance(content, TextResourceContents)
        assert json.loads(content.text) == fetched
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert "bug-investigation-context" in prompts


async def test_each_of_several_calls_at_once_leaves_its_own_event(tmp_path: Path) -> None:
    async with Client(_parameters(tmp_path, "chatgpt-web")) as client:
        texts = [f"Swift {number} sleeps on the wing." for number in range(8)]
        saved = await asyncio.gather(
            *(_answer(client, "remember_context", content=text) for text in texts)
        )
    kept = stored.read(tmp_path)
    assert [each["item"]["content"] for each in saved] == texts
    assert kept.told_of() == {("remember_context", each["item"]["id"]): 1 for each in saved}
    assert len(kept.events) == len(texts)


async def test_the_admin_is_served_where_no_token_was_ever_made(tmp_path: Path) -> None:
    async with Client(_parameters(tmp_path, "default", {})) as client:
        assert tuple(tool.name for tool in (await client.list_tools()).tools) == TOOL_NAMES
        saved = await _answer(client, "remember_context", content="Swifts sleep on the wing.")
    assert saved["write_status"] == "created"
    assert not credentials_file(tmp_path).exists()
    (event,) = run_process(tmp_path, "events", "--json").lines()
    assert (event["client_id"], event["status"]) == ("default", "success")


@pytest.mark.case("K07")
@pytest.mark.parametrize("public", ["https://memory.example.com", ""])
async def test_addresses_of_memories_begin_with_the_public_one_or_are_paths(
    tmp_path: Path, public: str
) -> None:
    profiles = {**PROFILES, "PUBLIC_URL": public}
    async with Client(_parameters(tmp_path, "nowhere", profiles)) as client:
        await client.list_tools()
        saved = await _answer(client, "remember_context", content="Swifts sleep on the wing.")
        read = await _answer(client, "fetch", id=saved["item"]["id"])
    assert read["url"] == f"{public}/clients/nowhere/memories/{saved['item']['id']}"


async def test_a_registered_client_has_its_own_tools(tmp_path: Path) -> None:
    run_process(tmp_path, "clients", "add", "reader", "--tools", "search_context")
    async with Client(_parameters(tmp_path, "reader", {})) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
    assert tools == ["search_context"]


def test_only_protocol_stands_on_standard_output(tmp_path: Path) -> None:
    call = {"name": "remember_context", "arguments": {"content": "Swifts sleep on the wing."}}
    asked = [_request(1, "initialize", _opening()), _request(2, "tools/call", call)]
    with _started(tmp_path, "claude-web") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for line in asked:
            process.stdin.write(line)
            process.stdin.flush()
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        rest = process.stdout.read()
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["structuredContent"]["write_status"] == "created"
    assert rest == ""
    assert process.returncode == 0


@pytest.mark.case("K17")
@pytest.mark.parametrize(
    "line", ["{bad json", '{"jsonrpc":"2.0","id":1,"method":"x\\ud83d"}', "[1]", '{"id":null}']
)
def test_a_line_that_cannot_be_read_is_answered(tmp_path: Path, line: str) -> None:
    with _started(tmp_path, "claude-web") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        process.stdin.close()
    assert answer == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32700, "message": "Parse error"},
    }


def test_an_unknown_client_is_told_so_in_one_sentence(tmp_path: Path) -> None:
    with _started(tmp_path, "nobody") as process:
        printed, logged = process.communicate(timeout=60)
    assert process.returncode == 1
    assert printed == ""
    assert logged == "client 'nobody' is not known; see: metacortex clients list\n"


async def _answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, arguments)
    assert answer.structured_content is not None
    return dict(answer.structured_content)


def _parameters(
    data_dir: Path, client_id: str, env: Mapping[str, str] = PROFILES
) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=[*COMMAND, client_id],
        env=variables(data_dir, **env),
        cwd=str(ROOT),
    )


def _started(data_dir: Path, client_id: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, *COMMAND, client_id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=variables(data_dir, **PROFILES),
        cwd=ROOT,
    )


def _opening() -> dict[str, Any]:
    information = {"name": "tests", "version": "1"}
    return {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": information}


def _request(number: int, method: str, params: Mapping[str, Any]) -> str:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message) + "\n"
