"""Audits: what they find, what they keep, and what is not theirs to know."""

from datetime import UTC

import pytest

from metacortex.domain.dates.parsing import parse_period
from metacortex.domain.errors import InvalidInput
from metacortex.domain.knowledge.findings import MOST_RESOLVED, FindingStatus
from metacortex.domain.moment import Milliseconds
from metacortex.service.contradictions import MOST_KEPT, Audit, ContradictionService
from metacortex.service.entities import EntityService
from tests.auditing import DAY, audit, current, ids_of, review, state_owners
from tests.endpoint import Endpoint, Json
from tests.world import World

NO_ACTION = "finding_ids need an action: close or reopen"


def moment(text: str) -> Milliseconds:
    """Return where a day begins."""
    return parse_period("", text, 0, UTC).start


async def test_an_audit_tells_what_cannot_both_be_true_and_which_would_give_way(
    world: World,
) -> None:
    admin = world.endpoint()
    assert (await audit(admin))["contradiction_count"] == 0
    await admin.state("api", "tested_with", "3.11", singular=False)
    (ana,) = await state_owners(admin, "Ana")
    world.clock.at += DAY
    (ben,) = await state_owners(admin, "Ben")
    on = await admin.state("api", "tls", "enabled", singular=False, confidence="high")
    world.clock.at += DAY
    off = await admin.state("api", "tls", "disabled", singular=False, confidence="medium")
    told = await audit(admin)
    assert (told["checked"], told["contradiction_count"], told["dismissed"]) == (5, 2, 0)
    assert told["counts"] == {"antonym": 1, "multi_value": 1}
    assert [
        (each["kind"], each["severity"], each["supersede"], each["by"], each["because"])
        for each in told["findings"]
    ] == [
        ("antonym", "high", off["id"], on["id"], "less certain"),
        ("multi_value", "medium", ana, ben, "older"),
    ]
    assert told["summary_markdown"].splitlines()[:3] == [
        "## Contradictions: 2 among 5 facts",
        "",
        "- **high**, antonym: 'api tls disabled' and 'api tls enabled': the values are opposites."
        " The first, which is less certain, would give way.",
    ]


async def test_a_moment_of_the_past_is_looked_at_and_nothing_is_kept_of_it(world: World) -> None:
    admin = world.endpoint()
    await state_owners(admin, "Ana", "Ben", valid_from="2025-01", valid_until="2025-06")
    assert (await audit(admin))["contradiction_count"] == 0
    told = await audit(admin, as_of="2025-03")
    assert (told["contradiction_count"], told["as_of"]) == (1, "2025-03-31T23:59:59.999Z")
    assert await review(admin) == []
    for entity in ("api", "what nobody knows"):
        asked = {"as_of": "2025-03", "entity": entity}
        outcome = await world.endpoint("present").tool("audit_contradictions", asked)
        assert outcome.failure[0] == "forbidden"


async def test_what_is_no_longer_found_is_closed_and_opened_when_it_is_found_again(
    world: World,
) -> None:
    admin = world.endpoint()
    await state_owners(admin, "Ana", "Ben", valid_until="2027-01-01T00:00:00Z")
    await admin.state("Ben", "synonym_of", "Ana", valid_from="2026-06", valid_until="2026-09")
    (found,) = (await audit(admin))["findings"]
    world.clock.at = moment("2026-07-01")
    assert (await audit(admin, entity="Ben"))["contradiction_count"] == 0
    assert ids_of(await review(admin)) == [found["id"]]
    assert (await audit(admin, entity="api"))["contradiction_count"] == 0
    assert await review(admin) == []
    (closed,) = await review(admin, status="closed")
    assert closed["reason"] == "no longer found"
    world.clock.at = moment("2026-11-01")
    assert (await audit(admin))["dismissed"] == 0
    assert ids_of(await review(admin)) == [found["id"]]


async def test_an_audit_closes_what_is_settled_however_much_is_open(world: World) -> None:
    admin, many = world.endpoint(), MOST_KEPT // 3 + 1
    for number in range(many):
        until = "2027-01" if number else "2026-08"
        await state_owners(admin, *"ABC", subject=f"api {number}", valid_until=until)
        if number in (0, many - 1):
            await audit(admin)
            world.clock.at += DAY
    kept = await world.engine.findings.findings("default", None, FindingStatus.OPEN)
    assert len(kept) == 3 * many > MOST_KEPT
    world.clock.at = moment("2026-10-01")
    assert (await audit(admin))["contradiction_count"] == 3 * (many - 1)
    closed = await review(admin, status="closed")
    assert [each["reason"] for each in closed] == ["no longer found"] * 3


async def test_who_does_not_see_what_is_active_closes_nothing(world: World) -> None:
    admin = world.endpoint()
    await state_owners(admin, "Ana", "Ben")
    (found,) = (await audit(admin))["findings"]
    assert (await audit(world.endpoint("drafts")))["checked"] == 0
    assert ids_of(await review(admin)) == [found["id"]]


async def test_a_namespace_that_is_only_read_is_told_and_neither_kept_nor_resolved(
    world: World,
) -> None:
    docs, team = world.endpoint("docs"), world.endpoint("team")
    owners = await state_owners(docs, "Ana", "Ben")
    told = await audit(team, auto_resolve=True)
    assert (told["contradiction_count"], told["auto_resolved"]) == (1, [])
    assert await review(docs) == []
    assert [(await current(docs, owner))[0] for owner in owners] == ["active"] * 2
    (found,) = (await audit(docs))["findings"]
    assert ids_of(await review(team)) == [found["id"]]
    assert ids_of(await review(team, namespace="team")) == []
    arguments = {"action": "close", "finding_ids": [found["id"]], "reason": "x"}
    outcome = await team.tool("review_contradictions", arguments)
    assert outcome.failure[0] == "forbidden"


async def test_another_namespace_and_tenant_do_not_exist(world: World) -> None:
    admin = world.endpoint()
    await state_owners(admin, "Ana", "Ben", namespace="team-secret")
    await state_owners(admin, "Ana", namespace="team")
    await state_owners(admin, "Ben", namespace="docs/public")
    (found,) = (await audit(admin))["findings"]
    for client in ("team", "nowhere", "acme-all"):
        other = world.endpoint(client)
        told = await audit(other)
        assert (told["contradiction_count"], told["counts"]) == (0, {})
        assert await review(other) == []
        arguments = {"action": "reopen", "finding_ids": [found["id"]]}
        outcome = await other.tool("review_contradictions", arguments)
        assert outcome.failure[0] == "not_found"
    assert ids_of(await review(world.endpoint("team-secret"))) == [found["id"]]
    outcome = await world.endpoint("team").tool(
        "audit_contradictions", {"namespace": "team-secret"}
    )
    assert outcome.failure[0] == "forbidden"


def test_what_is_to_be_audited_is_checked_before_it_is_looked_for() -> None:
    with pytest.raises(InvalidInput):
        Audit(entity="\ud800")


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        (
            "audit_contradictions",
            {"as_of": "2025", "auto_resolve": True},
            "auto_resolve changes what holds now; leave as_of out",
        ),
        (
            "review_contradictions",
            {"finding_ids": ["x"]},
            NO_ACTION,
        ),
        (
            "review_contradictions",
            {"action": "close", "finding_ids": ["x"]},
            "reason must say why the findings are closed",
        ),
        (
            "review_contradictions",
            {"action": "close", "finding_ids": ["x"], "reason": "x" * 501},
            "reason must be at most 500 characters",
        ),
        (
            "review_contradictions",
            {"action": "reopen"},
            f"finding_ids must name 1 to {MOST_RESOLVED} findings",
        ),
    ],
)
async def test_what_cannot_be_done_is_said(
    admin: Endpoint, tool: str, arguments: Json, sentence: str
) -> None:
    outcome = await admin.tool(tool, arguments)
    assert outcome.failure == ("invalid_input", sentence)


async def test_an_event_tells_counts_and_no_word_of_the_facts(world: World) -> None:
    admin = world.endpoint()
    await state_owners(admin, "Zebedee", "Florence")
    (found,) = (await audit(admin, entity="api"))["findings"]
    await review(admin, action="close", finding_ids=[found["id"]], reason="Because Dougal said so.")
    audited, reviewed = (await world.events())[-2:]
    assert audited["response"]["counts"] == {"multi_value": 1}
    assert reviewed["response"] == {"action": "close", "finding_count": 1}
    told = f"{audited} {reviewed}"
    assert not any(word in told for word in ("Zebedee", "Florence", "Dougal"))


async def test_of_more_facts_the_newest_are_compared_and_none_is_closed(world: World) -> None:
    admin = world.endpoint()
    engine, entities = world.engine, EntityService(world.engine.entities)
    service = ContradictionService(engine.facts, engine.findings, entities, world.clock, 2)
    await state_owners(admin, "Ana", "Ben")
    await audit(admin)
    world.clock.at += DAY
    await state_owners(admin, "Cem", subject="web")
    audited = await service.audit(world.principal(), Audit())
    assert (audited.checked, audited.incomplete, audited.found) == (2, True, ())
    assert len(await review(admin)) == 1


@pytest.mark.parametrize("predicate", ["!!!", "?", "…"])
async def test_a_predicate_without_words_is_audited_like_any_other(
    admin: Endpoint, predicate: str
) -> None:
    await admin.state("Poison", predicate, "a")
    await admin.state("Poison", "is", "a")
    assert (await audit(admin))["checked"] == 2
