"""What `NameIndex` promises."""

import pytest

from metacortex.domain.forgetting import Forgetting
from metacortex.domain.knowledge.entity import Entity, EntityType, entity_id
from metacortex.domain.vector import EmbeddingSpace
from metacortex.engines import Engine
from metacortex.knowledge_ports import NameIndex
from metacortex.ports import Embedding
from tests.samples import NOW, SPACE, TENANT, a_memory, a_vector, add

OTHER = EmbeddingSpace("another", SPACE.dimension)


@pytest.fixture
def names(engine: Engine) -> NameIndex:
    return engine.names


def an_entity(name: str, namespace: str = "default") -> Entity:
    return Entity(entity_id(namespace, name), namespace, name, EntityType.NAME, NOW)


def vectors(*places: tuple[float, ...], space: EmbeddingSpace = SPACE) -> Embedding:
    return Embedding(space, tuple(a_vector(*place, 0) for place in places))


async def near(
    names: NameIndex, *place: float, namespaces: list[str] | None = None, limit: int = 9
) -> list[tuple[str, float]]:
    found = await names.near(TENANT, namespaces, SPACE, a_vector(*place, 0), limit)
    return [(each.entity.name, round(each.cosine, 3)) for each in found]


async def test_names_are_found_by_their_vectors_nearest_first(
    engine: Engine, names: NameIndex
) -> None:
    entities = [an_entity("Cal"), an_entity("Calico"), an_entity("Ana")]
    stored = await engine.entities.put(TENANT, entities, vectors((1, 0), (3, 4), (0, 1)))
    assert stored == tuple(each.id for each in entities)
    assert await near(names, 1, 0) == [("Cal", 1.0), ("Calico", 0.6), ("Ana", 0.0)]
    assert await near(names, 1, 0, limit=1) == [("Cal", 1.0)]
    found = await names.near(TENANT, None, SPACE, a_vector(0, 1, 0), 1)
    assert [each.entity for each in found] == [entities[2]]


async def test_what_is_stored_already_keeps_its_vector(engine: Engine, names: NameIndex) -> None:
    first, other = an_entity("Cal"), an_entity("Ana")
    await engine.entities.put(TENANT, [first], vectors((1, 0)))
    stored = await engine.entities.put(TENANT, [first, other], vectors((0, 1), (0, 1)))
    assert stored == (other.id,)
    assert await near(names, 1, 0) == [("Cal", 1.0), ("Ana", 0.0)]


async def test_neither_other_tenants_nor_namespaces_nor_spaces_are_compared(
    engine: Engine, names: NameIndex
) -> None:
    here, there = an_entity("Cal"), an_entity("Cal", "team")
    await engine.entities.put(TENANT, [here], vectors((1, 0)))
    await engine.entities.put(TENANT, [there], vectors((3, 4)))
    await engine.entities.put(TENANT, [an_entity("Ana")], vectors((1, 0), space=OTHER))
    await engine.entities.put(TENANT, [an_entity("Nobody")])
    assert await near(names, 1, 0) == [("Cal", 1.0), ("Cal", 0.6)]
    assert await near(names, 1, 0, namespaces=["team", "nowhere"]) == [("Cal", 0.6)]
    assert await near(names, 1, 0, namespaces=[]) == []
    assert await names.near("another", None, SPACE, a_vector(1, 0, 0), 9) == ()


async def test_what_lacks_a_vector_of_a_space_is_counted_listed_and_can_get_one(
    engine: Engine, names: NameIndex
) -> None:
    entities = sorted((an_entity(name) for name in ("Cal", "Ana", "Ben")), key=lambda e: e.id)
    await engine.entities.put(TENANT, entities[:1], vectors((1, 0), space=OTHER))
    await engine.entities.put(TENANT, entities[1:])
    await engine.entities.put("zebra", entities[:1])
    await engine.entities.put("zebra", entities[1:2], vectors((1, 0)))
    lacking = [*((TENANT, each) for each in entities), ("zebra", entities[0])]
    assert await names.count_outside(SPACE) == 4
    assert await names.outside(SPACE, ("", ""), 9) == tuple(lacking)
    assert await names.outside(SPACE, (TENANT, entities[0].id), 2) == tuple(lacking[1:3])
    ids = [entities[0].id, entity_id("default", "Nobody"), entities[1].id]
    await names.replace(TENANT, ids, vectors((1, 0), (1, 0), (0, 1)))
    assert await names.outside(SPACE, ("", ""), 9) == tuple(lacking[2:])
    assert [cosine for _, cosine in await near(names, 1, 0)] == [1.0, 0.0]
    await names.replace("zebra", [entities[0].id], vectors((1, 0)))
    await names.replace(TENANT, [entities[2].id], vectors((1, 0)))
    assert await names.count_outside(SPACE) == 0
    assert await names.outside(SPACE, ("", ""), 9) == ()


async def test_a_vector_goes_with_its_entity(engine: Engine, names: NameIndex) -> None:
    cal = an_entity("Cal")
    await engine.entities.put(TENANT, [cal], vectors((1, 0)))
    await add(engine.store, a_memory("m1", entities=(cal.id,)))
    await engine.store.forget(TENANT, ["m1"], Forgetting(b"key", "cli", NOW))
    assert await near(names, 1, 0) == []
