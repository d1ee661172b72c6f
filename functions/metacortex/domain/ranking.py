"""From what two legs say of the candidates to an order and a score that every engine shares.

Meaning and words are two witnesses: the relevance of a memory is how unlikely it is that both are
wrong about it, 1 - (1 - words)(1 - trust * nearness). Unlike reciprocal ranks this needs no other
candidates, so it means the same for every query and does not depend on how many an engine looked
at.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from metacortex.domain.memory import DEFAULT_IMPORTANCE
from metacortex.domain.moment import Milliseconds

FLOOR = 0.1
"""A score below this is noise. Two sentences of different subjects stay below it; a question and a
turn of a chat between other people reach it one time in nine.
"""

TRUST = 0.5
"""How far meaning alone convinces where both legs were asked."""

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
    return min(max((cosine - unrelated) / (1.0 - unrelated), 0.0), 1.0)


def relevance(near: float | None, words: float | None) -> float:
    """Return how relevant a memory is by itself, in [0, 1]; a leg that was not asked is None."""
    own = near or 0.0
    if words is not None:
        own = 1.0 - (1.0 - words) * (1.0 - TRUST * own)
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
        matches.append(Ranked(candidate.id, score))
    kept = tuple(match for match in matches if match.score >= floor)
    best = max((round(one.relevance, 6) for one in order), default=None)
    return Ranking(kept, best, len(matches) - len(kept))


def _swayed(candidate: Candidate, now: Milliseconds) -> float:
    age = max(now - candidate.created_at, 0)
    recency = _MONTH / (_MONTH + age)
    by_importance = IMPORTANCE_SWAY * (candidate.importance - 0.5)
    return round(candidate.relevance * (1.0 + by_importance + RECENCY_SWAY * recency), 9)
