"""time_travel: what held at a moment, as it was known at one, and what changed between two."""

from datetime import UTC, datetime
from typing import Any

import pytest

from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.snapshot import snapshot_hash
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
    assert seen["snapshot_hash"] == snapshot_hash(Fact(each) for each in stored if each)
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
    assert diff["counts"] == {"began": 1, "ended": 1, "changed": 1}
    assert diff["compare_to"] == "2026-04-30T23:59:59.999Z"
    later = await travelled(admin, "2026-04")
    assert diff["snapshot_hash"] == later["snapshot_hash"] != told["snapshot_hash"]


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
