"""verify_integrity: roots, proofs, who may ask, and what is left of a call."""

import logging
import re
from dataclasses import replace

import pytest

from metacortex.domain.identity import Fingerprint
from metacortex.domain.merkle import is_consistent, is_included, leaf_hash
from tests.endpoint import Endpoint, Json
from tests.samples import TENANT, a_change, a_memory, an_embedding
from tests.world import World

NOT_ALL = (
    "One root covers all namespaces of the tenant, and this client may not read them all; use one"
    " whose namespaces are *"
)
NO_LEAF = (
    "conflict",
    "The memory is no leaf of this tree: it was written later, or by a version that made none of"
    " it",
)
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


async def verified(endpoint: Endpoint, **asked: object) -> Json:
    """Return what a verification tells."""
    return (await endpoint.tool("verify_integrity", asked)).success


def hashes(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


async def test_an_empty_tenant_has_the_root_of_nothing(admin: Endpoint) -> None:
    told = await verified(admin)
    conclusion = told.pop("conclusion")
    assert told == {
        "verified": True,
        "memories": 0,
        "changes": 0,
        "rootless": 0,
        "tree": {"size": 0, "root": EMPTY},
        "altered": [],
    }
    assert "keep the root with its size elsewhere" in conclusion


async def test_memories_and_changes_are_leaves(admin: Endpoint) -> None:
    one = await admin.save("One.")
    await admin.save("Two.", supersedes=one["id"])
    told = await verified(admin)
    assert (told["memories"], told["changes"], told["tree"]["size"]) == (2, 3, 5)


async def test_a_kept_root_is_compared_with_the_tree_of_its_size(admin: Endpoint) -> None:
    await admin.save("One.")
    kept = (await verified(admin))["tree"]
    assert (await verified(admin, root=kept["root"]))["matches"] is True
    await admin.save("Two.")
    told = await verified(admin, **kept)
    assert (told["matches"], told["verified"], told["tree"]) == (True, True, kept)
    assert "begins with exactly what the given root was of" in told["conclusion"]
    told = await verified(admin, root="0" * 64)
    assert (told["matches"], told["verified"]) == (False, False)
    assert "matched_size" not in told
    assert "is not the one that the given root was of" in told["conclusion"]


async def test_the_root_of_nothing_shows_nothing(admin: Endpoint) -> None:
    await admin.save("One.")
    for kept in ({"root": EMPTY}, {"root": EMPTY, "size": 0}):
        told = await verified(admin, **kept)
        assert (told["matches"], told["matched_size"]) == (True, 0)
        assert "it shows nothing" in told["conclusion"]


async def test_a_kept_root_alone_is_enough_whatever_was_written_since(admin: Endpoint) -> None:
    await admin.save("One.")
    kept = (await verified(admin))["tree"]
    await admin.save("Two.")
    await admin.save("Three.")
    now = (await verified(admin))["tree"]
    told = await verified(admin, root=kept["root"])
    assert (told["verified"], told["matches"], told["matched_size"]) == (True, True, kept["size"])
    assert told["tree"] == now
    wrong = await verified(admin, root=kept["root"], size=now["size"])
    assert (wrong["verified"], wrong["matches"]) == (False, False)


async def test_a_root_of_more_leaves_than_there_are_does_not_match(admin: Endpoint) -> None:
    await admin.save("One.")
    kept = (await verified(admin))["tree"]
    told = await verified(admin, root=kept["root"], size=kept["size"] + 1)
    assert (told["matches"], told["tree"]["size"]) == (False, kept["size"])
    assert told["missing_leaves"] == 1
    told = await verified(admin, first_root=kept["root"], first_size=kept["size"] + 1)
    assert (told["consistency"]["holds"], told["verified"]) == (False, False)


async def test_a_record_that_is_shorter_than_the_kept_size_is_not_verified(admin: Endpoint) -> None:
    await admin.save("One.")
    told = await verified(admin, size=5)
    assert (told["verified"], told["missing_leaves"], told["tree"]["size"]) == (False, 3, 2)
    assert "fewer leaves than the given size" in told["conclusion"]
    assert "matches" not in told
    whole = await verified(admin, size=2)
    assert (whole["verified"], "missing_leaves" in whole) == (True, False)


async def test_the_proof_of_a_memory_leads_from_its_digest_to_the_root(admin: Endpoint) -> None:
    items = [await admin.save(f"Number {n}.") for n in range(5)]
    for n, item in enumerate(items):
        told = await verified(admin, memory_id=item["id"], size=2 * len(items) - 1)
        proof, tree = told["inclusion"], told["tree"]
        assert (proof["id"], proof["index"]) == (item["id"], 2 * n)
        assert is_included(
            leaf_hash(proof["sha256"].encode()),
            proof["index"],
            tree["size"],
            hashes(proof["proof"]),
            bytes.fromhex(tree["root"]),
        )


async def test_a_later_tree_proves_that_it_goes_on_from_an_earlier_one(admin: Endpoint) -> None:
    trees = []
    for n in range(4):
        await admin.save(f"Number {n}.")
        trees.append((await verified(admin))["tree"])
    for first in trees:
        told = await verified(admin, first_size=first["size"])
        proof, tree = told["consistency"], told["tree"]
        assert "holds" not in proof
        assert is_consistent(
            first["size"],
            bytes.fromhex(first["root"]),
            tree["size"],
            bytes.fromhex(tree["root"]),
            hashes(proof["proof"]),
        )
        checked = await verified(admin, first_size=first["size"], first_root=first["root"])
        assert checked["consistency"] == {**proof, "holds": True}
        assert "begins with exactly" in checked["conclusion"]
    other = await verified(admin, first_size=2, first_root=EMPTY)
    assert (other["consistency"]["holds"], other["verified"]) == (False, False)


async def test_what_was_forgotten_stays_a_leaf(admin: Endpoint) -> None:
    item = await admin.save("To be forgotten.")
    await admin.save("To stay.")
    kept = (await verified(admin))["tree"]
    await admin.tool("forget_context", {"ids": [item["id"]]})
    told = await verified(admin, **kept)
    assert (told["matches"], told["altered"], told["memories"]) == (True, [], 1)
    gone = await admin.tool("verify_integrity", {"memory_id": item["id"]})
    assert gone.failure == ("not_found", "Document not found")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"root": "abc"}, "root must be 64 characters of 0-9 a-f"),
        ({"root": "A" * 64}, "root must be 64 characters of 0-9 a-f"),
        (
            {"first_root": "x" * 64, "first_size": 1},
            "first_root must be 64 characters of 0-9 a-f",
        ),
        (
            {"first_root": "0" * 64},
            "first_root needs first_size, the number of leaves that it was of",
        ),
        ({"first_size": 3}, "first_size must be at most 2, the size of the tree"),
        ({"size": -1}, "size must be a whole number from 0 to 1000000000"),
    ],
)
async def test_what_cannot_be_asked_is_told(
    admin: Endpoint, arguments: Json, sentence: str
) -> None:
    await admin.save("One.")
    assert (await admin.tool("verify_integrity", arguments)).failure == ("invalid_input", sentence)


async def test_a_memory_that_came_later_is_no_leaf_of_an_earlier_tree(admin: Endpoint) -> None:
    await admin.save("One.")
    later = await admin.save("Two.")
    outcome = await admin.tool("verify_integrity", {"memory_id": later["id"], "size": 2})
    assert outcome.failure == NO_LEAF


async def test_memories_of_an_earlier_version_are_counted_and_have_no_proof(world: World) -> None:
    admin, memory = world.endpoint("acme-all"), a_memory("earlier")
    made, own = replace(a_change(memory), memory_sha256=None), Fingerprint("of it", 0)
    await world.store.add(TENANT, memory, an_embedding(), made, own)
    told = await verified(admin)
    assert (told["rootless"], told["tree"]["size"]) == (1, 1)
    assert (await admin.tool("verify_integrity", {"memory_id": "earlier"})).failure == NO_LEAF


async def test_who_may_not_read_all_is_told_so(world: World) -> None:
    for client_id in ("team", "nowhere", "docs"):
        outcome = await world.endpoint(client_id).tool("verify_integrity", {})
        assert outcome.failure == ("forbidden", NOT_ALL)


async def test_a_memory_in_a_state_that_may_not_be_seen_is_not_proved(world: World) -> None:
    item = await world.endpoint("default-all").save("Not for everyone.")
    outcome = await world.endpoint("archivist").tool("verify_integrity", {"memory_id": item["id"]})
    assert outcome.failure == ("forbidden", "branch_state 'active' is not allowed for this client")


async def test_another_tenant_changes_nothing(world: World, admin: Endpoint) -> None:
    await admin.save("Ours.")
    before = await verified(admin)
    await world.endpoint("acme-all").save("Theirs.")
    assert await verified(admin) == before


async def test_the_root_is_logged_and_told_in_the_event(
    world: World, admin: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    item = await admin.save("Nobody reads this in a log.")
    with caplog.at_level(logging.INFO, "metacortex.roots"):
        tree = (await verified(admin, memory_id=item["id"], root=EMPTY, size=2))["tree"]
    (record,) = [each for each in caplog.records if each.name == "metacortex.roots"]
    assert record.getMessage() == f"Root of tenant default: {tree['root']} of 2 leaves"
    (*_, event) = await world.events()
    assert event["request"] == {
        "memory_id": item["id"],
        "size": 2,
        "root_given": True,
        "first_root_given": False,
    }
    assert event["response"] == {
        "verified": False,
        "root": tree["root"],
        "size": 2,
        "altered_count": 0,
    }
    assert re.fullmatch("[0-9a-f]{64}", tree["root"])


async def test_facts_in_all_their_changes_are_not_taken_for_altered(admin: Endpoint) -> None:
    for value, given in (
        ("RS256", {}),
        ("ES256", {}),
        ("Ed25519", {"valid_from": "2027-01"}),
        ("HS256", {"valid_from": "2020-01"}),
        ("HS512", {"valid_from": "2020-01"}),
        ("Ed25519", {"valid_from": "2027-01", "valid_until": "2028-01"}),
    ):
        await admin.state("auth service", "signing_algorithm", value, **given)
    told = await verified(admin)
    assert (told["altered"], told["rootless"], told["memories"]) == ([], 0, 5)
    assert told["changes"] > told["memories"]
