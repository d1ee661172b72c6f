"""search_entities, and what memories mention."""

import pytest

from tests.endpoint import Endpoint, Json
from tests.world import World


async def searched(endpoint: Endpoint, query: str, **arguments: object) -> Json:
    return (await endpoint.tool("search_entities", {"query": query, **arguments})).success


@pytest.mark.case("K39")
async def test_an_acronym_in_four_notes_is_one_entity_that_each_of_them_lists(
    admin: Endpoint,
) -> None:
    texts = ("Ask QXRT first.", "The QXRT runs at night.", "Who owns QXRT?", "Restart QXRT.")
    items = [await admin.save(text) for text in texts]
    found = await searched(admin, "qxrt")
    (entity,) = found["entities"]
    assert (entity["name"], entity["type"], entity["mention_count"]) == ("QXRT", "acronym", 4)
    assert [item["metadata"]["entities"] for item in items] == [[entity["id"]]] * 4
    assert found["proposals"] == []


@pytest.mark.case("K40")
async def test_one_name_inside_another_is_another_entity(admin: Endpoint) -> None:
    names = ["Cal", "Calico", "Cal-9"]
    text = "Cal compared the Calico printer with the Cal-9 sensor."
    item = (await admin.tool("remember_context", {"content": text, "entities": names})).success
    await admin.save("The scale is new.")
    await admin.save("CALICO's printer is old.")
    found = [(await searched(admin, name))["entities"] for name in names]
    assert [[each["name"] for each in one] for one in found] == [["Cal"], ["Calico"], ["Cal-9"]]
    assert [one[0]["mention_count"] for one in found] == [1, 2, 1]
    ids = [one[0]["id"] for one in found]
    assert item["item"]["metadata"]["entities"] == ids
    assert (await searched(admin, ids[0]))["entities"] == found[0]


async def test_names_that_are_spelled_alike_are_proposed_and_not_taken(admin: Endpoint) -> None:
    await admin.save("PaymentLedger is slow.")
    await admin.save("payment_ledger is slow.")
    found = await searched(admin, "Payment Ledger")
    assert found["entities"] == []
    assert {(each["name"], each["score"]) for each in found["proposals"]} == {
        ("PaymentLedger", 1.0),
        ("payment_ledger", 1.0),
    }
    assert await searched(admin, "Payment Ledger", type="acronym") == {
        "entities": [],
        "proposals": [],
    }


async def test_facts_and_episodes_mention_entities_too(admin: Endpoint) -> None:
    fact = await admin.state("auth service", "runs on", "v2")
    episode = {"title": "A move", "content": "It moved.", "entities": ["Auth  Service"]}
    await admin.tool("record_episode", episode)
    (entity,) = (await searched(admin, "AUTH SERVICE"))["entities"]
    assert (entity["id"], entity["mention_count"]) == (fact["subject_id"], 2)
    by_id = await admin.state(entity["id"], "owned by", "Ana")
    assert (by_id["subject_id"], by_id["subject"]) == (entity["id"], "auth service")
    refused = await admin.tool(
        "upsert_fact", {"subject_id": "ent_" + "0" * 32, "predicate": "is", "object_value": "x"}
    )
    assert refused.failure == ("not_found", "Entity not found")


async def test_an_entity_goes_with_what_mentions_it(admin: Endpoint) -> None:
    ids = [(await admin.save(text))["id"] for text in ("Ask QXRT.", "Restart QXRT.")]
    await admin.tool("forget_context", {"ids": ids[:1]})
    assert (await searched(admin, "QXRT"))["entities"][0]["mention_count"] == 1
    await admin.tool("forget_context", {"ids": ids[1:]})
    assert await searched(admin, "QXRT") == {"entities": [], "proposals": []}


@pytest.mark.case("K49", "K51")
async def test_an_entity_is_known_only_where_memories_that_mention_it_may_be_read(
    world: World,
) -> None:
    for writer in ("team", "team-secret", "acme-all"):
        await world.endpoint(writer).save("Ask QXRT.")
    await world.endpoint("team").save("QXRT is a draft.", draft=True)
    team, docs = world.endpoint("team"), world.endpoint("docs")
    (entity,) = (await searched(team, "QXRT"))["entities"]
    assert (entity["mention_count"], entity["namespace"]) == (2, "team")
    assert await searched(docs, "QXRT") == {"entities": [], "proposals": []}
    assert await searched(docs, entity["id"]) == {"entities": [], "proposals": []}
    counts = [
        each["mention_count"] for each in (await searched(world.endpoint(), "QXRT"))["entities"]
    ]
    assert sorted(counts) == [1, 2]
    in_team = await searched(world.endpoint(), "QXRT", namespace="team")
    assert in_team["entities"] == [entity]
    refused = await docs.tool("search_entities", {"query": "QXRT", "namespace": "team"})
    assert refused.failure == ("forbidden", "namespace 'team' cannot be read by this client")


async def test_mentions_in_states_that_may_not_be_seen_are_not_counted(world: World) -> None:
    await world.endpoint().save("Ask QXRT.", draft=True)
    assert (await searched(world.endpoint("drafts"), "QXRT"))["entities"][0]["mention_count"] == 1
    assert (await searched(world.endpoint("archivist"), "QXRT"))["entities"] == []


async def test_a_name_that_cannot_be_one_is_refused(admin: Endpoint) -> None:
    refused = await admin.tool("search_entities", {"query": "x" * 201})
    assert refused.failure == ("invalid_input", "query must be at most 200 characters")
    refused = await admin.tool("search_entities", {"query": "a\nb"})
    assert refused.failure == (
        "invalid_input",
        "query must be one line without control characters",
    )
