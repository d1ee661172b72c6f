"""No argument that a tool of knowledge advertises is without effect."""

from collections.abc import Sequence

import pytest

from tests.arguments import OF_KNOWLEDGE, ByArgument, check_arguments
from tests.endpoint import Endpoint, Json

STATED: Json = {"subject_id": "pump-2", "predicate": "tested_with", "object_value": "seal A"}

EPISODE: tuple[tuple[str, object], ...] = (
    ("title", "U"),
    ("content", "Another text."),
    ("category", "adr"),
    ("files_touched", ["src/pay.py"]),
    ("entities", ["Ledger"]),
    ("topic", "t"),
    ("tags", ["a"]),
    ("importance", 0.9),
    ("session_id", "s"),
    ("valid_from", "2026-01"),
    ("valid_until", "2027-01"),
    ("namespace", "team"),
)
"""A value for each argument of an episode."""


@pytest.mark.case("K02")
async def test_every_advertised_argument_changes_the_answer(admin: Endpoint) -> None:
    """A row for each argument: two calls that differ in nothing else must answer differently."""
    episode = await admin.save("The pump was tested.", kind="episode")
    for text in ("Cal met PaymentLedger.", "Ask payment_ledger.", "PaymentLedgers rule."):
        await admin.save(text)
    stated = [await admin.state("relay", "firmware", f"4.{n}") for n in range(2)]
    await _with_a_graph(admin)
    by_argument: ByArgument = {
        **{
            ("record_episode", name): (
                {"title": "T", "content": f"With {name}."},
                {"title": "T", "content": f"With {name}.", name: value},
            )
            for name, value in EPISODE
        },
        **{
            ("upsert_fact", name): (
                {**STATED, "category": name},
                {**STATED, "category": name, name: value},
            )
            for name, value in (("subject_id", "pump-3"), ("predicate", "sealed_with"))
        },
        ("upsert_fact", "object_id"): (
            {"subject_id": "pump-4", "predicate": "beside", "object_id": "pump-5"},
            {"subject_id": "pump-4", "predicate": "beside", "object_id": "pump-6"},
        ),
        **{
            ("upsert_fact", name): (
                {**STATED, "subject_id": f"pump {name} 1"},
                {**STATED, "subject_id": f"pump {name} 1", name: value},
            )
            for name, value in (
                ("object_value", "seal B"),
                ("singular", False),
                ("category", "test"),
                ("importance", "vital"),
                ("confidence", "low"),
                ("valid_from", "2026-01"),
                ("valid_until", "2027-01"),
                ("source_episode_id", episode["id"]),
                ("namespace", "team"),
            )
        },
        ("fact_context", "fact_id"): (
            {"fact_id": stated[0]["id"]},
            {"fact_id": stated[1]["id"]},
        ),
        **_of_an_entity(),
        ("search_entities", "query"): ({"query": "paymentledger"}, {"query": "relay"}),
        **{
            ("search_entities", name): (
                {"query": "paymentledger"},
                {"query": "paymentledger", name: value},
            )
            for name, value in (("type", "file"), ("namespace", "team"), ("limit", 1))
        },
        **_of_merging(),
        **_of_graph(),
        **_of_audits(),
        **_of_reviews(await _found(admin)),
        **{
            ("verify_integrity", name): (given, {**given, name: value})
            for name, value, given in (
                ("root", "0" * 64, {}),
                ("size", 2, {}),
                ("memory_id", episode["id"], {"size": 4}),
                ("first_root", "0" * 64, {"first_size": 2}),
                ("first_size", 2, {}),
            )
        },
        **{
            ("export_sources", name): (given, {**given, name: value})
            for name, value, given in (
                ("query", "relay", {}),
                ("all", True, {}),
                ("as_of", "2025", {"all": True}),
                ("limit", 1, {"all": True}),
                ("cursor", await _second_page(admin), {"all": True, "limit": 1}),
                ("proofs", True, {"all": True}),
            )
        },
    }
    await check_arguments(admin, by_argument, OF_KNOWLEDGE)


async def _second_page(admin: Endpoint) -> str:
    exported = await admin.tool("export_sources", {"all": True, "limit": 1})
    return str(exported.success["next_cursor"])


async def _with_a_graph(admin: Endpoint) -> None:
    """State what there is to walk along."""
    for one, other in ("ab", "bc", "cd", "ae"):
        await admin.state(one, "beside", object_id=other, singular=False)
    await admin.state("a", "above", object_id="c")
    await admin.state("a", "colour", "red", valid_from="2026-01-01")
    await admin.state("a", "colour", "blue", valid_from="2026-02-01")
    await admin.state("a", "colour", "green", namespace="team")


def _of_an_entity() -> ByArgument:
    return {
        ("query_entity", name): ({"entity": "a"}, {"entity": "a", name: value})
        for name, value in (
            ("entity", "b"),
            ("max_hops", 1),
            ("as_of", "2026-01-15"),
            ("include_superseded", True),
            ("namespace", "team"),
        )
    }


def _of_merging() -> ByArgument:
    return {
        ("merge_entities", name): ({"from": "alpha", **given}, {"from": "alpha", **given, **more})
        for name, given, more in (
            ("from", {"into": "a"}, {"from": "alef"}),
            ("into", {"into": "a"}, {"into": "b"}),
            ("undo", {}, {"undo": True}),
            ("namespace", {"into": "a"}, {"namespace": "team"}),
        )
    }


def _of_graph() -> ByArgument:
    return {
        **{
            ("traverse_graph", name): ({"entity": "a", **given}, {"entity": "a", **given, **more})
            for name, given, more in (
                ("entity", {}, {"entity": "b"}),
                ("mode", {}, {"mode": "related"}),
                ("to", {"mode": "path", "to": "b"}, {"to": "d"}),
                ("max_hops", {}, {"max_hops": 3}),
                ("direction", {}, {"direction": "in"}),
                ("predicates", {}, {"predicates": ["above"]}),
                ("as_of", {}, {"as_of": "2026-01-15"}),
                ("limit", {}, {"limit": 1}),
                ("namespace", {}, {"namespace": "team"}),
            )
        },
        **{
            ("time_travel", name): ({"as_of": "2026-02"}, {"as_of": "2026-02", name: value})
            for name, value in (
                ("as_of", "2026-01-15"),
                ("known_at", "2026-02-15"),
                ("compare_to", "now"),
                ("entity", "a"),
                ("namespace", "team"),
                ("limit", 1),
            )
        },
    }


async def _found(admin: Endpoint) -> list[str]:
    """State what contradicts itself, and return the ids of what is found."""
    for subject in "pqrst":
        for owner in ("Ana", "Ben"):
            await admin.state(subject, "owner", owner, singular=False)
    told = (await admin.tool("audit_contradictions", {})).success
    return [finding["id"] for finding in told["findings"]]


def _of_audits() -> ByArgument:
    return {
        ("audit_contradictions", name): (given, {**given, name: value})
        for name, value, given in (
            ("as_of", "2025", {}),
            ("auto_resolve", True, {"dry_run": True}),
            ("dry_run", True, {}),
            ("namespace", "team", {"dry_run": True}),
            ("entity", "p", {"dry_run": True}),
        )
    }


def _of_reviews(ids: Sequence[str]) -> ByArgument:
    closing: Json = {"action": "close", "reason": "x"}
    return {
        ("review_contradictions", name): ({**given}, {**given, name: value})
        for name, value, given in (
            ("action", "close", {"finding_ids": [ids[0]], "reason": "x"}),
            ("finding_ids", [ids[1]], closing),
            ("reason", "x", {"action": "close", "finding_ids": [ids[2]]}),
            ("status", "closed", {}),
            ("namespace", "team", {}),
            ("limit", 1, {}),
        )
    }
