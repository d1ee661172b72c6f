"""Reading the graph is bounded, and says where a bound was reached."""

from dataclasses import replace

from metacortex.domain.client import whole_tenant
from metacortex.domain.knowledge.entity import Entity, EntityType
from metacortex.domain.knowledge.family import Family
from metacortex.domain.lifecycle import BranchState
from metacortex.engines import Engine, sqlite_engine
from metacortex.service.entities import EntityService
from metacortex.service.surroundings import MOST_ABOUT, Surroundings, Surveyor, View, Way
from tests.fakes import FixedClock
from tests.samples import CACHE_MB, NOW, TENANT, a_filter, an_embedding
from tests.statements import a_value

PRINCIPAL = whole_tenant("cli", TENANT, BranchState.ACTIVE)
HUB = Family(Entity("hub", "default", "hub", EntityType.NAME, NOW))


async def read(engine: Engine, *beside: BranchState) -> Surroundings:
    """Return what is around the hub."""
    surveyor = Surveyor(engine.facts, EntityService(engine.entities), FixedClock())
    return await surveyor.around(PRINCIPAL, View([a_filter()], beside=beside), [HUB], Way(2))


async def put(engine: Engine, number: int, end: int | None = None) -> None:
    """Store a fact about the hub."""
    fact = a_value("hub", str(number), f"p{number}", id_=f"f{number:05}", end=end)
    state = BranchState.DEPRECATED if end else BranchState.ACTIVE
    memory = replace(fact.memory, sha256=f"{number:064x}", branch_state=state)
    await engine.facts.add_fact(TENANT, memory, an_embedding(), "claude")


async def test_of_more_facts_than_are_read_at_one_distance_the_first_are_told() -> None:
    engine = sqlite_engine(None, CACHE_MB)
    await engine.open()
    for number in range(MOST_ABOUT + 1):
        if number == MOST_ABOUT:
            assert not (await read(engine)).incomplete
        await put(engine, number)
    around = await read(engine)
    assert around.incomplete
    assert [fact.id for fact in around.own] == [f"f{number:05}" for number in range(MOST_ABOUT)]
    await engine.aclose()


async def test_history_takes_no_place_of_what_holds() -> None:
    engine = sqlite_engine(None, CACHE_MB)
    await engine.open()
    for number in range(MOST_ABOUT + 1):
        await put(engine, number, end=NOW - 1)
    await put(engine, MOST_ABOUT + 1)
    around = await read(engine, BranchState.DEPRECATED)
    assert [fact.id for fact in around.graph.about(HUB.entity.id)] == [f"f{MOST_ABOUT + 1:05}"]
    assert len(around.own) == MOST_ABOUT + 1
    assert around.incomplete
    assert not (await read(engine)).incomplete
    await engine.aclose()
