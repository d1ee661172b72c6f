"""Names of merged entities are told to those alone who may read what mentions them."""

from collections.abc import Sequence

import pytest

from metacortex.domain.knowledge.entity import entity_id
from tests.endpoint import Endpoint, Json
from tests.world import World


@pytest.fixture
def world(either_world: World) -> World:
    return either_world


@pytest.fixture
def present(world: World) -> Endpoint:
    """A client that does not see what is deprecated."""
    return world.endpoint("present")


async def merged(admin: Endpoint, name: str, into: str) -> Json:
    told = await admin.tool("merge_entities", {"from": name, "into": into})
    return dict(told.success["entity"])


async def past(admin: Endpoint, subject: str) -> None:
    """Let a name be known from what has ended alone."""
    await admin.state(subject, "stands_in", "room 9", valid_until="2020")


async def names(endpoint: Endpoint, query: str) -> list[tuple[str, Sequence[str]]]:
    """Return what the entities of a name are called, and their aliases."""
    found = (await endpoint.tool("search_entities", {"query": query})).success
    assert found["proposals"] == []
    return [(each["name"], each["aliases"]) for each in found["entities"]]


async def test_an_alias_that_only_the_past_tells_of_is_told_to_who_sees_that(
    admin: Endpoint, present: Endpoint
) -> None:
    await past(admin, "Zed")
    await admin.state("Calico", "stands_in", "room 3")
    assert (await merged(admin, "Zed", "Calico"))["aliases"] == ["Zed"]
    assert await names(admin, "Zed") == [("Calico", ["Zed"])]
    assert await names(present, "Calico") == [("Calico", [])]
    assert await names(present, "Zed") == []
    view = await present.tool("query_entity", {"entity": "Calico"})
    assert "Zed" not in view.text
    for tool in ("query_entity", "traverse_graph"):
        refused = await present.tool(tool, {"entity": "Zed"})
        assert refused.failure == ("not_found", "Entity not found")


async def test_where_the_name_that_stays_may_not_be_told_the_alias_is(
    admin: Endpoint, present: Endpoint
) -> None:
    await past(admin, "Zed")
    await admin.state("Calico", "stands_beside", object_id="Ana")
    id_ = (await merged(admin, "Calico", "Zed"))["id"]
    assert await names(admin, "Calico") == [("Zed", ["Calico"])]
    assert await names(present, "Calico") == [("Calico", [])]
    view = await present.tool("query_entity", {"entity": "Calico", "max_hops": 2})
    assert view.success["entity"]["id"] == id_
    assert "Zed" not in view.text
    around = await present.tool("traverse_graph", {"entity": "Ana"})
    assert [each["name"] for each in around.success["entities"]] == ["Calico"]
    seen = await admin.tool("traverse_graph", {"entity": "Ana"})
    assert [each["name"] for each in seen.success["entities"]] == ["Zed"]


async def test_a_fact_about_an_id_is_told_in_the_name_that_its_writer_may_know(
    admin: Endpoint, present: Endpoint
) -> None:
    await past(admin, "Zed")
    await admin.state("Calico", "stands_in", "room 3")
    id_ = (await merged(admin, "Calico", "Zed"))["id"]
    fact = await present.state(id_, "is", "a printer")
    assert (fact["subject_id"], fact["subject"]) == (entity_id("default", "Calico"), "Calico")
    told = await admin.state(id_, "is_made_of", "steel")
    assert (told["subject_id"], told["subject"]) == (id_, "Zed")
    of_alias = await admin.state(fact["subject_id"], "weighs", "9 kg")
    assert (of_alias["subject_id"], of_alias["subject"]) == (fact["subject_id"], "Calico")


@pytest.mark.parametrize("argument", ["subject_id", "object_id"])
async def test_a_fact_tells_the_name_that_it_says_and_no_other(
    admin: Endpoint, present: Endpoint, argument: str
) -> None:
    await past(admin, "Zed")
    await admin.state("Calico", "stands_in", "room 3")
    await merged(admin, "Calico", "Zed")
    given = {"subject_id": "room 3", "object_value": "steel", argument: "Calico"}
    given.pop("object_value" if argument == "object_id" else "object_id", None)
    await admin.tool("upsert_fact", {**given, "predicate": "holds"})
    assert await names(present, "Calico") == [("Calico", [])]
    assert "Zed" not in (await present.tool("query_entity", {"entity": "Calico"})).text


async def test_a_name_by_which_something_is_stated_again_is_known_again(admin: Endpoint) -> None:
    fact = await admin.state("Zed", "stands_in", "room 9")
    await admin.state("Calico", "weighs", "9 kg")
    await merged(admin, "Zed", "Calico")
    await admin.tool("forget_context", {"ids": [fact["id"]]})
    assert await names(admin, "Zed") == []
    stated = await admin.state("Zed", "stands_in", "room 3")
    view = (await admin.tool("query_entity", {"entity": "Zed"})).success
    assert stated["id"] in [each["id"] for each in view["active_facts"]]
    assert view["entity"]["aliases"] == ["Zed"]


async def test_an_undone_merge_gives_each_name_what_was_said_by_it(admin: Endpoint) -> None:
    for name, room in (("Zed", "9"), ("Calico", "3")):
        await admin.state(name, "stands_in", f"room {room}")
    await merged(admin, "Zed", "Calico")
    await admin.state("Zed", "is_made_of", "steel")
    await admin.state("Calico", "weighs", "9 kg")
    await admin.tool("merge_entities", {"from": "Zed", "undo": True})
    for name, said in (("Zed", "is_made_of"), ("Calico", "weighs")):
        view = (await admin.tool("query_entity", {"entity": name})).success
        told = {each["predicate"] for each in view["active_facts"]}
        assert told == {"stands_in", said}


async def test_a_name_whose_memories_are_forgotten_is_told_to_nobody(admin: Endpoint) -> None:
    (item,) = [await admin.save("Zed_1 is a printer.")]
    await admin.state("Calico", "stands_in", "room 3")
    await merged(admin, "Zed_1", "Calico")
    await merged(admin, "the printer", "Calico")
    await admin.tool("forget_context", {"ids": [item["id"]]})
    assert await names(admin, "Calico") == [("Calico", ["the printer"])]
    assert await names(admin, "Zed_1") == []
