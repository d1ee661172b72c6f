"""What a search asks for, and what it finds."""

from dataclasses import dataclass
from enum import StrEnum

from metacortex.domain.errors import InvalidInput
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.text import check_unicode

MOST_MATCHES = 20


class Mode(StrEnum):
    """What a search goes by."""

    HYBRID = "hybrid"
    MEANING = "meaning"
    WORDS = "words"


MODE_NAMES = tuple(mode.value for mode in Mode)


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
class Search:
    """What a caller asks to find. An absent state means the profile's default, an absent limit the
    server's.

    Raises:
        InvalidInput: the query is blank, or the limit is not from 1 to `MOST_MATCHES`.
    """

    query: str
    topic: str | None = None
    branch_state: BranchState | None = None
    limit: int | None = None
    mode: Mode = Mode.HYBRID

    def __post_init__(self) -> None:
        if not self.query.strip():
            raise InvalidInput("query must not be empty")
        if self.limit is not None and not 1 <= self.limit <= MOST_MATCHES:
            raise InvalidInput(f"limit must be a whole number from 1 to {MOST_MATCHES}")
        check_unicode("query", self.query)
        check_unicode("filter_topic", self.topic or "")


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that a search found. `score` is in [0, 1], higher is better."""

    memory: Memory
    score: float
