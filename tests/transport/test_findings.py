"""Findings: what becomes of contradictions that were found: closed, resolved, taken back."""

import pytest

from metacortex.domain.knowledge.findings import MOST_RESOLVED
from tests.auditing import DAY, audit, current, ids_of, review, state_owners
from tests.endpoint import Endpoint, Json
from tests.world import World


@pytest.fixture
def world(either_world: World) -> World:
    """A program on each of the two engines."""
    return either_world


async def test_findings_are_kept_once_closed_with_a_reason_and_opened_again(world: World) -> None:
    admin = world.endpoint()
    await state_owners(admin, "Ana", "Ben")
    assert (await audit(admin, dry_run=True))["contradiction_count"] == 1
    assert await review(admin) == []
    (found,) = (await audit(admin))["findings"]
    world.clock.at += DAY
    await audit(admin)
    (kept,) = await review(admin)
    assert (kept["id"], kept["status"], kept["found_at"]) == (
        found["id"],
        "open",
        kept["changed_at"],
    )
    assert [fact["object"] for fact in kept["facts"]] == [fact["object"] for fact in found["facts"]]
    (closed,) = await review(admin, action="close", finding_ids=[kept["id"]], reason="Shared.")
    assert (closed["status"], closed["reason"]) == ("closed", "Shared.")
    told = await audit(admin)
    assert (told["contradiction_count"], told["dismissed"]) == (0, 1)
    assert ids_of(await review(admin, status="closed")) == [kept["id"]]
    (again,) = await review(admin, action="reopen", finding_ids=[kept["id"]])
    assert (again["status"], again.get("reason")) == ("open", None)
    assert (await audit(admin))["contradiction_count"] == 1


async def test_auto_resolve_supersedes_in_one_step_that_is_taken_back_whole(world: World) -> None:
    admin = world.endpoint()
    pairs = []
    for subject in ("api", "web"):
        (older,) = await state_owners(admin, "Ana", subject=subject)
        world.clock.at += DAY
        pairs.append((older, *await state_owners(admin, "Ben", subject=subject)))
    would = await audit(admin, auto_resolve=True, dry_run=True)
    assert {(each["superseded"], each["superseded_by"]) for each in would["auto_resolved"]} == {
        *pairs
    }
    assert (would["dry_run"], "resolution_id" in would) == (True, False)
    assert [await current(admin, older) for older, _ in pairs] == [("active", None)] * 2
    done = await audit(admin, auto_resolve=True)
    assert done["auto_resolved"] == would["auto_resolved"]
    assert {each["status"] for each in done["findings"]} == {"resolved"}
    assert done["summary_markdown"].count("has given way") == 2
    for older, newer in pairs:
        assert await current(admin, older) == ("deprecated", newer)
        told = (await admin.tool("fact_context", {"fact_id": older})).success["fact"]
        assert told["changes"][-1]["kind"] == "superseded"
        assert told["changes"][-1]["cause"] in ids_of(done["findings"])
    assert (await audit(admin))["contradiction_count"] == 0
    assert await review(admin) == []
    resolved = await review(admin, status="resolved")
    assert {each["resolution_id"] for each in resolved} == {done["resolution_id"]}
    world.clock.at += DAY
    back = await review(admin, action="reopen", finding_ids=[done["resolution_id"]])
    assert ids_of(back) == sorted(ids_of(resolved))
    assert [await current(admin, older) for older, _ in pairs] == [("active", None)] * 2
    told = (await admin.tool("fact_context", {"fact_id": pairs[0][0]})).success["fact"]
    assert [each["kind"] for each in told["changes"]] == ["state", "superseded", "reopened"]
    assert "valid_until" not in told
    assert (await audit(admin))["contradiction_count"] == 2
    verified = (await admin.tool("verify_integrity", {})).success
    assert (verified["altered"], verified["memories"], verified["changes"]) == ([], 4, 8)


async def test_one_of_three_values_stays(world: World) -> None:
    admin = world.endpoint()
    owners = []
    for name in ("Ana", "Ben", "Cem"):
        owners += await state_owners(admin, name)
        world.clock.at += DAY
    told = await audit(admin, auto_resolve=True)
    assert (told["contradiction_count"], len(told["auto_resolved"])) == (3, 2)
    states = [(await current(admin, owner))[0] for owner in owners]
    assert states == ["deprecated", "deprecated", "active"]


async def test_a_surer_older_fact_leaves_nothing_of_the_later_one(world: World) -> None:
    admin = world.endpoint()
    (sure,) = await state_owners(admin, "Ana", confidence="high", valid_from="2026-01")
    (doubted,) = await state_owners(admin, "Ben", confidence="low", valid_from="2026-02")
    await audit(admin, auto_resolve=True)
    assert await current(admin, doubted) == ("deprecated", sure)
    told = (await admin.tool("fact_context", {"fact_id": doubted})).success["fact"]
    assert told["currency"] == "corrected"


@pytest.mark.parametrize("client", ["adding", "reader"])
async def test_who_may_not_replace_or_deprecate_may_not_resolve(world: World, client: str) -> None:
    admin, other = world.endpoint(), world.endpoint(client)
    (older,) = await state_owners(admin, "Ana")
    world.clock.at += DAY
    await state_owners(admin, "Ben")
    outcome = await other.tool("audit_contradictions", {"auto_resolve": True})
    assert outcome.failure[0] == "forbidden"
    done = await audit(admin, auto_resolve=True)
    arguments = {"action": "reopen", "finding_ids": [done["resolution_id"]]}
    outcome = await other.tool("review_contradictions", arguments)
    assert outcome.failure[0] == "forbidden"
    assert (await current(admin, older))[0] == "deprecated"


async def test_a_resolution_is_taken_back_only_while_its_fact_stands_as_it_left_it(
    world: World,
) -> None:
    admin = world.endpoint()
    (older,) = await state_owners(admin, "Ana")
    world.clock.at += DAY
    await state_owners(admin, "Ben")
    await audit(admin, auto_resolve=True)
    (resolved,) = await review(admin, status="resolved")
    await review(admin, action="reopen", finding_ids=[resolved["id"]])
    world.clock.at += DAY
    done = await audit(admin, auto_resolve=True)
    arguments = {"action": "reopen", "finding_ids": [done["resolution_id"], resolved["id"]]}
    world.clock.at += DAY
    assert (await admin.tool("review_contradictions", arguments)).success
    assert (await current(admin, older)) == ("active", None)
    outcome = await admin.tool("review_contradictions", arguments)
    assert outcome.failure[0] == "not_found"


@pytest.mark.parametrize("how", ["lapsed", "superseded"])
async def test_what_has_ended_is_named_to_those_alone_who_see_the_past(
    world: World, how: str
) -> None:
    admin, present = world.endpoint(), world.endpoint("present")
    (older,) = await state_owners(admin, "Ana", valid_until="2027-01-01T00:00:00Z")
    world.clock.at += DAY
    (newer,) = await state_owners(admin, "Ben")
    await audit(admin)
    assert [(each["supersede"], each["by"]) for each in await review(present)] == [(older, newer)]
    if how == "lapsed":
        world.clock.at += 400 * DAY
    else:
        await admin.tool(
            "deprecate_context", {"document_id": older, "superseding_document_id": newer}
        )
    (told,) = await review(present)
    assert ("supersede" in told, told["by"]) == (False, newer)
    assert [fact["id"] for fact in told["facts"]] == [newer]
    assert older not in str(told)
    (whole,) = await review(admin)
    assert (whole["supersede"], len(whole["facts"])) == (older, 2)


async def test_a_finding_goes_with_either_of_its_facts(world: World) -> None:
    admin = world.endpoint()
    resolved = []
    for subject in "ab":
        (older,) = await state_owners(admin, "Ana", subject=subject)
        world.clock.at += DAY
        resolved.append((older, *await state_owners(admin, "Ben", subject=subject)))
    step = (await audit(admin, auto_resolve=True))["resolution_id"]
    await admin.tool("forget_context", {"ids": [resolved[0][0], resolved[1][1]]})
    assert await review(admin, status="resolved") == []
    arguments = {"action": "reopen", "finding_ids": [step]}
    outcome = await admin.tool("review_contradictions", arguments)
    assert outcome.failure == ("not_found", "Finding not found: number 1 of finding_ids")
    assert await current(admin, resolved[1][0]) == ("deprecated", "forgotten")


async def test_a_call_opens_no_more_findings_than_one_step_takes(world: World) -> None:
    admin, steps = world.endpoint(), []
    for half in range(2):
        for number in range(MOST_RESOLVED // 2 + 1):
            await state_owners(admin, "Ana", "Ben", subject=f"api {half} {number}")
        steps.append((await audit(admin, auto_resolve=True))["resolution_id"])
    arguments = {"action": "reopen", "finding_ids": steps}
    outcome = await admin.tool("review_contradictions", arguments)
    sentence = f"finding_ids must name 1 to {MOST_RESOLVED} findings in all"
    assert outcome.failure == ("invalid_input", sentence)


async def test_only_an_open_finding_is_closed_and_only_another_opened(admin: Endpoint) -> None:
    await state_owners(admin, "Ana", "Ben")
    (found,) = (await audit(admin))["findings"]
    arguments: Json = {"finding_ids": [found["id"]]}
    outcome = await admin.tool("review_contradictions", {**arguments, "action": "reopen"})
    assert outcome.failure[0] == "conflict"
    await review(admin, **arguments, action="close", reason="x")
    outcome = await admin.tool(
        "review_contradictions", {**arguments, "action": "close", "reason": "y"}
    )
    assert outcome.failure[0] == "conflict"


async def test_a_reason_that_holds_a_secret_is_treated_as_the_profile_says(world: World) -> None:
    admin = world.endpoint()
    await state_owners(admin, "Ana", "Ben")
    (found,) = (await audit(admin))["findings"]
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    arguments = {"action": "close", "finding_ids": [found["id"]], "reason": f"see {secret}"}
    outcome = await world.endpoint("refusing").tool("review_contradictions", arguments)
    assert outcome.failure[0] == "invalid_input"
    (closed,) = await review(admin, **arguments)
    assert secret not in closed["reason"]
