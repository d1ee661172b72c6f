"""What is proposed where a write brings in names that are like known ones."""

import pytest

from metacortex.domain.calibration import PROBES
from metacortex.domain.errors import Unavailable
from metacortex.domain.knowledge.entity import entity_id
from metacortex.service import proposing
from metacortex.service.proposing import MOST_EACH, MOST_NAMES
from tests.endpoint import Endpoint, Json
from tests.naming import happened, stated
from tests.world import World


def told(answer: Json) -> list[tuple[str, str, float, str]]:
    return [
        (each["name"], like["name"], like["score"], like["stage"])
        for each in answer.get("proposals", [])
        for like in [each["resembles"]]
    ]


async def test_a_new_name_of_a_fact_tells_what_it_is_spelled_like(admin: Endpoint) -> None:
    first = await stated(admin, "auth_service")
    assert "proposals" not in first
    answer = await stated(admin, "auth_servise")
    assert told(answer) == [("auth_servise", "auth_service", 0.909, "fuzzy")]
    (proposal,) = answer["proposals"]
    assert proposal["id"] == answer["fact"]["subject_id"]
    assert proposal["resembles"]["id"] == first["fact"]["subject_id"]
    assert proposal["resembles"]["mention_count"] == 1
    assert "proposals" not in await stated(admin, "auth_servise", predicate="runs_on")


async def test_a_new_name_tells_what_means_the_same(admin: Endpoint) -> None:
    await stated(admin, "ledger of the payments")
    answer = await stated(admin, "web", object_id="the payments of ledger", object_value=None)
    assert told(answer) == [
        ("the payments of ledger", "ledger of the payments", 1.0, "embedding"),
    ]


async def test_an_episode_tells_it_of_names_that_are_given_or_stand_in_it(admin: Endpoint) -> None:
    await admin.save("payment_ledger is slow.")
    answer = await happened(admin, "the service of auth", content="PaymentLedger was replaced.")
    assert told(answer) == [("PaymentLedger", "payment_ledger", 1.0, "fuzzy")]
    again = await happened(admin, "the service of auth", content="PaymentLedger was replaced.")
    assert again["write_status"] == "duplicate"
    assert "proposals" not in again


@pytest.mark.case("K39")
@pytest.mark.parametrize(
    ("known", "new"),
    [("QXRT", "QXRS"), ("JIRA-1234", "JIRA-1235"), ("node 1 of 20", "node 20 of 1")],
)
async def test_codes_that_differ_are_never_proposed(admin: Endpoint, known: str, new: str) -> None:
    await stated(admin, known)
    assert "proposals" not in await stated(admin, new)


async def test_names_that_one_write_brings_together_are_told_apart(admin: Endpoint) -> None:
    await stated(admin, "auth_service")
    assert "proposals" not in await happened(admin, "auth_service", "auth_servise")
    both = await stated(admin, "pay_ledger", object_id="PayLedger", object_value=None)
    assert "proposals" not in both


@pytest.mark.case("K49", "K51")
async def test_nothing_is_proposed_that_may_not_be_seen(world: World) -> None:
    for writer in ("docs", "team-secret", "acme-all"):
        await stated(world.endpoint(writer), "auth_service")
    await world.endpoint("team").save("auth_service is a draft.", draft=True)
    assert "proposals" not in await stated(world.endpoint("team-inner"), "auth_servise")
    assert told(await stated(world.endpoint("docs"), "auth_servise"))
    hidden = {"namespace": "default"}
    await world.endpoint().save("pay_ledger is a draft.", draft=True)
    assert "proposals" not in await stated(world.endpoint("present"), "PayLedger", **hidden)
    assert told(await stated(world.endpoint("drafts"), "Pay Ledger", **hidden))


async def test_what_was_merged_is_proposed_as_what_it_stands_for(admin: Endpoint) -> None:
    await stated(admin, "Calico")
    await admin.tool("merge_entities", {"from": "auth_service", "into": "Calico"})
    answer = await stated(admin, "auth_servise")
    assert told(answer) == [("auth_servise", "Calico", 0.909, "fuzzy")]
    assert answer["proposals"][0]["resembles"]["aliases"] == ["auth_service"]


async def test_so_many_are_proposed_for_so_many_names(admin: Endpoint) -> None:
    for n in range(MOST_EACH + 1):
        await stated(admin, "auth service" + "_" * n + "x")
    assert len(told(await stated(admin, "auth.service.x."))) == MOST_EACH
    known = [f"part {letter} of machine" for letter in "abcdefghijkl"]
    await happened(admin, *known)
    new = [name.replace(" ", "_") for name in known]
    answer = await happened(admin, *new, content="It moved again.")
    assert {each["name"] for each in answer["proposals"]} == set(new[:MOST_NAMES])


async def test_a_model_that_fails_costs_the_stage_and_not_the_write(world: World) -> None:
    admin = world.endpoint()
    await stated(admin, "ledger of payments")

    def failing_for_names(vectors: list[list[float]]) -> list[list[float]]:
        # What happened is told in more words than the three of these names.
        if sum(vectors[0]) == 3:
            raise Unavailable("The model is away")
        return vectors

    world.embedder.spoil = failing_for_names
    assert "proposals" not in await happened(admin, "payments of ledger")
    assert told(await happened(admin, "ledger of payment"))[0][3] == "fuzzy"
    world.embedder.spoil = lambda vectors: vectors
    coverage = await world.services.maintenance.coverage()
    assert coverage.finding == (
        f"2 names of entities have no vector of the present model ({world.embedder.space}), and are"
        " not proposed by meaning"
    )
    assert [done async for done in world.services.maintenance.reembed()] == [2]
    named = ("ledger payments of", "payments of ledger", 1.0, "embedding")
    assert named in told(await stated(admin, "ledger payments of"))


async def test_names_of_another_space_are_not_compared_until_they_are_embedded_again(
    world: World,
) -> None:
    admin, maintenance = world.endpoint(), world.services.maintenance
    await stated(admin, "ledger of payments")
    world.embedder.space = type(world.embedder.space)("another", 256)
    assert "proposals" not in await stated(admin, "payments of ledger")
    assert [done async for done in maintenance.reembed()] == [1, 2]
    assert (await maintenance.coverage()).uncovered == 0
    assert told(await stated(admin, "of ledger payments"))


async def test_an_event_tells_how_many_and_no_name(world: World) -> None:
    admin = world.endpoint()
    await stated(admin, "auth_service")
    await stated(admin, "auth_servise")
    await happened(admin, "auth_servize")
    fact, episode = (await world.events())[-2:]
    assert (fact["response"]["proposal_count"], episode["response"]["proposal_count"]) == (1, 2)
    assert "servi" not in f"{fact} {episode}"


async def test_ids_bring_in_no_name(admin: Endpoint) -> None:
    await stated(admin, "auth_service")
    id_ = entity_id("default", "auth_service")
    assert "proposals" not in await stated(admin, id_, predicate="runs_on")


async def test_what_cannot_be_found_out_is_not_proposed(world: World) -> None:
    admin = world.endpoint()

    def failing_for_probes(vectors: list[list[float]]) -> list[list[float]]:
        if len(vectors) == len(PROBES):
            raise Unavailable("The model is away")
        return vectors

    world.embedder.spoil = failing_for_probes
    await stated(admin, "ledger of payments")
    answer = await stated(admin, "ledger of payment")
    assert (answer["write_status"], told(answer)) == ("created", [])


async def test_what_takes_too_long_to_find_is_not_proposed(
    admin: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stated(admin, "auth_service")
    monkeypatch.setattr(proposing, "PATIENCE", 0.0)
    answer = await stated(admin, "auth_servise")
    assert (answer["write_status"], told(answer)) == ("created", [])
