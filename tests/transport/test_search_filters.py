"""search_context under filters: what each admits before anything is cut, and what is told of it."""

import json
from typing import Any

import pytest

from metacortex.domain.client import NAMESPACE_RULE
from metacortex.domain.moment import iso
from tests.endpoint import Endpoint, Json
from tests.fakes import START, FixedClock
from tests.world import MakeWorld, World, environment, profile

DAY = 24 * 3_600_000
THE_PAST = "A moment in the past is not allowed for this client; leave it out"


async def searched(endpoint: Endpoint, query: str, **filters: Any) -> Json:
    return (await endpoint.tool("search_context", {"query": query, **filters})).success


async def applied(endpoint: Endpoint, **filters: Any) -> Json:
    answer = await searched(endpoint, "relay", **filters)
    return {
        name: value
        for name, value in answer["applied_filters"].items()
        if name not in ("filter_topic", "filter_state")
    }


@pytest.mark.case("K28")
async def test_tags_match_whole_any_or_all_of_them(admin: Endpoint) -> None:
    labels = {"1": ["auth"], "2": ["authentication"], "3": ["auth", "urgent"]}
    ids = {(await admin.save(f"Relay {n}.", tags=tags))["id"]: n for n, tags in labels.items()}

    async def seen(**filters: Any) -> set[str]:
        return {ids[id_] for id_ in await admin.found("relay", **filters)}

    assert await seen(tags=["auth"]) == await seen(tags="auth") == {"1", "3"}
    assert await seen(tags=["auth", "urgent"], tags_match="all") == {"3"}
    assert await seen(tags=["auth", "urgent"]) == {"1", "3"}
    assert await applied(admin, tags=["auth", " auth "]) == {"tags": ["auth"], "tags_match": "any"}
    shown = await applied(admin, tags=["auth", "urgent"], tags_match="all")
    assert shown == {"tags": ["auth", "urgent"], "tags_match": "all"}


@pytest.mark.case("K30")
async def test_a_range_of_dates_includes_its_first_moment_and_excludes_its_end(
    admin: Endpoint, clock: FixedClock
) -> None:
    ids = []
    for hours in (-13, -12, 11, 12):
        clock.at = START + hours * DAY // 24
        ids.append((await admin.save(f"Relay of {hours}."))["id"])
    bounds = {
        "created_after": "2026-03-01T00:00:00Z",
        "created_before": "2026-03-02T00:00:00Z",
    }
    assert set(await admin.found("relay", **bounds)) == set(ids[1:3])
    assert await applied(admin, **bounds) == {
        "created_after": "2026-03-01T00:00:00.000Z",
        "created_before": "2026-03-02T00:00:00.000Z",
        "timezone": "UTC",
    }
    assert await admin.found("relay", created_after="2026-03-01") == ids[3:]
    assert await admin.found("relay", created_before="2026-03") == ids[:1]


async def test_dates_are_read_in_the_zone_of_the_profile(make_world: MakeWorld) -> None:
    zone = {"namespaces": ["*"], "timezone": "Asia/Tokyo"}
    world = make_world(environment([profile("tokyo", **zone)]))
    tokyo = world.endpoint("tokyo")
    world.clock.at = START + 3 * 3_600_000
    item = await tokyo.save("The relay is in rack C.")
    assert await tokyo.found("relay", created_before="2026-03-02") == []
    assert await tokyo.found("relay", created_after="2026-03-01") == [item["id"]]
    assert await world.endpoint().found("relay", created_before="2026-03-02") == [item["id"]]
    assert await applied(tokyo, created_after="2026-03-01") == {
        "created_after": "2026-03-01T15:00:00.000Z",
        "timezone": "Asia/Tokyo",
    }


@pytest.mark.case("K31")
@pytest.mark.parametrize("narrowed", ["date", "topic", "state"])
async def test_the_nearest_are_chosen_of_what_passes(
    admin: Endpoint, clock: FixedClock, narrowed: str
) -> None:
    other, own, where = {
        "date": ({}, {}, {"created_after": "yesterday"}),
        "topic": ({"topic": "old"}, {"topic": "new"}, {"filter_topic": "new"}),
        "state": ({"branch_state": "merged"}, {}, {"filter_state": "active"}),
    }[narrowed]
    clock.at = START - 365 * DAY
    for number in range(200):
        await admin.save(f"Which pier does the ferry leave from? Pier {number}.", **other)
    clock.at = START
    ids = {(await admin.save(f"The ferry, note {number}.", **own))["id"] for number in range(3)}
    found = await admin.found("which pier does the ferry leave from", limit=5, **where)
    assert set(found) == ids


@pytest.mark.case("K32")
async def test_what_has_no_known_start_is_in_no_range_of_it_and_is_counted(
    admin: Endpoint,
) -> None:
    await admin.save("The relay is in rack C.", valid_from="2023-12-31")
    later = await admin.save("The relay is in rack D.", valid_from="2024-01-01")
    await admin.save("The relay is in rack E.")
    await admin.save("Knead the dough.")
    answer = await searched(admin, "relay rack", started_after="2023")
    assert [match["id"] for match in answer["matches"]] == [later["id"]]
    assert answer["undated"] == 1
    assert answer["applied_filters"]["started_after"] == "2024-01-01T00:00:00.000Z"
    before = await searched(admin, "relay rack", started_before="2023")
    assert (before["matches"], before["undated"]) == ([], 1)
    assert "undated" not in await searched(admin, "relay rack", created_after="2023")


@pytest.mark.case("K51")
async def test_a_namespace_is_one_whole_name_of_those_that_may_be_read(world: World) -> None:
    ids = {
        client: (await world.endpoint(client).save("The relay is in rack C."))["id"]
        for client in ("team", "team-secret", "team-inner", "team-upper", "docs", "default-all")
    }
    team, everything = world.endpoint("team"), world.endpoint("default-all")
    assert await team.found("relay", namespace="team") == [ids["team"]]
    assert await team.found("relay", namespace="docs/public") == [ids["docs"]]
    assert set(await team.found("relay")) == {ids["team"], ids["docs"]}
    for name in ("team-secret", "team/inner", "Team", "tea", "nowhere", "default"):
        outcome = await team.tool("search_context", {"query": "relay", "namespace": name})
        sentence = f"namespace '{name}' cannot be read by this client"
        assert outcome.failure == ("forbidden", sentence)
    assert await world.endpoint("nowhere").found("relay") == [ids["default-all"]]
    assert await everything.found("relay", namespace="team/inner") == [ids["team-inner"]]
    # "*" is a word of profiles, and no name.
    asked: list[tuple[str, Json]] = [
        ("remember_context", {"content": "relay"}),
        ("search_context", {"query": "relay"}),
        ("list_context", {}),
        ("forget_context", {}),
    ]
    for tool, given in asked:
        outcome = await everything.tool(tool, {**given, "namespace": "*"})
        assert outcome.failure == ("invalid_input", f"namespace {NAMESPACE_RULE}")
    assert await applied(team, namespace="team") == {"namespace": "team"}


async def test_labels_and_scores_narrow_down(world: World, admin: Endpoint) -> None:
    note = (await admin.save("The relay is in rack C.", importance=0.9))["id"]
    moved = {"kind": "episode", "session_id": "s1", "importance": 0.2}
    episode = (await admin.save("The relay of the pump was moved.", **moved))["id"]
    theirs = (await world.endpoint("default-all").save("The relay is in rack D."))["id"]
    for filters, ids in (
        ({"kind": "episode"}, {episode}),
        ({"kind": ["note"]}, {note, theirs}),
        ({"kind": ["note", "episode"]}, {note, episode, theirs}),
        ({"session_id": "s1"}, {episode}),
        ({"min_importance": "0.5"}, {note, theirs}),
        ({"min_importance": 0.9}, {note}),
        ({"client": "default-all"}, {theirs}),
        ({"client": "default"}, {note, episode}),
    ):
        assert set(await admin.found("relay", **filters)) == ids
    scores = {match["id"]: match["score"] for match in await admin.search("relay rack c")}
    above = await searched(admin, "relay rack c", min_score=scores[theirs])
    assert {match["id"] for match in above["matches"]} == {note, theirs}
    assert above["applied_filters"]["min_score"] == scores[theirs]
    none = await searched(admin, "relay of nothing", min_score=1)
    assert none["hint"].startswith("Nothing came near; the best score was")


async def test_the_past_is_searched_as_it_was(admin: Endpoint, clock: FixedClock) -> None:
    old = (await admin.save("The relay is in rack C.", valid_from="2026-01"))["id"]
    ended = (await admin.save("The relay is on loan.", valid_until="2026-03-02"))["id"]
    clock.at = START + 40 * DAY
    new = (await admin.save("The relay is in rack D.", valid_from="2026-04-01"))["id"]
    await admin.deprecate(old, new)
    assert await admin.found("relay") == [new]
    answer = await searched(admin, "relay", valid_at="2026-03-01")
    assert {match["id"] for match in answer["matches"]} == {old, ended}
    assert answer["applied_filters"] == {
        "filter_topic": None,
        "filter_state": "active",
        "filter_states": ["active", "deprecated"],
        "valid_at": "2026-03-01T23:59:59.999Z",
        "timezone": "UTC",
    }
    assert await admin.found("relay", valid_at="2026-03-01", filter_state="deprecated") == [old]
    assert await admin.found("relay", valid_at="2026-03-01", filter_state="active") == [ended]
    assert await admin.found("relay", valid_at="2025") == [ended]
    assert await admin.found("relay", valid_at="today") == [new]


async def test_what_begins_later_is_found_at_its_time(client: Endpoint) -> None:
    item = await client.save("The relay moves to rack D.", valid_from="2026-05")
    assert await client.found("relay") == []
    assert await client.found("relay", valid_at="2026-05-03") == [item["id"]]


async def test_the_past_is_for_who_may_see_what_is_deprecated(world: World) -> None:
    for client_id in ("chatgpt-web", "drafts"):
        endpoint = world.endpoint(client_id)
        outcome = await endpoint.tool("search_context", {"query": "relay", "valid_at": "2025"})
        assert outcome.failure == ("forbidden", THE_PAST)
        assert await endpoint.found("relay", valid_at="this month") == []


@pytest.mark.parametrize(
    ("filters", "sentence"),
    [
        ({"kind": ["note", "poem"]}, "kind must be some of note, episode, fact"),
        ({"kind": 1}, "kind must be a list of strings"),
        ({"tags": ["a"], "tags_match": "some"}, "tags_match must be one of any, all"),
        ({"tags_match": "all"}, "tags_match needs tags; give tags with it, or leave it out"),
        ({"tags": ["a"] * 3 + [str(n) for n in range(32)]}, "tags must hold at most 32 tags"),
        ({"min_importance": 1.1}, "min_importance must be a number from 0 to 1"),
        ({"min_score": "high"}, "min_score must be a number from 0 to 1"),
        (
            {"created_after": "03/04/2026"},
            "created_after could be read in two ways; write the year first, such as 2026-08-03",
        ),
        (
            {"created_after": "2026", "created_before": "2026-12-31"},
            "created_before must be later than created_after",
        ),
        (
            {"started_after": "2026-02", "started_before": "2026-03"},
            "started_before must be later than started_after",
        ),
    ],
)
async def test_what_cannot_be_filtered_by_is_said(
    admin: Endpoint, filters: Json, sentence: str
) -> None:
    outcome = await admin.tool("search_context", {"query": "relay", **filters})
    assert outcome.failure == ("invalid_input", sentence)


@pytest.mark.rule("C101", "C105")
async def test_the_event_tells_which_filters_were_given_and_not_what_they_said(
    world: World, admin: Endpoint
) -> None:
    await searched(admin, "relay", tags=["a-tag-of-mine"], created_after="2026", session_id=" ")
    event = (await world.events())[-1]
    assert event["request"]["filters"] == ["tags", "created_after"]
    assert "a-tag-of-mine" not in json.dumps(event)
    await searched(admin, "relay")
    assert "filters" not in (await world.events())[-1]["request"]


async def test_what_has_ended_is_shown_to_who_asks_for_what_is_deprecated(
    world: World, clock: FixedClock
) -> None:
    admin = world.endpoint()
    old = await admin.state("relay", "firmware", "4.1")
    clock.at += DAY
    new = await admin.state("relay", "firmware", "4.2")

    for endpoint in (admin, world.endpoint("archivist")):
        asked = {} if endpoint is not admin else {"filter_state": "deprecated"}
        assert await endpoint.found("relay firmware", **asked) == [old["id"]]
        listed = (await endpoint.tool("list_context", asked)).success["items"]
        assert [each["id"] for each in listed] == [old["id"]]
        compiled = await endpoint.tool(
            "compile_context", {"query": "relay firmware", "include_superseded": True}
        )
        assert old["id"] in compiled.success["context"]
    assert await admin.found("relay firmware") == [new["id"]]
    at = {"filter_state": "deprecated", "valid_at": iso(clock.at)}
    assert await admin.found("relay firmware", **at) == []
