"""export_sources: what is handed over to be cited, and what vouches for it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from metacortex.domain.listing import MOST_LISTED
from metacortex.domain.merkle import is_included, leaf_hash
from metacortex.service.seals import Seals
from metacortex.service.sources import SOURCES_CURSOR, Export
from tests.endpoint import Endpoint, Json
from tests.world import MakeWorld, World

ONE_OF_TWO = ("invalid_input", "Provide a query, or all as true: one of the two")


async def exported(endpoint: Endpoint, **asked: object) -> Json:
    """Return what an export tells."""
    return (await endpoint.tool("export_sources", asked)).success


async def sources(endpoint: Endpoint, **asked: object) -> list[Json]:
    """Return the sources themselves."""
    found: list[Json] = (await exported(endpoint, **asked))["sources"]
    return found


async def test_a_source_says_what_it_is_when_it_is_true_and_what_vouches_for_it(
    admin: Endpoint,
) -> None:
    item = await admin.save(
        "The relay is in rack C.\nSince the move.", topic="racks", valid_from="2026-01"
    )
    tree = (await admin.tool("verify_integrity", {})).success["tree"]
    told = await exported(admin, all=True)
    (source,) = told["sources"]
    assert told == {"sources": [source], "tree": tree}
    sha256 = source["metadata"].pop("sha256")
    assert len(sha256) == 64
    assert source == {
        "source_id": item["id"],
        "title": "The relay is in rack C.",
        "content": "The relay is in rack C.\nSince the move.",
        "metadata": {
            "kind": "note",
            **item["metadata"],
            "recorded_at": "2026-03-01T12:00:00.000Z",
            "written_by": "default",
            "origin": "asserted",
            "merkle_root": tree["root"],
            "tree_size": 2,
        },
    }


async def test_what_a_query_finds_is_exported_best_first(admin: Endpoint) -> None:
    await admin.save("The pump is new.")
    relay = await admin.save("The relay is in rack C.")
    found = await sources(admin, query="Where is the relay?", limit=1)
    assert [each["source_id"] for each in found] == [relay["id"]]


async def test_only_what_holds_is_exported(admin: Endpoint) -> None:
    old = await admin.save("The relay is in rack A.", valid_until="2025-12")
    replaced = await admin.save("The pump is old.")
    new = await admin.save("The pump is new.", supersedes=replaced["id"])
    assert [each["source_id"] for each in await sources(admin, all=True)] == [new["id"]]
    past = await sources(admin, all=True, as_of="2025-06")
    assert {each["source_id"] for each in past} == {old["id"], replaced["id"], new["id"]}
    by_id = {each["source_id"]: each["metadata"] for each in past}
    assert by_id[replaced["id"]]["superseded_by"] == new["id"]
    assert by_id[old["id"]]["valid_until"] == "2025-12"


async def test_a_fact_is_exported_with_its_statement_and_interval(admin: Endpoint) -> None:
    await admin.state("auth service", "signing_algorithm", "RS256", valid_from="2025-01")
    await admin.state("auth service", "signing_algorithm", "Ed25519", valid_from="2026-01")
    (source,) = await sources(admin, all=True)
    told = {name: source["metadata"][name] for name in ("kind", "predicate", "object")}
    assert told == {"kind": "fact", "predicate": "signing_algorithm", "object": "Ed25519"}
    assert source["metadata"]["valid_from"] == "2026-01"


async def test_proofs_lead_from_each_source_to_the_root(admin: Endpoint) -> None:
    for n in range(5):
        await admin.save(f"Number {n}.")
    told = await exported(admin, all=True, proofs=True)
    assert len(told["sources"]) == 5
    for source in told["sources"]:
        proof = source["metadata"]["inclusion"]
        assert proof["sha256"] == source["metadata"]["sha256"]
        assert is_included(
            leaf_hash(proof["sha256"].encode()),
            proof["index"],
            told["tree"]["size"],
            [bytes.fromhex(node) for node in proof["proof"]],
            bytes.fromhex(told["tree"]["root"]),
        )


async def test_pages_go_on_where_they_ended(admin: Endpoint) -> None:
    ids = [(await admin.save(f"Number {n}."))["id"] for n in range(5)]
    seen: list[str] = []
    page: Json = await exported(admin, all=True, limit=2)
    while True:
        seen += [each["source_id"] for each in page["sources"]]
        if "next_cursor" not in page:
            break
        page = await exported(admin, all=True, limit=2, cursor=page["next_cursor"])
    assert sorted(seen) == sorted(ids)


async def test_all_pages_bear_the_root_that_the_export_began_with(admin: Endpoint) -> None:
    for n in range(4):
        await admin.save(f"Number {n}.")
    asked = {"all": True, "limit": 2, "proofs": True}
    first = await exported(admin, **asked)
    assert first["hint"] == (
        "More follow; ask again with next_cursor as cursor, and the rest as before"
    )
    late = await admin.save("Written between the pages.")
    second = await exported(admin, **asked, cursor=first["next_cursor"])
    without = await exported(admin, all=True, limit=2, cursor=first["next_cursor"])
    assert [second["tree"], without["tree"]] == [first["tree"]] * 2
    for source in second["sources"]:
        if source["source_id"] == late["id"]:
            assert "inclusion" not in source["metadata"]
            continue
        proof = source["metadata"]["inclusion"]
        assert is_included(
            leaf_hash(proof["sha256"].encode()),
            proof["index"],
            first["tree"]["size"],
            [bytes.fromhex(node) for node in proof["proof"]],
            bytes.fromhex(first["tree"]["root"]),
        )


async def test_proofs_of_a_record_that_was_rewritten_between_two_pages_are_refused(
    make_world: MakeWorld, tmp_path: Path
) -> None:
    path = tmp_path / "metacortex.db"
    admin = make_world(path=path).endpoint("default-all")
    for n in range(4):
        await admin.save(f"Number {n}.")
    asked = {"all": True, "limit": 2, "proofs": True}
    cursor = (await exported(admin, **asked))["next_cursor"]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM changes WHERE seq = (SELECT min(seq) FROM changes)")
    refused = await admin.tool("export_sources", {**asked, "cursor": cursor})
    assert refused.failure == (
        "conflict",
        "The record is no more the one that this export began with: something of it was rewritten;"
        " ask verify_integrity, and export again without cursor",
    )


async def test_a_cursor_that_another_version_sealed_is_refused(world: World) -> None:
    principal = world.principal("default-all")
    seals = Seals(world.store, world.services.clock)
    token = await seals.seal(SOURCES_CURSOR, principal, {"began": 0})
    refused = await world.endpoint("default-all").tool(
        "export_sources", {"all": True, "cursor": token}
    )
    assert refused.failure == (
        "invalid_input",
        "cursor is of another version; export again without it",
    )


async def test_what_a_query_may_not_bring_along_is_told(admin: Endpoint) -> None:
    for n in range(3):
        await admin.save(f"The relay is in rack {n}.")
    cut = await exported(admin, query="Where is the relay?", limit=2)
    assert len(cut["sources"]) == 2
    assert cut["hint"] == (
        "These are the best 2 that the query finds, and more may match; raise limit, to 20 at"
        " most, ask in other words, or ask for all"
    )
    assert "hint" not in await exported(admin, query="Where is the relay?", limit=4)


async def test_pages_without_a_root_go_on_without_one(world: World) -> None:
    team = world.endpoint("team")
    ids = {(await team.save(f"Number {n}."))["id"] for n in range(2)}
    first = await exported(team, all=True, limit=1)
    second = await exported(team, all=True, limit=1, cursor=first["next_cursor"])
    assert {page["sources"][0]["source_id"] for page in (first, second)} == ids
    assert "tree" not in {**first, **second}


async def test_a_client_exports_what_it_may_read_without_a_root_of_more(world: World) -> None:
    team, docs = world.endpoint("team"), world.endpoint("docs")
    own, theirs = await team.save("Of the team."), await docs.save("Of the docs.")
    await world.endpoint("team-secret").save("Of others.")
    told = await exported(team, all=True)
    assert {each["source_id"] for each in told["sources"]} == {own["id"], theirs["id"]}
    assert set(told) == {"sources"}
    assert "merkle_root" not in told["sources"][0]["metadata"]
    refused = await team.tool("export_sources", {"all": True, "proofs": True})
    assert refused.failure[0] == "forbidden"
    assert "One root covers all namespaces" in refused.failure[1]


async def test_the_past_is_for_those_who_may_see_it(world: World) -> None:
    outcome = await world.endpoint("drafts").tool("export_sources", {"all": True, "as_of": "2025"})
    assert outcome.failure == (
        "forbidden",
        "A moment in the past is not allowed for this client; leave it out",
    )


@pytest.mark.parametrize(
    ("arguments", "failure"),
    [
        ({}, ONE_OF_TWO),
        ({"query": "x", "all": True}, ONE_OF_TWO),
        ({"all": False}, ONE_OF_TWO),
        (
            {"query": "x", "cursor": "y"},
            (
                "invalid_input",
                "cursor goes on with all; leave it out beside a query",
            ),
        ),
        (
            {"all": True, "cursor": "y"},
            (
                "invalid_input",
                "cursor is not one that export_sources gave to this client; export again without"
                " it",
            ),
        ),
        (
            {"all": True, "limit": 101},
            ("invalid_input", "limit must be a whole number from 1 to 100"),
        ),
    ],
)
async def test_what_cannot_be_asked_is_told(
    admin: Endpoint, arguments: Json, failure: tuple[str, str]
) -> None:
    assert (await admin.tool("export_sources", arguments)).failure == failure


async def test_an_export_leaves_an_event_without_words(world: World, admin: Endpoint) -> None:
    item = await admin.save("The relay is in rack C.")
    tree = (await exported(admin, all=True, proofs=True))["tree"]
    (*_, event) = await world.events()
    assert event["request"] == {"all": True, "continued": False, "proofs": True}
    assert event["response"] == {"source_count": 1, "more": False, **tree}
    await world.services.activity.aclose()
    stats = (await admin.tool("memory_stats", {})).success
    assert [used["id"] for used in stats["most_used"]] == [item["id"]]


async def test_without_a_limit_all_pages_are_exported_at_once(
    world: World, admin: Endpoint
) -> None:
    ids = {(await admin.save(f"Number {n}."))["id"] for n in range(MOST_LISTED + 3)}
    principal, service = world.principal("default-all"), world.services.sources
    exported = await service.export(principal, Export(), await service.progress(principal, None))
    assert {memory.id for memory in exported.memories} == ids
    assert exported.next_cursor is None
    assert exported.tree is not None
    assert exported.tree.size == 2 * len(ids)
