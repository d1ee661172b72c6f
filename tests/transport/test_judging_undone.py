"""What a judge has merged for a write that is not saved is undone, and nothing else."""

from asyncio import CancelledError
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import NoReturn, cast

import pytest

from metacortex.domain.errors import Unavailable
from metacortex.domain.knowledge.entity import entity_id
from metacortex.domain.knowledge.merging import JUDGE
from metacortex.domain.knowledge.new_fact import NO_SOURCE, NewFact
from metacortex.domain.lifecycle import Change
from metacortex.knowledge_ports import EntityStore, FactStore
from metacortex.service import merging
from tests.fakes import FakeJudge
from tests.naming import happened, stated, told
from tests.world import MakeWorld, World

AUTH, LEDGER = entity_id("default", "auth_servise"), entity_id("default", "ledger_servise")


@pytest.fixture
def judge() -> FakeJudge:
    return FakeJudge(same={("auth_servise", "auth_service"), ("ledger_servise", "ledger_service")})


@pytest.fixture
def judged(make_world: MakeWorld, judge: FakeJudge) -> World:
    return make_world(judge=judge)


async def nothing() -> None:
    """Do nothing."""


@dataclass
class Failing:
    """Facts of which none is stored: each new one raises what the test says, after `meanwhile`."""

    facts: FactStore
    fault: Callable[[], BaseException]
    meanwhile: Callable[[], Awaitable[None]] = nothing

    async def add_fact(self, *_: object) -> NoReturn:
        await self.meanwhile()
        raise self.fault()

    def __getattr__(self, name: str) -> object:
        return getattr(self.facts, name)


def failing(
    make_world: MakeWorld,
    judged: World,
    judge: FakeJudge,
    fault: Callable[[], BaseException],
    meanwhile: Callable[[], Awaitable[None]] = nothing,
) -> World:
    """Return a world of the same memory that stores no fact."""
    facts = cast(FactStore, Failing(judged.engine.facts, fault, meanwhile))
    return make_world(engine=replace(judged.engine, facts=facts), judge=judge)


@pytest.mark.parametrize("fault", [Unavailable("The store is away"), CancelledError()], ids=repr)
async def test_a_merge_is_undone_where_the_fact_is_not_saved(
    make_world: MakeWorld, judged: World, judge: FakeJudge, fault: BaseException
) -> None:
    await stated(judged.endpoint(), "auth_service")
    world = failing(make_world, judged, judge, lambda: fault)
    with pytest.raises(type(fault)):
        await world.services.facts.upsert(
            judged.principal(), NewFact("auth_servise", "owned_by", value="Ana")
        )
    id_ = entity_id("default", "auth_servise")
    merged, undone = await judged.store.changes("default", id_)
    assert isinstance(merged, Change)
    assert isinstance(undone, Change)
    assert (merged.cause, undone.before, undone.after) == (JUDGE, merged.after, merged.before)
    # The fact may be stored all the same, so its subject stays.
    (alone,) = await judged.engine.entities.find("default", [id_])
    assert alone.merged_with is None


async def test_a_merge_is_undone_and_the_name_is_new_again_where_the_fact_is_refused(
    judged: World, judge: FakeJudge
) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    source = (await happened(admin, "Noor"))["item"]["id"]
    judge.meanwhile = lambda: admin.tool("forget_context", {"ids": [source]})
    given = {"subject_id": "auth_servise", "predicate": "owned_by", "object_value": "Ana"}
    refused = await admin.tool("upsert_fact", {**given, "source_episode_id": source})
    assert refused.failure == ("not_found", NO_SOURCE)
    assert await judged.engine.entities.named("default", None, "auth_servise") == ()
    judge.meanwhile = None
    assert told(await stated(admin, "auth_servise")) == [("auth_servise", True)]


async def test_a_fact_is_refused_alike_where_the_merge_cannot_be_undone(
    make_world: MakeWorld, judged: World, judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stated(judged.endpoint(), "auth_service")

    def away() -> BaseException:
        monkeypatch.setattr(merging, "_TRIES", 0)
        return Unavailable("The store is away")

    world = failing(make_world, judged, judge, away)
    given = {"subject_id": "auth_servise", "predicate": "owned_by", "object_value": "Ana"}
    refused = await world.endpoint().tool("upsert_fact", given)
    assert refused.failure == ("unavailable", "The store is away")
    (alias,) = await judged.engine.entities.find("default", [entity_id("default", "auth_servise")])
    assert alias.merged_with == entity_id("default", "auth_service")


async def test_a_merge_that_others_made_since_stays(
    make_world: MakeWorld, judged: World, judge: FakeJudge
) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    await stated(admin, "The gate")

    async def merge_it_otherwise() -> None:
        assert (await admin.tool("merge_entities", {"from": "auth_servise", "undo": True})).success
        merge = {"from": "auth_servise", "into": "The gate"}
        assert (await admin.tool("merge_entities", merge)).success

    away = Unavailable("The store is away")
    world = failing(make_world, judged, judge, lambda: away, merge_it_otherwise)
    given = {"subject_id": "auth_servise", "predicate": "owned_by", "object_value": "Ana"}
    assert (await world.endpoint().tool("upsert_fact", given)).failure[0] == "unavailable"
    (alias,) = await judged.engine.entities.find("default", [AUTH])
    assert alias.merged_with == entity_id("default", "The gate")


async def test_a_merge_that_others_made_while_the_judge_thought_stays(
    make_world: MakeWorld, judged: World, judge: FakeJudge
) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    merge = {"from": "auth_servise", "into": "auth_service"}
    judge.meanwhile = lambda: admin.tool("merge_entities", merge)
    world = failing(make_world, judged, judge, lambda: Unavailable("The store is away"))
    given = {"subject_id": "auth_servise", "predicate": "owned_by", "object_value": "Ana"}
    assert (await world.endpoint().tool("upsert_fact", given)).failure[0] == "unavailable"
    (alias,) = await judged.engine.entities.find("default", [AUTH])
    assert alias.merged_with == entity_id("default", "auth_service")


async def test_a_merge_into_what_others_merged_while_the_judge_thought_is_undone(
    make_world: MakeWorld, judged: World, judge: FakeJudge
) -> None:
    admin = judged.endpoint()
    await stated(admin, "auth_service")
    await stated(admin, "The gate")
    merge = {"from": "auth_service", "into": "The gate"}
    judge.meanwhile = lambda: admin.tool("merge_entities", merge)
    world = failing(make_world, judged, judge, lambda: Unavailable("The store is away"))
    given = {"subject_id": "auth_servise", "predicate": "owned_by", "object_value": "Ana"}
    assert (await world.endpoint().tool("upsert_fact", given)).failure[0] == "unavailable"
    (alias,) = await judged.engine.entities.find("default", [AUTH])
    assert alias.merged_with is None


@dataclass
class Interrupted:
    """Entities of which one merge, or undoing one, is made and breaks off before that is known."""

    entities: EntityStore
    at: int
    fault: BaseException
    merges: int = 0

    async def merge(self, tenant: str, change: Change) -> bool:
        self.merges += 1
        merged = await self.entities.merge(tenant, change)
        if self.merges == self.at:
            raise self.fault
        return merged

    def __getattr__(self, name: str) -> object:
        return getattr(self.entities, name)


async def test_what_was_merged_before_the_judge_is_called_off_is_undone(
    make_world: MakeWorld, judged: World, judge: FakeJudge
) -> None:
    await stated(judged.endpoint(), "auth_service")
    await stated(judged.endpoint(), "ledger_service")
    entities = Interrupted(judged.engine.entities, 2, CancelledError())
    engine = replace(judged.engine, entities=cast(EntityStore, entities))
    world = make_world(engine=engine, judge=judge)
    with pytest.raises(CancelledError):
        await world.services.facts.upsert(
            judged.principal(), NewFact("auth_servise", "pays", entity="ledger_servise")
        )
    assert entities.merges == 4
    found = await judged.engine.entities.find("default", [AUTH, LEDGER])
    assert [each.merged_with for each in found] == [None, None]


async def test_of_two_merges_the_second_is_undone_where_the_first_may_not_have_been(
    make_world: MakeWorld, judged: World, judge: FakeJudge
) -> None:
    await stated(judged.endpoint(), "auth_service")
    await stated(judged.endpoint(), "ledger_service")
    away = Unavailable("The store is away")
    entities = cast(EntityStore, Interrupted(judged.engine.entities, 3, away))
    facts = cast(FactStore, Failing(judged.engine.facts, lambda: away))
    world = make_world(engine=replace(judged.engine, entities=entities, facts=facts), judge=judge)
    given = {"subject_id": "auth_servise", "predicate": "pays", "object_id": "ledger_servise"}
    refused = await world.endpoint().tool("upsert_fact", given)
    assert refused.failure == ("unavailable", "The store is away")
    found = await judged.engine.entities.find("default", [AUTH, LEDGER])
    assert [each.merged_with for each in found] == [None, None]


async def test_a_merge_of_which_the_answer_was_lost_is_undone_and_stays_a_proposal(
    make_world: MakeWorld, judged: World, judge: FakeJudge
) -> None:
    await stated(judged.endpoint(), "auth_service")
    away = Unavailable("The store is away")
    entities = cast(EntityStore, Interrupted(judged.engine.entities, 1, away))
    world = make_world(engine=replace(judged.engine, entities=entities), judge=judge)
    given = {"subject_id": "auth_servise", "predicate": "owned_by", "object_value": "Ana"}
    told = (await world.endpoint().tool("upsert_fact", given)).success
    assert [each["merged"] for each in told["proposals"]] == [False]
    (alias,) = await judged.engine.entities.find("default", [AUTH])
    assert alias.merged_with is None
