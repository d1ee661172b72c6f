"""What a search should find, worked out one memory at a time."""

from collections.abc import Sequence

from metacortex.domain.memory import Memory
from metacortex.domain.search import Match, MemoryFilter, score_of
from metacortex.domain.vector import Vector
from tests.samples import cosine_of


def scored(
    held: Sequence[tuple[Memory, Sequence[Vector]]], query: Vector, where: MemoryFilter
) -> list[Match]:
    """Return all matches among the memories held, each with its windows, best first."""
    matches = [
        Match(memory, max(score_of(cosine_of(window, query)) for window in windows))
        for memory, windows in held
        if passes(memory, where)
    ]
    return sorted(
        matches, key=lambda match: (-match.score, -match.memory.created_at, match.memory.id)
    )


def passes(memory: Memory, where: MemoryFilter) -> bool:
    """Whether a memory passes a filter."""
    return (
        (where.namespaces is None or memory.namespace in where.namespaces)
        and memory.branch_state == where.branch_state
        and (where.topic is None or memory.topic == where.topic)
        and (memory.valid_from is None or memory.valid_from.at <= where.valid_at)
        and (memory.valid_until is None or memory.valid_until.at > where.valid_at)
    )
