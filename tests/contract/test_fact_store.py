"""What `FactStore` promises."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.domain.errors import NotFound
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.placing import Placed, as_known
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind
from metacortex.domain.moment import Milliseconds, Moment
from metacortex.engines import Engine
from metacortex.knowledge_ports import FactStore
from tests.facts import CLIENT, DAY, Timeline, a_fact, histories, overlapping
from tests.questions import found
from tests.samples import NOW, TENANT, a_memory, a_vector, add, an_embedding


async def write(store: FactStore, fact: Fact, tenant: str = TENANT) -> Placed:
    """Write a fact along the first axis of the space."""
    return await store.add_fact(tenant, fact.memory, an_embedding(), CLIENT)


async def about(store: FactStore, *entities: str, tenant: str = TENANT) -> list[str]:
    """Return the ids of the facts about entities, in whatever namespace."""
    return [fact.id for fact in await store.facts_about(tenant, None, entities)]


async def known(store: FactStore, known_at: Milliseconds) -> list[Fact]:
    """Return what was known of Noor at a moment."""
    facts = await store.facts_about(TENANT, None, ["noor"])
    entries = await store.changes_of(TENANT, [fact.id for fact in facts])
    recorded = (
        as_known(
            fact.memory, (each for each in entries[fact.id] if isinstance(each, Change)), known_at
        )
        for fact in facts
    )
    return [Fact(memory) for memory in recorded if memory]


async def test_a_fact_is_a_memory_like_any_other(engine: Engine) -> None:
    fact = a_fact()
    placed = await write(engine.facts, fact)
    assert placed == Placed(fact, True, (fact.memory.creation(CLIENT),))
    assert await engine.store.get(TENANT, "f1") == fact.memory
    assert await engine.store.changes(TENANT, "f1") == placed.changes
    assert await engine.store.count(TENANT) == 1
    for asked in ({"vector": a_vector()}, {"text": "espresso"}):
        assert [*await found(engine.store, **asked)] == ["f1"]


async def test_what_a_fact_ends_is_no_longer_found(engine: Engine) -> None:
    await write(engine.facts, a_fact("old", "espresso", NOW - 9 * DAY))
    placed = await write(engine.facts, a_fact("new", "tea", NOW - DAY))
    _, ended = placed.changes
    assert (ended.subject_id, ended.kind) == ("old", ChangeKind.SUPERSEDED)
    old = await engine.store.get(TENANT, "old")
    assert old is not None
    assert (old.branch_state, old.superseded_by, old.valid_until, old.updated_at) == (
        BranchState.DEPRECATED,
        "new",
        Moment(NOW - DAY),
        NOW,
    )
    assert [*await found(engine.store, a_vector())] == ["new"]
    past = await found(
        engine.store,
        a_vector(),
        branch_state=BranchState.DEPRECATED,
        valid_at=NOW - 2 * DAY,
    )
    assert [*past] == ["old"]


@given(history=histories(most=5))
@settings(
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_any_history_is_kept_as_the_law_says(engine: Engine, history: Sequence[Fact]) -> None:
    await engine.store.reset(TENANT)
    timeline = Timeline()
    for fact in history:
        assert await write(engine.facts, fact) == timeline.write(fact)
    facts = await engine.facts.facts_about(TENANT, None, ["noor"])
    assert facts == tuple(timeline.facts[id_] for id_ in sorted(timeline.facts))
    assert await engine.facts.changes_of(TENANT, [*timeline.facts]) == {
        id_: timeline.changes_of(id_) for id_ in timeline.facts
    }
    for fact in history:
        assert overlapping(await known(engine.facts, fact.memory.recorded_at)) == []


@given(
    starts=st.lists(st.none() | st.integers(-9, 9), min_size=2, max_size=8),
    values=st.lists(st.sampled_from("abcd"), min_size=8, max_size=8),
)
@settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_writers_of_one_timeline_at_once_see_each_other(
    engine: Engine, starts: list[int | None], values: list[str]
) -> None:
    await engine.store.reset(TENANT)
    facts = [
        a_fact(f"f{n}", value, None if start is None else NOW + start * DAY, at=NOW + n)
        for n, (start, value) in enumerate(zip(starts, values, strict=False))
    ]
    placed = await asyncio.gather(*(write(engine.facts, fact) for fact in facts))
    kept = await engine.facts.facts_about(TENANT, None, ["noor"])
    assert [fact.id for fact in kept] == sorted({each.fact.id for each in placed})
    assert sum(each.created for each in placed) == len(kept)
    assert overlapping(kept) == []
    for fact in kept:
        *_, last = await engine.store.changes(TENANT, fact.id)
        assert isinstance(last, Change)
        assert last.after == fact.memory.standing


async def test_timelines_differ_by_namespace_subject_and_predicate(engine: Engine) -> None:
    facts = [
        a_fact("f1"),
        a_fact("f2", "tea", namespace="team"),
        a_fact("f3", "tea", subject="mira"),
        a_fact("f4", "tea", predicate="drank"),
        a_fact("f5", "tea", predicate="Drinks"),
    ]
    for fact in facts:
        assert (await write(engine.facts, fact)).changes == (fact.memory.creation(CLIENT),)


async def test_facts_about_an_alias_of_the_subject_stand_in_its_timeline(engine: Engine) -> None:
    await write(engine.facts, a_fact("f1", subject="nora"))
    await write(engine.facts, a_fact("f2", "water", subject="ben"))
    new = a_fact("f3", "tea", at=NOW + 1)
    placed = await engine.facts.add_fact(
        TENANT, new.memory, an_embedding(), CLIENT, ["nora", "norah"]
    )
    assert [change.subject_id for change in placed.changes] == ["f3", "f1"]
    assert placed.fact.memory.valid_from == Moment(NOW + 1)
    same = a_fact("f4", "tea", subject="nora", at=NOW + 2)
    beside = await engine.facts.add_fact(TENANT, same.memory, an_embedding(), CLIENT, ["noor"])
    assert [change.subject_id for change in beside.changes] == ["f4"]


async def test_an_entity_is_found_as_subject_and_as_object(engine: Engine) -> None:
    for fact in (
        a_fact("f3", "Mira", predicate="knows", object_id="mira"),
        a_fact("f1", "Noor", subject="mira", predicate="knows", object_id="noor"),
        a_fact("f2", "Mira", subject="ben", predicate="knows", object_id="mira", namespace="team"),
        a_fact("f4", "mira", subject="ana", predicate="knows"),
    ):
        await write(engine.facts, fact)
    assert await about(engine.facts, "mira") == ["f1", "f2", "f3"]
    assert await about(engine.facts, "noor", "mira", "noor") == ["f1", "f2", "f3"]
    assert await about(engine.facts, "ben") == ["f2"]
    assert await about(engine.facts, "nobody", "", "ent_", "\ud800", "a\0b") == []
    assert await about(engine.facts) == []
    of_team = await engine.facts.facts_about(TENANT, ["team"], ["mira"])
    assert [fact.id for fact in of_team] == ["f2"]
    assert await engine.facts.facts_about(TENANT, [], ["mira"]) == ()


async def test_facts_about_entities_are_narrowed_by_state_and_limited(engine: Engine) -> None:
    for name, end in (("f4", None), ("f1", NOW - 1), ("f3", None), ("f2", NOW - 1), ("f5", None)):
        fact = a_fact(name, name, NOW - DAY, end, singular=False)
        await write(engine.facts, fact)
    await write(engine.facts, a_fact("f0", "f0", predicate="likes", namespace="team"))

    async def narrowed(
        *states: BranchState, namespaces: Sequence[str] | None = ("default",), limit: int = 9
    ) -> list[str]:
        found = await engine.facts.facts_about(TENANT, namespaces, ["noor"], states, limit)
        return [fact.id for fact in found]

    active, past, merged = BranchState.ACTIVE, BranchState.DEPRECATED, BranchState.MERGED
    assert await narrowed(active) == ["f3", "f4", "f5"]
    assert await narrowed(past) == ["f1", "f2"]
    assert await narrowed(past, active, limit=4) == ["f1", "f2", "f3", "f4"]
    assert await narrowed(active, namespaces=None, limit=2) == ["f0", "f3"]
    assert await narrowed(active, namespaces=["team", "default"], limit=3) == ["f0", "f3", "f4"]
    assert await narrowed(merged) == await narrowed() == []


async def test_many_entities_are_asked_for_at_once(engine: Engine) -> None:
    for n in range(3):
        await write(engine.facts, a_fact(f"f{n}", subject=f"person {n * 50}"))
    assert await about(engine.facts, *(f"person {n}" for n in range(101))) == ["f0", "f1", "f2"]


async def test_facts_are_found_by_what_they_were_drawn_from(engine: Engine) -> None:
    for memory_id in ("m1", "m2", "m3"):
        await add(engine.store, a_memory(memory_id))
    for n, sources in enumerate((("m1",), ("m2", "m1"), (), ("m3",))):
        fact = a_fact(f"f{n}", predicate=f"likes {n}", namespace="team" if n else "default")
        await write(engine.facts, Fact(replace(fact.memory, sources=sources)))
    await add(engine.store, a_memory("merged", sources=("m1", "m3")))

    async def drawn(*memory_ids: str, tenant: str = TENANT) -> list[str]:
        return [fact.id for fact in await engine.facts.drawn_from(tenant, memory_ids)]

    assert await drawn("m1") == ["f0", "f1"]
    assert await drawn("m3", "m2", "m2") == ["f1", "f3"]
    assert await drawn("m1", *(f"other {n}" for n in range(50)), "m3") == ["f0", "f1", "f3"]
    assert await drawn("f0", "", "\ud800") == await drawn() == []
    assert await drawn("m1", tenant="nobody") == []


async def test_nothing_is_drawn_from_what_is_not_there(engine: Engine) -> None:
    with pytest.raises(NotFound, match="Source episode not found"):
        await write(engine.facts, Fact(replace(a_fact().memory, sources=("gone",))))
    assert await engine.facts.facts_about(TENANT, None, ["noor"]) == ()


async def test_facts_are_listed_newest_first(engine: Engine) -> None:
    for n, namespace in enumerate(("default", "team", "default")):
        subject = f"person {n}"
        await write(engine.facts, a_fact(f"f{n}", at=NOW + n, subject=subject, namespace=namespace))
    await add(engine.store, a_memory("note", created_at=NOW + 9))

    async def listed(namespaces: Sequence[str] | None, limit: int) -> list[str]:
        return [fact.id for fact in await engine.facts.facts(TENANT, namespaces, limit)]

    assert await listed(None, 9) == ["f2", "f1", "f0"]
    assert await listed(None, 2) == ["f2", "f1"]
    assert await listed(["default"], 9) == ["f2", "f0"]
    assert await listed(["default", "team"], 1) == ["f2"]
    assert await listed(["nowhere"], 9) == []


async def test_the_changes_of_many_are_told_each_in_order(engine: Engine) -> None:
    await write(engine.facts, a_fact("f1"))
    ended = (await write(engine.facts, a_fact("f2", "tea", NOW - DAY))).changes[1]
    changes = await engine.facts.changes_of(TENANT, ["f1", "f2", "nowhere", "\ud800"])
    assert changes["f1"] == (a_fact("f1").memory.creation(CLIENT), ended)
    assert [len(changes[id_]) for id_ in ("f2", "nowhere", "\ud800")] == [1, 0, 0]


async def test_each_tenant_has_facts_of_its_own(engine: Engine) -> None:
    await write(engine.facts, a_fact("f1"))
    placed = await write(engine.facts, a_fact("f1", "tea"), tenant="other")
    assert (placed.created, len(placed.changes)) == (True, 1)
    assert await about(engine.facts, "noor", tenant="nobody") == []
    (mine,) = await engine.facts.facts(TENANT, None, 9)
    (theirs,) = await engine.facts.facts("other", None, 9)
    assert (mine.details.object, theirs.details.object) == ("espresso", "tea")
    assert await engine.facts.changes_of("nobody", ["f1"]) == {"f1": ()}


async def test_a_long_timeline_takes_one_more(engine: Engine) -> None:
    """K34."""
    for n in range(60):
        await write(engine.facts, a_fact(f"f{n:02}", f"tea {n}", at=NOW + n))
    facts = await engine.facts.facts_about(TENANT, None, ["noor"])
    assert [fact.id for fact in facts if fact.holds_at(NOW + 99)] == ["f59"]
    assert overlapping(facts) == []


async def test_a_forgotten_fact_is_in_no_timeline(engine: Engine) -> None:
    await write(engine.facts, a_fact("f1"))
    await write(engine.facts, a_fact("f2", "tea", NOW - DAY))
    await engine.store.forget(TENANT, ["f2"], Forgetting(b"key", "cli", NOW))
    assert await about(engine.facts, "noor") == ["f1"]
    placed = await write(engine.facts, a_fact("f3", "tea", NOW - DAY, at=NOW + 1))
    assert placed.created


async def test_old_news_is_stored_as_past(engine: Engine) -> None:
    await write(engine.facts, a_fact("f1", "Northwind", NOW - DAY))
    late = (await write(engine.facts, a_fact("f2", "Lakeside", NOW - 9 * DAY))).fact.memory
    assert (late.branch_state, late.superseded_by) == (BranchState.DEPRECATED, "f1")
    assert await engine.store.get(TENANT, "f2") == late
    assert [*await found(engine.store, a_vector())] == ["f1"]


async def test_a_fact_of_several_windows_is_found_by_any(engine: Engine) -> None:
    fact = a_fact()
    windows = an_embedding(a_vector(), a_vector(0, 1, 0), a_vector(0, 0, 1))
    await engine.facts.add_fact(TENANT, fact.memory, windows, CLIENT)
    assert [*await found(engine.store, a_vector(0, 0, 1))] == ["f1"]
    await write(engine.facts, a_fact("f2", "tea", NOW - DAY))
    assert "f1" not in await found(engine.store, a_vector(0, 0, 1))
