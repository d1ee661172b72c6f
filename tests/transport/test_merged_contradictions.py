"""Contradictions between facts that were stated under several names of one subject."""

import pytest

from tests.auditing import DAY, audit, current, ids_of, review, state_owners
from tests.endpoint import Endpoint
from tests.world import World


async def merge(endpoint: Endpoint, name: str, into: str, **more: object) -> None:
    assert (await endpoint.tool("merge_entities", {"from": name, "into": into, **more})).success


async def test_facts_under_two_names_contradict_each_other_while_these_are_merged(
    either_world: World,
) -> None:
    admin = either_world.endpoint()
    (older,) = await state_owners(admin, "Ana", subject="PaymentLedger")
    either_world.clock.at += DAY
    (newer,) = await state_owners(admin, "Ben", subject="payment_ledger")
    assert (await audit(admin))["contradiction_count"] == 0
    await merge(admin, "payment_ledger", "PaymentLedger")
    for entity in (None, "PaymentLedger", "payment_ledger"):
        (found,) = (await audit(admin, **({"entity": entity} if entity else {})))["findings"]
        assert (found["supersede"], found["by"]) == (older, newer)
    assert (await admin.tool("merge_entities", {"from": "payment_ledger", "undo": True})).success
    assert (await audit(admin))["contradiction_count"] == 0
    (closed,) = await review(admin, status="closed")
    assert closed["reason"] == "no longer found"


@pytest.mark.parametrize("entity", ["PaymentLedger", "payment_ledger"])
@pytest.mark.parametrize("holds_still", [True, False])
async def test_an_audit_of_either_name_closes_what_was_found_while_both_were_one(
    world: World, admin: Endpoint, entity: str, holds_still: bool
) -> None:
    await state_owners(admin, "Ana", subject="PaymentLedger")
    world.clock.at += DAY
    await state_owners(admin, "Ben", subject="payment_ledger")
    await state_owners(admin, "Cem", "Dan", subject="far away")
    await merge(admin, "payment_ledger", "PaymentLedger")
    assert (await audit(admin))["contradiction_count"] == 2
    assert (await admin.tool("merge_entities", {"from": "payment_ledger", "undo": True})).success
    if not holds_still:
        world.clock.at += DAY
        await admin.state(entity, "owner", "Eva")
    await audit(admin, entity=entity)
    (closed,) = await review(admin, status="closed")
    assert closed["reason"] == "no longer found"
    assert len(await review(admin)) == 1


async def test_what_was_resolved_is_not_opened_beside_a_fact_under_another_name(
    either_world: World,
) -> None:
    admin = either_world.endpoint()
    old = await admin.state("PaymentLedger", "owner", "Ana")
    either_world.clock.at += DAY
    await admin.state("PaymentLedger", "owned_by", "Ben")
    step = (await audit(admin, auto_resolve=True))["resolution_id"]
    either_world.clock.at += DAY
    new = await admin.state("payment_ledger", "owner", "Cem")
    await merge(admin, "payment_ledger", "PaymentLedger")
    arguments = {"action": "reopen", "finding_ids": [step]}
    outcome = await admin.tool("review_contradictions", arguments)
    assert outcome.failure == (
        "conflict",
        f"Fact '{old['id']}' cannot hold again: only one value may at a time, and"
        f" '{new['id']}' was stated since; end that one first",
    )
    assert (await current(admin, old["id"]))[0] == "deprecated"
    assert (await admin.tool("merge_entities", {"from": "payment_ledger", "undo": True})).success
    assert len(ids_of(await review(admin, **arguments))) == 1
    assert (await current(admin, old["id"]))[0] == "active"


async def test_what_was_resolved_is_opened_beside_the_same_under_another_name(
    either_world: World,
) -> None:
    admin = either_world.endpoint()
    old = await admin.state("PaymentLedger", "owner", "Ana")
    either_world.clock.at += DAY
    await admin.state("PaymentLedger", "owned_by", "Ben")
    step = (await audit(admin, auto_resolve=True))["resolution_id"]
    either_world.clock.at += DAY
    await admin.state("payment_ledger", "owner", "Ana")
    await merge(admin, "payment_ledger", "PaymentLedger")
    assert len(await review(admin, action="reopen", finding_ids=[step])) == 1
    assert (await current(admin, old["id"]))[0] == "active"


async def test_what_was_resolved_under_two_names_is_opened_again(either_world: World) -> None:
    admin = either_world.endpoint()
    for name, owner in (("PaymentLedger", "Ana"), ("payment_ledger", "Ben")):
        either_world.clock.at += DAY
        await admin.state(name, "owner", owner)
    await merge(admin, "payment_ledger", "PaymentLedger")
    step = (await audit(admin, auto_resolve=True))["resolution_id"]
    (reopened,) = await review(admin, action="reopen", finding_ids=[step])
    assert reopened["status"] == "open"
    assert (await audit(admin))["contradiction_count"] == 1
