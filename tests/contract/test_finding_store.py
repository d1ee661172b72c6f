"""What a store of findings promises, on every engine."""

import asyncio
from dataclasses import replace

import pytest

from metacortex.domain.errors import Conflict, MetaCortexError
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.knowledge.contradictions import Contradiction
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.findings import (
    Finding,
    FindingStatus,
    Revision,
    closed,
    found,
    reopened,
    resolved,
)
from metacortex.domain.knowledge.resolving import reopening, resolving
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind
from metacortex.engines import Engine
from tests.facts import CLIENT, DAY, a_fact
from tests.samples import NOW, TENANT, a_vector, an_embedding
from tests.stated import among

LATER = NOW + DAY


async def written(engine: Engine, *facts: Fact) -> None:
    for fact in facts:
        await engine.facts.add_fact(TENANT, fact.memory, an_embedding(a_vector()), CLIENT)


async def contradicting(
    engine: Engine, number: int = 0, namespace: str = "default"
) -> Contradiction:
    """Write two facts of which each is a value of its own, and return how they contradict."""
    tea, espresso = (
        a_fact(
            f"{value}{number}",
            value,
            start,
            singular=False,
            subject=f"noor{number}",
            predicate="favourite",
            namespace=namespace,
        )
        for value, start in (("tea", NOW - 2 * DAY), ("espresso", NOW - DAY))
    )
    await written(engine, tea, espresso)
    (contradiction,) = among(tea, espresso)
    return contradiction


async def open_ones(engine: Engine, *namespaces: str) -> list[str]:
    listed = await engine.findings.findings(
        TENANT, namespaces or None, FindingStatus.OPEN, limit=10
    )
    return [finding.id for finding in listed]


async def standing_of(engine: Engine, id_: str) -> tuple[BranchState, str | None, int | None]:
    memory = await engine.store.get(TENANT, id_)
    assert memory is not None
    end = memory.valid_until.at if memory.valid_until else None
    return memory.branch_state, memory.superseded_by, end


async def kept(engine: Engine, contradiction: Contradiction, at: int = NOW) -> Finding:
    finding = found(contradiction, CLIENT, at)
    await engine.findings.keep(TENANT, [Revision(None, finding)])
    return finding


async def test_findings_are_kept_replaced_and_listed_by_status_newest_first(engine: Engine) -> None:
    one, other, third = [await contradicting(engine, number) for number in range(3)]
    findings = [await kept(engine, each, NOW + n) for n, each in enumerate((one, other, third))]
    assert await open_ones(engine) == [each.id for each in reversed(findings)]
    done = closed(findings[1], "both are meant", CLIENT, LATER)
    await engine.findings.keep(TENANT, [Revision(findings[1], done)])
    assert await open_ones(engine) == [findings[2].id, findings[0].id]
    assert await engine.findings.findings(TENANT, None, FindingStatus.CLOSED, 10) == (done,)
    assert await engine.findings.findings(TENANT, None, FindingStatus.OPEN, 1) == (findings[2],)
    all_open = await engine.findings.findings(TENANT, None, FindingStatus.OPEN)
    assert all_open == (findings[2], findings[0])
    assert await engine.findings.named(TENANT, [done.id, "con_unknown", "\ud800"]) == (done,)


async def test_findings_are_seen_in_their_namespace_and_tenant_alone(engine: Engine) -> None:
    finding = await kept(engine, await contradicting(engine, namespace="team"))
    assert await open_ones(engine, "team", "other") == [finding.id]
    assert await open_ones(engine, "default") == []
    assert await engine.findings.findings("elsewhere", None, FindingStatus.OPEN, 10) == ()
    assert await engine.findings.named("elsewhere", [finding.id]) == ()


async def test_a_resolution_moves_facts_and_findings_in_one_step_and_can_be_taken_back(
    engine: Engine,
) -> None:
    pairs = [await contradicting(engine, number) for number in range(2)]
    before = [await standing_of(engine, each.given_up.id) for each in pairs]
    changes = [resolving(each, CLIENT, NOW) for each in pairs]
    findings = [resolved(found(each, CLIENT, NOW), "step", CLIENT, NOW) for each in pairs]
    await engine.findings.keep(TENANT, [Revision(None, each) for each in findings], changes)
    for each in pairs:
        assert await standing_of(engine, each.given_up.id) == (
            BranchState.DEPRECATED,
            each.kept.id,
            NOW - DAY,
        )
    named = await engine.findings.named(TENANT, ["step"])
    assert sorted(each.id for each in named) == sorted(each.id for each in findings)
    inverse = [reopening(each, each.after, CLIENT, LATER) for each in changes]
    back = [Revision(each, reopened(each, CLIENT, LATER)) for each in findings]
    await engine.findings.keep(TENANT, back, inverse)
    assert [await standing_of(engine, each.given_up.id) for each in pairs] == before
    entries = (await engine.facts.changes_of(TENANT, [pairs[0].given_up.id]))[pairs[0].given_up.id]
    recorded = [(entry.kind, entry.cause) for entry in entries if isinstance(entry, Change)]
    assert recorded == [
        (ChangeKind.STATE, None),
        (ChangeKind.SUPERSEDED, findings[0].id),
        (ChangeKind.REOPENED, findings[0].id),
    ]


async def test_of_a_step_of_which_one_part_has_moved_on_nothing_is_done(engine: Engine) -> None:
    pairs = [await contradicting(engine, number) for number in range(2)]
    changes = [resolving(each, CLIENT, NOW) for each in pairs]
    await engine.store.supersede(TENANT, pairs[1].given_up.id, pairs[1].kept.id, CLIENT, NOW)
    with pytest.raises(Conflict):
        await engine.findings.keep(TENANT, [Revision(None, found(pairs[0], CLIENT, NOW))], changes)
    assert (await standing_of(engine, pairs[0].given_up.id))[0] is BranchState.ACTIVE
    assert await open_ones(engine) == []


async def test_what_a_finding_has_become_meanwhile_is_not_overwritten(engine: Engine) -> None:
    pair = await contradicting(engine)
    finding = await kept(engine, pair)
    change, step = resolving(pair, CLIENT, NOW), resolved(finding, "step", CLIENT, NOW)
    await engine.findings.keep(TENANT, [Revision(finding, step)], [change])
    late = closed(finding, "both are meant", CLIENT, LATER)
    for stale in (Revision(finding, late), Revision(None, late)):
        with pytest.raises(Conflict):
            await engine.findings.keep(TENANT, [stale])
    inverse = reopening(change, change.after, CLIENT, LATER)
    with pytest.raises(Conflict):
        await engine.findings.keep(TENANT, [Revision(finding, finding)], [inverse])
    assert (await standing_of(engine, pair.given_up.id))[0] is BranchState.DEPRECATED
    assert await engine.findings.named(TENANT, [finding.id]) == (step,)


async def test_a_finding_that_is_gone_is_not_written_again(engine: Engine) -> None:
    pair = await contradicting(engine)
    finding = await kept(engine, pair)
    await engine.store.forget(TENANT, [pair.kept.id], Forgetting(b"key", CLIENT, NOW))
    with pytest.raises(Conflict):
        await engine.findings.keep(TENANT, [Revision(finding, closed(finding, "x", CLIENT, NOW))])
    assert await engine.findings.named(TENANT, [finding.id]) == ()


async def test_what_has_become_already_what_it_is_to_become_is_left_so(engine: Engine) -> None:
    finding = await kept(engine, await contradicting(engine))
    done = Revision(finding, closed(finding, "both are meant", CLIENT, LATER))
    for _ in range(2):
        await engine.findings.keep(TENANT, [done])
    assert await engine.findings.named(TENANT, [finding.id]) == (done.after,)


async def test_of_a_close_and_a_resolution_at_once_one_is_done_whole(engine: Engine) -> None:
    pair = await contradicting(engine)
    finding = await kept(engine, pair)
    shut, step = closed(finding, "x", CLIENT, LATER), resolved(finding, "step", CLIENT, LATER)
    outcomes = await asyncio.gather(
        engine.findings.keep(TENANT, [Revision(finding, shut)]),
        engine.findings.keep(TENANT, [Revision(finding, step)], [resolving(pair, CLIENT, LATER)]),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in outcomes) == ["Conflict", "NoneType"]
    (stored,) = await engine.findings.named(TENANT, [finding.id])
    has_moved = (await standing_of(engine, pair.given_up.id))[0] is BranchState.DEPRECATED
    assert stored == (step if has_moved else shut)


@pytest.mark.parametrize("which", ["kept", "given_up"])
async def test_what_was_forgotten_resolves_nothing(engine: Engine, which: str) -> None:
    pair = await contradicting(engine)
    gone: Fact = getattr(pair, which)
    await engine.store.forget(TENANT, [gone.id], Forgetting(b"key", CLIENT, NOW))
    with pytest.raises(Conflict):
        await engine.findings.keep(TENANT, [], [resolving(pair, CLIENT, NOW)])


async def test_a_fact_is_not_opened_again_over_one_that_took_its_place(engine: Engine) -> None:
    old = a_fact("old", "tea", NOW - 2 * DAY, predicate="favourite")
    alias = a_fact("alias", "espresso", NOW - DAY, predicate="favorite")
    await written(engine, old, alias)
    change = resolving_pair(old, alias)
    await engine.findings.keep(TENANT, [], [change])
    fresh = a_fact("fresh", "mate", NOW, predicate="favourite")
    await written(engine, fresh)
    with pytest.raises(Conflict):
        await engine.findings.keep(TENANT, [], [reopening(change, change.after, CLIENT, LATER)])


def resolving_pair(old: Fact, new: Fact) -> Change:
    """Return the Change by which the one gives way to the other."""
    (pair,) = among(replace(old, memory=replace(old.memory)), renamed(new, old.details.predicate))
    return resolving(pair, CLIENT, NOW)


def renamed(fact: Fact, predicate: str) -> Fact:
    """Return a fact as if it were of another predicate."""
    details = replace(fact.details, predicate=predicate)
    return Fact(replace(fact.memory, details=details))


async def test_of_two_steps_at_once_that_resolve_the_same_one_is_done(engine: Engine) -> None:
    pair = await contradicting(engine)
    changes = [resolving(pair, client, NOW) for client in ("one", "other")]
    outcomes = await asyncio.gather(
        *(engine.findings.keep(TENANT, [], [each]) for each in changes), return_exceptions=True
    )
    refused = [each for each in outcomes if isinstance(each, MetaCortexError)]
    assert [type(each) for each in refused] == [Conflict]


async def test_a_reset_tenant_has_no_findings(engine: Engine) -> None:
    finding = await kept(engine, await contradicting(engine))
    await engine.store.reset(TENANT)
    assert await engine.findings.named(TENANT, [finding.id]) == ()
