"""What a memory holds, in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from metacortex.domain.details import Kind
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.vector import EmbeddingSpace

MOST_TOPICS = 20
"""How many topics are told, the most common."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Which memories are counted: those of these namespaces, None being all, in these states."""

    namespaces: tuple[str, ...] | None
    states: tuple[BranchState, ...]


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """How many memories there are, and how many of each sort; what has none is left out.

    The numbers of bytes are as near as the engine can tell cheaply; that of texts is None where it
    cannot.
    """

    states: Mapping[BranchState, int]
    kinds: Mapping[Kind, int]
    namespaces: Mapping[str, int]
    topics: Mapping[str, int]
    """The most common first, `MOST_TOPICS` of them."""
    spaces: Mapping[EmbeddingSpace, int]
    unindexed: int
    """How many no words find."""
    text_bytes: int | None
    vector_bytes: int
    incomplete: tuple[str, ...] = ()
    """The parts that are told of the newest memories alone."""

    @property
    def memories(self) -> int:
        """How many memories there are."""
        return sum(self.states.values())


def most_common(counts: Mapping[str, int], most: int | None = None) -> dict[str, int]:
    """Return what comes most often, the most common first and equals by name."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return dict(ordered[:most])
