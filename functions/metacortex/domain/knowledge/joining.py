"""Facts that were stated under several names, in the one timeline that these have once they are
known to name one thing.

Of singular facts one value holds at a time, as if all had been told under one name in the order of
their starts: what overlaps ends where the next one of another value starts, or where that was
recorded if no start is known. What states the same stands side by side, each under its own name.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

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
    """Return what is to end, each once, so that no two singular facts of different values overlap,
    but for the time before two whose starts are not known. None of `facts` is empty; `one_object`
    as `Fact.states_same_as` takes it.
    """
    singular = sorted((fact for fact in facts if fact.details.singular), key=in_time)
    return [*islice(_cuts(reversed(singular), one_object), MOST_CUT)]


def _cuts(latest_first: Iterable[Fact], one_object: Set[str]) -> Iterator[Cut]:
    dated, undated = _Later(one_object), _Later(one_object)
    for fact in latest_first:
        rivals = (dated.rival_of(fact), undated.rival_of(fact))
        following = min(filter(None, rivals), key=lambda each: _taking_over(each).at, default=None)
        if following is not None and _taking_over(following).at < fact.ends:
            yield Cut(fact, _taking_over(following), following)
        if fact.memory.valid_from is None:
            undated = undated.after(fact)
        elif following is None or fact.starts < following.starts:
            dated = dated.after(fact)


@dataclass(frozen=True, slots=True)
class _Later:
    """What takes over later: the next fact, and the next of another value than that."""

    one_object: Set[str]
    first: Fact | None = None
    other: Fact | None = None

    def rival_of(self, fact: Fact) -> Fact | None:
        is_same = self.first is not None and fact.states_same_as(self.first, self.one_object)
        return self.other if is_same else self.first

    def after(self, fact: Fact) -> "_Later":
        """Return it with a fact that takes over before them."""
        return replace(self, first=fact, other=self.rival_of(fact))


def _taking_over(fact: Fact) -> Moment:
    """Return since when it stands in the place of what held before."""
    return fact.memory.valid_from or Moment(fact.memory.recorded_at)
