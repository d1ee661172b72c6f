"""What another instance merges or mentions in Firestore between the reads of a commit and the
commit.
"""

from collections.abc import AsyncIterator, Sequence

import pytest
from google.cloud.firestore_v1.types import Write

from metacortex.adapters.firestore.layout import ENTITIES
from metacortex.domain.errors import Conflict
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.knowledge.merging import MOST_ALIASES
from metacortex.engines import Engine
from tests.entities import an_entity, merge
from tests.firestore_engines import opened
from tests.firestore_wire import before_commit
from tests.samples import NOW, TENANT, a_memory, add

GONE = Forgetting(b"key", "cli", NOW)
CAL, CALICO = an_entity("Cal"), an_entity("Calico")
pytestmark = pytest.mark.usefixtures("firestore_emulator")


@pytest.fixture
async def engine(project: str) -> AsyncIterator[Engine]:
    async with opened(project) as engine:
        yield engine


def deletes_an_entity(write: Write) -> bool:
    return f"/{ENTITIES}/" in write.delete


def changes_an_entity(write: Write) -> bool:
    return f"/{ENTITIES}/" in write.update.name


async def mentioned(engine: Engine, *entities: Entity) -> None:
    """Let one memory mention entities, and nothing else."""
    await engine.entities.put(TENANT, [CAL, CALICO])
    await add(engine.store, a_memory("m1", entities=tuple(each.id for each in entities)))


async def left(engine: Engine) -> Sequence[Entity]:
    return await engine.entities.find(TENANT, [CAL.id, CALICO.id])


async def test_what_is_mentioned_before_the_commit_of_a_forgetting_is_there_after_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await mentioned(engine, CAL, CALICO)

    async def mentioning() -> None:
        await add(engine.store, a_memory("m2", entities=(CAL.id,)))

    with before_commit(monkeypatch, deletes_an_entity, mentioning):
        assert await engine.store.forget(TENANT, ["m1"], GONE) == ("m1",)
    assert await left(engine) == (CAL,)


async def test_what_is_mentioned_before_the_commit_that_drops_it_is_there_after_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await engine.entities.put(TENANT, [CAL, CALICO])

    async def mentioning() -> None:
        await add(engine.store, a_memory("m1", entities=(CAL.id,)))

    with before_commit(monkeypatch, deletes_an_entity, mentioning):
        await engine.entities.drop(TENANT, [CAL.id, CALICO.id])
    assert await left(engine) == (CAL,)


@pytest.mark.parametrize("mentions", [(CALICO,), (CAL,), (CAL, CALICO)])
async def test_a_merge_before_the_commit_of_a_forgetting_keeps_both_entities(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, mentions: Sequence[Entity]
) -> None:
    await mentioned(engine, *mentions)
    done: list[bool] = []

    async def merging() -> None:
        done.append(await merge(engine.entities, CAL, CALICO))

    with before_commit(monkeypatch, deletes_an_entity, merging):
        assert await engine.store.forget(TENANT, ["m1"], GONE) == ("m1",)
    assert done == [True]
    assert {each.name: each.merged_with for each in await left(engine)} == {
        "Cal": CALICO.id,
        "Calico": None,
    }


async def test_a_forgetting_before_the_commit_of_a_merge_refuses_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await mentioned(engine, CALICO)

    async def forgetting() -> None:
        await engine.store.forget(TENANT, ["m1"], GONE)

    with before_commit(monkeypatch, changes_an_entity, forgetting):
        assert not await merge(engine.entities, CAL, CALICO)
    assert await left(engine) == (CAL,)


async def test_a_merge_that_takes_the_last_room_refuses_another(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    aliases = [an_entity(f"alias {n}", into=CALICO) for n in range(MOST_ALIASES - 1)]
    await engine.entities.put(TENANT, [CAL, CALICO, an_entity("Ana"), *aliases])

    async def merging() -> None:
        assert await merge(engine.entities, an_entity("Ana"), CALICO)

    with before_commit(monkeypatch, changes_an_entity, merging):
        assert not await merge(engine.entities, CAL, CALICO)
    with pytest.raises(Conflict):
        await merge(engine.entities, CAL, CALICO)
