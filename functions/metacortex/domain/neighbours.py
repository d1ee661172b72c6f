"""Neighbours: what is found through what stands beside it in the same session.

An answer seldom repeats the words of its question, but the turn before it does. So a memory gains
from the relevance of the two before and the two after it. Measured on conversations, this finds
more than any index of longer texts; and as it is done when searching, nothing of one memory is kept
with another, and a memory that the filter leaves out or that is gone has no say.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", str, int)
"""What an engine knows a memory by."""

BACKGROUND = 0.2
"""Relevance up to here passes nothing on: two texts of a session share that much by themselves.
Without it, memories that belong to no session would drown among those that do.
"""

SHARES = {-2: 0.4, -1: 0.5, 1: 0.3, 2: 0.25}
"""What passes on, by where the neighbour stands: -1 is just before."""

REACH = max(SHARES)

LENDERS = 5
"""How many of the most relevant candidates lend to those around them; equals count newest first,
then by id.
"""


def with_neighbours(
    relevance: Mapping[Key, float], runs: Iterable[Sequence[Key]]
) -> dict[Key, float]:
    """Return the relevance of each memory together with what its neighbours lend it.

    A run is ids that follow each other in a session; runs may overlap, and may hold ids without a
    relevance of their own, which then gain one. The result lies in [0, 1], and no memory loses.
    """
    lent: dict[tuple[Key, Key], float] = {}
    for run in runs:
        for place, memory_id in enumerate(run):
            for step, share in SHARES.items():
                if 0 <= place + step < len(run):
                    neighbour = run[place + step]
                    lent[memory_id, neighbour] = share * _excess(relevance.get(neighbour, 0.0))
    doubt = {memory_id: 1.0 - own for memory_id, own in relevance.items()}
    for (memory_id, _), share in sorted(lent.items()):
        if share:
            doubt[memory_id] = doubt.get(memory_id, 1.0) * (1.0 - share)
    return {memory_id: 1.0 - left for memory_id, left in doubt.items()}


def _excess(relevance: float) -> float:
    return max(0.0, relevance - BACKGROUND) / (1.0 - BACKGROUND)
