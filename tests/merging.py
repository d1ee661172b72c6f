"""Merging entities in a test's world, as one who may do it."""

from metacortex.domain.knowledge.entity import entity_id
from metacortex.domain.knowledge.merging import merger
from tests.world import World


async def merged(world: World, name: str, into: str) -> None:
    """Let one name stand for the entity of another."""
    ids = [entity_id("default", each) for each in (name, into)]
    entities = {each.id: each for each in await world.engine.entities.find("default", ids)}
    change = merger(entities[ids[0]], entities[ids[1]], "default", world.clock.at)
    assert change is not None
    assert await world.engine.entities.merge("default", change)
