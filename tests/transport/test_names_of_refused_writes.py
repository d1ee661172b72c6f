"""What is not saved leaves no name behind: it is as new at the next write as it was at this one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast

import pytest

from metacortex.domain.errors import Unavailable
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.knowledge.merging import MOST_ALIASES
from metacortex.domain.knowledge.placing import Placed
from metacortex.engines import Engine
from metacortex.knowledge_ports import EntityStore, FactStore
from tests.endpoint import Json
from tests.fakes import Vectors
from tests.world import MakeWorld, World

ENDED = {"subject_id": "Noor", "predicate": "drinks", "object_id": "Mate", "valid_until": "2020"}
"""Refused beside what Noor drinks: since when neither says."""


class Held:
    """Entities that cannot be dropped."""

    def __init__(self, entities: EntityStore) -> None:
        self._entities = entities

    async def drop(self, *_: object) -> NoReturn:
        raise Unavailable("The store is away")

    def __getattr__(self, name: str) -> object:
        return getattr(self._entities, name)


async def refused(world: World) -> None:
    """Let a fact be refused that brings in a name."""
    await world.endpoint().state("Noor", "drinks", "espresso")
    told = await world.endpoint().tool("upsert_fact", ENDED)
    assert told.failure[0] == "conflict"


async def test_a_fact_that_its_timeline_refuses_leaves_no_name(either_world: World) -> None:
    await refused(either_world)
    entities = either_world.engine.entities
    assert await entities.named("default", None, "Mate") == ()
    (noor,) = await entities.named("default", None, "Noor")
    assert noor.name == "Noor"


async def test_a_merge_that_is_refused_leaves_no_alias(either_world: World) -> None:
    admin = either_world.endpoint()
    await admin.state("Calico", "stands_in", "room 3")
    for name in [f"alias {n}" for n in range(MOST_ALIASES)]:
        assert (await admin.tool("merge_entities", {"from": name, "into": "Calico"})).success
    refused = await admin.tool("merge_entities", {"from": "one more", "into": "Calico"})
    assert refused.failure[0] == "conflict"
    assert await either_world.engine.entities.named("default", None, "one more") == ()


async def test_a_name_that_was_known_before_stays(either_world: World) -> None:
    admin = either_world.endpoint()
    await admin.save("Mate is a tea.", entities=["Mate"])
    await refused(either_world)
    (mate,) = await either_world.engine.entities.named("default", None, "Mate")
    assert mate.name == "Mate"


@dataclass
class Unread:
    """Facts after the first new one of which no entity can be looked for."""

    engine: Engine
    is_stored: bool = False

    async def add_fact(self, *given: Any) -> Placed:
        placed = await self.engine.facts.add_fact(*given)
        self.is_stored = True
        return placed

    async def find(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        if self.is_stored:
            raise Unavailable("The store is away")
        return await self.engine.entities.find(tenant, entity_ids)

    def __getattr__(self, name: str) -> object:
        return getattr(self.engine.entities, name)


async def test_what_is_stored_is_told_where_its_names_cannot_be_looked_for_again(
    make_world: MakeWorld, world: World
) -> None:
    old = await world.endpoint().state("Noor", "drinks", "espresso")
    unread = Unread(world.engine)
    facts, entities = cast(FactStore, unread), cast(EntityStore, unread)
    unwell = make_world(engine=replace(world.engine, facts=facts, entities=entities))
    told = await unwell.endpoint().upsert("Noor", "drinks", object_id="Mate")
    assert (told["write_status"], told["superseded"]) == ("created", [old["id"]])
    assert await world.endpoint().found("Noor drinks Mate") != []


async def test_a_fact_is_refused_alike_where_its_name_cannot_be_taken_back(
    make_world: MakeWorld, world: World
) -> None:
    entities = cast(EntityStore, Held(world.engine.entities))
    await refused(make_world(engine=replace(world.engine, entities=entities)))
    (mate,) = await world.engine.entities.named("default", None, "Mate")
    assert mate.name == "Mate"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("upsert_fact", {"subject_id": "Zed_1", "predicate": "is", "object_value": "new"}),
        ("record_episode", {"title": "A move", "content": "Zed_1 moved."}),
        ("remember_context", {"content": "Zed_1 moved."}),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
async def test_what_the_model_does_not_embed_leaves_no_name(
    world: World, tool: str, given: Json
) -> None:
    world.embedder.fault = Unavailable("The model is away")
    assert (await world.endpoint().tool(tool, given)).failure[0] == "unavailable"
    assert await world.engine.entities.named("default", None, "Zed_1") == ()


async def test_a_fact_and_its_new_names_are_embedded_at_once(world: World) -> None:
    asked: list[int] = []

    def noted(vectors: Vectors) -> Vectors:
        asked.append(len(vectors))
        return vectors

    world.embedder.spoil = noted
    await world.endpoint().state("Zed", "stands_beside", object_id="Calico")
    assert asked[0] == 3
    assert world.embedder.passages[:3] == ["Zed stands beside Calico", "Zed", "Calico"]
    asked.clear()
    await world.endpoint().state("Zed", "stands_behind", object_id="Calico")
    assert asked == [1]
