"""Whatever is stated, merged, separated, deprecated and forgotten in between: after each statement
its subject has one singular value at a time, under all of its names.
"""

from random import Random

import pytest

from metacortex.domain.knowledge.entity import entity_id
from metacortex.domain.moment import iso
from tests.endpoint import Endpoint
from tests.facts import clashing
from tests.world import World

DAY = 86_400_000
NAMES = ("Noor", "nora", "pump 2", "pump-2")
STEPS = 40


async def state(world: World, admin: Endpoint, chance: Random) -> str | None:
    """State something and return the id of the fact, or None where it is refused."""
    given: dict[str, object] = {
        "subject_id": chance.choice(NAMES),
        "predicate": "drinks",
        "object_value": chance.choice("abc"),
        "singular": chance.random() < 0.8,
    }
    for name in ("valid_from", "valid_until"):
        if chance.random() < 0.7:
            given[name] = iso(world.clock.at + chance.randrange(-9, 9) * DAY)
    outcome = await admin.tool("upsert_fact", given)
    return None if outcome.result.get("isError") else str(outcome.success["fact"]["id"])


async def disturb(admin: Endpoint, chance: Random, ids: list[str]) -> None:
    """Merge, separate, deprecate or forget something; any of it may be refused."""
    name, other = chance.sample(NAMES, 2)
    one, another = chance.choices(ids or ["x"], k=2)
    replaced = {"document_id": one, "superseding_document_id": another}
    tool, arguments = chance.choice(
        [
            ("merge_entities", {"from": name, "into": other}),
            ("merge_entities", {"from": name, "undo": True}),
            ("deprecate_context", replaced),
            ("forget_context", {"ids": [one]}),
        ]
    )
    await admin.tool(tool, arguments)


async def family(world: World, id_: str) -> list[str]:
    """Return the ids of all names of what an id stands for."""
    known = {name: entity_id("default", name) for name in NAMES}
    found = await world.engine.entities.find("default", [*known.values()])
    into = {each.id: each.merged_with for each in found}

    def survivor(of: str) -> str:
        above = into.get(of)
        return of if above is None else survivor(above)

    return [each for each in known.values() if survivor(each) == survivor(id_)]


@pytest.mark.parametrize("seed", range(12))
async def test_a_subject_of_several_names_has_one_value_at_a_time(
    world: World, admin: Endpoint, seed: int
) -> None:
    chance, ids = Random(seed), list[str]()
    for _ in range(STEPS):
        world.clock.at += chance.choice([1, DAY])
        if chance.random() < 0.35:
            await disturb(admin, chance, ids)
        elif (stated := await state(world, admin, chance)) is not None:
            ids.append(stated)
            subject = (await admin.item(stated))["metadata"]["subject_id"]
            names = await family(world, subject)
            facts = await world.engine.facts.timeline("default", "default", names, "drinks")
            assert stated in {fact.id for fact in facts}
            assert clashing(facts) == []
