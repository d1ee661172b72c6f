"""MCP itself: handshake, discovery, notifications, ids and routing headers, in both eras."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.endpoint import HANDSHAKE, STATELESS, Endpoint, Json, envelope, framed
from tests.world import TOOL_NAMES, MakeWorld, World, environment, profile


async def initialize(endpoint: Endpoint, version: str) -> Json:
    params = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    message = {"jsonrpc": "2.0", "id": "init-1", "method": "initialize", "params": params}
    response = await endpoint.send(content=json.dumps(message))
    assert response.status_code == 200
    assert "mcp-session-id" not in response.headers
    return dict(response.json()["result"])


@pytest.mark.rule("C36")
@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ],
)
async def test_initialize_agrees_to_every_version_of_the_handshake_era(
    admin: Endpoint, asked: str, answered: str
) -> None:
    result = await initialize(admin, asked)
    assert result["protocolVersion"] == answered
    assert "tools" in result["capabilities"]


@pytest.mark.rule("C36", "C111")
async def test_initialize_shows_the_configured_name_and_version(make_world: MakeWorld) -> None:
    world = make_world(environment(SERVICE_NAME=" memory ", SERVICE_VERSION="7.7"))
    result = await initialize(world.endpoint(), HANDSHAKE)
    shown = {key: result["serverInfo"][key] for key in ("name", "version")}
    assert shown == {"name": "memory", "version": "7.7"}


@pytest.mark.rule("C36")
@pytest.mark.parametrize("client_id", ["default", "chatgpt-web"])
async def test_instructions_name_only_tools_that_the_profile_has(
    world: World, client_id: str
) -> None:
    endpoint = world.endpoint(client_id)
    text = (await initialize(endpoint, HANDSHAKE))["instructions"]
    has = {tool["name"] for tool in await endpoint.tools()}
    every = {tool["name"] for tool in await world.endpoint().tools()}
    named = {name for name in every if re.search(rf"\b{name}\b", text)}
    # The instructions have room for the first tools, and what keeps facts and episodes, alone.
    assert named == has & {*TOOL_NAMES[:4], "record_episode", "upsert_fact"}
    assert 1 <= text.count(". ") + 1 <= 5


@pytest.mark.rule("C36")
async def test_instructions_say_once_what_keeps_facts_and_episodes(make_world: MakeWorld) -> None:
    few, many = ["upsert_fact"], [*TOOL_NAMES[:4], "upsert_fact"]
    world = make_world(
        environment([profile("few", allowedTools=few), profile("many", allowedTools=many)])
    )
    for client_id, said in (
        ("few", "conversation. Call upsert_fact for a statement that may change"),
        ("many", "conversation; upsert_fact keeps what is true and may change. Call"),
    ):
        text = (await initialize(world.endpoint(client_id), HANDSHAKE))["instructions"]
        assert said in text
        assert (text.count("upsert_fact"), "record_episode" in text) == (1, False)


@pytest.mark.rule("C32", "C36")
async def test_a_handshake_a_notification_and_a_ping_follow_each_other(admin: Endpoint) -> None:
    await initialize(admin, HANDSHAKE)
    note = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    response = await admin.send(content=note, headers={"MCP-Protocol-Version": HANDSHAKE})
    assert (response.status_code, response.content) == (202, b"")
    assert (await admin.rpc("ping"))["result"] == {}


@pytest.mark.rule("C35")
@pytest.mark.case("K04")
@pytest.mark.parametrize("version", [None, "2024-11-05", "2025-03-26", "2025-06-18"])
async def test_a_call_needs_no_handshake_before_it(admin: Endpoint, version: str | None) -> None:
    params = {"name": "search_context", "arguments": {"query": "anything"}}
    _, content = framed("tools/call", params, HANDSHAKE)
    response = await admin.send(content=content, headers={"MCP-Protocol-Version": version})
    assert response.status_code == 200
    assert response.json()["result"]["structuredContent"]["matches"] == []


@pytest.mark.rule("C33")
@pytest.mark.case("K04")
async def test_a_stale_session_is_ignored_and_none_is_handed_out(admin: Endpoint, era: str) -> None:
    endpoint = replace(admin, era=era)
    response = await endpoint.ping(headers={"Mcp-Session-Id": "5f0c-of-an-older-server"})
    assert response.status_code == 200
    assert "mcp-session-id" not in response.headers


@pytest.mark.rule("C35", "C76")
@pytest.mark.case("K04")
async def test_two_instances_answer_one_client(make_world: MakeWorld, tmp_path: Path) -> None:
    path = tmp_path / "metacortex.db"
    first, second = make_world(path=path), make_world(path=path)
    await initialize(first.endpoint(), HANDSHAKE)
    item = await first.endpoint().save("Relay 7 is in rack C.")
    assert await second.endpoint().item(item["id"]) == item
    assert await second.endpoint().found("where is relay 7") == [item["id"]]
    again = await second.endpoint().remember("Relay 7 is in rack C.")
    assert (again["write_status"], again["item"]) == ("duplicate", item)


@pytest.mark.rule("C32")
@pytest.mark.parametrize("request_id", ["a-string", "7", "", 0, -1, 2**53 - 1])
async def test_the_id_of_a_request_comes_back_with_its_type(
    admin: Endpoint, era: str, request_id: object
) -> None:
    message = await replace(admin, era=era).rpc("tools/list", request_id=request_id)
    assert (message["id"], type(message["id"])) == (request_id, type(request_id))


@pytest.mark.rule("C32")
async def test_a_notification_of_the_stateless_era_is_202(admin: Endpoint) -> None:
    note = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 1, "_meta": envelope(STATELESS)},
    }
    headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "notifications/cancelled"}
    response = await admin.send(content=json.dumps(note), headers=headers)
    assert (response.status_code, response.content) == (202, b"")


@pytest.mark.rule("C34")
@pytest.mark.parametrize(("era", "status"), [(HANDSHAKE, 200), (STATELESS, 404)])
async def test_an_unknown_method_is_not_found(admin: Endpoint, era: str, status: int) -> None:
    headers, content = framed("metacortex/nope", {}, era)
    response = await admin.send(content=content, headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (status, -32601)


@pytest.mark.rule("C37", "C38")
@pytest.mark.parametrize("extra", [{}, {"clientInfo": {"name": "test", "version": "1"}}])
async def test_discovery_describes_the_server(admin: Endpoint, extra: Json) -> None:
    meta = envelope(STATELESS) | {f"io.modelcontextprotocol/{key}": extra[key] for key in extra}
    message = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}
    headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "server/discover"}
    response = await admin.send(content=json.dumps(message), headers=headers)
    result = response.json()["result"]
    assert STATELESS in result["supportedVersions"]
    assert "tools" in result["capabilities"]
    assert (result["resultType"], result["cacheScope"]) == ("complete", "private")
    assert result["ttlMs"] >= 0


@pytest.mark.rule("C39")
async def test_stateless_results_say_how_to_cache(client: Endpoint) -> None:
    client = replace(client, era=STATELESS)
    listed = (await client.rpc("tools/list"))["result"]
    assert (listed["resultType"], listed["cacheScope"]) == ("complete", "private")
    assert isinstance(listed["ttlMs"], int)
    assert listed["ttlMs"] >= 0
    called = await client.tool("search_context", {"query": "anything"})
    assert called.result["resultType"] == "complete"


SEARCH = {"name": "search_context", "arguments": {"query": "x"}}


@pytest.mark.rule("C40")
@pytest.mark.parametrize(
    "changed",
    [
        {"Mcp-Method": "tools/list"},
        {"Mcp-Name": "fetch_context"},
        {"Mcp-Method": None},
        {"Mcp-Name": None},
    ],
)
async def test_routing_headers_must_agree_with_the_body(
    admin: Endpoint, changed: dict[str, str | None]
) -> None:
    headers, content = framed("tools/call", SEARCH, STATELESS)
    response = await admin.send(content=content, headers={**headers, **changed})
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)


@pytest.mark.rule("C40", "C37")
@pytest.mark.parametrize("missing", ["protocolVersion", "clientCapabilities", None])
async def test_a_stateless_request_needs_its_envelope(admin: Endpoint, missing: str | None) -> None:
    meta = envelope(STATELESS)
    meta.pop(f"io.modelcontextprotocol/{missing}", None)
    params = {"_meta": meta} if missing else {}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
    headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "tools/list"}
    response = await admin.send(content=json.dumps(message), headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32602)


@pytest.mark.rule("C40")
async def test_a_version_that_is_not_served_is_told_what_is(admin: Endpoint) -> None:
    params = {"_meta": envelope("2099-01-01")}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
    headers = {"MCP-Protocol-Version": "2099-01-01", "Mcp-Method": "tools/list"}
    response = await admin.send(content=json.dumps(message), headers=headers)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, -32022)
    assert STATELESS in error["data"]["supported"]


@pytest.mark.rule("C41")
async def test_both_eras_list_and_answer_the_same(client: Endpoint) -> None:
    stateless = replace(client, era=STATELESS)
    assert await client.tools() == await stateless.tools()
    item = await client.save("The ledger service stores entries for ten years.")
    for name, arguments in (
        ("search_context", {"query": "ledger service"}),
        ("fetch_context", {"document_id": item["id"]}),
        ("fetch_context", {"document_id": "unknown"}),
        ("remember_context", {"content": "The ledger service stores entries for ten years."}),
    ):
        here, there = [await end.tool(name, arguments) for end in (client, stateless)]
        assert here.text == there.text
        assert here.result["structuredContent"] == there.result["structuredContent"]
