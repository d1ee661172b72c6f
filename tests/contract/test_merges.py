"""What `EntityStore` promises of merges, whoever else is at work."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from metacortex.domain.client import Principal, whole_tenant
from metacortex.domain.errors import Conflict, NotFound
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.knowledge.likeness import Proposal, Stage
from metacortex.domain.knowledge.merging import MOST_ALIASES, merger, separation
from metacortex.domain.lifecycle import BranchState
from metacortex.engines import Engine
from metacortex.service.entities import EntityService
from tests.entities import an_entity, merge
from tests.samples import NOW, TENANT, a_memory, add

GONE = Forgetting(b"key", "cli", NOW)
PRINCIPAL = whole_tenant("cli", TENANT, BranchState.ACTIVE)


def by_id(*entities: Entity) -> tuple[Entity, ...]:
    return tuple(sorted(entities, key=lambda entity: entity.id))


async def test_a_merge_and_its_undoing_leave_two_changes_and_nothing_else(engine: Engine) -> None:
    cal, calico = an_entity("Cal"), an_entity("Calico")
    await engine.entities.put(TENANT, [cal, calico])
    assert await merge(engine.entities, cal, calico)
    (merged,) = await engine.entities.merged_into(TENANT, [calico.id, cal.id])
    assert await engine.entities.merged(TENANT) == (merged,)
    assert await engine.entities.merged("elsewhere") == ()
    assert (merged.id, merged.merged_with) == (cal.id, calico.id)
    undo = separation(merged, "cli", NOW + 1)
    assert undo is not None
    assert await engine.entities.merge(TENANT, undo)
    assert await engine.entities.find(TENANT, [cal.id, calico.id]) == by_id(cal, calico)
    assert await engine.entities.merged_into(TENANT, [calico.id]) == ()
    assert await engine.entities.merged(TENANT) == ()
    changes = await engine.store.changes(TENANT, cal.id)
    assert changes == (merger(cal, calico, "cli", NOW), undo)


async def test_nothing_is_merged_that_has_changed_meanwhile(engine: Engine) -> None:
    cal, calico, nobody = an_entity("Cal"), an_entity("Calico"), an_entity("Nobody")
    await engine.entities.put(TENANT, [cal, calico])
    assert not await merge(engine.entities, cal, nobody)
    assert not await merge(engine.entities, nobody, cal)
    assert await merge(engine.entities, cal, calico)
    assert not await merge(engine.entities, calico, cal)
    assert not await merge(engine.entities, an_entity("Cal"), an_entity("Nobody"))
    assert len(await engine.store.changes(TENANT, cal.id)) == 1
    assert await engine.store.changes(TENANT, calico.id) == ()


async def test_of_two_merges_that_would_close_a_circle_one_is_done(engine: Engine) -> None:
    cal, calico = an_entity("Cal"), an_entity("Calico")
    await engine.entities.put(TENANT, [cal, calico])
    done = await asyncio.gather(
        merge(engine.entities, cal, calico), merge(engine.entities, calico, cal)
    )
    assert sorted(done) == [False, True]


async def test_of_merges_at_once_no_more_are_done_than_there_is_room_for(engine: Engine) -> None:
    calico, *others = (an_entity(f"Calico {n}") for n in range(MOST_ALIASES + 3))
    await engine.entities.put(TENANT, [calico, *others])
    first, last = others[: MOST_ALIASES - 1], others[MOST_ALIASES - 1 :]
    assert all([await merge(engine.entities, each, calico) for each in first])

    async def refused(entity: Entity) -> bool:
        """Merge as often as others are faster, and return whether there was no room."""
        try:
            while not await merge(engine.entities, entity, calico):
                pass
        except Conflict:
            return True
        return False

    assert sorted(await asyncio.gather(*map(refused, last))) == [False, True, True]
    assert len(await engine.entities.merged_into(TENANT, [calico.id])) == MOST_ALIASES
    kept = [await engine.store.changes(TENANT, each.id) for each in last]
    assert sorted(map(len, kept)) == [0, 0, 1]


async def test_the_aliases_of_both_count(engine: Engine) -> None:
    half = MOST_ALIASES // 2
    (cal, *of_cal), (ana, *of_ana) = (
        [an_entity(f"{name} {n}") for n in range(half + 2)] for name in ("Cal", "Ana")
    )
    await engine.entities.put(TENANT, [cal, ana])
    for alias, into in ((of_cal, cal), (of_ana, ana)):
        await engine.entities.put(TENANT, [an_entity(each.name, into=into) for each in alias])
    with pytest.raises(Conflict, match=f"at most {MOST_ALIASES} aliases"):
        await merge(engine.entities, cal, ana)
    assert await engine.entities.find(TENANT, [cal.id, ana.id]) == by_id(cal, ana)


async def mentioned(engine: Engine, id_: str, *names: str) -> Sequence[Entity]:
    """Store entities, and a memory of this id that mentions them."""
    entities = [an_entity(name) for name in names]
    await engine.entities.put(TENANT, entities)
    await add(engine.store, a_memory(id_, entities=tuple(each.id for each in entities)))
    return entities


async def test_what_is_forgotten_first_is_merged_into_no_more(engine: Engine) -> None:
    cal = an_entity("Cal")
    await engine.entities.put(TENANT, [cal])
    (calico,) = await mentioned(engine, "m1", "Calico")
    await engine.store.forget(TENANT, ["m1"], GONE)
    assert not await merge(engine.entities, cal, calico)
    assert await engine.entities.find(TENANT, [cal.id, calico.id]) == (cal,)


async def test_what_is_merged_at_the_moment_of_forgetting_leaves_no_alias_of_nothing(
    engine: Engine,
) -> None:
    for n in range(5):
        cal, calico = await mentioned(engine, f"m{n}", f"Cal {n}", f"Calico {n}")
        done, _ = await asyncio.gather(
            merge(engine.entities, cal, calico), engine.store.forget(TENANT, [f"m{n}"], GONE)
        )
        left = await engine.entities.find(TENANT, [cal.id, calico.id])
        assert len(left) == (2 if done else 0)


async def test_an_alias_of_what_is_gone_stands_for_itself(engine: Engine) -> None:
    gone = an_entity("gone")
    cal, calico = an_entity("Cal", into=gone), an_entity("Calico")
    await engine.entities.put(TENANT, [cal, calico])
    await add(engine.store, a_memory("m1", entities=(cal.id,)))
    entities = EntityService(engine.entities)
    called = await entities.called(PRINCIPAL, ("default",), "cal")
    assert (called.family.entity, called.mention_count) == (cal, 1)
    (found,) = await entities.of_name(TENANT, ("default",), "Cal")
    (known,) = await entities.known(PRINCIPAL, [Proposal(found, 1.0, Stage.EXACT)])
    assert known.family.entity == cal
    assert await entities.named_in(PRINCIPAL, None, "Is Cal a printer?") == (called.family,)
    assert (await entities.met(PRINCIPAL, "default", "Cal")) == cal
    with pytest.raises(NotFound):
        await entities.told(PRINCIPAL, gone.id)
    with pytest.raises(Conflict, match="into was merged into an entity that is gone"):
        merger(calico, cal, "cli", NOW)
    undo = separation(cal, "cli", NOW)
    assert undo is not None
    assert await engine.entities.merge(TENANT, undo)
    assert await merge(engine.entities, calico, an_entity("Cal"))


async def test_a_text_names_no_entity_by_what_its_reader_may_not_know(engine: Engine) -> None:
    present = replace(PRINCIPAL, filter_states=(BranchState.ACTIVE,))
    cal, calico = an_entity("Cal"), an_entity("Calico")
    await engine.entities.put(TENANT, [cal, calico])
    past = a_memory("m1", entities=(cal.id,), branch_state=BranchState.DEPRECATED)
    for memory in (past, a_memory("m2", entities=(calico.id,))):
        await add(engine.store, memory)
    assert await merge(engine.entities, cal, calico)
    entities = EntityService(engine.entities)

    async def named(principal: Principal, text: str) -> list[str]:
        found = await entities.named_in(principal, ("default",), text)
        return [family.named.name for family in found]

    assert await named(PRINCIPAL, "Is Cal a printer?") == ["Calico"]
    assert await named(present, "Is Cal a printer?") == []
    assert await named(present, "Is Calico a printer?") == ["Calico"]
