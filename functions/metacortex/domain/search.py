"""What a search asks for, and what it finds."""

from dataclasses import dataclass

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories may match. Every part acts before the nearest are taken."""

    namespaces: tuple[str, ...] | None
    """Whole names; None: all of the tenant's."""
    branch_state: BranchState
    valid_at: Milliseconds
    """Only what is true at this moment: start included, end excluded, an absent bound is open."""
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that a search found. `score` is in [0, 1], higher is better."""

    memory: Memory
    score: float


def score_of(cosine: float) -> float:
    """Return the score of a cosine similarity; opposite meanings are as far as unrelated ones."""
    return round(min(max(cosine, 0.0), 1.0), 6)


def excerpt(text: str, limit: int) -> str:
    """Return `text` with every run of white space as one space, cut to `limit` code points with
    `...` at its end.
    """
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 3] + "..."
