"""Two instances that write, supersede and forget the facts of one timeline at the same time."""

import asyncio
from contextlib import suppress
from itertools import count
from random import Random

import pytest

from metacortex.adapters.firestore.layout import TIMELINES
from metacortex.domain.errors import CallerError
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.lifecycle import FORGOTTEN, Change
from metacortex.engines import Engine
from tests.facts import CLIENT, DAY, a_fact, overlapping
from tests.firestore_engines import held, opened
from tests.samples import NOW, TENANT, an_embedding

pytestmark = pytest.mark.usefixtures("firestore_emulator")

AT_ONCE = 12
ROUNDS = 4


async def write(engine: Engine, number: int, chance: Random) -> None:
    start = chance.choice([None, *(NOW + day * DAY for day in range(-3, 6))])
    end = chance.choice([None, None, NOW + 7 * DAY])
    fact = a_fact(f"f{number}", chance.choice("abcd"), start, end, at=NOW + number)
    await engine.facts.add_fact(TENANT, fact.memory, an_embedding(), CLIENT)


async def supersede(engine: Engine, number: int, chance: Random) -> None:
    one, other = (f"f{chance.randrange(number + 1)}" for _ in range(2))
    # What is not there, has another replacement or would go round is refused.
    with suppress(CallerError):
        await engine.store.supersede(TENANT, one, other, CLIENT, NOW + number)


async def forget(engine: Engine, number: int, chance: Random) -> None:
    recent = [f"f{n}" for n in range(max(0, number - AT_ONCE), number)]
    some = chance.sample(recent, min(6, len(recent)))
    await engine.store.forget(TENANT, some, Forgetting(b"key", CLIENT, NOW + number))


async def heads(project: str) -> int:
    """Return how many timelines a project tells of."""
    return sum(f"/{TIMELINES}/" in path for path in await held(project))


MIXTURES = {
    "few are forgotten": (write, write, write, supersede, forget),
    "most are forgotten": (write, forget),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mixture", MIXTURES)
async def test_whatever_two_instances_do_at_once_the_timeline_stays_whole(
    project: str, mixture: str, seed: int
) -> None:
    chance, numbers = Random(seed), count()
    async with opened(project) as one, opened(project) as other:
        for _ in range(ROUNDS):
            calls = (
                chance.choice(MIXTURES[mixture])(chance.choice([one, other]), next(numbers), chance)
                for _ in range(AT_ONCE)
            )
            await asyncio.gather(*calls)
        facts = await one.facts.facts_about(TENANT, None, ["noor"])
        by_id = {fact.id: fact for fact in facts}
        changes = await other.facts.changes_of(TENANT, [*by_id])
        assert overlapping(facts) == []
        for id_, fact in by_id.items():
            last = changes[id_][-1]
            assert isinstance(last, Change)
            assert last.after == fact.memory.standing
            assert fact.memory.superseded_by in (None, FORGOTTEN, *by_id)
        assert await heads(project) == bool(facts)
        await asyncio.gather(
            *(
                engine.store.forget(TENANT, ids, Forgetting(b"key", CLIENT, NOW + DAY))
                for engine, ids in ((one, [*by_id][::2]), (other, [*by_id][1::2]))
            )
        )
        assert await heads(project) == 0


async def test_first_statements_under_two_names_of_one_thing_see_each_other(project: str) -> None:
    names = ("noor", "nora")
    async with opened(project) as one, opened(project) as other:
        for n in range(ROUNDS):
            await asyncio.gather(
                *(
                    engine.facts.add_fact(
                        TENANT,
                        a_fact(f"{name}{n}", name, subject=name, predicate=f"p{n}").memory,
                        an_embedding(),
                        CLIENT,
                        [each for each in names if each != name],
                    )
                    for engine, name in zip((one, other), names, strict=True)
                )
            )
            facts = await one.facts.timeline(TENANT, "default", names, f"p{n}")
            assert overlapping(facts) == []
