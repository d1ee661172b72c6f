"""merge_entities: names of one thing, and telling them apart again."""

import asyncio
from collections.abc import Sequence

import pytest

from metacortex.domain.knowledge.entity import entity_id
from metacortex.domain.knowledge.merging import MOST_ALIASES
from metacortex.domain.lifecycle import ChangeKind
from metacortex.domain.moment import iso
from tests.auditing import audit
from tests.endpoint import Endpoint, Json
from tests.world import World

DAY = 86_400_000


async def merged(endpoint: Endpoint, name: str, into: str, **arguments: object) -> Json:
    given = {"from": name, "into": into, **arguments}
    return (await endpoint.tool("merge_entities", given)).success


async def undone(endpoint: Endpoint, name: str) -> Json:
    return (await endpoint.tool("merge_entities", {"from": name, "undo": True})).success


async def entity(endpoint: Endpoint, name: str) -> Json:
    found = await endpoint.tool("search_entities", {"query": name})
    (one,) = found.success["entities"]
    return dict(one)


async def told(endpoint: Endpoint, names: Sequence[str]) -> list[object]:
    """Return everything that is told of these names."""
    found = [await endpoint.tool("search_entities", {"query": name}) for name in names]
    known = [await endpoint.tool("query_entity", {"entity": name}) for name in names]
    return [each.text for each in (*found, *known)]


async def test_what_is_known_of_either_is_found_under_both_names(admin: Endpoint) -> None:
    await admin.save("PaymentLedger is slow.")
    await admin.save("payment_ledger is slow.")
    await admin.save("PaymentLedger, or payment_ledger, is old.")
    fact = await admin.state("payment_ledger", "owned_by", "Ana")
    result = await merged(admin, "payment_ledger", "PaymentLedger")
    assert (result["status"], result["id"]) == ("merged", fact["subject_id"])
    known = await entity(admin, "PaymentLedger")
    assert known == result["entity"] == await entity(admin, "payment_ledger")
    assert known["aliases"] == ["payment_ledger"]
    assert known["mention_count"] == 4
    view = (await admin.tool("query_entity", {"entity": "PaymentLedger"})).success
    assert [each["id"] for each in view["active_facts"]] == [fact["id"]]
    again = await admin.state("payment_ledger", "runs_on", "port 80")
    assert again["subject_id"] == fact["subject_id"]
    assert (await entity(admin, "PaymentLedger"))["mention_count"] == 5


async def test_an_undone_merge_leaves_everything_as_it_was(world: World, admin: Endpoint) -> None:
    names = ("Cal", "Calico", "Ana")
    for name in names:
        await admin.tool("remember_context", {"content": f"{name}.", "entities": [name]})
    await admin.state("Cal", "owned_by", "Ana")
    before = await told(admin, names)
    first = await merged(admin, "Cal", "Calico")
    assert (await merged(admin, "Calico", "Ana"))["entity"]["aliases"] == ["Cal", "Calico"]
    assert (await undone(admin, "Calico"))["entity"]["aliases"] == ["Cal"]
    assert (await undone(admin, "Cal"))["status"] == "undone"
    assert await told(admin, names) == before
    changes = await world.store.changes("default", first["id"])
    assert [each.kind for each in changes if hasattr(each, "kind")] == [ChangeKind.MERGED] * 2


async def test_what_was_stated_under_an_alias_goes_with_it_when_the_merge_is_undone(
    admin: Endpoint,
) -> None:
    for name in ("Cal", "Calico"):
        await admin.state(name, "lives_in", "Lisbon")
    await merged(admin, "Cal", "Calico")
    fact = await admin.state("Cal", "drinks", "tea")
    assert fact["subject_id"] == entity_id("default", "Cal")
    await undone(admin, "Cal")
    views = [
        (await admin.tool("query_entity", {"entity": name})).success for name in ("Cal", "Calico")
    ]
    told = [fact["id"] in [each["id"] for each in view["active_facts"]] for view in views]
    assert told == [True, False]


@pytest.mark.parametrize("until", [{}, {"valid_until": "2026-02"}])
async def test_what_was_repeated_under_an_alias_goes_with_it_when_the_merge_is_undone(
    either_world: World, until: dict[str, object]
) -> None:
    admin = either_world.endpoint()
    other = await admin.state("Calico", "listens_on", "80", valid_from="2026-01-01")
    await admin.state("Cal", "is", "a pump")
    await merged(admin, "Cal", "Calico")
    told = await admin.upsert("Cal", "listens_on", "80", **until)
    assert (told["write_status"], told["superseded"]) == ("created", [other["id"]] if until else [])
    assert (await audit(admin))["contradiction_count"] == 0
    again = await admin.upsert("Cal", "listens_on", "80", **until)
    assert (again["write_status"], again["fact"]["id"]) == ("duplicate", told["fact"]["id"])
    await undone(admin, "Cal")
    view = (await admin.tool("query_entity", {"entity": "Cal", "include_superseded": True})).success
    facts = [*view["active_facts"], *view["history"]]
    assert {each["predicate"] for each in facts} == {"is", "listens_on"}


async def test_a_name_that_is_not_known_yet_becomes_an_alias(admin: Endpoint) -> None:
    await admin.save("PaymentLedger is slow.")
    result = await merged(admin, "the ledger", "PaymentLedger")
    assert result["entity"]["aliases"] == ["the ledger"]
    item = await admin.save("Who owns the Ledger?")
    assert item["metadata"]["entities"] == [result["id"]]
    assert (await entity(admin, "PaymentLedger"))["mention_count"] == 2
    await undone(admin, "the ledger")
    assert (await entity(admin, "The ledger"))["mention_count"] == 1


async def test_a_repeated_merge_changes_nothing(admin: Endpoint) -> None:
    await admin.save("PaymentLedger is slow.")
    await merged(admin, "ledger", "PaymentLedger")
    assert (await merged(admin, "ledger", "paymentledger"))["status"] == "unchanged"
    await undone(admin, "ledger")
    assert (await undone(admin, "ledger"))["status"] == "unchanged"
    alone = await admin.tool("search_entities", {"query": "ledger"})
    assert alone.success["entities"] == []


@pytest.mark.parametrize(
    ("arguments", "failure"),
    [
        ({"into": "nobody"}, ("not_found", "Entity not found: check into")),
        ({"into": "ent_" + "0" * 32}, ("not_found", "Entity not found: check into")),
        ({"from": "ent_" + "0" * 32, "into": "b_b"}, ("not_found", "Entity not found: check from")),
        ({"from": "nobody", "undo": True}, ("not_found", "Entity not found: check from")),
        ({"into": "A_A"}, ("invalid_input", "from and into name the same entity")),
        ({}, ("invalid_input", "Provide either into or undo as true")),
        ({"undo": True, "into": "b_b"}, ("invalid_input", "Provide either into or undo as true")),
        (
            {"from": "c_c", "into": "a_a"},
            ("conflict", "from is already merged into another entity; undo that first"),
        ),
        (
            {"from": "x" * 201, "into": "b_b"},
            ("invalid_input", "from must be at most 200 characters"),
        ),
    ],
)
async def test_what_cannot_be_merged_is_said(
    admin: Endpoint, arguments: Json, failure: tuple[str, str]
) -> None:
    await admin.save("a_a, b_b and c_c")
    await merged(admin, "c_c", "b_b")
    assert (await admin.tool("merge_entities", {"from": "a_a", **arguments})).failure == failure


async def test_an_entity_has_so_many_aliases(admin: Endpoint) -> None:
    await admin.save("PaymentLedger is slow.")
    for n in range(MOST_ALIASES):
        await merged(admin, f"alias {n}", "PaymentLedger")
    refused = await admin.tool("merge_entities", {"from": "one more", "into": "PaymentLedger"})
    assert refused.failure == (
        "conflict",
        f"An entity has at most {MOST_ALIASES} aliases; merge fewer into this one",
    )


@pytest.mark.case("K51")
async def test_only_what_may_be_changed_is_merged(world: World) -> None:
    team, docs = world.endpoint("team"), world.endpoint("docs")
    await docs.save("a_a and b_b")
    await team.save("a_a and b_b")
    here = await entity(docs, "a_a")
    given = {"from": "a_a", "into": "b_b", "namespace": "docs/public"}
    assert (await team.tool("merge_entities", given)).failure == (
        "forbidden",
        "namespace 'docs/public' cannot be written to by this client",
    )
    given = {"from": here["id"], "into": "b_b"}
    assert (await team.tool("merge_entities", given)).failure == (
        "not_found",
        "Entity not found: check from",
    )
    await merged(team, "a_a", "b_b")
    assert await entity(docs, "a_a") == here


async def test_of_merges_at_once_that_would_close_a_circle_one_is_done(admin: Endpoint) -> None:
    await admin.save("a_a and b_b")
    outcomes = await asyncio.gather(
        admin.tool("merge_entities", {"from": "a_a", "into": "b_b"}),
        admin.tool("merge_entities", {"from": "b_b", "into": "a_a"}),
    )
    assert sorted(bool(each.result.get("isError")) for each in outcomes) == [False, True]
    assert (await entity(admin, "a_a"))["id"] == (await entity(admin, "b_b"))["id"]


async def test_a_live_secret_is_no_name(admin: Endpoint) -> None:
    await admin.state("Calico", "is", "a printer")
    secret = "ghp_" + "a1B2" * 9
    refused = await admin.tool("merge_entities", {"from": secret, "into": "Calico"})
    assert refused.failure == (
        "invalid_input",
        "from holds what looks like a live secret, or what stands in the place of one; give a name"
        " without it",
    )


async def test_what_was_stated_under_two_names_is_one_timeline_from_the_next_statement_on(
    world: World, admin: Endpoint
) -> None:
    old = await admin.state("PaymentLedger", "owned_by", "Ana", valid_from="2026-01-01")
    other = await admin.state("payment_ledger", "owned_by", "Ben", valid_from="2026-02-01")
    await merged(admin, "payment_ledger", "PaymentLedger")
    view = (await admin.tool("query_entity", {"entity": "payment_ledger"})).success
    assert {each["object"] for each in view["active_facts"]} == {"Ana", "Ben"}
    before = world.clock.at
    world.clock.at += DAY
    told = await admin.upsert("payment_ledger", "owned_by", "Cleo")
    assert {*told["superseded"]} == {old["id"], other["id"]}
    for name in ("payment_ledger", "PaymentLedger"):
        view = (await admin.tool("query_entity", {"entity": name})).success
        assert [each["object"] for each in view["active_facts"]] == ["Cleo"]
    context = (await admin.tool("fact_context", {"fact_id": other["id"]})).success
    assert [(each["object"], each["currency"]) for each in context["history"]] == [
        ("Ana", "superseded"),
        ("Ben", "superseded"),
        ("Cleo", "current"),
    ]
    bundle = await admin.tool("compile_context", {"query": "Who owns PaymentLedger?"})
    assert "Cleo" in bundle.text
    assert "Ana" not in bundle.text
    assert "Ben" not in bundle.text
    asked = {"as_of": iso(before), "compare_to": iso(world.clock.at)}
    changed = (await admin.tool("time_travel", asked)).success["diff"]["changed"]
    assert [(each["before"]["object"], each["after"]["object"]) for each in changed] == [
        ("Ben", "Cleo")
    ]
    await undone(admin, "payment_ledger")
    left = await admin.tool("fact_context", {"fact_id": other["id"]})
    assert left.success["fact"]["superseded_by"] == told["fact"]["id"]
