"""What `EntityStore` promises."""

import asyncio
from collections.abc import Sequence

import pytest

from metacortex.domain.forgetting import Forgetting
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.knowledge.likeness import MOST_COMPARED
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.listing import Place
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Moment
from metacortex.engines import Engine
from metacortex.knowledge_ports import EntityStore
from tests.entities import an_entity, merge
from tests.samples import NOW, TENANT, a_filter, a_memory, add

ALL = tuple(BranchState)
GONE = Forgetting(b"key", "cli", NOW)


@pytest.fixture
def entities(engine: Engine) -> EntityStore:
    return engine.entities


def by_id(*entities: Entity) -> tuple[Entity, ...]:
    return tuple(sorted(entities, key=lambda entity: entity.id))


def by_creation(*memories: Memory) -> tuple[Memory, ...]:
    return tuple(sorted(memories, key=Place.of, reverse=True))


async def test_an_entity_is_found_as_it_was_put_first(entities: EntityStore) -> None:
    first, other = an_entity("Payment Ledger"), an_entity("Calico", by_hand=True)
    await entities.put(TENANT, [first, other])
    await entities.put(TENANT, [an_entity("PAYMENT  LEDGER")])
    ids = [first.id, other.id, first.id, "ent_" + "0" * 32, "no id", "a/b", "\ud800"]
    assert await entities.find(TENANT, ids) == by_id(first, other)
    assert await entities.find("another", ids) == ()
    assert await entities.find(TENANT, []) == ()


async def test_of_equal_puts_at_once_one_stays(entities: EntityStore) -> None:
    spellings = [an_entity("qxrt".replace("q", letter)) for letter in "qQ" * 5]
    await asyncio.gather(*(entities.put(TENANT, [each]) for each in spellings))
    (kept,) = await entities.find(TENANT, [spellings[0].id])
    assert kept in spellings


async def test_a_name_is_found_in_whatever_case_in_the_namespaces_that_are_asked(
    entities: EntityStore,
) -> None:
    here, there = an_entity("Ana Lopez"), an_entity("Ana Lopez", "team")
    await entities.put(TENANT, [here, there, an_entity("Ana"), an_entity("Aña Lopez")])
    assert await entities.named(TENANT, None, "ana  LOPEZ") == by_id(here, there)
    assert await entities.named(TENANT, ["team", "nowhere"], "ana lopez") == (there,)
    assert await entities.named(TENANT, [], "ana lopez") == ()
    assert await entities.named("another", None, "ana lopez") == ()


async def test_names_are_found_by_the_words_that_they_begin_with(entities: EntityStore) -> None:
    known = [an_entity(name) for name in ("Cal", "Calico", "Cal-9", "Cal Tech", "x" * 200)]
    await entities.put(TENANT, [*known, an_entity("Cal", "team")])
    cal, calico, cal_9, tech, long = known
    assert await entities.beginning(TENANT, ["default"], ["cal"]) == by_id(cal, tech)
    words = ["cal-9", "calico", "ca", "tech", "x" * 200]
    assert await entities.beginning(TENANT, ["default"], words) == by_id(calico, cal_9, long)
    many = [f"word{n}" for n in range(250)] + ["cal"]
    assert await entities.beginning(TENANT, ["default"], many) == by_id(cal, tech)
    assert await entities.beginning("another", None, ["cal"]) == ()


async def test_names_with_letters_in_common_are_candidates(entities: EntityStore) -> None:
    known = [an_entity(name) for name in ("auth_service", "Auth Servise", "Calico")]
    elsewhere = an_entity("AuthService", "team")
    await entities.put(TENANT, [*known, elsewhere])
    like = await entities.resembling(TENANT, None, "auth-service")
    assert like == by_id(known[0], known[1], elsewhere)
    assert await entities.resembling(TENANT, ["team"], "auth-service") == (elsewhere,)
    assert await entities.resembling(TENANT, None, "?") == ()


async def test_no_more_than_so_many_candidates_are_returned(entities: EntityStore) -> None:
    many = [an_entity(f"relay {n}") for n in range(MOST_COMPARED + 5)]
    for start in range(0, len(many), 100):
        await entities.put(TENANT, many[start : start + 100])
    assert len(await entities.resembling(TENANT, ["default"], "relay")) == MOST_COMPARED
    assert len(await entities.beginning(TENANT, ["default"], ["relay"])) == MOST_COMPARED
    # The many of one namespace take no place of the few of another.
    few = [an_entity("rela", "team"), an_entity("relay", "team")]
    await entities.put(TENANT, few)
    both = ["default", "team"]
    assert {*few} <= {*await entities.resembling(TENANT, both, "relay")}
    assert few[1] in await entities.beginning(TENANT, both, ["relay"])


async def mentioning(
    engine: Engine, id_: str, entities: Sequence[Entity], **varied: object
) -> None:
    ids = tuple(entity.id for entity in entities)
    await add(engine.store, a_memory(id_, entities=ids, **varied))


async def counted(engine: Engine, *entities: Entity, tenant: str = TENANT) -> list[int]:
    families = {entity.name: [entity.id] for entity in entities}
    return [*(await engine.entities.mentions(tenant, families, ALL)).values()]


async def test_mentions_are_the_memories_that_list_an_entity(engine: Engine) -> None:
    cal, calico = an_entity("Cal"), an_entity("Calico")
    await mentioning(engine, "m1", [cal, calico])
    await mentioning(engine, "m2", [cal], branch_state=BranchState.WIP)
    await mentioning(engine, "m3", [])
    assert await counted(engine, cal, calico) == [2, 1]
    assert await counted(engine, cal, tenant="another") == [0]
    both = {"both": [cal.id, calico.id]}
    assert await engine.entities.mentions(TENANT, both, ALL) == {"both": 2}
    wip = (BranchState.WIP, BranchState.DEPRECATED)
    assert await engine.entities.mentions(TENANT, both, wip) == {"both": 1}
    assert await engine.entities.mentions(TENANT, {}, ALL) == {}


async def test_a_memory_is_linked_anew(engine: Engine) -> None:
    cal, calico = an_entity("Cal"), an_entity("Calico")
    await mentioning(engine, "m1", [cal])
    assert await engine.entities.link(TENANT, "m1", [calico.id])
    memory = await engine.store.get(TENANT, "m1")
    assert memory == a_memory("m1", entities=(calico.id,))
    assert await counted(engine, cal, calico) == [0, 1]
    assert not await engine.entities.link(TENANT, "m2", [calico.id])
    assert not await engine.entities.link("another", "m1", [calico.id])


async def test_an_entity_goes_with_the_last_memory_that_mentions_it(engine: Engine) -> None:
    names = ("Cal", "Calico", "Ana", "Anna", "Made")
    cal, calico, ana, anna, made = (an_entity(name, by_hand=name == "Made") for name in names)
    await engine.entities.put(TENANT, [cal, calico, ana, anna, made])
    await merge(engine.entities, anna, ana)
    await mentioning(engine, "m1", [cal, calico, ana, anna, made])
    await mentioning(engine, "m2", [calico], branch_state=BranchState.DEPRECATED)
    await mentioning(engine, "m3", [cal])
    everything = [each.id for each in (cal, calico, ana, anna, made)]
    await engine.store.forget(TENANT, ["m1", "m3"], GONE)
    left = [each.name for each in await engine.entities.find(TENANT, everything)]
    assert sorted(left) == ["Ana", "Anna", "Calico", "Made"]
    assert await counted(engine, cal, calico, made) == [0, 1, 0]
    assert await engine.entities.beginning(TENANT, ["default"], ["cal"]) == ()
    await engine.store.forget(TENANT, ["m2"], GONE)
    assert await engine.entities.named(TENANT, None, "calico") == ()


async def test_only_what_nothing_mentions_and_no_merge_holds_is_dropped(engine: Engine) -> None:
    names = ("Cal", "Calico", "Ana", "Anna", "Made", "Left")
    entities = [an_entity(name, by_hand=name == "Made") for name in names]
    cal, calico, ana, anna, _, left = entities
    await engine.entities.put(TENANT, entities)
    await engine.entities.put("another", [cal])
    await merge(engine.entities, anna, ana)
    await mentioning(engine, "m1", [calico], branch_state=BranchState.DEPRECATED)
    everything = [each.id for each in entities]
    await engine.entities.drop(TENANT, [id_ for id_ in everything if id_ != left.id])
    there = {each.name for each in await engine.entities.find(TENANT, everything)}
    assert there == {*names} - {"Cal", "Made"}
    assert await engine.entities.put(TENANT, [cal]) == (cal.id,)
    await engine.entities.drop("another", [cal.id, "no id", "\ud800", "ent_" + "0" * 32])
    assert await engine.entities.find("another", [cal.id]) == ()


async def test_a_reset_takes_the_entities_of_one_tenant(engine: Engine) -> None:
    cal = an_entity("Cal")
    await engine.entities.put(TENANT, [cal])
    await engine.entities.put("another", [cal])
    await mentioning(engine, "m1", [cal])
    await engine.store.reset(TENANT)
    assert await engine.entities.find(TENANT, [cal.id]) == ()
    assert await counted(engine, cal) == [0]
    assert await engine.entities.find("another", [cal.id]) == (cal,)


async def test_what_mentions_an_entity_is_found_newest_first_within_a_filter(
    engine: Engine,
) -> None:
    cal, calico = an_entity("Cal"), an_entity("Calico")
    await engine.entities.put(TENANT, [cal, calico])

    async def mention(id_: str, *entities: Entity, **varied: object) -> Memory:
        ids = tuple(each.id for each in entities)
        return await add(engine.store, a_memory(id_, entities=ids, **varied))

    old = await mention("old", cal, created_at=NOW - 1)
    new = await mention("new", cal, calico)
    other = await mention("other", calico)
    await mention("hidden", cal, namespace="team")
    await mention("draft", cal, branch_state=BranchState.WIP)
    await mention("past", cal, valid_until=Moment(NOW - 1))
    here = a_filter(namespaces=("default",))

    async def mentioning(*entities: Entity, limit: int = 9) -> tuple[Memory, ...]:
        ids = [each.id for each in entities]
        return await engine.entities.mentioning(TENANT, ids, here, limit)

    assert await mentioning(cal) == (new, old)
    assert await mentioning(cal, limit=1) == (new,)
    assert await mentioning(cal, calico) == by_creation(old, new, other)
    assert await mentioning(an_entity("Cal-9")) == ()
    assert await mentioning() == ()
    assert await engine.entities.mentioning("another", [cal.id], here, 9) == ()
