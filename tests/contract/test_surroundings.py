"""Reading the graph hop by hop finds what a walk over all facts finds, on every engine."""

from collections.abc import Sequence
from dataclasses import replace

from metacortex.domain.client import whole_tenant
from metacortex.domain.knowledge.activation import STEPS, activated
from metacortex.domain.knowledge.entity import Entity, EntityType, entity_id
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.family import Family
from metacortex.domain.knowledge.graph import Direction, Graph, shortest_path, walk
from metacortex.domain.knowledge.merging import merger
from metacortex.domain.lifecycle import BranchState
from metacortex.engines import Engine
from metacortex.service.associations import MOST_SPREAD, Associations
from metacortex.service.entities import EntityService
from metacortex.service.surroundings import Surveyor, View, Way
from tests.fakes import FixedClock
from tests.samples import NOW, TENANT, a_filter, an_embedding
from tests.statements import a_link, a_value

PRINCIPAL = whole_tenant("cli", TENANT, BranchState.ACTIVE)
NAMES = "abcdefgh"
LINKS = tuple(map(tuple, ("ab", "bc", "cd", "da", "ae", "ef", "fg", "ga", "ch")))


def named(name: str) -> Entity:
    """Return the entity of a name."""
    id_ = entity_id("default", name)
    return Entity(id_, "default", name, EntityType.NAME, NOW)


def placed(fact: Fact) -> Fact:
    """Return a fact about entities with the ids of their names."""
    details = fact.details
    ids = [entity_id("default", each) for each in (details.subject, details.object)]
    linked = details.object_id is not None
    stated = replace(details, subject_id=ids[0], object_id=ids[1] if linked else None)
    entities = tuple(ids) if linked else (ids[0],)
    return Fact(replace(fact.memory, details=stated, entities=entities))


async def a_graph(engine: Engine) -> Sequence[Fact]:
    """Store facts with two rings and a branch, and what does not hold or is elsewhere."""
    await engine.entities.put(TENANT, [named(name) for name in NAMES])
    facts = [placed(a_link(one, other, id_=one + other)) for one, other in LINKS]
    past = placed(a_value("a", "old", id_="past", end=NOW - 1))
    hidden = placed(a_link("a", "h", id_="hidden"))
    elsewhere = Fact(replace(hidden.memory, namespace="team"))
    for fact in (*facts, past, elsewhere):
        one_of_many = replace(fact.memory, details=replace(fact.details, singular=False))
        await engine.facts.add_fact(TENANT, one_of_many, an_embedding(), "claude")
    return facts


async def test_every_walk_is_that_over_all_facts(engine: Engine) -> None:
    facts = await a_graph(engine)
    surveyor = Surveyor(engine.facts, EntityService(engine.entities), FixedClock())
    view = View([a_filter(namespaces=("default",))], beside=(BranchState.DEPRECATED,))
    start = Family(named("a"))
    for direction in Direction:
        for hops in (1, 2, 4):
            read = await surveyor.around(PRINCIPAL, view, [start], Way(hops, direction))
            steps = walk(read.graph, start.entity.id, hops, direction)
            whole = walk(Graph(facts), start.entity.id, hops, direction)
            assert [(step.entity_id, step.hops) for step in steps] == [
                (step.entity_id, step.hops) for step in whole
            ]
            assert not read.incomplete
    read = await surveyor.around(PRINCIPAL, view, [start], Way(1))
    assert {fact.id for fact in read.own} >= {"ab", "da", "past"}
    assert "hidden" not in {fact.id for fact in read.own}


async def test_what_was_merged_is_walked_as_one(engine: Engine) -> None:
    await a_graph(engine)
    change = merger(named("e"), named("c"), "cli", NOW)
    assert change is not None
    assert await engine.entities.merge(TENANT, change)
    entities = EntityService(engine.entities)
    view = View([a_filter(namespaces=("default",))])
    a, f = named("a").id, named("f").id

    read = await Surveyor(engine.facts, entities, FixedClock()).around(
        PRINCIPAL, view, await entities.resolved(TENANT, [a]), Way(3, Direction.OUT)
    )

    path = shortest_path(walk(read.graph, a, 3, Direction.OUT), f)
    assert [read.graph.name(step.entity_id) for step in path] == ["a", "c", "f"]


async def test_what_is_read_together_is_what_is_read_one_by_one(engine: Engine) -> None:
    await a_graph(engine)
    entities = EntityService(engine.entities)
    associations = Associations(engine.facts, entities, FixedClock(), engine.together)
    wheres = [a_filter(namespaces=("default",))]
    query = "what is linked to B, and to whom is H?"

    found = await associations.of(PRINCIPAL, query, wheres, NOW)

    start = await entities.named_in(PRINCIPAL, ("default",), query)
    way = Way(STEPS, most=MOST_SPREAD, named=False)
    read = await Surveyor(engine.facts, entities, FixedClock()).around(
        PRINCIPAL, View(wheres), start, way
    )
    assert {family.entity.name for family in start} == {"b", "h"}
    assert found == activated(read.graph, [family.entity.id for family in start])
    assert found
