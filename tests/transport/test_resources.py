"""Resources: addresses at which a profile reads what one of its tools reads."""

from dataclasses import replace

import pytest

from metacortex.domain.details import EpisodeDetails, Kind
from metacortex.domain.errors import Unavailable
from metacortex.service.snapshots import MOST_EPISODES
from metacortex.transport.mcp.resources import RESOURCES
from tests.endpoint import Endpoint, Json
from tests.fakes import RunningClock
from tests.samples import a_memory, add
from tests.transport.test_protocol import initialize
from tests.world import MakeWorld, World, environment, profile

MEMORY = "metacortex://memories/{id}"
RECENT = "metacortex://episodes/recent"
SUMMARY = "metacortex://graph/summary"
INTEGRITY = "metacortex://graph/integrity"


def at(item: Json) -> str:
    return MEMORY.replace("{id}", item["id"])


async def listed(endpoint: Endpoint) -> list[str]:
    """Return the addresses that are listed, of families first."""
    families = (await endpoint.rpc("resources/templates/list"))["result"]["resourceTemplates"]
    single = (await endpoint.rpc("resources/list"))["result"]["resources"]
    assert all(each["title"] and each["description"] for each in (*families, *single))
    return [each["uriTemplate"] for each in families] + [each["uri"] for each in single]


async def refusal(endpoint: Endpoint, uri: str) -> tuple[int, str, str]:
    """Return the error of a reading: its number, its sentence and its name."""
    error = (await endpoint.rpc("resources/read", {"uri": uri}))["error"]
    assert error["data"]["uri"] == uri
    return error["code"], error["message"], error["data"]["code"]


async def test_the_admin_lists_all_and_every_one_can_be_read(admin: Endpoint, era: str) -> None:
    admin = replace(admin, era=era)
    assert await listed(admin) == [each.uri for each in RESOURCES]
    item = await admin.save("The relay is in rack C.")
    for resource in RESOURCES:
        assert await admin.read(resource.uri.replace("{id}", item["id"]))


async def test_a_memory_reads_as_the_tool_returns_it(admin: Endpoint, era: str) -> None:
    admin = replace(admin, era=era)
    item = await admin.save("The relay is in rack C.")
    assert await admin.read(at(item)) == {"item": item}


async def test_the_recent_episodes_are_the_last_twenty(world: World, admin: Endpoint) -> None:
    for number in range(22):
        await admin.save("Not an episode.")
        await admin.tool("record_episode", {"title": f"T{number}", "content": f"Night {number}."})
        world.clock.at += 1
    shown = (await admin.read(RECENT))["items"]
    assert [each["metadata"]["title"] for each in shown] == [f"T{n}" for n in range(21, 1, -1)]


async def test_the_summary_counts_what_a_profile_may_read(world: World, era: str) -> None:
    team, docs = (replace(world.endpoint(id_), era=era) for id_ in ("team", "docs"))
    await team.tool("record_episode", {"title": "T", "content": "The pump was replaced."})
    for value in ("4.1", "4.2"):
        world.clock.at += 1
        given = {"subject_id": "pump", "predicate": "firmware", "object_value": value}
        assert (await team.tool("upsert_fact", given)).success
    await team.tool(
        "upsert_fact", {"subject_id": "pump", "predicate": "feeds", "object_id": "boiler"}
    )
    shown = await team.read(SUMMARY)
    assert {name: shown[name] for name in ("episodes", "facts", "entities")} == {
        "episodes": 1,
        "facts": {"recorded": 3, "current": 2},
        "entities": 2,
    }
    held = (await team.tool("time_travel", {"as_of": "now"})).success
    assert (shown["snapshot_hash"], shown["as_of"]) == (held["snapshot_hash"], held["as_of"])
    assert (await docs.read(SUMMARY))["facts"] == {"recorded": 0, "current": 0}
    event = (await world.events())[-1]
    assert (event["request"], event["response"]["fact_count"]) == ({"resource": SUMMARY}, 0)


async def test_the_summary_and_a_moment_say_where_there_is_more_than_they_are_told_from(
    world: World, admin: Endpoint
) -> None:
    async def told() -> list[Json]:
        now = (await admin.tool("time_travel", {"as_of": "now"})).success
        return [await admin.read(SUMMARY), now]

    for number in range(MOST_EPISODES + 1):
        if number == MOST_EPISODES:
            assert not any("incomplete" in each for each in await told())
        episode = a_memory(f"e{number}", kind=Kind.EPISODE, details=EpisodeDetails("T"))
        await add(world.store, episode, tenant="default")
    assert all(each["incomplete"] is True for each in await told())


async def test_the_summary_is_of_the_present_while_time_goes_on(make_world: MakeWorld) -> None:
    profiles = [profile("present", allowedFilterStates=["active"])]
    world = make_world(environment(profiles), clock=RunningClock())
    await world.endpoint().state("pump", "firmware", "4.1")
    shown = await world.endpoint("present").read(SUMMARY)
    assert shown["facts"] == {"recorded": 1, "current": 1}


async def test_integrity_reads_as_the_tool_returns_it(world: World, admin: Endpoint) -> None:
    await admin.save("The relay is in rack C.")
    checked = (await admin.tool("verify_integrity", {})).success
    assert checked["verified"]
    assert await admin.read(INTEGRITY) == checked
    assert (await refusal(world.endpoint("team"), INTEGRITY))[2] == "forbidden"


async def test_a_resource_is_there_for_a_profile_with_the_tool_that_reads_the_same(
    make_world: MakeWorld,
) -> None:
    tools = {
        "one": ["fetch"],
        "asks": ["query_entity", "memory_stats"],
        "counts": ["memory_stats"],
        "lists": ["list_context", "remember_context"],
        "writes": ["remember_context"],
    }
    world = make_world(environment([profile(id_, allowedTools=tools[id_]) for id_ in tools]))
    one, asks, counts, lists, writes = (world.endpoint(id_) for id_ in tools)
    assert [await listed(each) for each in (one, asks, lists)] == [[MEMORY], [SUMMARY], [RECENT]]
    item = await lists.save("The relay is in rack C.")
    assert await one.read(at(item)) == {"item": item}
    assert await refusal(one, RECENT) == (-32602, "Resource not found", "not_found")
    assert await refusal(lists, at(item)) == (-32602, "Resource not found", "not_found")
    for endpoint in (counts, writes):
        for method in ("resources/list", "resources/templates/list", "resources/read"):
            params = {"uri": SUMMARY} if method.endswith("read") else {}
            assert (await endpoint.rpc(method, params))["error"]["code"] == -32601


@pytest.mark.rule("C36", "C38")
async def test_resources_and_prompts_are_promised_only_where_there_are_any(
    make_world: MakeWorld,
) -> None:
    world = make_world(
        environment(
            [
                profile("all"),
                profile("one", allowedTools=["fetch"]),
                profile("none", allowedTools=["deprecate_context"]),
            ]
        )
    )
    promised = {
        id_: set((await initialize(world.endpoint(id_), "2025-11-25"))["capabilities"])
        for id_ in ("all", "one", "none")
    }
    assert promised["all"] - {"experimental"} == {"tools", "resources", "prompts"}
    assert promised["one"] - {"experimental"} == {"tools", "resources"}
    assert promised["none"] - {"experimental"} == {"tools"}
    discovered = await replace(world.endpoint("all"), era="2026-07-28").rpc("server/discover")
    assert {"tools", "resources", "prompts"} <= set(discovered["result"]["capabilities"])


@pytest.mark.rule("C116")
@pytest.mark.case("K49", "K50")
async def test_nothing_of_others_is_there(world: World, era: str) -> None:
    theirs = await world.endpoint("acme-all").save("Secret of the other tenant.")
    hidden = await world.endpoint("team-secret").save("Secret of the other namespace.")
    await world.endpoint("acme-all").tool("record_episode", {"title": "T", "content": "Secret."})
    team = replace(world.endpoint("team"), era=era)
    for uri in (at(theirs), at(hidden), at({"id": "0" * 32}), at({"id": "no id"})):
        assert await refusal(team, uri) == (-32602, "Document not found", "not_found")
    assert (await team.read(RECENT))["items"] == []


@pytest.mark.parametrize(
    "uri", ["metacortex://memories/", "metacortex://memories/a/b", "file:///etc/passwd", "x"]
)
async def test_an_address_that_is_none_is_not_found(admin: Endpoint, era: str, uri: str) -> None:
    answer = await refusal(replace(admin, era=era), uri)
    assert answer == (-32602, "Resource not found", "not_found")


async def test_a_blank_id_is_refused_as_by_the_tool(admin: Endpoint) -> None:
    answer = await refusal(admin, at({"id": " "}))
    assert answer == (-32602, "document_id must not be empty", "invalid_input")


async def test_what_a_profile_may_not_see_is_forbidden(world: World) -> None:
    item = await world.endpoint().save("A draft.", draft=True)
    assert await refusal(world.endpoint("chatgpt-web"), at(item)) == (
        -32602,
        "branch_state 'wip' is not allowed for this client",
        "forbidden",
    )


async def test_a_reading_leaves_one_event_and_counts_as_use(world: World, admin: Endpoint) -> None:
    item = await admin.save("The relay is in rack C.")
    await admin.read(at(item))
    await admin.read(RECENT)
    await refusal(admin, at({"id": "0" * 32}))
    await refusal(admin, "metacortex://nowhere")
    one, recent, unknown, nowhere = (await world.events())[1:]
    assert {each["tool_name"] for each in (one, recent, unknown, nowhere)} == {"resources/read"}
    assert one["request"] == {"resource": MEMORY, "document_id": item["id"]}
    assert one["response"]["document_id"] == item["id"]
    assert (recent["request"], recent["response"]["result_count"]) == ({"resource": RECENT}, 0)
    assert (unknown["error"]["name"], unknown["error"]["status_code"]) == ("not_found", 404)
    assert (nowhere["request"], nowhere["status"]) == ({}, "error")
    most = (await admin.tool("memory_stats", {})).success["most_used"]
    assert [(each["id"], each["access_count"]) for each in most] == [(item["id"], 1)]


async def test_what_is_listed_leaves_no_event(world: World, admin: Endpoint) -> None:
    await listed(admin)
    await admin.rpc("prompts/list")
    assert await world.events() == []


@pytest.mark.parametrize("params", [{}, {"uri": 5}])
async def test_a_malformed_reading_leaves_one_event(
    world: World, admin: Endpoint, era: str, params: Json
) -> None:
    answer = await replace(admin, era=era).rpc("resources/read", params)
    assert answer["error"]["code"] in (-32602, -32020)
    assert len(await world.events()) == 1


async def test_a_store_that_does_not_answer_is_told_as_such(
    world: World, admin: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def get(*_: object) -> None:
        raise Unavailable("The memory store did not answer")

    monkeypatch.setattr(world.store, "get", get)
    answer = await refusal(admin, at({"id": "0" * 32}))
    assert answer == (-32603, "The memory store did not answer", "unavailable")
    (event,) = await world.events()
    assert (event["error"]["name"], event["error"]["status_code"]) == ("unavailable", 503)


async def test_a_fault_of_our_own_stays_here(
    world: World, admin: Endpoint, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def get(*_: object) -> None:
        raise ValueError("/srv/secret/path")

    monkeypatch.setattr(world.store, "get", get)
    message = await replace(admin, era=era).rpc("resources/read", {"uri": at({"id": "0" * 32})})
    assert message["error"] == {"code": -32603, "message": "Internal server error"}
    (event,) = await world.events()
    assert event["error"]["name"] == "internal"


async def test_what_is_read_may_not_be_kept_and_what_is_listed_for_a_minute(
    admin: Endpoint,
) -> None:
    stateless = replace(admin, era="2026-07-28")
    read = (await stateless.rpc("resources/read", {"uri": RECENT}))["result"]
    assert (read["resultType"], read["ttlMs"], read["cacheScope"]) == ("complete", 0, "private")
    for method in ("resources/list", "resources/templates/list", "prompts/list"):
        result = (await stateless.rpc(method))["result"]
        assert (result["ttlMs"], result["cacheScope"]) == (60_000, "private")
