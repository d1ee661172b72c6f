"""record_episode: what is kept of what happened, and how it is found."""

from typing import Any

import pytest

from metacortex.domain.knowledge.entity import entity_id
from tests.endpoint import Endpoint, Json
from tests.world import World

KEY_ID = "AKIA" + "IOSFODNN7EXAMPLE"
SWITCH: Json = {
    "title": "ADR-019: signed tokens are PASETO",
    "content": "A shared secret in six services was one leak away from forgery.",
    "category": "adr",
    "files_touched": ["src/auth/tokens.py", "src/auth/keys.py"],
    "entities": ["auth_service"],
}


async def recorded(endpoint: Endpoint, **arguments: Any) -> Json:
    """Record an episode and return the whole result."""
    return (await endpoint.tool("record_episode", {**SWITCH, **arguments})).success


async def test_an_episode_comes_back_with_its_title_category_and_files(admin: Endpoint) -> None:
    body = await recorded(admin, topic="auth", tags=["tokens"], session_id="s", importance=1)
    metadata = body["item"]["metadata"]
    assert body["write_status"] == "created"
    assert body["item"]["content"] == SWITCH["content"]
    told = {name: metadata[name] for name in metadata if not name.endswith(("_at", "entities"))}
    assert told == {
        "topic": "auth",
        "branch_state": "active",
        "modality": "text",
        "kind": "episode",
        **{name: SWITCH[name] for name in ("title", "category", "files_touched")},
        "tags": ["tokens"],
        "session_id": "s",
        "importance": 1.0,
    }
    assert await admin.item(body["item"]["id"]) == body["item"]


@pytest.mark.parametrize("query", ["src/auth/keys.py", "keys.py", "PASETO", "ADR-019", "forgery"])
async def test_an_episode_is_found_by_its_title_its_text_and_its_files(
    admin: Endpoint, query: str
) -> None:
    body = await recorded(admin)
    await admin.save("The kitchen is painted green.")
    assert (await admin.found(query, mode="words")) == [body["item"]["id"]]


async def test_an_episode_lists_the_entities_that_it_names(world: World, admin: Endpoint) -> None:
    body = await recorded(admin, entities=["Auth_Service", "auth_service", "Vault"])
    memory = await world.store.get("default", body["item"]["id"])
    assert memory is not None
    named = [entity_id("default", name) for name in ("auth_service", "Vault")]
    assert [*memory.entities[:2]] == named
    assert entity_id("default", "src/auth/keys.py") in memory.entities


async def test_an_episode_names_entities_by_their_ids_too(world: World, admin: Endpoint) -> None:
    fact = await admin.state("auth service", "owned_by", "Ana")
    named = {"entities": ["Ben", fact["subject_id"]]}
    item = await recorded(admin, **named)
    item = (await recorded(admin, **named))["item"]
    ben = (await admin.tool("search_entities", {"query": "Ben"})).success["entities"][0]
    assert item["metadata"]["entities"][:2] == [fact["subject_id"], ben["id"]]
    view = (await admin.tool("query_entity", {"entity": "auth service"})).success
    assert [each["id"] for each in view["episodes"]] == [item["id"]]
    for endpoint, id_ in ((world.endpoint("team"), fact["subject_id"]), (admin, "ent_" + "0" * 32)):
        refused = await endpoint.tool("record_episode", {**SWITCH, "entities": [id_]})
        assert refused.failure == ("not_found", "Entity not found")


async def test_the_same_episode_again_is_a_duplicate_and_other_files_are_another(
    admin: Endpoint,
) -> None:
    first, again, other = [
        await recorded(admin, files_touched=files)
        for files in (["a.py", "b.py"], ["b.py", " a.py "], ["a.py"])
    ]
    assert (again["write_status"], again["item"]) == ("duplicate", first["item"])
    assert other["write_status"] == "created"
    assert [each["id"] for each in other["similar"]] == [first["item"]["id"]]


async def test_secrets_are_taken_out_of_titles_and_files_too(world: World, admin: Endpoint) -> None:
    given = f"key {KEY_ID}"
    body = await recorded(admin, title=given, files_touched=["a.py", given])
    assert body["redacted"] == ["aws-access-key"]
    metadata = body["item"]["metadata"]
    assert metadata["files_touched"] == ["a.py", "key [redacted aws-access-key]"]
    memory = await world.store.get("default", body["item"]["id"])
    assert memory is not None
    assert KEY_ID not in str(memory) + str(await world.events())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"title": " "}, "title must not be empty"),
        ({"content": None}, "content is required"),
        (
            {"category": "decision"},
            "category must be one of adr, bug_root_cause, invariant, session_note, migration,"
            " incident, event",
        ),
        ({"title": "t" * 201}, "title must be at most 200 characters"),
        ({"files_touched": ["f" * 513]}, "files_touched must be at most 512 characters"),
        ({"valid_from": "soonish"}, None),
    ],
)
async def test_what_is_no_episode_is_refused_with_a_sentence(
    admin: Endpoint, arguments: Json, sentence: str | None
) -> None:
    code, told = (await admin.tool("record_episode", {**SWITCH, **arguments})).failure
    assert code == "invalid_input"
    assert told == sentence or (sentence is None and told.startswith("valid_from must"))


async def test_files_and_text_together_are_held_to_what_fits_one_record(admin: Endpoint) -> None:
    files = [f"{n}".ljust(512, "f") for n in range(100)]
    given = {**SWITCH, "content": "x" * 700_000, "files_touched": files}
    assert (await admin.tool("record_episode", given)).failure[0] == "too_large"


async def test_what_is_over_is_kept_as_deprecated_for_those_who_may_write_that(
    world: World,
) -> None:
    body = await recorded(world.endpoint(), valid_from="2025-01", valid_until="2025-06")
    assert body["item"]["metadata"]["branch_state"] == "deprecated"
    refused = await world.endpoint("reader").tool("record_episode", SWITCH)
    assert refused.failure[0] == "forbidden"


async def test_an_episode_leaves_counts_and_no_text_in_its_event(
    world: World, admin: Endpoint
) -> None:
    item = (await recorded(admin))["item"]
    (event,) = await world.events()
    assert event["request"] == {
        "topic": "general",
        "category": "adr",
        "content_length": len(SWITCH["content"]),
        "file_count": 2,
        "entity_count": 1,
    }
    assert event["response"] == {
        "document_id": item["id"],
        "topic": "general",
        "branch_state": "active",
        "modality": "text",
        "artifact_ref_count": 0,
        "write_status": "created",
    }
