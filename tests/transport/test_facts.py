"""Facts: what is stated, what it ends, and what is told of it."""

import pytest

from metacortex.domain.moment import iso
from tests.endpoint import Endpoint, Json
from tests.world import World

DAY = 86_400_000


@pytest.fixture
def world(either_world: World) -> World:
    """A program on each of the two engines."""
    return either_world


async def found(endpoint: Endpoint, query: str, **arguments: object) -> list[str]:
    """Return the sentences of the facts that a search finds."""
    matches = await endpoint.search(query, kind=["fact"], **{"limit": 20, **arguments})
    return sorted(match["summary"] for match in matches)


async def context(endpoint: Endpoint, fact: Json) -> Json:
    """Return all that is told of a fact."""
    return (await endpoint.tool("fact_context", {"fact_id": fact["id"]})).success


async def history(endpoint: Endpoint, fact: Json) -> list[tuple[str, str]]:
    """Return the objects of a timeline with how each stands to now."""
    told = await context(endpoint, fact)
    return [(each["object"], each["currency"]) for each in told["history"]]


@pytest.mark.case("K33")
async def test_one_current_value_or_several_the_caller_says_which(world: World) -> None:
    admin, clock = world.endpoint(), world.clock
    espresso = await admin.state("Noor", "drinks", "espresso")
    told = await admin.upsert("Noor", "drinks", "green tea", valid_from="2026-04-01")
    assert (told["write_status"], told["superseded"]) == ("created", [espresso["id"]])
    seals = [
        await admin.state("pump-2", "tested_with", f"seal {name}", singular=False) for name in "AB"
    ]
    assert await found(admin, "what does Noor drink") == ["Noor drinks espresso"]
    clock.at += 90 * DAY
    assert await found(admin, "what does Noor drink") == ["Noor drinks green tea"]
    assert await found(admin, "Noor drinks", valid_at="2026-03-01") == ["Noor drinks espresso"]
    assert await history(admin, told["fact"]) == [
        ("espresso", "superseded"),
        ("green tea", "current"),
    ]
    past = (await context(admin, espresso))["fact"]
    assert past["valid_until"] == "2026-04-01"
    assert past["superseded_by"] == told["fact"]["id"]
    assert await found(admin, "pump-2 tested with") == [
        "pump-2 tested_with seal A",
        "pump-2 tested_with seal B",
    ]
    beside = await history(admin, seals[0])
    assert sorted(beside) == [("seal A", "current"), ("seal B", "current")]


@pytest.mark.case("K34")
async def test_of_fifty_old_and_one_true_only_that_one_takes_a_place(world: World) -> None:
    admin = world.endpoint()
    for number in range(50):
        await admin.state("relay-7", "firmware", f"4.{number}")
        world.clock.at += DAY
    fact = await admin.state("relay-7", "firmware", "4.50")
    assert await found(admin, "firmware of relay-7", limit=5) == ["relay-7 firmware 4.50"]
    told = await history(admin, fact)
    assert told == [*((f"4.{n}", "superseded") for n in range(50)), ("4.50", "current")]


@pytest.mark.case("K35")
async def test_at_the_instant_of_the_handover_exactly_the_later_holds(admin: Endpoint) -> None:
    await admin.state("relay-7", "firmware", "4.1", valid_from="2025-03-04T00:00:00Z")
    await admin.state("relay-7", "firmware", "4.2", valid_from="2025-07-09T08:30:00Z")
    for moment, version in (
        ("2025-07-09T08:30:00.000Z", "4.2"),
        ("2025-07-09T08:29:59.999Z", "4.1"),
    ):
        sentences = await found(admin, "relay-7 firmware", valid_at=moment)
        assert sentences == [f"relay-7 firmware {version}"]


@pytest.mark.case("K36")
async def test_old_news_that_arrives_late_gets_its_place_in_history(admin: Endpoint) -> None:
    present = await admin.state("Mira", "employer", "Northwind", valid_from="2026-01-10")
    told = await admin.upsert("Mira", "employer", "Lakeside", valid_from="2024-03-01")
    late = told["fact"]
    assert told["superseded"] == []
    assert (late["valid_until"], late["superseded_by"]) == ("2026-01-10", present["id"])
    assert late["branch_state"] == "deprecated"
    assert await found(admin, "employer of Mira") == ["Mira employer Northwind"]
    assert await found(admin, "Mira employer", valid_at="2025-06-01") == ["Mira employer Lakeside"]


@pytest.mark.case("K38")
async def test_a_fact_retires_only_its_own_kind(admin: Endpoint) -> None:
    lives = await admin.state("Ana", "lives_in", "Oslo")
    for subject, predicate in (("Ana", "works_in"), ("Ben", "lives_in")):
        await admin.state(subject, predicate, "Oslo")
    told = await admin.upsert("Ana", "lives_in", "Bergen")
    assert told["superseded"] == [lives["id"]]
    assert await found(admin, "Oslo") == ["Ana works_in Oslo", "Ben lives_in Oslo"]


async def test_what_is_stated_comes_back_whole(world: World) -> None:
    admin = world.endpoint()
    episode = await admin.save("We moved to Ed25519.", kind="episode", title="Key change")
    fact = await admin.state(
        "auth service",
        "signing_algorithm",
        "Ed25519",
        category="decision",
        importance="vital",
        confidence="High",
        valid_from="2025-08",
        valid_until="2026-03",
        source_episode_id=episode["id"],
    )
    told = await context(admin, fact)
    (change,) = told["fact"].pop("changes")
    assert told["fact"].pop("currency") == "current"
    assert told["fact"] == fact
    assert fact == {
        "id": fact["id"],
        "subject_id": fact["subject_id"],
        "subject": "auth service",
        "predicate": "signing_algorithm",
        "object": "Ed25519",
        "valid_from": "2025-08",
        # Until March takes in all of it.
        "valid_until": "2026-04",
        "branch_state": "active",
        "singular": True,
        "confidence": 0.9,
        "importance": 1.0,
        "category": "decision",
        "source_episode_id": episode["id"],
        "recorded_at": iso(world.clock.now()),
        "sha256": fact["sha256"],
    }
    assert change["kind"] == "state"
    assert told["entities"] == [{"id": fact["subject_id"], "name": "auth service"}]
    assert told["sources"] == [{"id": episode["id"], "kind": "episode", "title": "Key change"}]
    assert told["provenance"] == {
        "written_by": "default",
        "origin": "asserted",
        "recorded_at": iso(world.clock.now()),
    }


async def test_an_entity_is_called_by_name_or_by_id(admin: Endpoint) -> None:
    first = await admin.state("auth service", "depends_on", object_id="Ledger")
    second = await admin.state(first["object_id"], "depends_on", object_id="AUTH  Service")
    assert second["subject"] == "Ledger"
    assert (second["subject_id"], second["object_id"]) == (
        first["object_id"],
        first["subject_id"],
    )
    unknown = await admin.tool(
        "upsert_fact",
        {"subject_id": "ent_" + "0" * 32, "predicate": "is", "object_value": "x"},
    )
    assert unknown.failure == ("not_found", "Entity not found: check subject_id")


async def test_the_same_statement_is_known_already(admin: Endpoint) -> None:
    first = await admin.upsert("Depot 3", "manager", "Ola", valid_from="2025-01-01")
    again = await admin.upsert("depot 3", "manager", "Ola", valid_from="2025-01-01")
    assert again == {**first, "write_status": "duplicate"}
    ended = await admin.upsert(
        "Depot 3", "manager", "Ola", valid_from="2025-01-01", valid_until="2025-12-31"
    )
    assert (ended["write_status"], ended["superseded"]) == ("closed", [])
    assert (ended["fact"]["id"], ended["fact"]["valid_until"]) == (
        first["fact"]["id"],
        "2026-01-01",
    )
    assert await history(admin, first["fact"]) == [("Ola", "ended")]


@pytest.mark.parametrize(
    ("given", "code", "sentence"),
    [
        (
            {},
            "invalid_input",
            "Provide object_id, for an entity, or object_value, for any other value; one of the"
            " two",
        ),
        (
            {"object_id": "a", "object_value": "b"},
            "invalid_input",
            "Provide object_id, for an entity, or object_value, for any other value; one of the"
            " two",
        ),
        (
            {"object_value": "b", "importance": "huge"},
            "invalid_input",
            "importance must be a number from 0 to 1, or vital or supplementary",
        ),
        (
            {"object_value": "b", "valid_from": "2026-02", "valid_until": "2026-01"},
            "invalid_input",
            "valid_until must be after valid_from",
        ),
        (
            {"object_value": "b", "predicate": "p" * 129},
            "invalid_input",
            "predicate must be at most 128 characters",
        ),
        (
            {"object_value": "b", "subject_id": "a\0b"},
            "invalid_input",
            "subject_id must be one line without control or invisible characters",
        ),
        (
            {"object_value": "b", "subject_id": "\u200b"},
            "invalid_input",
            "subject_id must not be empty",
        ),
        (
            {"object_value": "b" * 100_001},
            "too_large",
            "object_value is too long; ingest long texts as documents",
        ),
        (
            {"object_value": "b", "source_episode_id": "x"},
            "not_found",
            "Source episode not found",
        ),
    ],
)
async def test_what_cannot_be_stated_is_told(
    admin: Endpoint, given: Json, code: str, sentence: str
) -> None:
    outcome = await admin.tool("upsert_fact", {"subject_id": "a", "predicate": "is", **given})
    assert outcome.failure == (code, sentence)


async def test_only_facts_have_a_context(admin: Endpoint) -> None:
    note = await admin.save("No fact.")
    outcome = await admin.tool("fact_context", {"fact_id": note["id"]})
    assert outcome.failure == ("not_found", "Fact not found")


async def test_who_may_not_see_the_past_is_told_of_the_present_alone(world: World) -> None:
    admin, present = world.endpoint(), world.endpoint("present")
    past = await admin.state("relay-7", "firmware", "4.1", valid_from="2025-01")
    fact = await admin.state("relay-7", "firmware", "4.2", valid_from="2025-07")
    await admin.state("relay-7", "firmware", "5.0", valid_from="2027-01")
    assert await history(present, fact) == [("4.2", "current")]
    outcome = await present.tool("fact_context", {"fact_id": past["id"]})
    assert outcome.failure[0] == "forbidden"


async def test_secrets_are_taken_out_of_a_statement(world: World) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    told = await world.endpoint().upsert("ci", "token", secret)
    assert secret not in str(told)
    assert told["redacted"]
    refused = await world.endpoint("refusing").tool(
        "upsert_fact", {"subject_id": "ci", "predicate": "token", "object_id": secret}
    )
    assert refused.failure[0] == "invalid_input"


async def test_what_is_known_already_is_told_to_those_who_may_see_it(world: World) -> None:
    await world.endpoint().state("Ana", "role", "lead", valid_from="2024", valid_until="2025")
    stated = {"subject_id": "Ana", "predicate": "role", "object_value": "lead"}
    told = await world.endpoint("present").tool(
        "upsert_fact", {**stated, "valid_from": "2024-03", "valid_until": "2024-05"}
    )
    assert told.failure == ("forbidden", "branch_state 'deprecated' is not allowed for this client")


async def test_a_statement_that_is_refused_ends_nothing(world: World) -> None:
    admin = world.endpoint()
    given = {"valid_from": "2024", "valid_until": "2025"}
    await admin.state("relay-7", "owner", "Noor", singular=False, **given)
    ben = await admin.state("relay-7", "owner", "Ben", singular=False, valid_from="2023")
    stated = {"subject_id": "relay-7", "predicate": "owner", "object_value": "Noor", **given}
    told = await world.endpoint("present").tool("upsert_fact", stated)
    assert told.failure[0] == "forbidden"
    assert (await context(admin, ben))["fact"]["currency"] == "current"
    assert (await admin.upsert("relay-7", "owner", "Noor", **given))["superseded"] == [ben["id"]]


async def test_a_predicate_is_the_same_in_every_spelling(world: World) -> None:
    admin = world.endpoint()
    first = await admin.state("auth", "signing_algorithm", "RS256")
    told = await admin.upsert("auth", "Signing Algorithm", "Ed25519")
    assert told["superseded"] == [first["id"]]
    assert told["fact"]["predicate"] == "signing_algorithm"
