"""Of facts that were read at several moments, none is told that another has replaced."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.replaced import without_replaced
from metacortex.domain.search import Match
from tests.facts import DAY, Timeline, a_fact, histories, overlapping
from tests.samples import NOW, a_memory


def told(*facts: Fact) -> list[Fact]:
    """Return what is left of facts that were read."""
    left = without_replaced([Match(fact.memory, 0.5) for fact in facts])
    return [Fact(match.memory) for match in left]


@given(histories(), st.data())
def test_what_was_read_last_is_told_whole_and_what_it_replaced_is_not(
    history: Sequence[Fact], data: st.DataObject
) -> None:
    before = data.draw(st.integers(0, len(history)))
    earlier = Timeline(history[:before]).facts.values()
    later = Timeline(history).facts.values()

    left = told(*earlier, *later)

    assert [fact for fact in later if fact not in left] == []
    newest = {fact.id: fact for fact in left}.values()
    assert overlapping(newest) == []


def test_an_earlier_reading_tells_no_value_beside_the_one_that_took_its_place() -> None:
    old, new = a_fact("f1", start=NOW - DAY), a_fact("f2", "tea", NOW)
    assert told(old, new) == told(new, old) == [new]


def test_a_correction_takes_the_place_of_what_never_held() -> None:
    old, new = a_fact("f1", start=NOW), a_fact("f2", "tea", NOW, at=NOW + 5)
    assert told(new, old) == [new]


def test_what_ended_stands_before_what_replaced_it() -> None:
    facts = a_fact("f1", start=NOW - DAY, end=NOW), a_fact("f2", "tea", NOW)
    assert told(*facts) == [*facts]


def test_values_beside_each_other_and_of_other_timelines_stay() -> None:
    beside = [a_fact(f"f{n}", str(n), NOW - n, singular=False) for n in range(3)]
    single = a_fact("f3", "tea", NOW - 9)
    elsewhere = Fact(replace(a_fact("f4", "milk", NOW).memory, namespace="team"))
    assert told(*beside, single, elsewhere) == [*beside, single, elsewhere]


def test_what_is_no_fact_stays() -> None:
    note = Match(a_memory(), 0.5)
    assert without_replaced([note]) == (note,)
