"""query_entity: what is known of one entity, now or at another moment."""

from typing import Any

import pytest

from metacortex.domain.knowledge.entity import entity_id
from metacortex.service.knowledge import MOST_ACTIVE, MOST_EPISODES, MOST_HISTORY
from metacortex.service.surroundings import MOST_FOLLOWED
from tests.endpoint import Endpoint, Json
from tests.merging import merged
from tests.world import MakeWorld, World, environment, profile

NOT_FOUND = ("not_found", "Entity not found")
DAY = 86_400_000


async def entity(endpoint: Endpoint, name: str, **arguments: Any) -> Json:
    """Return what is known of an entity."""
    return (await endpoint.tool("query_entity", {"entity": name, **arguments})).success


def values(facts: list[Json]) -> list[str]:
    """Return the objects of facts."""
    return [fact["object"] for fact in facts]


def reached(seen: Json) -> list[tuple[str, int]]:
    """Return the entities of a neighbourhood, with how far each is."""
    return [(each["name"], each["hops"]) for each in seen["neighbourhood"]["entities"]]


async def test_an_entity_is_told_with_what_holds_of_it_and_what_is_near(admin: Endpoint) -> None:
    port = await admin.state("auth", "port", "443")
    link = await admin.state("auth", "depends_on", object_id="ledger")
    await admin.state("ledger", "depends_on", object_id="vault")
    await admin.state("vault", "depends_on", object_id="disk")

    seen = await entity(admin, "Auth")

    assert seen["entity"] == {
        "id": entity_id("default", "auth"),
        "name": "auth",
        "type": "name",
        "aliases": [],
        "mention_count": 2,
    }
    assert {fact["id"] for fact in seen["active_facts"]} == {port["id"], link["id"]}
    assert seen["active_count"] == 2
    assert reached(seen) == [("ledger", 1), ("vault", 2)]
    assert sorted(values(seen["neighbourhood"]["facts"])) == ["ledger", "vault"]
    assert "history" not in seen


async def test_more_near_it_than_is_followed_is_told(world: World, admin: Endpoint) -> None:
    for number in range(MOST_FOLLOWED + 1):
        await admin.state("hub", "beside", object_id=f"spoke {number:03}", singular=False)

    assert (await entity(admin, "hub", max_hops=2))["incomplete"] is True
    assert (await world.events())[-1]["response"]["incomplete"] is True
    assert "incomplete" not in await entity(admin, "hub", max_hops=1)
    assert (await world.events())[-1]["response"]["incomplete"] is False


async def test_hops_bound_what_is_near(admin: Endpoint) -> None:
    for one, other in ("ab", "bc", "cd", "de"):
        await admin.state(one, "beside", object_id=other)

    near = [reached(await entity(admin, "a", max_hops=hops)) for hops in range(4)]

    assert near == [
        [],
        [("b", 1)],
        [("b", 1), ("c", 2)],
        [("b", 1), ("c", 2), ("d", 3)],
    ]


async def test_an_entity_is_named_by_its_id_too_and_as_an_object(admin: Endpoint) -> None:
    await admin.state("auth", "owned_by", object_id="Ana Lopez")

    seen = await entity(admin, entity_id("default", "ana lopez"))

    assert seen["entity"]["name"] == "Ana Lopez"
    assert [fact["subject"] for fact in seen["active_facts"]] == ["auth"]


@pytest.mark.case("K34")
async def test_fifty_superseded_facts_take_no_place_of_the_one_that_holds(world: World) -> None:
    admin = world.endpoint()
    for number in range(51):
        await admin.state("relay-7", "firmware", f"4.{number}")
        world.clock.at += DAY

    assert values((await entity(admin, "relay-7"))["active_facts"]) == ["4.50"]
    seen = await entity(admin, "relay-7", include_superseded=True)
    assert values(seen["active_facts"]) == ["4.50"]
    assert values(seen["history"]) == [f"4.{number}" for number in range(49, -1, -1)]
    assert {fact["currency"] for fact in seen["history"]} == {"superseded"}
    assert seen["history_count"] == 50


async def test_more_facts_than_are_listed_are_counted(world: World) -> None:
    admin = world.endpoint()
    many = max(MOST_ACTIVE, MOST_HISTORY) + 5
    for number in range(many):
        await admin.state("hub", "tag", f"t{number}", singular=False)
        await admin.state("hub", "name", f"n{number}")
        world.clock.at += 1

    seen = await entity(admin, "hub", include_superseded=True)

    assert len(seen["active_facts"]) == MOST_ACTIVE
    assert seen["active_count"] == many + 1
    assert len(seen["history"]) == MOST_HISTORY
    assert seen["history_count"] == many - 1


async def test_the_past_of_an_entity_is_what_held_then(world: World) -> None:
    admin = world.endpoint()
    await admin.state("Noor", "drinks", "espresso", valid_from="2026-01-01")
    await admin.state("Noor", "drinks", "tea", valid_from="2026-02-01")

    seen = await entity(admin, "Noor", as_of="2026-01-15", include_superseded=True)

    assert values(seen["active_facts"]) == ["espresso"]
    assert [(each["object"], each["currency"]) for each in seen["history"]] == [("tea", "future")]
    assert seen["as_of"] == "2026-01-15T23:59:59.999Z"


async def test_looking_back_needs_the_state_deprecated(make_world: MakeWorld) -> None:
    world = make_world(environment([profile("present", allowedFilterStates=["active"])]))
    await world.endpoint().state("auth", "port", "443")
    present = world.endpoint("present")

    for given, sentence in (
        ({"include_superseded": True}, "include_superseded is not allowed for this client"),
        (
            {"as_of": "2026-01-01"},
            "A moment in the past is not allowed for this client; leave it out",
        ),
    ):
        outcome = await present.tool("query_entity", {"entity": "auth", **given})
        assert outcome.failure == ("forbidden", sentence)
    assert values((await entity(present, "auth"))["active_facts"]) == ["443"]


async def test_an_entity_of_another_tenant_or_namespace_is_unknown(world: World) -> None:
    await world.endpoint("acme-all").state("secret", "port", "1")
    await world.endpoint("default-all").state("hidden", "port", "2", namespace="team")
    nowhere = world.endpoint("nowhere")

    for name in (
        *("secret", entity_id("default", "secret"), "hidden", entity_id("team", "hidden")),
        *("never named", "ent_", "x" * 5_000),
    ):
        outcome = await nowhere.tool("query_entity", {"entity": name})
        assert outcome.failure == NOT_FOUND
    assert (await entity(world.endpoint("team"), "hidden"))["entity"]["namespace"] == "team"


async def test_a_view_is_counted_from_readable_namespaces_alone(world: World) -> None:
    everything = world.endpoint("default-all")
    await everything.state("auth", "port", "443")
    await everything.state("auth", "port", "8443", namespace="team")
    await everything.state("auth", "owned_by", object_id="Ana", namespace="team")

    seen = await entity(world.endpoint("nowhere"), "auth")

    assert (values(seen["active_facts"]), seen["active_count"], reached(seen)) == (["443"], 1, [])
    team = await entity(everything, "auth", namespace="team")
    assert team["active_count"] == 2


async def test_the_episodes_that_mention_an_entity_are_told_newest_first(world: World) -> None:
    admin = world.endpoint()
    await admin.state("LedgerCore", "port", "443")
    saved = []
    for number in range(MOST_EPISODES + 1):
        saved.append(await admin.save(f"LedgerCore failed, time {number}.", kind="episode"))
        world.clock.at += 1
    await admin.save("LedgerCore is a service.")
    await world.endpoint("default-all").save("LedgerCore!", kind="episode", namespace="team")

    seen = await entity(world.endpoint("nowhere"), "LedgerCore")

    assert [each["id"] for each in seen["episodes"]] == [each["id"] for each in saved[:0:-1]]
    assert seen["episodes"][0]["kind"] == "episode"


async def test_an_alias_is_answered_with_the_facts_of_all_that_was_merged(world: World) -> None:
    admin = world.endpoint()
    await admin.state("LedgerCore", "port", "443")
    await admin.state("PayLedger", "owned_by", object_id="Ana")
    await admin.state("CheckoutFlow", "relies_on", object_id="PayLedger")
    await merged(world, "PayLedger", "LedgerCore")

    seen = await entity(admin, "payledger")

    assert (seen["entity"]["name"], seen["entity"]["aliases"]) == ("LedgerCore", ["PayLedger"])
    assert sorted(values(seen["active_facts"])) == ["443", "Ana", "PayLedger"]
    assert reached(await entity(admin, "CheckoutFlow")) == [("LedgerCore", 1), ("Ana", 2)]
