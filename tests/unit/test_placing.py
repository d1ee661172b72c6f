"""Facts find their place in a timeline: nothing singular overlaps, and history keeps its place."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.details import FactDetails, Kind
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.placing import Placed, as_known, place
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind
from metacortex.domain.moment import Milliseconds, Moment
from tests.samples import NOW, a_memory

DAY = 86_400_000


def a_fact(
    id_: str = "f1",
    value: str = "espresso",
    start: Milliseconds | None = None,
    end: Milliseconds | None = None,
    *,
    at: Milliseconds = NOW,
    singular: bool = True,
) -> Fact:
    """Return what Noor drinks, as it is recorded `at` a moment."""
    return Fact(
        a_memory(
            id_,
            kind=Kind.FACT,
            details=FactDetails("noor", "Noor", "drinks", value, singular=singular),
            valid_from=None if start is None else Moment(start),
            valid_until=None if end is None else Moment(end),
            created_at=at,
            updated_at=at,
            recorded_at=at,
        )
    )


class Timeline:
    """The facts of a timeline with all their Changes, as a store keeps them."""

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}
        self.changes: list[Change] = []

    def write(self, fact: Fact) -> Placed:
        """Write a fact and apply what that changes."""
        placed = place(fact, self.facts.values(), "claude")
        if placed.created:
            self.facts[placed.fact.id] = placed.fact
        for change in placed.changes:
            self.changes.append(change)
            memory = self.facts[change.subject_id].memory
            self.facts[change.subject_id] = Fact(memory.after(change))
        return placed

    def held(self, at: Milliseconds) -> list[str]:
        """Return what was true at a moment."""
        return sorted(each.details.object for each in self.facts.values() if each.holds_at(at))

    def known(self, known_at: Milliseconds) -> list[Fact]:
        """Return the facts as they were known to be."""
        known = []
        for id_, fact in self.facts.items():
            own = [change for change in self.changes if change.subject_id == id_]
            memory = as_known(fact.memory, own, known_at)
            known += [Fact(memory)] if memory else []
        return known


def written(*facts: Fact) -> Timeline:
    """Return the timeline of these, written in this order."""
    timeline = Timeline()
    for fact in facts:
        timeline.write(fact)
    return timeline


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
    assert timeline.facts["f2"].memory.valid_from == Moment(NOW + 5)
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


def test_what_was_known_is_another_question_than_what_was_true() -> None:
    """K37."""
    timeline = written(
        a_fact("f1", "Ola", NOW, at=NOW), a_fact("f2", "Pia", NOW + DAY, at=NOW + 9 * DAY)
    )
    asked = NOW + 2 * DAY

    def held(known_at: Milliseconds) -> list[str]:
        return [each.details.object for each in timeline.known(known_at) if each.holds_at(asked)]

    assert (held(NOW + 8 * DAY), held(NOW + 9 * DAY)) == (["Ola"], ["Pia"])


moments = st.none() | st.integers(-4, 8).map(lambda day: NOW + day * DAY)


@st.composite
def histories(draw: st.DrawFn) -> list[Fact]:
    """Draw what was written to one timeline, in the order of recording."""
    facts = []
    for n in range(draw(st.integers(1, 7))):
        start, end = draw(moments), draw(moments)
        if start is not None and end is not None and end <= start:
            end = None
        value = draw(st.sampled_from("abc"))
        facts.append(a_fact(f"f{n}", value, start, end, at=NOW + n * DAY))
    return facts


@given(histories())
def test_singular_facts_never_overlap_at_any_moment_that_was_recorded(history: list[Fact]) -> None:
    timeline = written(*history)
    for known_at in (fact.memory.recorded_at for fact in history):
        spans = sorted(
            (fact.starts, fact.ends) for fact in timeline.known(known_at) if not fact.is_empty
        )
        for (_, ends), (starts, _) in pairwise(spans):
            assert ends <= starts


@given(histories())
def test_writing_a_history_again_adds_nothing_that_was_not_superseded(history: list[Fact]) -> None:
    timeline = written(*history)
    for fact in list(timeline.facts.values()):
        again = replace(fact.memory, id=f"{fact.id}-again", recorded_at=NOW + 99 * DAY)
        if not fact.is_empty:
            assert not timeline.write(Fact(again)).created
