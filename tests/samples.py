"""Valid values to vary in a test: a memory, its Change, its vectors, a filter."""

from array import array
from collections.abc import Sequence
from math import fsum, hypot
from typing import Any

from metacortex.domain.details import Kind
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import BranchState, Change
from metacortex.domain.memory import Author, Memory, Modality
from metacortex.domain.search import MemoryFilter
from metacortex.domain.vector import EmbeddingSpace, Vector, unit
from metacortex.ports import Embedding, MemoryStore

TENANT = "acme"
SPACE = EmbeddingSpace("toy", 3)
CACHE_MB = 16
"""Enough for the vectors of any test."""
NOW = 1_770_000_000_000


def a_memory(id_: str = "m1", **varied: Any) -> Memory:
    """Return a note of now, with some of its fields varied."""
    fields: dict[str, Any] = {
        "id": id_,
        "namespace": "default",
        "kind": Kind.NOTE,
        "content": f"content of {id_}",
        "topic": "general",
        "branch_state": BranchState.ACTIVE,
        "modality": Modality.TEXT,
        "created_at": NOW,
        "updated_at": NOW,
        "recorded_at": NOW,
        "written_by": Author("claude-web"),
        "sha256": "0" * 64,
    }
    return Memory(**(fields | varied))


def a_change(memory: Memory) -> Change:
    """Return the Change by which a memory is made."""
    return memory.creation(memory.written_by.client)


def a_vector(*numbers: float) -> Vector:
    """Return the direction of these numbers, or the first axis of the space."""
    return unit(array("d", numbers or (1.0, 0.0, 0.0)), len(numbers) or 3)


def cosine_of(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors: 32 bits keep no vector at unit length exactly."""
    product = fsum(a * b for a, b in zip(one, other, strict=True))
    return product / (hypot(*one) * hypot(*other))


def an_embedding(*vectors: Vector, space: EmbeddingSpace = SPACE) -> Embedding:
    """Return an embedding of these windows, or of one window along the first axis."""
    return Embedding(space, vectors or (a_vector(),))


def a_filter(**varied: Any) -> MemoryFilter:
    """Return a filter that passes what is active and valid now, with some of its parts varied."""
    parts: dict[str, Any] = {
        "namespaces": None,
        "branch_state": BranchState.ACTIVE,
        "valid_at": NOW,
    }
    return MemoryFilter(**(parts | varied))


async def add(
    store: MemoryStore,
    memory: Memory,
    *vectors: Vector,
    tenant: str = TENANT,
    space: EmbeddingSpace = SPACE,
    fingerprint: Fingerprint | None = None,
    superseding: Sequence[str] = (),
) -> Memory:
    """Add a memory, by default under a fingerprint of its own, and return what the store holds."""
    own = Fingerprint(f"digest of {memory.id}", since=memory.recorded_at)
    stored, _ = await store.add(
        tenant,
        memory,
        an_embedding(*vectors, space=space),
        a_change(memory),
        fingerprint or own,
        superseding,
    )
    return stored
