"""The documents that audits and reviews read and write in Firestore, counted at the wire: the table
in docs/architecture.md holds.
"""

from bench.firestore_relay import Relay
from tests.auditing import DAY, audit, review, state_owners
from tests.endpoint import Endpoint
from tests.firestore_costs import EVENT, cost
from tests.world import World

NONE = 1
"""A query that finds nothing."""
BY_STEP = MERGED = NONE
ARRIVED = 1
"""Whether an earlier attempt has arrived is asked first."""


async def test_an_audit_costs_the_facts_what_is_known_and_what_is_new(
    admin: Endpoint, relay: Relay
) -> None:
    assert await cost(relay, admin, "audit_contradictions") == (NONE + MERGED + NONE, EVENT)
    await state_owners(admin, "Ana", "Ben", "Cem")
    facts, findings = 3, 3
    unknown = await cost(relay, admin, "audit_contradictions", entity="nobody")
    assert unknown == (NONE, EVENT)
    new = await cost(relay, admin, "audit_contradictions", dry_run=True)
    assert new == (facts + MERGED + NONE + BY_STEP, EVENT)
    new = await cost(relay, admin, "audit_contradictions")
    as_decided = findings
    assert new == (
        facts + MERGED + NONE + BY_STEP + NONE + as_decided,
        findings + EVENT,
    )
    known = await cost(relay, admin, "audit_contradictions")
    assert known == (facts + MERGED + findings + BY_STEP + findings, EVENT)


async def test_a_step_costs_its_facts_and_their_timelines(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    for subject in "ab":
        await state_owners(admin, "Ana", subject=subject)
        world.clock.at += DAY
        await state_owners(admin, "Ben", subject=subject)
    audited = 4 + MERGED + NONE + BY_STEP + NONE
    given_up, kept, heads, findings = 2, 2, 2, 2
    done = await cost(relay, admin, "audit_contradictions", auto_resolve=True)
    assert done == (
        audited + 2 * (given_up + kept) + heads + ARRIVED + findings,
        heads + kept + 2 * given_up + findings + EVENT,
    )
    (one, _) = await review(admin, status="resolved")
    facts, changes, head, timeline = 2, 2, 1, 2
    back = await cost(
        *(relay, admin, "review_contradictions"), action="reopen", finding_ids=[one["id"]]
    )
    found, itself, decided, entity = 1 + BY_STEP, 1, 1, 1 + MERGED
    told = found + itself + changes + entity + facts
    assert back == (
        told + 2 * itself + head + ARRIVED + timeline + decided,
        head + 2 + 1 + EVENT,
    )


async def test_a_review_costs_the_findings_and_their_facts(admin: Endpoint, relay: Relay) -> None:
    assert await cost(relay, admin, "review_contradictions") == (NONE, EVENT)
    await state_owners(admin, "Ana", "Ben", "Cem")
    (one, *_) = (await audit(admin))["findings"]
    listed = await cost(relay, admin, "review_contradictions")
    assert listed == (3 + 3, EVENT)
    closed = await cost(
        *(relay, admin, "review_contradictions"),
        action="close",
        finding_ids=[one["id"]],
        reason="Shared.",
    )
    assert closed == (1 + BY_STEP + 1 + 2, 1 + EVENT)
