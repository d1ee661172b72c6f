"""What `UseLog` promises."""

import asyncio

import pytest

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.stats import Reach
from metacortex.domain.use import Use, Used
from metacortex.engines import Engine
from tests.samples import NOW, TENANT, a_memory, add

EVERYTHING = Reach(None, tuple(BranchState))


async def most_used(
    engine: Engine, limit: int = 99, reach: Reach = EVERYTHING, tenant: str = TENANT
) -> list[tuple[str, int, int]]:
    found = await engine.use.most_used(tenant, reach, limit)
    return [
        (each.memory.id, each.use.access_count, each.use.last_accessed_at - NOW) for each in found
    ]


async def test_uses_are_added_up_and_the_last_is_kept(engine: Engine) -> None:
    memory = await add(engine.store, a_memory("m1"))
    await add(engine.store, a_memory("m2"))
    await engine.use.add(TENANT, {"m1": Use(2, NOW + 5), "m2": Use(1, NOW)})
    await engine.use.add(TENANT, {"m1": Use(3, NOW + 1)})
    (first, _) = await engine.use.most_used(TENANT, EVERYTHING, 10)
    assert first == Used(memory, Use(5, NOW + 5))
    assert await most_used(engine) == [("m1", 5, 5), ("m2", 1, 0)]


async def test_the_most_used_come_first_and_of_equals_the_last_used(engine: Engine) -> None:
    uses = {"a": Use(1, NOW), "b": Use(2, NOW), "c": Use(2, NOW + 1), "d": Use(2, NOW)}
    for id_ in uses:
        await add(engine.store, a_memory(id_))
    await engine.use.add(TENANT, uses)
    assert await most_used(engine, 3) == [("c", 2, 1), ("b", 2, 0), ("d", 2, 0)]


async def test_many_uses_at_once_are_all_counted(engine: Engine) -> None:
    ids = [f"m{n:03}" for n in range(200)]
    await asyncio.gather(*(add(engine.store, a_memory(id_)) for id_ in ids))
    uses = {id_: Use(n + 1, NOW + n) for n, id_ in enumerate(ids)}
    await asyncio.gather(*(engine.use.add(TENANT, uses) for _ in range(3)))
    expected = [(id_, 3 * (n + 1), n) for n, id_ in enumerate(ids)]
    assert await most_used(engine, 200) == expected[::-1]


async def test_only_what_is_within_reach_takes_a_place(engine: Engine) -> None:
    await add(engine.store, a_memory("m1", namespace="team", branch_state=BranchState.WIP))
    await add(engine.store, a_memory("m2", namespace="team"))
    await add(engine.store, a_memory("m3"))
    await engine.use.add(TENANT, {"m1": Use(3, NOW), "m2": Use(2, NOW), "m3": Use(1, NOW)})
    team = Reach(("team", "nowhere"), (BranchState.ACTIVE, BranchState.MERGED))
    assert await most_used(engine, 1, team) == [("m2", 2, 0)]
    assert await most_used(engine, 2, Reach(None, (BranchState.ACTIVE,))) == [
        ("m2", 2, 0),
        ("m3", 1, 0),
    ]
    assert await most_used(engine, reach=Reach((), tuple(BranchState))) == []


async def test_uses_of_what_is_not_there_are_not_shown(engine: Engine) -> None:
    await add(engine.store, a_memory("m1"))
    await engine.use.add(TENANT, {"m1": Use(1, NOW), "gone": Use(7, NOW)})
    await engine.use.add("another", {"m1": Use(5, NOW)})
    assert await most_used(engine) == [("m1", 1, 0)]
    assert await most_used(engine, tenant="another") == []


async def test_nothing_used_is_nothing(engine: Engine) -> None:
    await add(engine.store, a_memory("m1"))
    assert await most_used(engine) == []


async def test_a_reset_takes_the_uses_along(engine: Engine) -> None:
    await add(engine.store, a_memory("m1"))
    await engine.use.add(TENANT, {"m1": Use(1, NOW)})
    await engine.store.reset(TENANT)
    await add(engine.store, a_memory("m1"))
    assert await most_used(engine) == []
    await engine.use.add(TENANT, {"m1": Use(2, NOW)})
    assert await most_used(engine) == [("m1", 2, 0)]


@pytest.mark.parametrize("state", [BranchState.ACTIVE, BranchState.MERGED])
async def test_a_promotion_keeps_the_uses(engine: Engine, state: BranchState) -> None:
    await add(engine.store, a_memory("m1", branch_state=BranchState.WIP))
    await engine.use.add(TENANT, {"m1": Use(1, NOW)})
    await engine.store.promote(TENANT, "m1", state, "cli", NOW)
    assert await most_used(engine, reach=Reach(None, (state,))) == [("m1", 1, 0)]
