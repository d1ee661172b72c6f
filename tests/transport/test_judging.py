"""What a judge says of names that are like known ones, and what becomes of them then."""

from collections.abc import Callable

import pytest

from metacortex.domain.errors import Unavailable
from metacortex.domain.knowledge.entity import entity_id
from metacortex.domain.knowledge.merging import JUDGE, MOST_ALIASES
from metacortex.domain.lifecycle import Change
from metacortex.service import judging
from metacortex.service.judging import LONGEST_TEXT, MOST_JUDGED
from tests.endpoint import Endpoint
from tests.fakes import FakeJudge
from tests.naming import happened, stated, told
from tests.world import MakeWorld, World

SAME = {("auth_servise", "auth_service"), ("AuthService", "auth_service")}


@pytest.fixture
def judge() -> FakeJudge:
    return FakeJudge(same=set(SAME))


@pytest.fixture
def judged(make_world: MakeWorld, judge: FakeJudge) -> World:
    return make_world(judge=judge)


async def aliases_of(endpoint: Endpoint, name: str) -> list[str]:
    found = (await endpoint.tool("search_entities", {"query": name})).success["entities"]
    return [alias for each in found for alias in each["aliases"]]


async def test_a_fact_about_what_the_judge_calls_the_same_stands_in_its_timeline(
    judged: World, judge: FakeJudge
) -> None:
    admin = judged.endpoint()
    first = await stated(admin, "auth_service")
    judged.clock.at += 1_000
    answer = await stated(admin, "auth_servise", object_value="Ben")
    assert told(answer) == [("auth_servise", True)]
    assert await aliases_of(admin, "auth_servise") == ["auth_servise"]
    assert answer["fact"]["subject_id"] == entity_id("default", "auth_servise")
    assert answer["fact"]["subject"] == "auth_servise"
    assert answer["superseded"] == [first["fact"]["id"]]
    ((one, other),) = judge.compared
    assert (one.name, one.texts) == ("auth_servise", ("auth_servise owned by Ben",))
    assert (other.name, other.texts) == ("auth_service", ("auth_service owned by Ana",))


async def test_what_was_said_of_a_name_that_the_judge_took_for_another_is_kept_under_it(
    judged: World,
) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    answer = await stated(admin, "auth_servise")
    assert (answer["write_status"], answer["superseded"]) == ("created", [])
    undo = {"from": "auth_servise", "undo": True}
    assert (await admin.tool("merge_entities", undo)).success["entity"]["mention_count"] == 1
    view = (await admin.tool("query_entity", {"entity": "auth_servise"})).success
    assert [each["id"] for each in view["active_facts"]] == [answer["fact"]["id"]]


async def test_two_names_of_one_write_are_not_merged_into_the_same(
    judged: World, judge: FakeJudge
) -> None:
    admin = judged.endpoint()
    judge.same.add(("AuthServices", "auth_service"))
    await stated(admin, "auth_service")
    await admin.tool(
        "upsert_fact",
        {"subject_id": "auth_servise", "predicate": "needs", "object_id": "AuthServices"},
    )
    assert await aliases_of(admin, "auth_service") == ["AuthServices"]
    assert len(judge.compared) == 2


@pytest.mark.parametrize("name", ["auth_servise", "auth_service"])
async def test_what_is_merged_while_the_judge_thinks_ends_what_is_known_by_any_name(
    judged: World, judge: FakeJudge, name: str
) -> None:
    admin = judged.endpoint()
    old = await stated(admin, "The gate")
    await stated(admin, "auth_service", predicate="runs_on")
    judged.clock.at += 1_000
    merge = {"from": name, "into": "The gate"}
    judge.meanwhile = lambda: admin.tool("merge_entities", merge)
    answer = await stated(admin, "auth_servise", object_value="Ben")
    assert answer["superseded"] == [old["fact"]["id"]]
    view = (await admin.tool("query_entity", {"entity": "The gate"})).success
    owners = [each for each in view["active_facts"] if each["predicate"] == "owned_by"]
    assert [each["object"] for each in owners] == ["Ben"]


async def test_an_episode_about_what_the_judge_calls_the_same_is_one_of_its_episodes(
    judged: World,
) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    answer = await happened(admin, "AuthService")
    assert told(answer) == [("AuthService", True)]
    view = (await admin.tool("query_entity", {"entity": "auth_service"})).success
    assert [each["id"] for each in view["episodes"]] == [answer["item"]["id"]]


async def test_a_merge_by_the_judge_is_one_step_that_is_recorded_and_undone(judged: World) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    await stated(admin, "auth_servise", predicate="runs_on")
    id_ = entity_id("default", "auth_servise")
    (change,) = await judged.store.changes("default", id_)
    assert isinstance(change, Change)
    assert (change.client, change.cause) == ("default", JUDGE)
    verified = (await admin.tool("verify_integrity", {})).success
    assert verified["verified"]
    undone = await admin.tool("merge_entities", {"from": "auth_servise", "undo": True})
    assert undone.success["status"] == "undone"
    assert await aliases_of(admin, "auth_service") == []
    again = await stated(admin, "auth_servise", predicate="listens_on")
    assert again["fact"]["subject_id"] == id_
    assert "proposals" not in again


@pytest.mark.parametrize(
    "spoil",
    [
        lambda judge: judge.same.clear(),
        lambda judge: setattr(judge, "fault", Unavailable("The judge is away")),
    ],
    ids=["different", "away"],
)
async def test_what_is_not_called_the_same_stays_a_proposal(
    judged: World, judge: FakeJudge, spoil: Callable[[FakeJudge], object]
) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    spoil(judge)
    answer = await stated(admin, "auth_servise")
    assert told(answer) == [("auth_servise", False)]
    assert answer["fact"]["subject_id"] == entity_id("default", "auth_servise")
    assert told(await happened(admin, "AuthService")) == [("AuthService", False)] * 2
    assert await aliases_of(admin, "auth_service") == []


async def test_a_judge_that_takes_too_long_is_not_waited_for(
    judged: World, judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    monkeypatch.setattr(judging, "PATIENCE", 0.0)
    assert told(await stated(admin, "auth_servise")) == [("auth_servise", False)]
    assert judge.compared == []


async def test_what_cannot_be_merged_stays_a_proposal(judged: World) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    for n in range(MOST_ALIASES):
        await admin.tool("merge_entities", {"from": f"alias {n}", "into": "auth_service"})
    answer = await stated(admin, "auth_servise")
    assert told(answer) == [("auth_servise", False)]
    assert answer["fact"]["subject_id"] == entity_id("default", "auth_servise")


async def test_the_judge_is_asked_of_the_likeliest_of_a_few_names_with_parts_of_long_texts(
    judged: World, judge: FakeJudge
) -> None:
    admin = judged.endpoint()
    known = [f"part {letter} of machine" for letter in "abcde"]
    await happened(admin, *known, content="word " * 1_000)
    answer = await happened(admin, *(name.replace(" ", "_") for name in known))
    assert len(judge.compared) == MOST_JUDGED
    assert {len(other.texts[0]) for _, other in judge.compared} == {LONGEST_TEXT}
    assert not any(merged for _, merged in told(answer))


@pytest.mark.case("K49", "K51")
async def test_the_judge_is_asked_of_nothing_that_the_writer_may_not_know(
    judged: World, judge: FakeJudge
) -> None:
    for writer in ("team-secret", "acme-all"):
        await stated(judged.endpoint(writer), "auth_service")
    await judged.endpoint("docs").save("auth_service is a draft that stays secret.", draft=True)
    await stated(judged.endpoint("docs"), "auth_service")
    await stated(judged.endpoint("docs"), "auth_servise")
    ((_, other),) = judge.compared
    assert other.texts == ("auth_service owned by Ana",)


async def test_without_a_judge_nothing_is_merged(admin: Endpoint) -> None:
    await stated(admin, "auth_service")
    assert told(await stated(admin, "auth_servise")) == [("auth_servise", False)]


async def test_an_event_tells_what_was_merged_by_its_id(judged: World) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    await stated(admin, "auth_servise")
    event = (await judged.events())[-1]
    assert event["response"]["merged_ids"] == [entity_id("default", "auth_servise")]
    assert event["response"]["proposal_count"] == 1
    assert "servise" not in str(event)
