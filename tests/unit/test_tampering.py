"""What is taken for altered, of one memory and its entries."""

from dataclasses import replace
from typing import Any

import pytest

from metacortex.domain.forgetting import Entry, Tombstone
from metacortex.domain.identity import immutable_digest
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing, orphaning
from metacortex.domain.memory import Memory
from metacortex.domain.merkle import leaf_hash
from metacortex.domain.tampering import Kept, Recorded, altered, history_of
from tests.samples import NOW, a_memory


def sealed(version: int = 2, **varied: Any) -> Memory:
    """Return a memory with its digest of a version."""
    memory = a_memory(salt="s" if version > 1 else "", **varied)
    return replace(memory, sha256=immutable_digest(memory, version))


def recorded(entry: Entry) -> Recorded:
    """Return an entry as it is stored."""
    made = entry.memory_sha256 if isinstance(entry, Change) else None
    return Recorded(entry.subject_id, entry.sha256, made, entry)


def all_recorded(*entries: Entry) -> list[Recorded]:
    """Return entries as they are stored."""
    return [*map(recorded, entries)]


def checks(memory: Memory | None, *entries: Recorded, version: int = 2) -> list[str]:
    """Return what is told of a memory with these entries."""
    kept = None if memory is None else Kept(memory.id, memory.sha256, version, memory)
    found = altered("m1", kept, history_of(entries))
    return [] if found is None else [check.value for check in found.checks]


MEMORY = sealed()
MADE = MEMORY.creation("web")
REPLACED = Standing(BranchState.DEPRECATED, "m2")
MOVED = Change(ChangeKind.SUPERSEDED, "m1", MEMORY.standing, REPLACED, NOW + 1, "web")
ORPHANED = orphaning("m1", MOVED.after, "web", NOW + 2)
GONE = Tombstone("m1", "mac", NOW + 3, "web")


def test_what_fits_together_is_not_altered() -> None:
    assert checks(MEMORY, recorded(MADE)) == []
    moved = MEMORY.after(ORPHANED)
    assert checks(moved, *all_recorded(MADE, MOVED, ORPHANED)) == []
    assert checks(None, *all_recorded(MADE, MOVED, GONE)) == []
    assert checks(None, recorded(GONE)) == []
    assert checks(None) == []


def test_what_an_earlier_version_wrote_is_held_to_the_digest_of_its_version() -> None:
    earlier = sealed(version=1)
    made = replace(earlier.creation("web"), memory_sha256=None)
    assert checks(earlier, recorded(made), version=1) == []
    assert checks(earlier, recorded(made), version=2) == ["memory_hash"]
    assert [*recorded(made).leaves] == [leaf_hash(made.sha256.encode())]


def test_a_memory_is_a_leaf_before_the_change_that_made_it() -> None:
    leaves = [leaf_hash(MEMORY.sha256.encode()), leaf_hash(MADE.sha256.encode())]
    assert [*recorded(MADE).leaves] == leaves


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ((), ["creation"]),
        ((MOVED,), ["history", "projection"]),
        ((MADE, MADE), ["history"]),
        ((MADE, MOVED), ["projection"]),
        ((MADE, ORPHANED), ["history", "projection"]),
        ((MADE, GONE), ["forgotten"]),
        ((GONE, MADE), ["history", "forgotten"]),
    ],
)
def test_entries_that_do_not_lead_to_the_memory_are_told(
    entries: tuple[Entry, ...], found: list[str]
) -> None:
    assert checks(MEMORY, *all_recorded(*entries)) == found


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ((MADE,), ["missing"]),
        ((MADE, MOVED), ["missing"]),
        ((MOVED, GONE), ["history"]),
        ((GONE, MADE), ["history"]),
    ],
)
def test_entries_of_a_memory_that_is_gone_are_told(
    entries: tuple[Entry, ...], found: list[str]
) -> None:
    assert checks(None, *all_recorded(*entries)) == found


def test_what_has_no_digest_at_all_is_told() -> None:
    beyond = 2**60
    assert checks(replace(MEMORY, created_at=beyond), recorded(MADE)) == ["memory_hash"]
    late = Change(ChangeKind.STATE, "m1", None, MADE.after, beyond, "web", MEMORY.sha256)
    assert checks(MEMORY, Recorded("m1", "0" * 64, MEMORY.sha256, late)) == ["change_hash"]


def test_what_cannot_be_read_is_told() -> None:
    kept = Kept("m1", MEMORY.sha256, 2, None)
    found = altered("m1", kept, history_of([recorded(MADE)]))
    assert found is not None
    assert [*found.checks] == ["unreadable"]
    broken = Recorded("m1", MADE.sha256, MEMORY.sha256, None)
    assert checks(MEMORY, recorded(MADE), broken) == ["unreadable"]


def test_a_memory_that_was_replaced_whole_is_not_the_one_that_was_made() -> None:
    other = sealed(content="Another content.")
    assert checks(other, recorded(MADE)) == ["creation"]
    draft = sealed(branch_state=BranchState.WIP)
    assert checks(draft, recorded(MADE)) == ["projection"]


def test_entries_of_an_entity_are_held_to_each_other_and_to_no_memory() -> None:
    apart, merged = Standing(BranchState.ACTIVE), Standing(BranchState.MERGED, "other")
    into = Change(ChangeKind.MERGED, "m1", apart, merged, NOW, "web")
    undone = Change(ChangeKind.MERGED, "m1", merged, apart, NOW + 1, "web")
    assert checks(None, *all_recorded(into)) == []
    assert checks(None, *all_recorded(into, undone, into)) == []
    assert checks(None, *all_recorded(into, into)) == ["history"]
