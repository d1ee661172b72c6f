"""What `FactStore` promises of a subject that is known under several names."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.domain.errors import Conflict
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.knowledge import joining
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.merging import MOST_ALIASES
from metacortex.domain.knowledge.placing import Placed
from metacortex.domain.lifecycle import FORGOTTEN, Change
from metacortex.engines import Engine
from tests.facts import CLIENT, DAY, Timeline, a_fact, clashing, histories
from tests.samples import NOW, TENANT, an_embedding

NAMES = ("noor", "nora")


async def write(engine: Engine, fact: Fact, *aliases: str) -> Placed:
    return await engine.facts.add_fact(TENANT, fact.memory, an_embedding(), CLIENT, aliases)


async def known(engine: Engine) -> Sequence[Fact]:
    return await engine.facts.facts_about(TENANT, None, NAMES)


async def check_kept(engine: Engine) -> None:
    """Check that nothing overlaps, and that what stands is what the last Changes say."""
    facts = await known(engine)
    assert clashing(facts) == []
    changes = await engine.facts.changes_of(TENANT, [fact.id for fact in facts])
    for fact in facts:
        last = changes[fact.id][-1]
        assert isinstance(last, Change)
        assert last.after == fact.memory.standing


async def test_the_first_statement_after_a_merge_joins_what_was_said_before(
    engine: Engine,
) -> None:
    await write(engine, a_fact("a1", "espresso", NOW - 9 * DAY))
    await write(engine, a_fact("a2", "mate", NOW - 7 * DAY, NOW - 3 * DAY))
    await write(engine, a_fact("b1", "tea", NOW - 5 * DAY, subject="nora"))
    placed = await write(engine, a_fact("new", "tea", at=NOW + 1, subject="nora"), "noor")
    assert (placed.created, placed.fact.id) == (False, "b1")
    (change,) = placed.changes
    assert (change.subject_id, change.after.superseded_by) == ("a2", "b1")
    assert await engine.store.changes(TENANT, "a2") != ()
    await check_kept(engine)
    assert [fact.id for fact in await known(engine) if fact.holds_at(NOW)] == ["b1"]


@given(ours=histories(most=3), theirs=histories(most=3), news=histories(most=2))
@settings(
    max_examples=6,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_any_two_histories_are_joined_as_the_law_says(
    engine: Engine, ours: Sequence[Fact], theirs: Sequence[Fact], news: Sequence[Fact]
) -> None:
    await engine.store.reset(TENANT)
    timeline = Timeline()
    for name, facts in zip(NAMES, (ours, theirs), strict=True):
        before = Timeline()
        for n, fact in enumerate(facts):
            stated = _as(fact, f"{name}{n}", name)
            assert await write(engine, stated) == before.write(stated)
        timeline.facts |= before.facts
    for n, fact in enumerate(news):
        name, alias = NAMES if n == 0 else reversed(NAMES)
        stated = _as(fact, f"new{n}", name, later=9 * DAY)
        with suppress(Conflict):
            expected = timeline.write(stated)
            assert await write(engine, stated, alias) == expected
            await check_kept(engine)
    assert {fact.id: fact for fact in await known(engine)} == timeline.facts


@given(starts=st.lists(st.integers(-9, 9), min_size=4, max_size=8))
@settings(
    max_examples=4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_of_writers_before_and_after_a_merge_at_once_not_all_win(
    engine: Engine, starts: list[int]
) -> None:
    await engine.store.reset(TENANT)
    facts = [a_fact(f"f{n}", f"tea {n}", NOW + s * DAY, at=NOW + n) for n, s in enumerate(starts)]
    stale = [_as(fact, f"s{fact.id}", "nora") for fact in facts[::2]]
    await asyncio.gather(
        *(write(engine, fact, "nora") for fact in facts), *(write(engine, fact) for fact in stale)
    )
    await write(engine, a_fact("last", "mate", NOW + 9 * DAY, at=NOW + 99), "nora")
    await check_kept(engine)
    assert [fact.id for fact in await known(engine) if fact.holds_at(NOW + 9 * DAY)] == ["last"]


async def test_a_timeline_is_all_that_is_told_of_one_thing_under_its_names(engine: Engine) -> None:
    for fact in (
        a_fact("f4"),
        a_fact("f2", "tea", NOW + DAY),
        a_fact("f3", "mate", subject="nora"),
        a_fact("f5", "figs", predicate="eats"),
        a_fact("f6", "cocoa", namespace="team"),
        a_fact("f7", "water", subject="nobody"),
        a_fact("f8", "espresso", subject="mira", object_id="noor"),
    ):
        await write(engine, fact)

    async def told(*subjects: str, namespace: str = "default", tenant: str = TENANT) -> list[str]:
        found = await engine.facts.timeline(tenant, namespace, subjects, "drinks")
        return [fact.id for fact in found]

    assert await told("noor") == ["f2", "f4"]
    assert await told("nora", "noor") == await told("noor", *NAMES) == ["f2", "f3", "f4"]
    assert await told(*(f"other {n}" for n in range(MOST_ALIASES)), "noor") == ["f2", "f4"]
    assert await told("noor", namespace="team") == ["f6"]
    assert await told("noor", namespace="nowhere") == await told("noor", tenant="nobody") == []


async def test_what_is_joined_names_what_is_forgotten_as_such(engine: Engine) -> None:
    await write(engine, a_fact("a1", "espresso", NOW - 9 * DAY))
    await write(engine, a_fact("b1", "tea", NOW - 5 * DAY, subject="nora"))
    await write(engine, a_fact("new", "mate", at=NOW + 1), "nora")
    await engine.store.forget(TENANT, ["b1"], Forgetting(b"key", "cli", NOW + 2))
    left = await engine.store.get(TENANT, "a1")
    assert left is not None
    assert left.superseded_by == FORGOTTEN


async def test_of_a_long_past_under_all_names_the_last_to_end_are_joined(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "MOST_PAST", 4)
    for n in range(3):
        start = NOW + (n - 9) * DAY
        end = start + DAY
        await write(engine, a_fact(f"a{n}", f"tea {n}", start, end))
        await write(engine, a_fact(f"b{n}", f"mate {n}", start + DAY // 2, end, subject="nora"))
    await write(engine, a_fact("a9", "tea", NOW - DAY))
    placed = await write(engine, a_fact("new", "espresso", at=NOW + 1), "nora")
    changed = {change.subject_id: change.after.superseded_by for change in placed.changes}
    assert changed == {"new": None, "a9": "new", "a1": "b1", "a2": "b2"}


def _as(fact: Fact, id_: str, subject: str, later: int = 0) -> Fact:
    memory = fact.memory
    return a_fact(
        id_,
        fact.details.object,
        memory.valid_from.at if memory.valid_from else None,
        memory.valid_until.at if memory.valid_until else None,
        at=memory.recorded_at + later,
        subject=subject,
    )
