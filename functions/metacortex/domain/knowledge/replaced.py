"""What was read at several moments, told together.

The singular facts of one timeline never overlap (`metacortex.domain.knowledge.placing`). Where two
that were read overlap, the earlier was read before the later ended it, so it holds no more.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from metacortex.domain.details import Kind
from metacortex.domain.knowledge.fact import Fact, in_time
from metacortex.domain.search import Match


def without_replaced(matches: Sequence[Match]) -> tuple[Match, ...]:
    """Return the matches, in their order, without the facts that another of them has replaced."""
    timelines: defaultdict[tuple[str, str, str], dict[int, Fact]] = defaultdict(dict)
    for place, match in enumerate(matches):
        if match.memory.kind is Kind.FACT and (fact := Fact(match.memory)).details.singular:
            timelines[fact.timeline][place] = fact
    replaced = {place for timeline in timelines.values() for place in _replaced(timeline)}
    return tuple(match for place, match in enumerate(matches) if place not in replaced)


def _replaced(timeline: Mapping[int, Fact]) -> Iterator[int]:
    """Yield the keys of the facts during which the next of their timeline starts."""
    order = sorted({in_time(fact) for fact in timeline.values()})
    following = dict(pairwise(order))
    for key, fact in timeline.items():
        if (after := following.get(in_time(fact))) and after[0] < fact.ends:
            yield key
