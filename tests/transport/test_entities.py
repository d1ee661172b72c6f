"""search_entities, and what memories mention."""

from string import ascii_lowercase

import pytest

from metacortex.domain.errors import Unavailable
from metacortex.domain.knowledge.entity import entity_id
from metacortex.domain.knowledge.likeness import MOST_COMPARED
from metacortex.service.mentions import MOST_MENTIONS
from tests.endpoint import Endpoint, Json
from tests.entities import an_entity
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
    assert refused.failure == ("not_found", "Entity not found: check subject_id")


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


async def test_an_id_means_what_the_client_may_know_of(world: World) -> None:
    admin, limited = world.endpoint(), world.endpoint("present")
    await admin.save("Project Falcon starts.", draft=True, entities=["Project Falcon"])
    hidden = entity_id("default", "Project Falcon")
    refused = await limited.tool("remember_context", {"content": "A guess.", "entities": [hidden]})
    assert refused.failure == ("not_found", "Entity not found")

    await admin.save("Visible is slow.", entities=["Visible"])
    await admin.tool("merge_entities", {"from": "Visible", "into": "Project Falcon"})
    arguments = {"content": "It is slow again.", "entities": [hidden]}
    item = (await limited.tool("remember_context", arguments)).success["item"]
    assert item["metadata"]["entities"] == [entity_id("default", "Visible")]
    (known,) = (await searched(limited, "Visible"))["entities"]
    assert (known["name"], known["aliases"]) == ("Visible", [])


async def test_a_name_that_cannot_be_one_is_refused(admin: Endpoint) -> None:
    refused = await admin.tool("search_entities", {"query": "x" * 201})
    assert refused.failure == ("invalid_input", "query must be at most 200 characters")
    for name in (
        "a\nb",
        "\u200bx",
        "\ufeffab",
        "\u202eevil",
        "a\u3164b",
        "a\u034fb",
        "a\U000e0041",
    ):
        refused = await admin.tool("search_entities", {"query": name})
        assert refused.failure == (
            "invalid_input",
            "query must be one line without control or invisible characters",
        )


async def test_a_memory_lists_so_many_entities_those_that_were_given_first(admin: Endpoint) -> None:
    known = [f"known_{n}" for n in range(40)]
    for start in (0, 20):
        await admin.save(" ".join(known[start : start + 20]))
    given = [f"Given {n}" for n in range(32)]
    text = " ".join(known)
    written = await admin.tool("remember_context", {"content": text, "entities": given})
    listed = written.success["item"]["metadata"]["entities"]
    assert len(listed) == MOST_MENTIONS
    assert listed[:32] == [entity_id("default", name) for name in given]
    assert listed[32:] == [entity_id("default", name) for name in known[:32]]


async def test_a_name_that_was_given_in_two_spellings_is_one_entity(admin: Endpoint) -> None:
    given = ["Ana  Lopez", "ANA LOPEZ"]
    await admin.tool("remember_context", {"content": "It rains.", "entities": given})
    (entity,) = (await searched(admin, "ana lopez"))["entities"]
    assert (entity["name"], entity["mention_count"]) == ("Ana  Lopez", 1)


async def test_an_equal_text_with_other_names_is_another_memory(admin: Endpoint) -> None:
    for names in (["Ana"], ["Ben"], ["Ana"]):
        await admin.tool("remember_context", {"content": "It rains.", "entities": names})
    counts = [
        (await searched(admin, name))["entities"][0]["mention_count"] for name in ("Ana", "Ben")
    ]
    assert counts == [1, 1]


async def test_events_tell_of_entities_by_their_ids_alone(world: World) -> None:
    admin = world.endpoint()
    await admin.save("Ask QXRT.", topic="x")
    await searched(admin, "QXRT", type="acronym")
    merged = await admin.tool("merge_entities", {"from": "Quixote", "into": "QXRT"})
    *_, search, merge = await world.events()
    assert search["request"] == {"query_length": 4, "type": "acronym"}
    assert search["response"] == {"entity_count": 1, "proposal_count": 0}
    assert merge["response"] == {
        "status": "merged",
        "entity_id": merged.success["id"],
        "survivor_id": merged.success["entity"]["id"],
    }
    assert "QXRT" not in str((search, merge))
    assert "Quixote" not in str((search, merge))


async def test_names_that_mean_the_same_are_proposed_in_a_search(world: World) -> None:
    admin = world.endpoint()
    await admin.state("ledger of payments", "owned by", "Ana")
    found = await searched(admin, "payments of ledger")
    (proposal,) = found["proposals"]
    assert (proposal["name"], proposal["stage"]) == ("ledger of payments", "embedding")
    world.embedder.fault = Unavailable("The model is away")
    assert (await searched(admin, "payments of ledger"))["proposals"] == []
    assert (await searched(admin, "ledger of payment"))["proposals"][0]["stage"] == "fuzzy"


async def test_a_fact_about_an_unknown_id_brings_in_no_name(world: World, admin: Endpoint) -> None:
    nobody = "ent_" + "0" * 32
    stated = {"subject_id": "Zed", "predicate": "stands_beside", "object_id": nobody}
    assert (await admin.tool("upsert_fact", stated)).failure[0] == "not_found"
    assert await world.engine.entities.named("default", None, "Zed") == ()


async def test_a_fact_may_be_about_and_of_one_new_name(admin: Endpoint) -> None:
    fact = await admin.state("Zed", "is_like", object_id="ZED")
    assert fact["object_id"] == fact["subject_id"]
    assert (fact["subject"], fact["object"]) == ("Zed", "ZED")
    (entity,) = (await searched(admin, "zed"))["entities"]
    assert (entity["name"], entity["mention_count"]) == ("Zed", 1)


async def test_a_known_name_is_not_embedded_again_however_many_begin_alike(world: World) -> None:
    pumps = [f"pump {letter}{other}" for letter in ascii_lowercase for other in ascii_lowercase]
    entities = [an_entity(name) for name in pumps[: MOST_COMPARED + 1]]
    await world.engine.entities.put("default", entities)
    last = max(entities, key=lambda each: each.id)
    saved = await world.endpoint().save("It leaks.", entities=[last.name, "pump of oil"])
    assert last.id in saved["metadata"]["entities"]
    assert last.name not in world.embedder.passages
    assert "pump of oil" in world.embedder.passages


@pytest.mark.parametrize("name", ["the who", "It", "is"])
async def test_a_known_name_of_common_words_is_not_embedded_again(world: World, name: str) -> None:
    for text in ("First.", "Second."):
        await world.endpoint().save(text, entities=[name])
    assert world.embedder.passages.count(name) == 1
