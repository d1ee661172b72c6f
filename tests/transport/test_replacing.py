"""remember_context with `supersedes`: a correction and what it replaces, in one step."""

import asyncio

import pytest

from tests.endpoint import Endpoint
from tests.world import World

OLD, NEW = "The ferry leaves at nine.", "The ferry leaves at ten."


@pytest.mark.rule("C65", "C89")
async def test_a_correction_replaces_what_it_names(world: World, admin: Endpoint) -> None:
    old = await admin.save(OLD)
    world.clock.at += 1_000
    answer = await admin.remember(NEW, supersedes=f" {old['id']} ")
    new = answer["item"]
    assert (answer["write_status"], answer["superseded"]) == ("created", [old["id"]])
    assert await admin.found("ferry leaves") == [new["id"]]
    replaced = (await admin.item(old["id"]))["metadata"]
    assert (replaced["branch_state"], replaced["superseded_by"]) == ("deprecated", new["id"])
    assert replaced["updated_at"] == new["metadata"]["created_at"]


@pytest.mark.rule("C95", "C97a")
async def test_an_equal_correction_is_a_duplicate_that_says_what_it_replaced(
    admin: Endpoint,
) -> None:
    old = await admin.save(OLD)
    first = await admin.remember(NEW, supersedes=old["id"])
    before = await admin.item(old["id"])
    again = await admin.remember(NEW, supersedes=old["id"])
    assert again == {**first, "write_status": "duplicate"}
    assert await admin.item(old["id"]) == before


@pytest.mark.rule("C95")
@pytest.mark.case("K13")
async def test_it_is_a_duplicate_even_when_what_it_replaced_is_forgotten(
    world: World, admin: Endpoint
) -> None:
    old = await admin.save(OLD)
    first = await admin.remember(NEW, supersedes=old["id"])
    assert (await admin.tool("forget_context", {"ids": [old["id"]]})).success["forgotten"] == 1
    again = await admin.remember(NEW, supersedes=old["id"])
    assert again == {**first, "write_status": "duplicate"}
    other = await admin.tool("remember_context", {"content": "At noon.", "supersedes": old["id"]})
    assert other.failure == ("not_found", "Superseded document not found")
    assert await world.store.count("default") == 1


@pytest.mark.rule("C97a")
async def test_the_same_text_that_replaces_nothing_is_another_write(admin: Endpoint) -> None:
    old = await admin.save(OLD)
    corrected = await admin.save(NEW, supersedes=old["id"])
    plain = await admin.remember(NEW)
    assert plain["write_status"] == "created"
    assert "superseded" not in plain
    assert plain["item"]["id"] != corrected["id"]


@pytest.mark.rule("C94")
async def test_what_has_a_replacement_gets_no_other_and_nothing_is_saved(
    world: World, admin: Endpoint
) -> None:
    old = await admin.save(OLD)
    new = await admin.save(NEW, supersedes=old["id"])
    refused = await admin.tool("remember_context", {"content": "At noon.", "supersedes": old["id"]})
    assert refused.failure == ("conflict", f"Document is already superseded by '{new['id']}'")
    assert await world.store.count("default") == 2


@pytest.mark.rule("C98")
async def test_of_two_corrections_at_once_one_is_saved(world: World, admin: Endpoint) -> None:
    old = await admin.save(OLD)
    outcomes = await asyncio.gather(
        *(
            admin.tool("remember_context", {"content": text, "supersedes": old["id"]})
            for text in ("At ten.", "At noon.")
        )
    )
    replacement = (await admin.item(old["id"]))["metadata"]["superseded_by"]
    (refused,) = [each for each in outcomes if each.result.get("isError")]
    assert refused.failure == ("conflict", f"Document is already superseded by '{replacement}'")
    assert await world.store.count("default") == 2


@pytest.mark.rule("C112")
async def test_only_a_client_that_may_replace_does(world: World, admin: Endpoint) -> None:
    old = await admin.save(OLD)
    given = {"content": NEW, "supersedes": old["id"]}
    for client_id in ("adding", "chatgpt-web"):
        refused = await world.endpoint(client_id).tool("remember_context", given)
        sentence = "supersedes is not allowed for this client; leave it out"
        assert refused.failure == ("forbidden", sentence)
    assert await world.store.count("default") == 1
    assert (await world.endpoint("nowhere").remember(**given))["superseded"] == [old["id"]]


@pytest.mark.rule("C112")
async def test_a_namespace_that_is_only_read_keeps_what_it_holds(world: World) -> None:
    theirs = await world.endpoint("docs").save(OLD)
    refused = await world.endpoint("team").tool(
        "remember_context", {"content": NEW, "supersedes": theirs["id"]}
    )
    sentence = "namespace 'docs/public' is read-only for this client"
    assert refused.failure == ("forbidden", sentence)
    assert await world.endpoint("docs").item(theirs["id"]) == theirs
    assert world.embedder.passages == [OLD]


@pytest.mark.rule("C106")
async def test_the_event_tells_what_was_replaced_and_no_text(world: World, admin: Endpoint) -> None:
    old = await admin.save(OLD)
    new = await admin.save(NEW, supersedes=old["id"])
    event = (await world.events())[-1]
    assert event["request"]["supersedes"] == old["id"]
    assert event["response"]["document_id"] == new["id"]
    assert event["response"]["superseded_ids"] == [old["id"]]
    assert "ferry" not in str(event)


@pytest.mark.rule("C59")
async def test_an_id_to_replace_must_be_text(admin: Endpoint) -> None:
    refused = await admin.tool("remember_context", {"content": NEW, "supersedes": 5})
    assert refused.failure == ("invalid_input", "supersedes must be a string")
    assert "superseded" not in await admin.remember(NEW, supersedes=" ")
