"""What a store is asked to find, and what that came to."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice

from metacortex.domain.moment import Milliseconds
from metacortex.domain.ranking import FLOOR
from metacortex.domain.search import Match
from metacortex.domain.vector import EmbeddingSpace, Vector


@dataclass(frozen=True, slots=True)
class Question:
    """What to look for by its vector, by its terms, or by both; a leg that is not asked is None.

    `unrelated` is the cosine that unrelated texts of the space have, `now` what recency is told
    from; matches below `floor` are left out. With `explain`, each match says why it stands there.
    """

    space: EmbeddingSpace
    vector: "Vector | None"
    terms: tuple[str, ...] | None
    unrelated: float
    now: Milliseconds
    floor: float = FLOOR
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """The matches, best first; the best score seen, whether or not it reached the floor (None where
    nothing passed the filter), and how many candidates stayed below it.

    `incomplete`: a bound was reached before every candidate was seen. `degraded`: the legs that did
    not answer.
    """

    matches: tuple[Match, ...]
    best: float | None = None
    below: int = 0
    incomplete: bool = False
    degraded: tuple[str, ...] = ()


def together(founds: Sequence[Found], limit: int) -> Found:
    """Return the `limit` best of several searches for one question, each order kept, and each
    memory once: one whose state changed meanwhile was found in both.
    """
    matches = dict[str, Match]()
    for match in merge(*(found.matches for found in founds), key=lambda match: -match.score):
        matches.setdefault(match.memory.id, match)
    return Found(
        tuple(islice(matches.values(), limit)),
        max((found.best for found in founds if found.best is not None), default=None),
        sum(found.below for found in founds),
        any(found.incomplete for found in founds),
        tuple(dict.fromkeys(leg for found in founds for leg in found.degraded)),
    )
