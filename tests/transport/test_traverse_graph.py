"""traverse_graph: neighbours, shortest paths and what is related."""

from typing import Any

import pytest

from metacortex.service.surroundings import MOST_FOLLOWED
from tests.endpoint import Endpoint, Json
from tests.world import World


async def traversed(endpoint: Endpoint, entity: str, **arguments: Any) -> Json:
    """Return where the facts lead from an entity."""
    return (await endpoint.tool("traverse_graph", {"entity": entity, **arguments})).success


def names(answer: Json) -> list[str]:
    """Return the names of the entities that were reached."""
    return [each["name"] for each in answer["entities"]]


@pytest.fixture
async def ring(admin: Endpoint) -> Endpoint:
    """Return an endpoint of a memory with a ring of five entities, and a branch."""
    for one, other in ("ab", "bc", "cd", "de", "ea"):
        await admin.state(one, "beside", object_id=other)
    await admin.state("c", "above", object_id="f")
    await admin.state("c", "colour", "red")
    return admin


async def test_neighbours_come_with_the_facts_that_lead_there(ring: Endpoint) -> None:
    answer = await traversed(ring, "c")

    assert [(each["name"], each["hops"]) for each in answer["entities"]] == [
        ("b", 1),
        ("d", 1),
        ("f", 1),
    ]
    assert sorted((fact["subject"], fact["object"]) for fact in answer["facts"]) == [
        ("b", "c"),
        ("c", "d"),
        ("c", "f"),
    ]
    by_id = {fact["id"]: fact for fact in answer["facts"]}
    assert {by_id[each["fact_id"]]["predicate"] for each in answer["entities"]} == {
        "beside",
        "above",
    }


async def test_a_direction_follows_facts_one_way(ring: Endpoint) -> None:
    assert names(await traversed(ring, "c", direction="out")) == ["d", "f"]
    assert names(await traversed(ring, "c", direction="in")) == ["b"]


async def test_a_walk_in_a_ring_ends(ring: Endpoint) -> None:
    answer = await traversed(ring, "a", mode="related", direction="out", max_hops=6)

    assert [(each["name"], each["hops"]) for each in answer["entities"]] == [
        ("b", 1),
        ("c", 2),
        ("d", 3),
        ("f", 3),
        ("e", 4),
    ]
    assert "facts" not in answer


async def test_only_named_predicates_are_followed(ring: Endpoint) -> None:
    assert names(await traversed(ring, "c", predicates=["above"])) == ["f"]
    assert names(await traversed(ring, "a", mode="related", predicates=["above"])) == []


async def test_the_shortest_path_is_told_step_by_step(ring: Endpoint) -> None:
    answer = await traversed(ring, "a", mode="path", to="d")

    assert answer["found"] is True
    assert names(answer) == ["a", "e", "d"]
    assert [(fact["subject"], fact["object"]) for fact in answer["facts"]] == [
        ("e", "a"),
        ("d", "e"),
    ]


async def test_a_path_follows_the_direction_and_the_hops(ring: Endpoint) -> None:
    assert names(await traversed(ring, "a", mode="path", to="d", direction="out")) == [*"abcd"]
    short = await traversed(ring, "a", mode="path", to="d", direction="out", max_hops=2)
    assert (short["found"], short["entities"], short["facts"]) == (False, [], [])


async def test_a_path_to_itself_has_no_step_beyond(ring: Endpoint) -> None:
    answer = await traversed(ring, "a", mode="path", to="A")

    assert (answer["found"], names(answer), answer["facts"]) == (True, ["a"], [])


async def test_what_is_beyond_the_limit_is_counted(ring: Endpoint) -> None:
    answer = await traversed(ring, "c", limit=1)

    assert (names(answer), answer["left_out"]) == (["b"], 2)


async def test_more_than_is_followed_at_one_distance_is_told(admin: Endpoint) -> None:
    for number in range(MOST_FOLLOWED + 1):
        await admin.state("hub", "beside", object_id=f"spoke {number:03}", singular=False)
    await admin.state(f"spoke {MOST_FOLLOWED:03}", "beside", object_id="beyond")
    await admin.state("spoke 000", "beside", object_id="near")

    answer = await traversed(admin, "hub", mode="related", limit=200)

    assert answer["incomplete"] is True
    assert names(answer)[-1] == "near"
    assert "incomplete" not in await traversed(admin, "hub")


async def test_what_held_then_is_followed_then(world: World) -> None:
    admin = world.endpoint()
    await admin.state("auth", "owned_by", object_id="Ana", valid_from="2026-01-01")
    await admin.state("auth", "owned_by", object_id="Ben", valid_from="2026-02-01")

    assert names(await traversed(admin, "auth")) == ["Ben"]
    past = await traversed(admin, "auth", as_of="2026-01-15")
    assert (names(past), past["as_of"]) == (["Ana"], "2026-01-15T23:59:59.999Z")


async def test_a_traversal_stays_in_the_namespaces_that_may_be_read(world: World) -> None:
    everything = world.endpoint("default-all")
    await everything.state("auth", "beside", object_id="ledger")
    await everything.state("ledger", "beside", object_id="vault", namespace="team")
    nowhere = world.endpoint("nowhere")

    assert names(await traversed(nowhere, "auth", mode="related")) == ["ledger"]
    outcome = await nowhere.tool(
        "traverse_graph", {"entity": "auth", "mode": "path", "to": "vault"}
    )
    assert outcome.failure == ("not_found", "Entity not found: check to")
    outcome = await nowhere.tool(
        "traverse_graph", {"entity": "vault", "mode": "path", "to": "auth"}
    )
    assert outcome.failure == ("not_found", "Entity not found: check entity")
    assert "vault" not in str(await world.events())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"mode": "path"}, "A path needs an end; give to with mode path"),
        (
            {"to": "b"},
            "to is the end of a path; give mode path with it, or leave it out",
        ),
        ({"max_hops": 7}, "max_hops must be a whole number from 1 to 6"),
        ({"direction": "up"}, "direction must be one of out, in, both"),
    ],
)
async def test_what_contradicts_itself_is_told_apart(
    ring: Endpoint, arguments: Json, sentence: str
) -> None:
    outcome = await ring.tool("traverse_graph", {"entity": "a", **arguments})

    assert outcome.failure == ("invalid_input", sentence)
