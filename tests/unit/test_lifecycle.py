"""Supersession and promotion: which memory stands, and the record of how that came about."""

from collections.abc import Iterator

import pytest

from metacortex.domain.errors import Conflict, InvalidInput
from metacortex.domain.lifecycle import (
    BranchState,
    Change,
    ChangeKind,
    Standing,
    promotion,
    supersession,
)
from metacortex.domain.moment import Moment

ACTIVE = Standing(BranchState.ACTIVE)


@pytest.mark.rule("C89")
@pytest.mark.parametrize("state", list(BranchState))
def test_a_superseded_memory_is_deprecated_and_names_its_replacement(state: BranchState) -> None:
    change = supersession("old", Standing(state), "new", (), "web", 7)
    after = Standing(BranchState.DEPRECATED, "new")
    assert change == Change(ChangeKind.SUPERSEDED, "old", Standing(state), after, 7, "web")


@pytest.mark.parametrize(
    ("before", "after"), [(None, 7), (9, 7), (7, 7), (5, 5)], ids=["open", "later", "now", "past"]
)
def test_what_ends_when_it_is_superseded_holds_no_longer(before: int | None, after: int) -> None:
    standing = Standing(BranchState.ACTIVE, valid_until=None if before is None else Moment(before))
    change = supersession("old", standing, "new", (), "web", 7, ends=True)
    assert change is not None
    assert change.after == Standing(BranchState.DEPRECATED, "new", Moment(after))


@pytest.mark.rule("C90")
def test_a_memory_cannot_supersede_itself() -> None:
    with pytest.raises(InvalidInput, match="A document cannot supersede itself"):
        supersession("old", ACTIVE, "old", (), "web", 7)


@pytest.mark.rule("C93")
def test_the_same_supersession_again_is_no_change() -> None:
    standing = Standing(BranchState.DEPRECATED, "new")
    assert supersession("old", standing, "new", _never(), "web", 7) is None


@pytest.mark.rule("C94")
def test_another_replacement_is_a_conflict() -> None:
    standing = Standing(BranchState.DEPRECATED, "new")
    with pytest.raises(Conflict, match="Document is already superseded by 'new'"):
        supersession("old", standing, "other", _never(), "web", 7)


@pytest.mark.rule("C94")
def test_a_cycle_is_a_conflict_however_long_and_read_no_further_than_needed() -> None:
    def successors() -> Iterator[str]:
        yield from ("a", "b", "old")
        raise AssertionError("read beyond the cycle")

    with pytest.raises(Conflict, match="cannot be superseded by one that it supersedes"):
        supersession("old", ACTIVE, "new", successors(), "web", 7)


@pytest.mark.parametrize("state", [BranchState.ACTIVE, BranchState.MERGED])
def test_a_draft_moves_on_once(state: BranchState) -> None:
    draft, after = Standing(BranchState.WIP), Standing(state)
    change = Change(ChangeKind.STATE, "m", draft, after, 7, "web")
    assert promotion("m", draft, state, "web", 7) == change
    assert promotion("m", after, state, "web", 8) is None


@pytest.mark.parametrize("state", [BranchState.MERGED, BranchState.DEPRECATED])
def test_only_a_draft_can_be_promoted(state: BranchState) -> None:
    sentence = f"Document is in state '{state}'; only one in state 'wip' can be promoted"
    with pytest.raises(Conflict, match=sentence):
        promotion("m", Standing(state), BranchState.ACTIVE, "web", 7)


@pytest.mark.parametrize("state", [BranchState.WIP, BranchState.DEPRECATED])
def test_no_draft_is_promoted_to_a_draft_or_to_what_is_obsolete(state: BranchState) -> None:
    with pytest.raises(InvalidInput, match="branch_state must be one of active, merged"):
        promotion("m", Standing(BranchState.WIP), state, "web", 7)


def test_the_digest_of_a_change_covers_each_of_its_fields() -> None:
    change = Change(ChangeKind.STATE, "m", None, ACTIVE, 7, "web")
    others = [
        Change(ChangeKind.SUPERSEDED, "m", None, ACTIVE, 7, "web"),
        Change(ChangeKind.STATE, "n", None, ACTIVE, 7, "web"),
        Change(ChangeKind.STATE, "m", ACTIVE, ACTIVE, 7, "web"),
        Change(ChangeKind.STATE, "m", None, Standing(BranchState.WIP), 7, "web"),
        Change(ChangeKind.STATE, "m", None, ACTIVE, 8, "web"),
        Change(ChangeKind.STATE, "m", None, ACTIVE, 7, "app"),
        Change(ChangeKind.STATE, "m", None, ACTIVE, 7, "web", "of the memory"),
        Change(ChangeKind.STATE, "m", None, ACTIVE, 7, "web", ""),
        Change(ChangeKind.STATE, "m", None, ACTIVE, 7, "web", cause="of the memory"),
    ]
    assert len({change.sha256, *(other.sha256 for other in others)}) == len(others) + 1


def _never() -> Iterator[str]:
    yield from _asked()


def _asked() -> Iterator[str]:
    raise AssertionError("the successors were read")


def test_the_digest_of_a_change_that_an_earlier_version_recorded_stays() -> None:
    change = Change(ChangeKind.STATE, "m", None, ACTIVE, 7, "web")
    assert change.sha256 == "7c39a69fda8abb9ea3092275fc3d688c965c987a5d7b953001466049f9a5b3a5"
