"""From what two legs say of the candidates to an order and a score that every engine shares.

Meaning and words are two witnesses, and a third is how far a memory stands out from the crowd by
its meaning. Its relevance is how unlikely it is that all are wrong about it:
1 - (1 - words)(1 - trust * nearness)(1 - outstanding). Unlike reciprocal ranks this means the same
for every query and hardly depends on how many candidates an engine looked at.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nlargest

from metacortex.domain.memory import DEFAULT_IMPORTANCE
from metacortex.domain.moment import Milliseconds

FLOOR = 0.1
"""A score below this is noise. Two sentences of different subjects stay below it; a question and a
turn of a chat between other people reach it one time in nine.
"""

TRUST = 0.5
"""How far meaning alone convinces where both legs were asked."""

STANDING_OUT = 2.0
MOST_OUTSTANDING = 0.4
"""How much sooner meaning convinces where a memory stands out by it, and how far at most: it never
is worth as much as the very words.
"""

CROWD = 5
NOISE = 0.2
"""How near unrelated texts come now and then."""

EACH_LEG = 30
"""How many of the best of each leg are weighed against each other."""

IMPORTANCE_SWAY = 0.04
RECENCY_SWAY = 0.03
_MONTH: Milliseconds = 30 * 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may match, and what breaks a tie between it and another."""

    id: str
    relevance: float
    created_at: Milliseconds
    importance: float = DEFAULT_IMPORTANCE


@dataclass(frozen=True, slots=True)
class Ranked:
    """A place in the list. `score` never rises from one to the next."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates that reached the floor, best first; the best score seen, also below it (None
    if there was no candidate), and how many stayed below.
    """

    matches: tuple[Ranked, ...]
    best: float | None
    below: int


def nearness(cosine: float, unrelated: float) -> float:
    """Return how near a cosine is in [0, 1], where `unrelated` texts of its space are at 0."""
    # A model that finds all texts alike tells nothing of any.
    return min(max((cosine - unrelated) / max(1.0 - unrelated, 1e-9), 0.0), 1.0)


def crowd(nearnesses: Iterable[float]) -> float:
    """Return how near a memory must be to stand out by its meaning: nearer than the fifth nearest
    of those that pass the filter or, where there are fewer, than noise.
    """
    nearest = nlargest(CROWD, nearnesses)
    return nearest[-1] if len(nearest) == CROWD else NOISE


def outstanding(near: float, crowd: float) -> float:
    """Return how far a memory stands out from the crowd by its meaning."""
    beyond = max(0.0, near - crowd) / max(1.0 - crowd, 1e-9)
    return min(MOST_OUTSTANDING, STANDING_OUT * beyond)


def relevance(near: float | None, words: float | None, crowd: float) -> float:
    """Return how relevant a memory is by itself, in [0, 1]; a leg that was not asked is None.

    What stands out from the crowd is trusted more. Without that, a question in other words or in
    another language would lose to whatever shares one word with it.
    """
    own = near or 0.0
    if words is not None:
        own = 1.0 - (1.0 - words) * (1.0 - TRUST * own) * (1.0 - outstanding(own, crowd))
    # Engines add up in different orders, so their last digits tell nothing.
    return round(own, 9)


def ranked(candidates: Iterable[Candidate], now: Milliseconds, floor: float = FLOOR) -> Ranking:
    """Order candidates by relevance; importance and recency decide between near-equals.

    Each relevance counts up to 2 % more or less by importance, and up to 3 % more by recency, half
    of which is left after 30 days. So no memory passes one that is 8 % more relevant. Equals stand
    newest first, then by id, whatever order they came in.
    """
    order = sorted(candidates, key=lambda one: (-_swayed(one, now), -one.created_at, one.id))
    matches: list[Ranked] = []
    score = 1.0
    for candidate in order:
        score = min(score, round(candidate.relevance, 6))
        if score < floor:
            break
        matches.append(Ranked(candidate.id, score))
    best = round(max(one.relevance for one in order), 6) if order else None
    return Ranking(tuple(matches), best, len(order) - len(matches))


def sways(candidate: Candidate, now: Milliseconds) -> tuple[float, float]:
    """Return by which share importance and recency let a relevance count more, or less."""
    age = max(now - candidate.created_at, 0)
    by_importance = IMPORTANCE_SWAY * (candidate.importance - DEFAULT_IMPORTANCE)
    return by_importance, RECENCY_SWAY * _MONTH / (_MONTH + age)


def _swayed(candidate: Candidate, now: Milliseconds) -> float:
    return round(candidate.relevance * (1.0 + sum(sways(candidate, now))), 9)
