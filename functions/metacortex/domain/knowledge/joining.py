"""Facts that were stated under several names, in the one timeline that these have once they are
known to name one thing.

Of singular facts one holds at a time, as if all had been told under one name in the order of their
starts: what overlaps ends where the next one starts, or where that was recorded if no start is
known. What states the same inside the interval of another is taken up by that one.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from metacortex.domain.knowledge.fact import Fact, in_time
from metacortex.domain.moment import Moment

MOST_PAST = 1_000
"""How many facts are joined that have ended before a statement has its say: the last to end, of
each name as many. So a statement costs no more than that in the longest timeline.
"""
MOST_CUT = 60
"""How many facts one statement ends by this, the last ones first; so full a past may wait for the
next statement.
"""


@dataclass(frozen=True, slots=True)
class Cut:
    """A fact that is to end in favour of another of its timeline."""

    fact: Fact
    end: Moment
    in_favour_of: Fact


def past_of_each(names: int) -> int:
    """Return how many facts that have ended are joined of each of so many names."""
    return MOST_PAST // names


def cuts(facts: Iterable[Fact], one_object: Set[str]) -> Sequence[Cut]:
    """Return what is to end, each once, so that no two singular facts overlap, but for the time
    before two whose starts are not known. None of `facts` is empty; `one_object` as
    `Fact.states_same_as` takes it.
    """
    singular = sorted((fact for fact in facts if fact.details.singular), key=in_time)
    found: dict[str, Cut] = {}
    dated: list[Fact] = []
    undated: list[Fact] = []
    for fact in reversed(singular):
        while dated and _takes_up(fact, dated[-1], one_object):
            taken = dated.pop()
            found[taken.id] = Cut(taken, _taking_over(taken), fact)
        following = min(
            [*dated[-1:], *undated[-1:]], key=lambda f: _taking_over(f).at, default=None
        )
        if following is not None and _taking_over(following).at < fact.ends:
            found[fact.id] = Cut(fact, _taking_over(following), following)
        if fact.memory.valid_from is None:
            undated.append(fact)
        elif following is None or fact.starts < following.starts:
            dated.append(fact)
    return [*found.values()][:MOST_CUT]


def _takes_up(fact: Fact, later: Fact, one_object: Set[str]) -> bool:
    is_inside = fact.starts < later.starts and later.ends < fact.ends
    return is_inside and fact.states_same_as(later, one_object)


def _taking_over(fact: Fact) -> Moment:
    """Return since when it stands in the place of what held before."""
    return fact.memory.valid_from or Moment(fact.memory.recorded_at)
