"""forget_context takes the facts along that were drawn from what it forgets."""

from dataclasses import replace

import pytest

from tests.endpoint import Endpoint, Json
from tests.facts import a_fact
from tests.fakes import FakeJudge
from tests.samples import an_embedding
from tests.world import MakeWorld, World


async def learned(endpoint: Endpoint) -> tuple[Json, list[Json]]:
    """Return an episode and the facts that were drawn from it, the last from another fact."""
    episode = await endpoint.save("We moved to Ed25519.", kind="episode", topic="keys")
    first = await endpoint.state(
        "auth service", "signing_algorithm", "Ed25519", source_episode_id=episode["id"]
    )
    second = await endpoint.state("auth service", "is_modern", "yes", source_episode_id=first["id"])
    return episode, [first, second]


async def forgotten(endpoint: Endpoint, memory_id: str) -> int:
    """Forget a memory and return how many went."""
    told = await endpoint.tool("forget_context", {"ids": [memory_id]})
    return int(told.success["forgotten"])


@pytest.mark.case("K44")
async def test_what_was_drawn_from_a_memory_goes_with_it(admin: Endpoint) -> None:
    old = await admin.state("auth service", "signing_algorithm", "RS256")
    episode, facts = await learned(admin)
    await admin.save("The auth service is old.", topic="other")
    assert await forgotten(admin, episode["id"]) == 3
    for fact in facts:
        outcome = await admin.tool("fact_context", {"fact_id": fact["id"]})
        assert outcome.failure == ("not_found", "Fact not found")
    told = (await admin.tool("fact_context", {"fact_id": old["id"]})).success
    assert told["fact"]["superseded_by"] == "forgotten"
    assert [each["id"] for each in told["history"]] == [old["id"]]
    assert await admin.found("Ed25519", kind=["fact"]) == []


async def test_a_preview_tells_of_the_facts_that_would_go_too(admin: Endpoint) -> None:
    episode, facts = await learned(admin)
    narrowed = {"filter_topic": "keys"}
    told = (await admin.tool("forget_context", narrowed)).success
    assert (told["matching"], told["facts"], told["ids"]) == (1, 2, [episode["id"]])
    again = {**narrowed, "confirmation": told["confirmation"]}
    assert (await admin.tool("forget_context", again)).success == {"forgotten": 3}
    assert (await admin.fetch(facts[1]["id"])).failure[0] == "not_found"


async def test_facts_that_are_found_themselves_are_counted_once(admin: Endpoint) -> None:
    await learned(admin)
    told = (await admin.tool("forget_context", {"all": True})).success
    assert told["matching"] == 3
    assert "facts" not in told


async def test_a_fact_of_a_namespace_that_is_only_read_stays(world: World) -> None:
    """Earlier versions let a fact be drawn from a memory of another namespace."""
    team = world.endpoint("team")
    episode = await team.save("Noor drinks espresso.", kind="episode")
    drawn = replace(a_fact(namespace="docs/public").memory, sources=(episode["id"],))
    await world.engine.facts.add_fact("default", drawn, an_embedding(), "claude")
    assert await forgotten(team, episode["id"]) == 1
    assert await world.engine.store.get("default", drawn.id) is not None


async def test_what_is_stated_while_its_subject_is_forgotten_keeps_it_known(
    make_world: MakeWorld,
) -> None:
    judge = FakeJudge()
    admin = make_world(judge=judge).endpoint()
    fact = await admin.state("pump 2", "stands_in", "room 9")
    await admin.state("auth_service", "owner", "Ana")
    judge.meanwhile = lambda: forgotten(admin, fact["id"])
    stated = await admin.state("pump 2", "needs", object_id="auth_servise")
    view = (await admin.tool("query_entity", {"entity": stated["subject_id"]})).success
    assert [each["id"] for each in view["active_facts"]] == [stated["id"]]
    assert view["entity"]["name"] == "pump 2"
