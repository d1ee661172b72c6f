"""fetch_context and deprecate_context."""

import asyncio
from typing import Any

import pytest

from tests.endpoint import Endpoint
from tests.world import World

ODD_IDS = [
    "no-such-id",
    "abc123",
    "../x",
    "a/b",
    "/",
    "..",
    ".",
    "tenants/acme/memory_vectors/x",
    "__name__",
    "%2F",
    "a\x00b",
    "a\nb",
    "' OR 1=1 --",
    "🧠",
    "x" * 129,
    "x" * 100_000,
]
NOT_FOUND = ("not_found", "Document not found")
NO_REPLACEMENT = ("not_found", "Superseding document not found")


@pytest.mark.rule("C86")
async def test_a_fetched_item_is_what_the_write_answered(client: Endpoint) -> None:
    item = await client.save("Fetched later.", topic="x", artifact_refs=["gs://b/a.png"])
    for document_id in (item["id"], f" {item['id']}\n"):
        assert (await client.fetch(document_id)).success == {"item": item}


@pytest.mark.rule("C87", "C73")
@pytest.mark.case("K50")
@pytest.mark.parametrize("document_id", ODD_IDS)
async def test_any_other_id_is_not_found_and_never_a_crash(
    admin: Endpoint, document_id: str
) -> None:
    known = await admin.save("Known.")
    assert (await admin.fetch(document_id)).failure == NOT_FOUND
    assert (await admin.deprecate(document_id, known["id"])).failure == NOT_FOUND
    assert (await admin.deprecate(known["id"], document_id)).failure == NO_REPLACEMENT
    assert await admin.item(known["id"]) == known


@pytest.mark.rule("C58", "C59")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "document_id is required"),
        ({"document_id": None}, "document_id is required"),
        ({"document_id": "  "}, "document_id must not be empty"),
        ({"document_id": 5}, "document_id must be a string"),
        ({"document_id": ["x"]}, "document_id must be a string"),
        ({"document_id": {"id": "x"}}, "document_id must be a string"),
    ],
)
async def test_an_id_must_be_given_as_text(
    client: Endpoint, arguments: dict[str, Any], sentence: str
) -> None:
    assert (await client.tool("fetch_context", arguments)).failure == ("invalid_input", sentence)


@pytest.mark.rule("C59", "C54")
@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        (None, None, "document_id is required"),
        ("a", None, "superseding_document_id is required"),
        (" ", "b", "document_id must not be empty"),
        ("a", " ", "superseding_document_id must not be empty"),
        (5, " ", "superseding_document_id must not be empty"),
        (5, 5, "document_id must be a string"),
    ],
)
async def test_both_ids_must_be_given(
    admin: Endpoint, first: object, second: object, sentence: str
) -> None:
    assert (await admin.deprecate(first, second)).failure == ("invalid_input", sentence)


@pytest.mark.rule("C88")
@pytest.mark.case("K18")
async def test_a_state_that_the_profile_may_not_see_is_forbidden(client: Endpoint) -> None:
    draft = await client.save("My own draft.", draft=True)
    sentence = "branch_state 'wip' is not allowed for this client"
    assert (await client.fetch(draft["id"])).failure == ("forbidden", sentence)


@pytest.mark.rule("C89", "C86")
@pytest.mark.case("K18")
async def test_a_deprecated_memory_keeps_its_text_and_names_its_replacement(
    world: World,
) -> None:
    admin, client = world.endpoint(), world.endpoint("chatgpt-web")
    old = await admin.save("The on-call phone is in room 12.")
    new = await admin.save("The on-call phone is in room 30.")
    world.clock.at += 1_500
    body = (await admin.deprecate(old["id"], new["id"])).success
    assert body == {
        "item": {
            "id": old["id"],
            "branch_state": "deprecated",
            "superseded_by": new["id"],
        },
        "previous_state": "active",
    }
    now = await admin.item(old["id"])
    assert now == {
        **old,
        "metadata": {
            **old["metadata"],
            "branch_state": "deprecated",
            "superseded_by": new["id"],
            "updated_at": "2026-03-01T12:00:01.500Z",
        },
    }
    assert await admin.found("on-call phone room") == [new["id"]]
    (match,) = await admin.search("on-call phone room", filter_state="deprecated")
    assert (match["id"], match["metadata"]) == (old["id"], now["metadata"])
    sentence = "branch_state 'deprecated' is not allowed for this client"
    assert (await client.fetch(old["id"])).failure == ("forbidden", sentence)


@pytest.mark.rule("C89")
@pytest.mark.parametrize("state", ["active", "wip", "merged", "deprecated"])
async def test_the_state_before_is_told(admin: Endpoint, state: str) -> None:
    old = await admin.save("Old.", branch_state=state)
    new = await admin.save("New.", branch_state="deprecated")
    assert (await admin.deprecate(old["id"], new["id"])).success["previous_state"] == state


@pytest.mark.rule("C90")
async def test_a_document_cannot_supersede_itself(admin: Endpoint) -> None:
    item = await admin.save("Itself.")
    sentence = "A document cannot supersede itself"
    for other in (item["id"], f" {item['id']} "):
        assert (await admin.deprecate(item["id"], other)).failure == ("invalid_input", sentence)
    assert (await admin.deprecate("unknown", "unknown")).failure == ("invalid_input", sentence)
    assert await admin.item(item["id"]) == item


@pytest.mark.rule("C91", "C92", "C54")
async def test_the_document_is_looked_for_before_its_replacement(admin: Endpoint) -> None:
    assert (await admin.deprecate("unknown", "unknown-too")).failure == NOT_FOUND


@pytest.mark.rule("C93")
async def test_the_exact_repeat_changes_nothing(world: World) -> None:
    admin = world.endpoint()
    old, new = await admin.save("Old."), await admin.save("New.")
    await admin.deprecate(old["id"], new["id"])
    before = await admin.item(old["id"])
    world.clock.at += 60_000
    body = (await admin.deprecate(old["id"], new["id"])).success
    assert (body["previous_state"], body["item"]["superseded_by"]) == ("deprecated", new["id"])
    assert await admin.item(old["id"]) == before
    assert len(await world.store.changes("default", old["id"])) == 2


@pytest.mark.rule("C94")
async def test_another_replacement_is_a_conflict(admin: Endpoint) -> None:
    old, new, other = [await admin.save(f"Version {number}.") for number in range(3)]
    await admin.deprecate(old["id"], new["id"])
    sentence = f"Document is already superseded by '{new['id']}'"
    assert (await admin.deprecate(old["id"], other["id"])).failure == ("conflict", sentence)


@pytest.mark.rule("C94")
async def test_a_cycle_of_any_length_is_a_conflict(admin: Endpoint) -> None:
    first, second, third, fourth = [await admin.save(f"Version {number}.") for number in range(4)]
    sentence = "A document cannot be superseded by one that it supersedes"
    for old, new in ((first, second), (second, third), (third, fourth)):
        (await admin.deprecate(old["id"], new["id"])).success["item"]
        assert (await admin.deprecate(new["id"], first["id"])).failure == ("conflict", sentence)
    assert await admin.item(fourth["id"]) == fourth


@pytest.mark.rule("C94")
async def test_of_replacements_at_once_exactly_one_is_taken(admin: Endpoint) -> None:
    old, *others = [await admin.save(f"Version {number}.") for number in range(9)]
    outcomes = await asyncio.gather(*(admin.deprecate(old["id"], other["id"]) for other in others))
    won = [
        other["id"]
        for other, outcome in zip(others, outcomes, strict=True)
        if not outcome.result.get("isError")
    ]
    assert len(won) == 1
    lost = [outcome for outcome in outcomes if outcome.result.get("isError")]
    sentence = f"Document is already superseded by '{won[0]}'"
    assert {outcome.failure for outcome in lost} == {("conflict", sentence)}
