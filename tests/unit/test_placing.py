"""Facts find their place in a timeline: nothing singular overlaps, and history keeps its place."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.errors import Conflict
from metacortex.domain.identity import immutable_digest
from metacortex.domain.knowledge.fact import OPEN, Fact
from metacortex.domain.knowledge.placing import no_say_before, place
from metacortex.domain.lifecycle import BranchState, ChangeKind
from metacortex.domain.moment import Milliseconds, Moment
from tests.facts import CLIENT, DAY, Timeline, a_fact, histories, overlapping
from tests.samples import NOW


def written(*facts: Fact) -> Timeline:
    """Return the timeline of these, written in this order."""
    return Timeline(facts)


def test_a_singular_fact_closes_the_one_before_where_it_starts() -> None:
    """K33, K35."""
    timeline = written(a_fact("f1"), a_fact("f2", "tea", NOW - DAY))
    old = timeline.facts["f1"].memory
    assert (old.valid_until, old.superseded_by) == (Moment(NOW - DAY), "f2")
    assert old.branch_state is BranchState.DEPRECATED
    assert timeline.held(NOW) == ["tea"]
    assert (timeline.held(NOW - DAY), timeline.held(NOW - DAY - 1)) == (["tea"], ["espresso"])


def test_facts_that_are_not_singular_stand_beside_each_other() -> None:
    """K33."""
    timeline = written(
        a_fact("f1", "A", singular=False), a_fact("f2", "B", singular=False, start=NOW - DAY)
    )
    assert timeline.held(NOW) == ["A", "B"]


def test_old_news_gets_its_place_in_history_and_leaves_the_present_alone() -> None:
    """K36."""
    timeline = written(
        a_fact("f1", "Northwind", NOW - DAY), a_fact("f2", "Lakeside", NOW - 9 * DAY)
    )
    late = timeline.facts["f2"].memory
    assert (late.valid_until, late.superseded_by) == (Moment(NOW - DAY), "f1")
    assert late.branch_state is BranchState.DEPRECATED
    assert timeline.held(NOW) == ["Northwind"]
    assert timeline.held(NOW - 2 * DAY) == ["Lakeside"]


def test_a_fact_of_the_future_leaves_the_present_one_true_until_then() -> None:
    timeline = written(a_fact("f1"), a_fact("f2", "tea", NOW + DAY))
    assert timeline.facts["f1"].memory.branch_state is BranchState.ACTIVE
    assert (timeline.held(NOW), timeline.held(NOW + DAY)) == (["espresso"], ["tea"])


def test_a_fact_with_the_same_start_corrects_the_earlier_one() -> None:
    timeline = written(a_fact("f1", start=NOW - DAY), a_fact("f2", "tea", NOW - DAY, at=NOW + 5))
    assert timeline.facts["f1"].is_empty
    assert timeline.changes[-1].kind is ChangeKind.CORRECTED
    assert timeline.held(NOW) == ["tea"]


def test_a_fact_without_a_start_takes_over_when_it_is_recorded() -> None:
    timeline = written(a_fact("f1"), a_fact("f2", "tea", at=NOW + 5))
    new = timeline.facts["f2"].memory
    assert new.valid_from == Moment(NOW + 5)
    assert new.sha256 == immutable_digest(new) == timeline.changes_of("f2")[0].memory_sha256
    assert (timeline.held(NOW + 4), timeline.held(NOW + 5)) == (["espresso"], ["tea"])


def test_a_statement_that_is_covered_is_a_duplicate() -> None:
    timeline = written(a_fact("f1", start=NOW - DAY))
    placed = timeline.write(a_fact("f2", start=NOW - 5))
    assert (placed.created, placed.fact.id, placed.changes) == (False, "f1", ())
    assert not timeline.write(a_fact("f3")).created


def test_the_same_statement_with_an_end_closes_the_one_that_has_none() -> None:
    timeline = written(a_fact("f1", start=NOW - 9 * DAY))
    placed = timeline.write(a_fact("f2", end=NOW - DAY))
    assert (placed.created, timeline.held(NOW)) == (False, [])
    assert timeline.changes[-1].kind is ChangeKind.CLOSED
    assert timeline.facts["f1"].memory.valid_until == Moment(NOW - DAY)


def test_the_same_statement_in_two_separate_intervals_is_two_facts() -> None:
    timeline = written(
        a_fact("f1", start=NOW - 9 * DAY, end=NOW - 8 * DAY), a_fact("f2", start=NOW - DAY)
    )
    assert len(timeline.facts) == 2
    assert timeline.held(NOW - 5 * DAY) == []


def test_a_fact_around_another_ends_where_that_starts() -> None:
    timeline = written(
        a_fact("f1", "B", NOW - 5 * DAY, NOW - 3 * DAY), a_fact("f2", "A", NOW - 9 * DAY)
    )
    assert timeline.held(NOW - 6 * DAY) == ["A"]
    assert timeline.held(NOW - 4 * DAY) == ["B"]
    assert timeline.held(NOW) == []


def test_a_bounded_fact_inside_an_open_one_ends_it() -> None:
    timeline = written(
        a_fact("f1", "A", NOW - 9 * DAY), a_fact("f2", "B", NOW - 5 * DAY, NOW - 3 * DAY)
    )
    assert timeline.held(NOW - 6 * DAY) == ["A"]
    assert timeline.held(NOW - 4 * DAY) == ["B"]
    assert timeline.held(NOW) == []


def test_what_was_known_is_another_question_than_what_was_true() -> None:
    """K37."""
    timeline = written(
        a_fact("f1", "Ola", NOW, at=NOW), a_fact("f2", "Pia", NOW + DAY, at=NOW + 9 * DAY)
    )
    asked = NOW + 2 * DAY

    def held(known_at: Milliseconds) -> list[str]:
        return [each.details.object for each in timeline.known(known_at) if each.holds_at(asked)]

    assert (held(NOW + 8 * DAY), held(NOW + 9 * DAY)) == (["Ola"], ["Pia"])


@given(histories())
def test_singular_facts_never_overlap_at_any_moment_that_was_recorded(
    history: Sequence[Fact],
) -> None:
    timeline = written(*history)
    for known_at in (fact.memory.recorded_at for fact in history):
        assert overlapping(timeline.known(known_at)) == []


@given(histories())
def test_writing_a_history_again_adds_nothing_that_was_not_superseded(
    history: Sequence[Fact],
) -> None:
    timeline = written(*history)
    for fact in list(timeline.facts.values()):
        again = replace(fact.memory, id=f"{fact.id}-again", recorded_at=NOW + 99 * DAY)
        if not fact.is_empty:
            assert not timeline.write(Fact(again)).created


@given(histories(singular=st.booleans()))
def test_what_is_said_to_have_no_say_has_none(history: Sequence[Fact]) -> None:
    *earlier, newcomer = history
    facts = written(*earlier).facts.values()
    since = no_say_before(newcomer, is_any_open=any(fact.ends == OPEN for fact in facts))
    having_a_say = [fact for fact in facts if fact.ends > since]
    assert place(newcomer, having_a_say, CLIENT) == place(newcomer, facts, CLIENT)


def test_past_news_without_a_start_leaves_the_present_alone() -> None:
    timeline = written(a_fact("f1", "Oslo", NOW - DAY))
    placed = timeline.write(a_fact("f2", "Bergen", end=NOW - 9 * DAY))
    assert placed.created
    assert (timeline.held(NOW), timeline.held(NOW - 10 * DAY)) == (["Oslo"], ["Bergen"])
    assert timeline.held(NOW - 5 * DAY) == []


def test_of_two_without_a_start_the_past_one_must_say_since_when() -> None:
    timeline = written(a_fact("f1", "Oslo"))
    with pytest.raises(Conflict, match="say with valid_from"):
        timeline.write(a_fact("f2", "Bergen", end=NOW - 9 * DAY))
    assert timeline.held(NOW) == ["Oslo"]


def test_what_is_said_to_have_ended_before_it_is_known_to_start_is_a_fact_of_its_own() -> None:
    timeline = written(a_fact("f1", start=NOW - DAY))
    assert timeline.write(a_fact("f2", end=NOW - 9 * DAY)).created
    assert timeline.facts["f1"].memory.valid_until is None


def test_what_is_known_until_past_news_ends_is_a_duplicate() -> None:
    timeline = written(a_fact("f1", start=NOW - 9 * DAY, end=NOW - DAY))
    assert not timeline.write(a_fact("f2", end=NOW - 5 * DAY)).created


def test_a_value_that_is_said_to_be_the_only_one_ends_those_beside_it() -> None:
    timeline = written(
        a_fact("f1", "tea", NOW - 9 * DAY, singular=False),
        a_fact("f2", "mate", NOW - 5 * DAY, singular=False),
    )
    placed = timeline.write(a_fact("f3", "tea", at=NOW))
    assert (placed.created, placed.fact.id, timeline.held(NOW)) == (False, "f1", ["tea"])
    assert [each.subject_id for each in placed.changes] == ["f2"]
    assert timeline.facts["f2"].memory.superseded_by == "f1"
    assert timeline.facts["f2"].memory.valid_until == Moment(NOW)


def test_a_value_that_was_the_only_one_at_its_start_leaves_what_began_later() -> None:
    timeline = written(
        a_fact("f1", "milk", NOW - 12 * DAY, singular=False),
        a_fact("f2", "tea", NOW - 9 * DAY, singular=False),
        a_fact("f3", "mate", NOW - 5 * DAY, singular=False),
    )
    placed = timeline.write(a_fact("f4", "tea", NOW - 9 * DAY, at=NOW))
    assert (placed.created, placed.fact.id) == (False, "f2")
    assert [each.subject_id for each in placed.changes] == ["f1"]
    assert sorted(timeline.held(NOW)) == ["mate", "tea"]


def test_a_value_that_is_repeated_as_one_of_several_ends_none() -> None:
    beside = [a_fact("f1", "tea", singular=False), a_fact("f2", "mate", singular=False)]
    timeline = written(*beside)
    assert timeline.write(a_fact("f3", "tea", singular=False)).changes == ()
