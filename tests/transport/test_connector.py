"""The pair that ChatGPT's research and company knowledge look for: search and fetch."""

from dataclasses import replace

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.endpoint import HANDSHAKE, STATELESS, Endpoint, Json
from tests.world import MakeWorld, World, environment, profile

PUBLIC = "https://memory.example.com/metaCortexMcp"
FIRST_LINE = "The relay in cabinet 4 trips above 40 °C."


async def cited(endpoint: Endpoint, query: str) -> list[Json]:
    """Return the results of `search`."""
    return list((await endpoint.tool("search", {"query": query})).success["results"])


@pytest.mark.case("K07")
async def test_the_pair_answers_in_the_shapes_that_are_looked_for(world: World, era: str) -> None:
    admin = replace(world.endpoint(), era=era)
    item = await admin.save(f"{FIRST_LINE}\n\nSince March.", tags=["relay"])
    url = f"http://metacortex.test/memories/{item['id']}"
    found = await admin.tool("search", {"query": "relay"})
    assert found.success == {"results": [{"id": item["id"], "title": FIRST_LINE, "url": url}]}
    read = await admin.tool("fetch", {"id": item["id"]})
    assert list(read.success) == ["id", "title", "text", "url", "metadata"]
    assert read.success == {
        "id": item["id"],
        "title": FIRST_LINE,
        "text": item["content"],
        "url": url,
        "metadata": item["metadata"],
    }


@pytest.mark.case("K07")
async def test_the_pair_takes_one_text_each(admin: Endpoint) -> None:
    tools = {tool["name"]: tool for tool in await admin.tools()}
    for name, argument in (("search", "query"), ("fetch", "id")):
        schema = tools[name]["inputSchema"]
        assert {key: each["type"] for key, each in schema["properties"].items()} == {
            argument: "string"
        }
        assert (schema["required"], schema["additionalProperties"]) == ([argument], False)


@pytest.mark.case("K07")
async def test_whatever_search_finds_can_be_fetched(world: World) -> None:
    for number in range(8):
        await world.endpoint("acme-all").save(f"Relay {number} of the other tenant.")
        await world.endpoint("team-secret").save(f"Relay {number} of another namespace.")
        await world.endpoint().save(f"Relay {number} drafted.", draft=True)
        await world.endpoint("team").save(f"Relay {number} of the team.")
    team = world.endpoint("team")
    results = await cited(team, "relay")
    assert len(results) == world.settings.search_result_limit
    for result in results:
        read = (await team.tool("fetch", {"id": result["id"]})).success
        assert {key: read[key] for key in ("id", "title", "url")} == result
        assert "of the team" in read["text"]


@pytest.mark.case("K07")
async def test_states_are_those_of_the_other_pair(world: World) -> None:
    drafts, admin = world.endpoint("drafts"), world.endpoint()
    draft = await admin.save("Relay drafted.", draft=True)
    active = await admin.save("Relay in force.")
    assert [result["id"] for result in await cited(drafts, "relay")] == [draft["id"]]
    assert (await drafts.tool("fetch", {"id": active["id"]})).failure == (
        "forbidden",
        "branch_state 'active' is not allowed for this client",
    )


async def test_nothing_found_is_an_empty_list(admin: Endpoint) -> None:
    assert (await admin.tool("search", {"query": "relay"})).success == {"results": []}


@pytest.mark.parametrize(
    ("labels", "title"),
    [
        ({"kind": "episode", "title": "Night of the relay"}, "Night of the relay"),
        ({"kind": "episode"}, FIRST_LINE),
        ({}, FIRST_LINE),
    ],
)
async def test_a_memory_is_called_by_its_title_or_its_first_line(
    admin: Endpoint, labels: Json, title: str
) -> None:
    item = await admin.save(f"{FIRST_LINE}\nIt was repaired.", **labels)
    assert (await admin.tool("fetch", {"id": item["id"]})).success["title"] == title


async def test_a_long_line_is_cut_for_its_title(admin: Endpoint) -> None:
    item = await admin.save("relay " * 50)
    title = (await admin.tool("fetch", {"id": item["id"]})).success["title"]
    assert title == ("relay " * 50)[:97] + "..."


@pytest.mark.case("K07")
@pytest.mark.parametrize("way", ["header", "address"])
async def test_an_address_names_its_client_and_no_token(world: World, way: str) -> None:
    endpoint, headers = world.endpoint("nowhere"), dict[str, str | None]()
    item = await endpoint.save(FIRST_LINE)
    if way == "address":
        tokenized = f"{endpoint.path}?auth_token={endpoint.token}"
        endpoint, headers = replace(endpoint, path=tokenized), {"Authorization": None}
    call = {"name": "search", "arguments": {"query": "relay"}}
    message = await endpoint.rpc("tools/call", call, headers=headers)
    (result,) = message["result"]["structuredContent"]["results"]
    assert result["url"] == f"http://metacortex.test/clients/nowhere/memories/{item['id']}"


@pytest.mark.rule("C111")
async def test_addresses_begin_with_the_public_one(make_world: MakeWorld) -> None:
    token = "research-token-0123456789"
    profiles = [profile("ä b", token=token)]
    world = make_world(environment(profiles, PUBLIC_URL=f"{PUBLIC}/"))
    item = await world.endpoint().save(FIRST_LINE)
    endpoint = Endpoint(world.http, "/clients/%C3%A4%20b/mcp", token)
    answer = (await endpoint.tool("fetch", {"id": item["id"]})).success
    assert answer["url"] == f"{PUBLIC}/clients/%C3%A4%20b/memories/{item['id']}"


@pytest.mark.parametrize(
    ("path", "headers", "address"),
    [
        ("/mcp", {}, "http://metacortex.test"),
        ("/metaCortexMcp/mcp", {}, "http://metacortex.test/metaCortexMcp"),
        ("/mcp", {"X-Forwarded-Proto": "https"}, "https://metacortex.test"),
        ("/mcp", {"X-Forwarded-Proto": "https, http"}, "https://metacortex.test"),
        ("/mcp", {"X-Forwarded-Proto": "javascript"}, "http://metacortex.test"),
        ("/mcp", {"Host": "[::1]:8080"}, "http://[::1]:8080"),
        ("/mcp", {"Host": "evil.example/?x="}, ""),
        ("/mcp", {"Host": "a@evil.example"}, ""),
        ("/mcp", {"Host": None}, ""),
    ],
)
async def test_without_a_public_address_the_request_names_it(
    world: World, path: str, headers: dict[str, str | None], address: str
) -> None:
    item = await world.endpoint().save(FIRST_LINE)
    endpoint = replace(world.endpoint(), path=path)
    message = await endpoint.rpc(
        "tools/call", {"name": "fetch", "arguments": {"id": item["id"]}}, headers=headers
    )
    url = message["result"]["structuredContent"]["url"]
    assert url == f"{address}/memories/{item['id']}"


@pytest.mark.rule("C101", "C105")
async def test_the_pair_leaves_events_like_the_other_pair(world: World) -> None:
    admin = world.endpoint()
    item = await admin.save(FIRST_LINE)
    for name, arguments in (
        ("search", {"query": "relay"}),
        ("fetch", {"id": item["id"]}),
        ("fetch", {"id": "no-such-id"}),
    ):
        world.clock.at += 1
        await admin.tool(name, arguments)
    told = [
        (event["tool_name"], event["request"], event.get("response"), event.get("error"))
        for event in (await world.events())[1:]
    ]
    asked = {"query_preview": "relay", "query_length": 5, "filter_state": "active"}
    answered = {"result_count": 1, "result_ids": [item["id"]], "filter_state": "active"}
    shown = {
        "document_id": item["id"],
        "topic": "general",
        "branch_state": "active",
        "modality": "text",
        "artifact_ref_count": 0,
    }
    missing = {"name": "not_found", "message": "Document not found", "status_code": 404}
    assert told == [
        ("search", asked, answered, None),
        ("fetch", {"document_id": item["id"]}, shown, None),
        ("fetch", {"document_id": "no-such-id"}, None, missing),
    ]


async def test_only_profiles_that_name_the_pair_have_it(
    make_world: MakeWorld, client: Endpoint
) -> None:
    assert not {"search", "fetch"} & {tool["name"] for tool in await client.tools()}
    pair = ["search", "fetch"]
    world = make_world(environment([profile("research", allowedTools=pair)]))
    assert [tool["name"] for tool in await world.endpoint("research").tools()] == pair


@pytest.mark.rule("C46")
@pytest.mark.parametrize("mode", ["legacy", STATELESS])
async def test_the_official_client_accepts_every_outcome(world: World, mode: str) -> None:
    item = await world.endpoint("nowhere").save(FIRST_LINE)
    transport = httpx2.ASGITransport(world.app)
    headers = {"Authorization": f"Bearer {world.endpoint('nowhere').token}"}
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers) as http,
        Client(
            streamable_http_client("http://metacortex.test/clients/nowhere/mcp", http_client=http),
            mode=mode,
        ) as client,
    ):
        await client.list_tools()
        assert client.protocol_version == (HANDSHAKE if mode == "legacy" else STATELESS)
        found = await client.call_tool("search", {"query": "relay"})
        read = await client.call_tool("fetch", {"id": item["id"]})
        missing = await client.call_tool("fetch", {"id": "no-such-id"})
    assert found.structured_content is not None
    assert found.structured_content["results"][0]["id"] == item["id"]
    assert read.structured_content is not None
    assert read.structured_content["text"] == FIRST_LINE
    assert missing.is_error
