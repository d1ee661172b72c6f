"""search_context: what is found, in which order, and how it is shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.endpoint import Endpoint
from tests.fakes import FakeEmbedder, Vectors
from tests.world import STATES, MakeWorld, World, environment


@pytest.mark.rule("C76", "C77", "C82")
async def test_a_match_is_shown_in_short_with_its_metadata(client: Endpoint) -> None:
    text = "The  session token\n is rotated\tevery night."
    item = await client.save(text, topic="auth", artifact_refs=["gs://b/a.png"])
    arguments = {"query": "session token is rotated every night the", "filter_topic": " auth "}
    found = (await client.tool("search_context", arguments)).success
    flat = "The session token is rotated every night."
    assert found == {
        "matches": [
            {
                "id": item["id"],
                "summary": flat,
                "score": 1.0,
                "content_preview": flat,
                "metadata": item["metadata"],
            }
        ],
        "applied_filters": {"filter_topic": "auth", "filter_state": "active"},
    }


@pytest.mark.rule("C77a")
async def test_a_search_that_saw_everything_says_neither_degraded_nor_incomplete(
    client: Endpoint,
) -> None:
    await client.save("The relay is in rack C.")
    found = (await client.tool("search_context", {"query": "relay rack"})).success
    assert set(found) == {"matches", "applied_filters"}


@pytest.mark.rule("C77", "C79")
async def test_a_topic_filter_matches_the_whole_label_with_its_case(client: Endpoint) -> None:
    item = await client.save("Exact topics.", topic="Auth")
    for topic in ("Auth", "  Auth ", "  ", None):
        assert await client.found("exact topics", filter_topic=topic) == [item["id"]]
    for topic in ("auth", "AUTH", "Aut", "Auth2", "general"):
        assert await client.found("exact topics", filter_topic=topic) == []


@pytest.mark.rule("C79")
async def test_each_state_is_searched_alone(admin: Endpoint) -> None:
    ids = {
        state: (await admin.save("One text in four states.", branch_state=state))["id"]
        for state in STATES
    }
    for state in STATES:
        assert await admin.found("one text", filter_state=state) == [ids[state]]
    assert await admin.found("one text") == [ids["active"]]


@pytest.mark.rule("C79", "C116")
async def test_no_filtered_match_uses_up_a_place(world: World) -> None:
    admin = world.endpoint()
    query = "deployment checklist of the payment service"
    wanted = await admin.save(f"Friday notes: the {query} has nine steps.", topic="wanted")
    for number in range(8):
        await admin.save(query, topic=f"crowd-{number}")
        await admin.save(f"{query} {number}", topic="wanted", draft=True)
        await world.endpoint("team").save(f"{query} {number}", topic="wanted")
        await world.endpoint("acme-web").save(f"{query} {number}", topic="wanted")
    found = await world.endpoint("chatgpt-web").found(query, filter_topic="wanted", limit=1)
    assert found == [wanted["id"]]


@pytest.mark.rule("C80", "C56")
@pytest.mark.case("K01")
@pytest.mark.parametrize(
    ("limit", "count"),
    [(1, 1), (3, 3), ("2", 2), (" 3 ", 3), (2.0, 2), (20, 7), (None, 5), ("", 5)],
)
async def test_at_most_the_limit_is_returned(client: Endpoint, limit: object, count: int) -> None:
    for number in range(7):
        await client.save(f"Counting entry {number}.")
    assert len(await client.search("counting entry", limit=limit)) == count


@pytest.mark.rule("C111")
async def test_the_limit_where_none_is_given_can_be_set(make_world: MakeWorld) -> None:
    world = make_world(environment(SEARCH_RESULT_LIMIT="2"))
    for number in range(4):
        await world.endpoint().save(f"Counting entry {number}.")
    assert len(await world.endpoint().search("counting entry")) == 2


@pytest.mark.rule("C80", "C56", "C58")
@pytest.mark.case("K01")
@pytest.mark.parametrize(
    "limit", [0, 21, -1, 2.5, "0", "21", "many", "2.5", True, False, [3], {"a": 1}, 10**30]
)
async def test_any_other_limit_is_refused(client: Endpoint, limit: object) -> None:
    outcome = await client.tool("search_context", {"query": "x", "limit": limit})
    sentence = "limit must be a whole number from 1 to 20"
    assert outcome.failure == ("invalid_input", sentence)


@pytest.mark.rule("C81")
async def test_scores_fall_from_one_towards_zero_with_six_decimals(client: Endpoint) -> None:
    query = "nightly backup of the orders database"
    best = await client.save(query)
    for text in ("backup of the orders at noon", "the orders page", "a nightly build", "lunch"):
        await client.save(text)
    matches = await client.search(query, limit=20)
    scores = [match["score"] for match in matches]
    assert matches[0]["id"] == best["id"]
    assert scores[0] > 0.9
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 and round(score, 6) == score for score in scores)
    assert len(set(scores)) > 2


@pytest.mark.rule("C81")
async def test_the_same_meaning_scores_one_and_the_opposite_is_no_match(
    client: Endpoint, embedder: FakeEmbedder
) -> None:
    await client.save("One way.")
    matches = await client.search("One way.", mode="meaning")
    assert [match["score"] for match in matches] == [1.0]

    def opposite(vectors: Vectors) -> Vectors:
        return [[-number for number in vector] for vector in vectors]

    embedder.spoil = opposite
    assert await client.search("One way.", mode="meaning") == []


@pytest.mark.rule("C82", "C62")
@pytest.mark.parametrize("length", [219, 220, 221, 399, 400, 401])
async def test_summary_and_preview_are_cut_at_their_lengths(client: Endpoint, length: int) -> None:
    text = ("🧠🚀漢é" * 101)[:length]
    await client.save(text)
    (match,) = await client.search(text)
    assert match["summary"] == (text if length <= 220 else text[:217] + "...")
    assert match["content_preview"] == (text if length <= 400 else text[:397] + "...")


@pytest.mark.rule("C83")
@pytest.mark.parametrize("state", ["wip", "merged", "deprecated"])
async def test_a_profile_searches_only_its_states(
    client: Endpoint, embedder: FakeEmbedder, state: str
) -> None:
    outcome = await client.tool("search_context", {"query": "x", "filter_state": state})
    sentence = f"filter_state '{state}' is not allowed for this client"
    assert outcome.failure == ("forbidden", sentence)
    assert embedder.calls == 0


@pytest.mark.rule("C115", "C77")
async def test_without_a_state_the_profiles_default_is_searched(world: World) -> None:
    drafts = world.endpoint("drafts")
    draft = await drafts.save("A draft.", draft=True)
    await drafts.save("A draft, but active.")
    found = (await drafts.tool("search_context", {"query": "draft"})).success
    assert [match["id"] for match in found["matches"]] == [draft["id"]]
    assert found["applied_filters"]["filter_state"] == "wip"


@pytest.mark.rule("C58", "C83")
@pytest.mark.parametrize("state", ["archived", "ACTIVE", "active,wip"])
async def test_an_unknown_state_is_told_the_known_ones(client: Endpoint, state: str) -> None:
    outcome = await client.tool("search_context", {"query": "x", "filter_state": state})
    sentence = "filter_state must be one of active, wip, merged, deprecated"
    assert outcome.failure == ("invalid_input", sentence)


@pytest.mark.rule("C84")
@pytest.mark.parametrize(
    "form",
    [
        '"{0}"',
        "{0} AND OR NOT",
        "({0}",
        "{0}*",
        "content:{0}",
        "NEAR({0}, 2)",
        "'; DROP TABLE memories; -- {0}",
        "{0}^2 ~ {{a}} [b]",
        "-{0} +parser",
        "%_{0}",
        "\\{0} \\",
        "{0} \x00 torture",
    ],
)
async def test_a_query_is_text_and_never_syntax(client: Endpoint, form: str) -> None:
    await client.save("Something else entirely.")
    item = await client.save("Syntax torture for heliotrope and the parser.")
    query = "syntax torture parser " + form.format("heliotrope")
    assert (await client.found(query))[0] == item["id"]


@pytest.mark.rule("C84")
@pytest.mark.parametrize("query", ['"', "*", "AND", "()", "🧠", "\\", "-", "''", "%", "\x00"])
async def test_a_query_of_nothing_but_signs_is_served(client: Endpoint, query: str) -> None:
    await client.save("A short memory.")
    assert await client.search(query) == []


@pytest.mark.rule("C84", "C99")
async def test_a_query_of_any_length_is_served_at_a_bounded_cost(
    client: Endpoint, embedder: FakeEmbedder
) -> None:
    item = await client.save("Rate limits of the public gateway.")
    query = "rate limits of the public gateway " * 25_000
    assert await client.found(query) == [item["id"]]
    assert len(embedder.queries) == 8


@pytest.mark.rule("C85")
async def test_case_and_punctuation_do_not_hide_a_memory(client: Endpoint) -> None:
    await client.save("Receipts get printed in the back office once a quarter.")
    item = await client.save("Invoices are archived by the heliotrope worker after ninety days.")
    for query in (
        "INVOICES ARE ARCHIVED BY THE HELIOTROPE WORKER",
        "archived invoices? (heliotrope-worker!)",
    ):
        assert await client.found(query, limit=1) == [item["id"]]


@pytest.mark.rule("C59")
@pytest.mark.case("K02")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "query is required"),
        ({"query": None}, "query is required"),
        ({"query": ""}, "query must not be empty"),
        ({"query": "  \n "}, "query must not be empty"),
        ({"query": 5}, "query must be a string"),
        ({"query": ["x"]}, "query must be a string"),
        ({"query": True}, "query must be a string"),
        ({"query": "relay", "project": "alpha"}, "Unknown argument 'project'"),
    ],
)
async def test_a_query_must_be_given_as_text(
    world: World, client: Endpoint, arguments: dict[str, Any], sentence: str
) -> None:
    assert (await client.tool("search_context", arguments)).failure == ("invalid_input", sentence)
    assert len(await world.events()) == 1


@pytest.mark.rule("C60a", "C105")
async def test_a_secret_in_a_query_is_not_shown_in_its_event(
    world: World, client: Endpoint
) -> None:
    await client.search("which key is AKIAIOSFODNN7EXAMPLE", filter_topic="AKIAIOSFODNN7EXAMPLE")
    (event,) = await world.events()
    assert event["request"]["query_preview"] == "which key is [redacted aws-access-key]"
    assert "AKIAIOSFODNN7EXAMPLE" not in json.dumps(event)


@pytest.mark.rule("C76", "C79")
async def test_a_memory_written_by_another_process_is_found(
    make_world: MakeWorld, tmp_path: Path
) -> None:
    path = tmp_path / "metacortex.db"
    here, there = make_world(path=path), make_world(path=path)
    first = await here.endpoint().save("The relay is in rack C.")
    assert await there.endpoint().found("relay rack") == [first["id"]]
    second = await here.endpoint().save("The relay left rack C.")
    await here.endpoint().deprecate(first["id"], second["id"])
    assert await there.endpoint().found("relay rack") == [second["id"]]
