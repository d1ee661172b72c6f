"""Facts that were stated under two names of one thing find their place in one timeline."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.errors import Conflict
from metacortex.domain.knowledge.fact import BEGINNING, OPEN, Fact
from metacortex.domain.knowledge.joining import MOST_CUT
from metacortex.domain.knowledge.placing import place
from metacortex.domain.lifecycle import ChangeKind
from metacortex.domain.moment import Milliseconds, Moment
from tests.facts import CLIENT, DAY, Timeline, a_fact, clashing, histories
from tests.samples import NOW

NAMES = ("noor", "nora")


def under(name: str, fact: Fact) -> Fact:
    """Return a fact as it is stated under a name."""
    details = replace(fact.details, subject_id=name)
    return Fact(replace(fact.memory, details=details))


def merged(ours: Sequence[Fact], theirs: Sequence[Fact]) -> Timeline:
    """Return the timeline of two names, each with what was written under it before."""
    timeline = Timeline()
    for name, facts in zip(NAMES, (ours, theirs), strict=True):
        before = Timeline(under(name, fact) for fact in facts)
        timeline.facts |= before.facts
        timeline.changes += before.changes
    return timeline


def spans(timeline: Timeline) -> dict[str, tuple[Milliseconds, Milliseconds]]:
    """Return when which fact holds, but for those of which nothing is left."""
    facts = timeline.facts.values()
    return {fact.id: (fact.starts, fact.ends) for fact in facts if not fact.is_empty}


def test_what_held_under_either_name_ends_with_the_first_statement_after_the_merge() -> None:
    timeline = merged(
        [a_fact("a1", "espresso", NOW - 9 * DAY)], [a_fact("b1", "tea", NOW - 5 * DAY)]
    )
    timeline.write(a_fact("new", "water", NOW - DAY))
    assert timeline.held(NOW) == ["water"]
    assert spans(timeline) == {
        "a1": (NOW - 9 * DAY, NOW - 5 * DAY),
        "b1": (NOW - 5 * DAY, NOW - DAY),
        "new": (NOW - DAY, timeline.facts["new"].ends),
    }
    assert [timeline.facts[id_].memory.superseded_by for id_ in ("a1", "b1")] == ["b1", "new"]


def test_the_value_of_one_name_is_stated_anew_where_the_other_had_taken_its_place() -> None:
    timeline = merged(
        [a_fact("a1", "espresso", NOW - 9 * DAY)], [a_fact("b1", "tea", NOW - 5 * DAY)]
    )
    placed = timeline.write(a_fact("new", "espresso"))
    assert (placed.created, timeline.held(NOW)) == (True, ["espresso"])
    assert timeline.held(NOW - DAY) == ["tea"]


def test_what_is_known_already_ends_what_the_other_name_says_too() -> None:
    timeline = merged(
        [a_fact("a1", "espresso", NOW - 9 * DAY)], [a_fact("b1", "tea", NOW - 5 * DAY)]
    )
    placed = timeline.write(a_fact("new", "tea", subject="nora"))
    assert (placed.created, placed.fact.id, timeline.held(NOW)) == (False, "b1", ["tea"])
    assert [each.subject_id for each in placed.changes] == ["a1"]


def test_each_fact_changes_once_from_how_it_stood() -> None:
    timeline = merged([a_fact("a1", "espresso", NOW - 9 * DAY)], [a_fact("b1", "tea", NOW - DAY)])
    placed = timeline.write(a_fact("new", "water", NOW - 5 * DAY))
    (change,) = placed.changes[1:]
    assert change.before == a_fact("a1", "espresso", NOW - 9 * DAY).memory.standing
    assert (change.after.valid_until, change.after.superseded_by) == (
        Moment(NOW - 5 * DAY),
        "new",
    )


def test_of_equal_starts_the_later_recorded_corrects_the_earlier() -> None:
    timeline = merged(
        [a_fact("a1", "espresso", NOW - 9 * DAY), a_fact("a2", "mate", NOW - 5 * DAY)],
        [a_fact("b1", "tea", NOW - 5 * DAY, at=NOW + 1)],
    )
    placed = timeline.write(a_fact("new", "water", at=NOW + 2))
    assert [each.kind for each in placed.changes if each.subject_id == "a2"] == [
        ChangeKind.CORRECTED
    ]
    assert timeline.held(NOW - DAY) == ["tea"]


def test_what_was_said_under_both_names_stays_beside_it_until_another_value_ends_both() -> None:
    timeline = merged(
        [a_fact("a0", "mate", NOW - 9 * DAY), a_fact("a1", "tea", NOW - 7 * DAY)],
        [a_fact("b1", "tea", NOW - 8 * DAY)],
    )
    assert timeline.write(a_fact("again", "tea")).changes[0].subject_id == "a0"
    assert timeline.held(NOW) == ["tea", "tea"]
    timeline.write(a_fact("new", "water", NOW, at=NOW + 1))
    assert spans(timeline) == {
        "a0": (NOW - 9 * DAY, NOW - 8 * DAY),
        "a1": (NOW - 7 * DAY, NOW),
        "b1": (NOW - 8 * DAY, NOW),
        "new": (NOW, OPEN),
    }


def test_what_is_known_of_one_name_is_news_of_the_other_since_it_is_recorded() -> None:
    timeline = merged([a_fact("a1", "tea", NOW - 9 * DAY)], [])
    placed = timeline.write(a_fact("b1", "tea", subject="nora"))
    assert (placed.created, [each.subject_id for each in placed.changes]) == (True, ["b1"])
    assert spans(timeline) == {"a1": (NOW - 9 * DAY, OPEN), "b1": (NOW, OPEN)}
    again = a_fact("b2", "tea", at=NOW + 1, subject="nora")
    assert not timeline.write(again).created


def test_an_end_that_is_told_of_one_name_ends_what_the_other_says_the_same() -> None:
    timeline = merged([a_fact("a1", "tea", NOW - 9 * DAY)], [a_fact("b1", "tea", NOW - 8 * DAY)])
    placed = timeline.write(a_fact("b2", "tea", end=NOW - DAY, subject="nora"))
    assert (placed.created, placed.fact.id) == (False, "b1")
    assert {each.kind for each in placed.changes} == {ChangeKind.CLOSED}
    assert spans(timeline) == {
        "a1": (NOW - 9 * DAY, NOW - DAY),
        "b1": (NOW - 8 * DAY, NOW - DAY),
    }


def test_an_end_that_is_told_of_a_name_of_which_nothing_was_said_is_kept_under_it() -> None:
    before = a_fact("a0", "water", NOW - 20 * DAY)
    timeline = merged([before, a_fact("a1", "tea", NOW - 9 * DAY)], [])
    placed = timeline.write(a_fact("b1", "tea", end=NOW - DAY, subject="nora"))
    assert (placed.created, timeline.held(NOW)) == (True, [])
    told = (NOW - 9 * DAY, NOW - DAY)
    assert spans(timeline) == {"a0": (NOW - 20 * DAY, told[0]), "a1": told, "b1": told}


def test_an_end_of_what_began_at_no_known_time_under_the_other_name_leaves_that_unknown() -> None:
    timeline = merged([a_fact("a1", "tea")], [])
    timeline.write(a_fact("b1", "tea", end=NOW - DAY, subject="nora"))
    assert spans(timeline) == {"a1": (BEGINNING, NOW - DAY), "b1": (BEGINNING, NOW - DAY)}


def test_of_two_that_say_the_same_without_a_start_neither_has_to_say_since_when() -> None:
    timeline = merged([a_fact("a1", "tea", at=NOW - 9 * DAY)], [a_fact("b1", "tea")])
    assert timeline.write(a_fact("b2", "tea", end=NOW - DAY, subject="nora")).changes
    assert timeline.held(NOW - 2 * DAY) == ["tea", "tea"]


def test_an_object_is_one_value_under_any_of_its_names() -> None:
    kube, kubernetes, motor = (
        a_fact(f"{name} {n}", name, start, end, object_id=name, subject=subject)
        for n, (name, subject, start, end) in enumerate(
            [
                ("Kube", "auth", NOW - 9 * DAY, None),
                ("Kubernetes", "auth-svc", NOW - 5 * DAY, NOW - 3 * DAY),
                ("motor", "auth", NOW - 10 * DAY, NOW - 9 * DAY),
            ]
        )
    )
    placed = place(
        a_fact("new", "Kubernetes", object_id="Kubernetes", subject="auth"),
        [kube, kubernetes, motor],
        CLIENT,
        ["Kube"],
    )
    assert (placed.created, placed.fact.id, placed.changes) == (False, kube.id, ())


def test_of_two_without_a_start_the_earlier_recorded_ends_where_the_other_was_recorded() -> None:
    timeline = merged(
        [a_fact("a1", "espresso", at=NOW - 9 * DAY)], [a_fact("b1", "tea", at=NOW - 5 * DAY)]
    )
    timeline.write(a_fact("new", "water", NOW - DAY))
    assert timeline.held(NOW - 4 * DAY) == ["tea"]
    assert timeline.held(NOW - 6 * DAY) == ["espresso", "tea"]


def test_values_beside_each_other_stay_beside_each_other() -> None:
    timeline = merged(
        [a_fact("a1", "espresso", NOW - 9 * DAY, singular=False)],
        [a_fact("b1", "tea", NOW - 5 * DAY, singular=False)],
    )
    timeline.write(a_fact("new", "water", NOW - DAY, singular=False))
    assert timeline.held(NOW) == ["espresso", "tea", "water"]


def test_of_a_full_past_the_last_are_ended_first() -> None:
    many = MOST_CUT + 20
    ours = [a_fact(f"a{n}", f"tea {n}", NOW + n * DAY) for n in range(many)]
    theirs = [a_fact(f"b{n}", f"mate {n}", NOW + n * DAY + 1) for n in range(many)]
    timeline = merged(ours, theirs)
    first = timeline.write(a_fact("new", "water", NOW + many * DAY))
    made, last = 1, 1
    assert len(first.changes) == made + last + MOST_CUT
    assert timeline.held(NOW + many * DAY - 1) == [f"mate {many - 1}"]
    while timeline.write(a_fact("again", "water", NOW + many * DAY)).changes:
        pass
    assert clashing(timeline.facts.values()) == []


@st.composite
def two_names(draw: st.DrawFn) -> tuple[Timeline, Sequence[Fact]]:
    """Draw what was stated under two names before they were merged, and what is stated after."""
    singular = st.sampled_from([True, True, False])
    before = [
        [Fact(replace(fact.memory, id=f"{name}{fact.id}")) for fact in draw(histories(4, singular))]
        for name in "ab"
    ]
    after = [
        replace(fact.memory, recorded_at=fact.memory.recorded_at + 9 * DAY)
        for fact in draw(histories(3, singular))
    ]
    news = [under(draw(st.sampled_from(NAMES)), Fact(memory)) for memory in after]
    return merged(*before), news


@given(two_names())
def test_singular_facts_of_merged_names_never_overlap_from_the_first_statement_on(
    drawn: tuple[Timeline, Sequence[Fact]],
) -> None:
    timeline, news = drawn
    for fact in news:
        try:
            placed = timeline.write(fact)
        except Conflict:
            continue
        assert clashing(timeline.known(fact.memory.recorded_at)) == []
        changed = [change.subject_id for change in placed.changes]
        assert len(changed) == len(set(changed))


@given(two_names())
def test_what_is_said_under_a_name_is_kept_under_it(
    drawn: tuple[Timeline, Sequence[Fact]],
) -> None:
    timeline, news = drawn
    for fact in news:
        with suppress(Conflict):
            assert timeline.write(fact).fact.timeline == fact.timeline


@given(two_names())
def test_what_is_joined_once_stays_as_it_is(drawn: tuple[Timeline, Sequence[Fact]]) -> None:
    timeline, news = drawn
    for fact in news:
        try:
            timeline.write(fact)
        except Conflict:
            continue
        far = a_fact("far", "z", NOW + 99 * DAY, NOW + 100 * DAY, singular=False)
        assert len(timeline.write(far).changes) == 1
        del timeline.facts["far"]
