"""A moment is told from so many facts, and says where there were more."""

from dataclasses import replace

from metacortex.domain.client import whole_tenant
from metacortex.domain.details import EpisodeDetails, Kind
from metacortex.domain.knowledge.asked import TimeTravel
from metacortex.domain.lifecycle import BranchState
from metacortex.engines import Engine, sqlite_engine
from metacortex.service.entities import EntityService
from metacortex.service.snapshots import MOST_EPISODES, MOST_FACTS, Snapshot, SnapshotService
from tests.fakes import FixedClock
from tests.samples import CACHE_MB, TENANT, a_memory, add, an_embedding
from tests.statements import a_value


async def snapshot(engine: Engine) -> Snapshot:
    """Return what holds now."""
    clock = FixedClock()
    service = SnapshotService(engine.facts, EntityService(engine.entities), clock)
    return await service.at(whole_tenant("cli", TENANT, BranchState.ACTIVE), TimeTravel())


async def test_of_more_facts_than_a_moment_is_told_from_the_newest_are() -> None:
    engine = sqlite_engine(None, CACHE_MB)
    await engine.open()
    for number in range(MOST_FACTS + 1):
        if number == MOST_FACTS:
            assert not (await snapshot(engine)).incomplete
        fact = a_value("hub", "x", f"p{number}", id_=f"f{number:05}", at=number)
        memory = replace(fact.memory, sha256=f"{number:064x}")
        await engine.facts.add_fact(TENANT, memory, an_embedding(), "claude")
    now = await snapshot(engine)
    assert now.incomplete
    assert {fact.id for fact in now.held.facts} == {f"f{n:05}" for n in range(1, MOST_FACTS + 1)}
    await engine.aclose()


async def test_of_more_episodes_than_a_moment_is_told_from_the_newest_are() -> None:
    engine = sqlite_engine(None, CACHE_MB)
    await engine.open()
    for number in range(MOST_EPISODES + 1):
        if number == MOST_EPISODES:
            assert not (await snapshot(engine)).incomplete
        episode = a_memory(
            f"e{number:05}", kind=Kind.EPISODE, details=EpisodeDetails(), created_at=number
        )
        await add(engine.store, episode)
    now = await snapshot(engine)
    assert now.incomplete
    assert [each.id for each in now.held.episodes] == [
        f"e{number:05}" for number in range(MOST_EPISODES, 0, -1)
    ]
    await engine.aclose()
