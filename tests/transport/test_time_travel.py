"""time_travel: what held at a moment, as it was known at one, and what changed between two."""

from datetime import UTC, datetime
from typing import Any

import pytest

from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.snapshot import Held
from metacortex.domain.moment import iso
from tests.endpoint import Endpoint, Json
from tests.world import MakeWorld, World, environment, profile


def moment(text: str) -> int:
    """Return the moment that a date in UTC begins with."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


async def travelled(endpoint: Endpoint, as_of: str, **arguments: Any) -> Json:
    """Return what held at a moment."""
    return (await endpoint.tool("time_travel", {"as_of": as_of, **arguments})).success


def values(answer: Json) -> list[str]:
    """Return the objects of what held."""
    return [fact["object"] for fact in answer["active_facts"]]


@pytest.mark.case("K35")
async def test_at_the_instant_of_the_handover_one_value_holds(admin: Endpoint) -> None:
    await admin.state("relay-7", "firmware", "4.1", valid_from="2025-03-04T00:00:00Z")
    await admin.state("relay-7", "firmware", "4.2", valid_from="2025-07-09T08:30:00Z")

    assert values(await travelled(admin, "2025-07-09T08:30:00.000Z")) == ["4.2"]
    assert values(await travelled(admin, "2025-07-09T08:29:59.999Z")) == ["4.1"]


@pytest.mark.case("K37")
async def test_what_was_true_and_what_was_known_are_two_questions(world: World) -> None:
    admin = world.endpoint()
    world.clock.at = moment("2026-01-01")
    await admin.state("Depot 3", "manager", "Ola", valid_from="2026-01-01")
    world.clock.at = moment("2026-03-10")
    await admin.state("Depot 3", "manager", "Pia", valid_from="2026-02-01")
    world.clock.at = moment("2026-04-01")

    before = await travelled(admin, "2026-02-15", known_at="2026-03-01")
    after = await travelled(admin, "2026-02-15", known_at="2026-03-11")

    assert (values(before), values(after)) == (["Ola"], ["Pia"])
    assert before["known_at"] == "2026-03-01T23:59:59.999Z"
    assert "superseded_by" not in before["active_facts"][0]
    assert "valid_until" not in before["active_facts"][0]
    assert values(await travelled(admin, "2026-02-15")) == ["Pia"]
    assert values(await travelled(admin, "2026-01-15")) == ["Ola"]
    assert values(await travelled(admin, "2026-02-15", known_at="2025-12-31")) == []


async def test_a_snapshot_is_recognized_by_all_that_held(world: World) -> None:
    admin = world.endpoint()
    facts = [await admin.state(name, "port", "443") for name in ("auth", "ledger", "vault")]

    seen = await travelled(admin, "now", limit=1)

    stored = [await world.store.get("default", fact["id"]) for fact in facts]
    assert seen["snapshot_hash"] == Held(tuple(Fact(each) for each in stored if each)).hash
    assert (seen["fact_count"], len(seen["active_facts"])) == (3, 1)
    assert "incomplete" not in seen
    world.clock.at += 1
    await admin.state("auth", "port", "8443")
    assert (await travelled(admin, "now"))["snapshot_hash"] != seen["snapshot_hash"]


async def test_two_moments_are_compared(world: World) -> None:
    admin = world.endpoint()
    world.clock.at = moment("2026-05-01")
    await admin.state("Noor", "drinks", "espresso", valid_from="2026-01-01")
    await admin.state("Noor", "drinks", "tea", valid_from="2026-03-01")
    await admin.state("Noor", "plays", "chess", valid_from="2026-03-01", singular=False)
    await admin.state("Noor", "guest_of", "Ana", valid_from="2026-01-01", valid_until="2026-01-31")

    told = await travelled(admin, "2026-01-15", compare_to="2026-04")

    diff = told["diff"]
    assert [(each["before"]["object"], each["after"]["object"]) for each in diff["changed"]] == [
        ("espresso", "tea")
    ]
    assert [fact["object"] for fact in diff["began"]] == ["chess"]
    assert [fact["object"] for fact in diff["ended"]] == ["Ana"]
    assert diff["counts"] == {
        "began": 1,
        "ended": 1,
        "changed": 1,
        "episodes_began": 0,
        "episodes_ended": 0,
    }
    assert diff["compare_to"] == "2026-04-30T23:59:59.999Z"
    later = await travelled(admin, "2026-04")
    assert diff["snapshot_hash"] == later["snapshot_hash"] != told["snapshot_hash"]


def titles(episodes: list[Json]) -> list[str]:
    """Return what episodes are called."""
    return [episode["title"] for episode in episodes]


async def happened(endpoint: Endpoint, title: str, **arguments: Any) -> Json:
    """Record an episode."""
    given = {"title": title, "content": f"{title}, and why.", **arguments}
    item: Json = (await endpoint.tool("record_episode", given)).success["item"]
    return item


async def test_episodes_are_told_of_a_moment_by_when_they_began_and_were_known(
    world: World,
) -> None:
    admin = world.endpoint()
    world.clock.at = moment("2026-05-01")
    await happened(admin, "Outage", valid_from="2026-01-10", valid_until="2026-01-12")
    await happened(admin, "Move", category="migration", valid_from="2026-03-01")
    world.clock.at = moment("2026-06-01")
    await happened(admin, "Review", valid_from="2026-02-01")

    then = await travelled(admin, "2026-01-11", compare_to="2026-04", known_at="2026-05-15")

    assert (titles(then["episodes"]), then["episode_count"]) == (["Outage"], 1)
    diff = then["diff"]
    assert (titles(diff["episodes_began"]), titles(diff["episodes_ended"])) == (
        ["Move"],
        ["Outage"],
    )
    assert diff["counts"]["episodes_began"] == diff["counts"]["episodes_ended"] == 1
    assert diff["snapshot_hash"] != then["snapshot_hash"]
    assert diff["episodes_began"][0]["category"] == "migration"
    now = await travelled(admin, "now", limit=1)
    assert (titles(now["episodes"]), now["episode_count"]) == (["Review"], 2)
    assert now["snapshot_hash"] != diff["snapshot_hash"]
    assert (await world.events())[-1]["response"]["episode_count"] == 2


async def test_an_episode_that_was_replaced_since_is_told_of_the_moment_before(
    world: World,
) -> None:
    admin = world.endpoint()
    old = await happened(admin, "Plan A", entities=["pump"])
    await happened(admin, "Elsewhere", entities=["boiler"])
    before = world.clock.at
    world.clock.at += 86_400_000
    new = await happened(admin, "Plan B", entities=["pump"])
    assert (await admin.deprecate(old["id"], new["id"])).success

    known = await travelled(admin, "now", known_at=iso(before), entity="pump")
    present = await travelled(admin, "now", entity="pump")

    assert (titles(known["episodes"]), titles(present["episodes"])) == (["Plan A"], ["Plan B"])
    assert known["episodes"][0]["branch_state"] == "active"


async def test_episodes_are_told_as_far_as_a_profile_may_read(world: World) -> None:
    await happened(world.endpoint("team-secret"), "Hidden", entities=["pump"])
    await happened(world.endpoint("acme-all"), "Theirs", entities=["pump"])
    await happened(world.endpoint("nowhere"), "Ours", entities=["pump"])
    for asked in ({}, {"entity": "pump"}):
        told = await travelled(world.endpoint("nowhere"), "now", **asked)
        assert titles(told["episodes"]) == ["Ours"]
    everywhere = await travelled(world.endpoint("default-all"), "now")
    assert sorted(titles(everywhere["episodes"])) == ["Hidden", "Ours"]


async def test_a_moment_can_be_told_of_one_entity_or_namespace(world: World) -> None:
    everything = world.endpoint("default-all")
    await everything.state("auth", "port", "443")
    await everything.state("ledger", "port", "80")
    await everything.state("ledger", "beside", object_id="auth")
    await everything.state("auth", "port", "8443", namespace="team")

    assert values(await travelled(everything, "now", entity="auth")) == ["443", "auth"]
    assert values(await travelled(everything, "now", namespace="team")) == ["8443"]
    assert values(await travelled(world.endpoint("nowhere"), "now")) == ["443", "auth", "80"]


async def test_looking_back_needs_the_state_deprecated(make_world: MakeWorld) -> None:
    world = make_world(environment([profile("present", allowedFilterStates=["active"])]))
    await world.endpoint().state("auth", "port", "443")
    present = world.endpoint("present")

    for given in ({"as_of": "2026-01-01"}, {"as_of": "now", "known_at": "2026-01-01"}):
        outcome = await present.tool("time_travel", given)
        assert outcome.failure == (
            "forbidden",
            "A moment in the past is not allowed for this client; leave it out",
        )
    assert values(await travelled(present, "now")) == ["443"]


async def test_what_is_compared_must_be_later(admin: Endpoint) -> None:
    outcome = await admin.tool("time_travel", {"as_of": "2026-02", "compare_to": "2026-01"})

    assert outcome.failure == ("invalid_input", "compare_to must be later than as_of")


async def test_another_tenants_facts_are_in_no_snapshot(world: World) -> None:
    await world.endpoint("acme-all").state("auth", "port", "443")

    assert (await travelled(world.endpoint(), "now"))["fact_count"] == 0
    outcome = await world.endpoint().tool("time_travel", {"as_of": "now", "entity": "auth"})
    assert outcome.failure == ("not_found", "Entity not found")
