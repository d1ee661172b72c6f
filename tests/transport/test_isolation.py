"""The wall between tenants, and the partitions inside one."""

import asyncio
import json
from typing import Any

import pytest

from metacortex.transport.mcp.tools import TOOLS
from tests.endpoint import Endpoint, Json
from tests.foreign_ids import ID_ARGUMENTS, NOT_FOUND, USUAL, calls_with, names_a_memory
from tests.world import TOOL_NAMES, World

TENANT_NAMES = ("tenant", "tenant_id", "client_id", "namespace", "namespaces", "project", "user")
FOREIGN = ("another tenant's", "another namespace's", "unknown", "malformed", "overlong")


@pytest.mark.case("K49")
async def test_every_tool_has_its_row_in_the_table_of_ids(admin: Endpoint) -> None:
    advertised = {
        tool["name"]: {name for name in tool["inputSchema"]["properties"] if names_a_memory(name)}
        for tool in await admin.tools()
    }
    assert {tool: set(places) for tool, places in ID_ARGUMENTS.items()} == advertised
    assert set(ID_ARGUMENTS) == set(TOOL_NAMES)


@pytest.mark.rule("C87", "C91", "C92", "C116")
@pytest.mark.case("K49", "K50")
@pytest.mark.parametrize("kind", FOREIGN)
async def test_a_foreign_id_is_as_unknown_as_one_that_never_was(world: World, kind: str) -> None:
    acme, team = world.endpoint("acme-all"), world.endpoint("team")
    theirs = await acme.save("Secret of the other tenant.", topic="hidden-topic")
    hidden = await world.endpoint("team-secret").save("Secret of the other namespace.")
    own = await team.save("Our own.")
    foreign = {
        "another tenant's": theirs["id"],
        "another namespace's": hidden["id"],
        "unknown": "0" * 32,
        "malformed": "a/b",
        "overlong": "x" * 129,
    }[kind]
    for tool, arguments, failure in calls_with(foreign, own["id"]):
        outcome = await team.tool(tool, arguments)
        assert outcome.failure == failure
        assert "Secret" not in str(outcome.message)
        assert "hidden-topic" not in str(outcome.message)
    assert await acme.item(theirs["id"]) == theirs
    assert await world.endpoint("team-secret").item(hidden["id"]) == hidden
    assert {event["client_id"] for event in await world.events("acme")} == {"acme-all"}


@pytest.mark.rule("C55", "C116")
@pytest.mark.case("K49")
@pytest.mark.parametrize("tool", TOOL_NAMES)
@pytest.mark.parametrize("value", ["acme", "", "*", None, 5])
async def test_no_argument_names_a_tenant(world: World, tool: str, value: object) -> None:
    # A namespace is a part of the own tenant, and may be named where there is a choice.
    own = {argument.name for each in TOOLS if each.name == tool for argument in each.arguments}
    for name in set(TENANT_NAMES) - own:
        outcome = await world.endpoint().tool(tool, {**USUAL[tool], name: value})
        assert outcome.failure == ("invalid_input", f"Unknown argument '{name}'")


@pytest.mark.rule("C116")
@pytest.mark.case("K49")
async def test_no_header_and_no_query_parameter_names_a_tenant(world: World) -> None:
    await world.endpoint("acme-web").save("Secret of the other tenant.")
    own = await world.endpoint().save("Our own secret.")
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search_context", "arguments": {"query": "secret"}},
    }
    response = await world.endpoint().send(
        content=json.dumps(body),
        query="tenant=acme&client_id=acme-web",
        headers={"X-Tenant": "acme", "Tenant": "acme", "X-Client-Id": "acme-web"},
    )
    matches = response.json()["result"]["structuredContent"]["matches"]
    assert [match["id"] for match in matches] == [own["id"]]


@pytest.mark.rule("C116", "C79")
async def test_a_search_stays_in_its_tenant(world: World) -> None:
    here = await world.endpoint().save("Shared wording. Here.", topic="shared")
    there = await world.endpoint("acme-web").save("Shared wording. There.", topic="shared")
    for client_id, own in (("default", here), ("acme-web", there), ("acme-all", there)):
        found = await world.endpoint(client_id).found("shared wording", limit=20)
        assert found == [own["id"]]


@pytest.mark.rule("C116")
async def test_what_another_tenant_writes_changes_no_score_and_no_order(world: World) -> None:
    here, there = world.endpoint(), world.endpoint("acme-web")
    for number in range(12):
        await here.save(f"The relay {number} is in rack {number % 3} beside the pump.")
    query = "relay in rack 2 beside the old pump"
    before = await here.search(query, limit=20)
    for number in range(30):
        await there.save(f"The relay {number} in rack 2 is beside the old pump.")
    assert await here.search(query, limit=20) == before


@pytest.mark.rule("C116")
async def test_concurrent_writes_of_another_tenant_change_nothing_either(world: World) -> None:
    here, there = world.endpoint(), world.endpoint("acme-web")
    own = [await here.save(f"The relay {number} is in a rack.") for number in range(8)]
    before = await here.search("relay in a rack", limit=20)

    async def search() -> list[Json]:
        return await here.search("relay in a rack", limit=20)

    async def repeat(number: int) -> Json:
        return await here.remember(f"The relay {number} is in a rack.")

    answers: list[Any] = await asyncio.gather(
        *(there.save(f"The relay {number} is in a rack.") for number in range(20)),
        *(search() for _ in range(10)),
        *(repeat(number) for number in range(8)),
    )
    assert answers[20:30] == [before] * 10
    assert answers[30:] == [{"item": item, "write_status": "duplicate"} for item in own]


@pytest.mark.rule("C116", "C95")
async def test_one_text_in_two_tenants_is_two_memories_at_once(world: World) -> None:
    ends = [world.endpoint(), world.endpoint("acme-web")] * 10
    bodies = await asyncio.gather(*(end.remember("Concurrent tenants.") for end in ends))
    for tenant in (0, 1):
        mine = bodies[tenant::2]
        assert sorted(body["write_status"] for body in mine) == ["created"] + ["duplicate"] * 9
        assert len({body["item"]["id"] for body in mine}) == 1
    assert bodies[0]["item"]["id"] != bodies[1]["item"]["id"]


@pytest.mark.rule("C103", "C116")
async def test_events_lie_with_the_tenant_of_their_profile(world: World) -> None:
    await world.endpoint("acme-web").search("x")
    await world.endpoint("acme-web").ping(token=None)
    await world.endpoint().search("x")
    await world.http.post("/clients/nobody/mcp")
    # In no order of time: a rejection is dated back by what it took, while the clock stands.
    told = {
        tenant: sorted(
            (event["event_type"], event["client_id"]) for event in await world.events(tenant)
        )
        for tenant in ("acme", "default")
    }
    assert told == {
        "acme": [("request", "acme-web"), ("tool_call", "acme-web")],
        "default": [("request", "nobody"), ("tool_call", "default")],
    }


@pytest.mark.rule("C87", "C112", "C79")
@pytest.mark.case("K51")
async def test_a_namespace_is_a_whole_name(world: World) -> None:
    text = "Written in one namespace."
    writers = ("team", "team-secret", "team-inner", "team-upper", "docs", "nowhere")
    ids = {writer: (await world.endpoint(writer).save(text))["id"] for writer in writers}
    assert len(set(ids.values())) == len(writers)
    sees = {
        "team": {"team", "docs"},
        "team-secret": {"team-secret"},
        "team-inner": {"team-inner"},
        "team-upper": {"team-upper"},
        "docs": {"docs"},
        "nowhere": {"nowhere"},
        "default-all": set(writers),
        "default": set(writers),
        "acme-all": set(),
    }
    for reader, seen in sees.items():
        endpoint = world.endpoint(reader)
        assert set(await endpoint.found(text, limit=20)) == {ids[writer] for writer in seen}
        for writer in writers:
            outcome = await endpoint.fetch(ids[writer])
            if writer in seen:
                assert outcome.success["item"]["id"] == ids[writer]
            else:
                assert outcome.failure == NOT_FOUND


@pytest.mark.rule("C112")
async def test_every_tool_refuses_what_no_namespace_can_be_called(world: World) -> None:
    endpoint = world.endpoint("default-all")
    listed = {each["name"]: each["inputSchema"] for each in await endpoint.tools()}
    asking = {name: each for name, each in listed.items() if "namespace" in each["properties"]}
    further = {
        "remember_context": {"content": "x"},
        "upsert_fact": {"object_value": "x"},
        "merge_entities": {"into": "y"},
        "time_travel": {"as_of": "2026"},
    }
    assert len(asking) > 10
    for name, schema in asking.items():
        needed = {each: schema["properties"][each] for each in schema.get("required", ())}
        given = {each: one.get("enum", ["x"])[0] for each, one in needed.items()}
        for namespace in ("a b", "x" * 65):
            given |= {"namespace": namespace, **further.get(name, {})}
            assert (await endpoint.tool(name, given)).failure == (
                "invalid_input",
                "namespace must be 1 to 64 of A-Z a-z 0-9 . _ / -, not beginning with . / or __",
            ), name


@pytest.mark.rule("C112")
@pytest.mark.case("K51")
async def test_all_namespaces_write_to_default(world: World) -> None:
    item = await world.endpoint("default-all").save("Written by all.")
    assert await world.endpoint("nowhere").item(item["id"]) == item
    assert (await world.endpoint("team").fetch(item["id"])).failure == NOT_FOUND


@pytest.mark.rule("C112", "C51")
async def test_a_namespace_that_is_only_read_cannot_be_changed(world: World) -> None:
    docs, team = world.endpoint("docs"), world.endpoint("team")
    theirs, own = await docs.save("Of the docs."), await team.save("Of the team.")
    sentence = "namespace 'docs/public' is read-only for this client"
    assert (await team.deprecate(theirs["id"], own["id"])).failure == ("forbidden", sentence)
    assert (await team.item(theirs["id"])) == theirs


@pytest.mark.rule("C51", "C100")
@pytest.mark.case("K51")
async def test_no_replacement_is_named_to_those_who_may_not_read_it(world: World) -> None:
    team, docs, everywhere = [world.endpoint(id_) for id_ in ("team", "docs", "default-all")]
    own, theirs = await team.save("Of the team."), await docs.save("Of the docs.")
    sentence = "A document can only be superseded by one of its own namespace"
    for refused in (
        await team.deprecate(own["id"], theirs["id"]),
        await everywhere.deprecate(theirs["id"], own["id"]),
        await everywhere.tool("remember_context", {"content": "New.", "supersedes": own["id"]}),
    ):
        assert refused.failure == ("invalid_input", sentence)
    given = {"content": "New.", "supersedes": own["id"], "namespace": "team"}
    new = (await everywhere.tool("remember_context", given)).success["item"]["id"]
    assert (await team.item(own["id"]))["metadata"]["superseded_by"] == new
    assert await docs.item(theirs["id"]) == theirs
    assert await team.item(theirs["id"]) == theirs
