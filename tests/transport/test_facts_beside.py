"""Facts among other memories: replaced, compiled, listed, merged and counted with them."""

import json

import pytest

from metacortex.domain.moment import iso
from tests.endpoint import Endpoint
from tests.world import World

DAY = 86_400_000


async def test_a_deprecated_fact_holds_no_longer(world: World) -> None:
    admin = world.endpoint()
    facts = [await admin.state("relay-7", "firmware", "4.1"), await admin.state("pump", "is", "on")]
    note = await admin.save("The relay has no firmware.")
    world.clock.at += DAY
    now = iso(world.clock.now())
    assert (await admin.deprecate(facts[0]["id"], note["id"])).success
    newer = await admin.save("The pump was sold.", supersedes=facts[1]["id"])
    for fact, replacement in zip(facts, (note, newer), strict=True):
        metadata = (await admin.item(fact["id"]))["metadata"]
        assert metadata["superseded_by"] == replacement["id"]
        assert metadata["valid_until"] == now
        told = (await admin.tool("fact_context", {"fact_id": fact["id"]})).success
        assert told["fact"]["currency"] == "superseded"
    again = await admin.upsert("relay-7", "firmware", "4.1")
    assert again["write_status"] == "created"


async def test_a_fact_that_is_deprecated_before_it_starts_never_was_true(admin: Endpoint) -> None:
    fact = await admin.state("relay-7", "firmware", "5.0", valid_from="2099-01-01")
    note = await admin.save("The relay gets no new firmware.")
    assert (await admin.deprecate(fact["id"], note["id"])).success
    told = (await admin.tool("fact_context", {"fact_id": fact["id"]})).success["fact"]
    assert told["currency"] == "corrected"
    assert told["valid_until"] == told["valid_from"] == "2099-01-01"
    assert [each["kind"] for each in told["changes"]] == ["state", "corrected"]


async def test_what_has_lapsed_is_shown_by_its_id_alone(world: World) -> None:
    present = world.endpoint("present")
    until = iso(world.clock.at + DAY)
    fact = await present.state("relay-7", "firmware", "4.1", valid_until=until)
    world.clock.at += 2 * DAY
    context = (await present.tool("fact_context", {"fact_id": fact["id"]})).success
    assert (context["fact"]["currency"], context["history"]) == ("ended", [])
    assert (await present.item(fact["id"]))["id"] == fact["id"]
    assert await present.found("relay-7 firmware 4.1") == []


async def test_a_fact_is_drawn_from_a_memory_of_its_own_namespace(world: World) -> None:
    team, both = world.endpoint("team"), world.endpoint("default-all")
    episode = await team.save("Noor changed the firmware.", kind="episode")
    given = {
        "subject_id": "relay-7",
        "predicate": "firmware",
        "object_value": "4.1",
        "source_episode_id": episode["id"],
    }
    refused = await both.tool("upsert_fact", {**given, "namespace": "default"})
    assert refused.failure == (
        "invalid_input",
        "A fact can only be drawn from a memory of its own namespace",
    )
    told = (await both.tool("upsert_fact", {**given, "namespace": "team"})).success["fact"]
    assert told["source_episode_id"] == episode["id"]


@pytest.mark.parametrize("form", ["markdown", "numbered", "compact", "json"])
async def test_facts_are_compiled_while_they_hold(admin: Endpoint, form: str) -> None:
    for version, start in (("4.1", "2025-03"), ("4.2", "2025-07")):
        await admin.state("relay-7", "firmware", version, valid_from=start)
    for person in ("Ana", "Ben"):
        await admin.state(person, "maintains", object_id="relay-7")
    given = {"query": "relay-7 firmware, who maintains it", "format": form}
    now = (await admin.tool("compile_context", given)).text
    told = [text for text in ("firmware 4.1", "firmware 4.2", "Ana", "Ben") if text in now]
    assert told == ["firmware 4.2", "Ana", "Ben"]
    then = (await admin.tool("compile_context", {**given, "as_of": "2025-05"})).text
    assert ("firmware 4.1" in then, "firmware 4.2" in then) == (True, False)


async def test_a_bundle_tells_when_a_fact_ends_as_the_fact_does(admin: Endpoint) -> None:
    fact = await admin.state("relay-7", "firmware", "4.1", valid_until="2026-08")
    given = {"query": "relay-7 firmware", "format": "json"}
    (item,) = json.loads((await admin.tool("compile_context", given)).text)["items"]
    assert item["valid_until"] == fact["valid_until"] == "2026-09"


async def test_facts_are_listed_counted_and_fetched(admin: Endpoint) -> None:
    fact = await admin.state("auth service", "signing_algorithm", "Ed25519")
    await admin.save("A note.")
    listed = (await admin.tool("list_context", {"kind": ["fact"]})).success["items"]
    assert [item["id"] for item in listed] == [fact["id"]]
    assert (await admin.tool("memory_stats", {})).success["kinds"]["fact"] == 1
    item = await admin.item(fact["id"])
    assert item["content"] == "auth service signing_algorithm Ed25519"
    assert item["metadata"]["subject_id"] == fact["subject_id"]
    assert (await admin.tool("search", {"query": "signing algorithm"})).success["results"]


async def test_a_fact_cannot_be_merged(admin: Endpoint) -> None:
    fact = await admin.state("relay-7", "firmware", "4.1")
    note = await admin.save("The relay has firmware 4.1.")
    outcome = await admin.consolidate(ids=[fact["id"], note["id"]], content="Merged.")
    assert outcome.failure == ("invalid_input", "A fact cannot be merged; leave facts out of ids")
    assert (await admin.item(fact["id"]))["metadata"]["branch_state"] == "active"


@pytest.mark.parametrize(
    "query", ["which signing algorithm", "signing_algorithm", "signingAlgorithm", "auth service"]
)
async def test_words_find_a_fact_however_its_predicate_is_written(
    admin: Endpoint, query: str
) -> None:
    for n, predicate in enumerate(("signing_algorithm", "signingAlgorithm", "signing-algorithm")):
        await admin.state(f"auth service {n}", predicate, "Ed25519")
    assert len(await admin.found(query, mode="words")) == 3


async def test_events_tell_of_a_statement_and_hold_none_of_its_words(world: World) -> None:
    admin = world.endpoint()
    old = await admin.state("mithril pump", "is_made_of", "adamant")
    episode = await admin.save("A talk.", kind="episode")
    fact = await admin.state(
        "mithril pump",
        "is_made_of",
        object_id="orichalcum",
        valid_from="2026-01",
        category="alloy",
        source_episode_id=episode["id"],
    )
    await admin.tool("fact_context", {"fact_id": fact["id"]})
    first, _, stated, looked = await world.events()
    assert first["request"] == {"object": "value", "singular": True, "dated": False}
    assert stated["request"] == {
        "object": "entity",
        "singular": True,
        "dated": True,
        "source_episode_id": episode["id"],
    }
    assert stated["response"] == {
        "document_id": fact["id"],
        "branch_state": "active",
        "write_status": "created",
        "superseded_ids": [old["id"]],
    }
    assert looked["request"] == {"document_id": fact["id"]}
    assert looked["response"] == {"document_id": fact["id"], "history_count": 2, "source_count": 1}
    told = str(await world.events())
    words = ("mithril", "made_of", "adamant", "orichalcum", "alloy")
    assert [word for word in words if word in told] == []


async def test_names_of_one_thing_have_one_timeline(world: World) -> None:
    admin = world.endpoint()
    old = await admin.state("auth-svc", "signing_algorithm", "RS256")
    other = await admin.state("auth service", "owner", "team Atlas")
    world.clock.at += DAY
    merged = {"from": old["subject_id"], "into": other["subject_id"]}
    assert (await admin.tool("merge_entities", merged)).success
    told = await admin.upsert("auth-svc", "signing_algorithm", "Ed25519")
    assert told["superseded"] == [old["id"]]
    assert told["fact"]["subject_id"] == old["subject_id"]
    for fact in (old, told["fact"]):
        context = (await admin.tool("fact_context", {"fact_id": fact["id"]})).success
        stand = [(each["object"], each["currency"]) for each in context["history"]]
        assert stand == [("RS256", "superseded"), ("Ed25519", "current")]


@pytest.mark.parametrize("singular", [True, False])
async def test_names_of_one_thing_are_one_value(either_world: World, singular: bool) -> None:
    admin = either_world.endpoint()
    fact = await admin.state("auth", "runs_on", object_id="Kubernetes", singular=singular)
    await admin.state("Kube", "version", "1.30")
    assert (await admin.tool("merge_entities", {"from": "Kube", "into": "Kubernetes"})).success
    either_world.clock.at += DAY
    for name in ("Kube", fact["object_id"]):
        again = await admin.upsert("auth", "runs_on", object_id=name, singular=singular)
        assert (again["write_status"], again["fact"]["id"]) == ("duplicate", fact["id"])
    until = iso(either_world.clock.at + DAY)
    ended = await admin.upsert("auth", "runs_on", object_id="Kube", valid_until=until)
    assert (ended["fact"]["id"], ended["fact"]["valid_until"]) == (fact["id"], until)


async def test_a_superseded_fact_is_compiled_where_it_is_asked_for(admin: Endpoint) -> None:
    old = await admin.state("auth", "signing_algorithm", "RS256")
    new = await admin.state("auth", "signing_algorithm", "Ed25519")
    asked = {"query": "auth signing algorithm"}
    told = (await admin.tool("compile_context", asked)).success["context"]
    assert ("RS256" in told, "Ed25519" in told) == (False, True)
    both = (await admin.tool("compile_context", {**asked, "include_superseded": True})).success
    assert f"superseded by {new['id']}" in both["context"]
    assert old["id"] in both["context"]


async def test_the_id_of_what_nothing_readable_mentions_tells_no_name(world: World) -> None:
    admin, present = world.endpoint(), world.endpoint("present")
    over = {"valid_from": "2024", "valid_until": "2025"}
    past = await admin.state("Orion", "is", "on", **over)
    for argument in ("subject_id", "object_id"):
        stated = {"subject_id": "relay-7", "predicate": "uses", "object_id": "pump"}
        told = await present.tool("upsert_fact", {**stated, argument: past["subject_id"]})
        assert told.failure == ("not_found", f"Entity not found: check {argument}")
    await admin.state("Orion", "has", "lamps")
    assert (await present.state(past["subject_id"], "is", "off"))["subject"] == "Orion"
