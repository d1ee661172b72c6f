"""The further windows of a memory: written, moved and deleted in batches, each one commit."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from google.api_core.exceptions import NotFound

from metacortex.adapters.firestore.documents import dump_window
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.vectors import add_vector
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import Embedding

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch

TOGETHER = 200
"""How many windows one commit holds. A request holds 10 MiB: 200 vectors of the largest dimension
are 4.5 MB, beside a text of 0.7 MB.
"""

Numbered: TypeAlias = Sequence[tuple[int, Vector]]


def commits_of(windows: int) -> int:
    """Return how many commits so many windows of one memory take, that of the record included."""
    return 1 + (windows - 1) // TOGETHER


def batches(embedding: Embedding) -> Iterator[Numbered]:
    """Yield the further windows with their numbers, as many as one commit holds; at least once."""
    vectors = embedding.vectors
    yield [(n, vectors[n]) for n in first_windows(len(vectors))]
    for numbers in _cut(range(TOGETHER, len(vectors))):
        yield [(n, vectors[n]) for n in numbers]


def first_windows(windows: int) -> range:
    """Return the numbers of the further windows that go into the commit of their record."""
    return range(1, min(TOGETHER, windows))


async def set_windows(
    tenant: Tenant, memory: Memory, embedding: Embedding, numbered: Numbered
) -> None:
    """Write these windows, whatever stands in their places."""
    if not numbered:
        return
    batch = tenant.client.batch()
    put_windows(batch, tenant, memory, embedding.space, numbered)
    await batch.commit(retry=None)


def put_windows(
    batch: "AsyncWriteBatch",
    tenant: Tenant,
    memory: Memory,
    space: EmbeddingSpace,
    numbered: Numbered,
) -> None:
    """Let a batch write these windows, whatever stands in their places."""
    for n, vector in numbered:
        batch.set(tenant.window(memory.id, n), dump_window(memory, space))
        add_vector(batch, vector)


async def move_windows(tenant: Tenant, memory_id: str, state: BranchState, numbers: range) -> None:
    """Move those windows into a state that did not fit into the commit of their record."""
    for together in _cut(numbers):
        batch = tenant.client.batch()
        for n in together:
            batch.update(tenant.window(memory_id, n), moved(state))
        # What has deleted them meanwhile is a new embedding, which writes the state of the record,
        # or their memory was forgotten.
        with suppress(NotFound):
            await batch.commit(retry=None)


def moved(state: BranchState) -> dict[str, str]:
    """Return the field of a window that a change of state changes."""
    return {"branch_state": state.value}


async def delete_windows(tenant: Tenant, memory_id: str, start: int, stop: int) -> None:
    """Delete the windows of a memory from number `start` up to `stop`."""
    for numbers in _cut(range(max(start, 1), stop)):
        batch = tenant.client.batch()
        for n in numbers:
            batch.delete(tenant.window(memory_id, n))
        await batch.commit(retry=None)


def _cut(numbers: range) -> Iterator[range]:
    for start in range(0, len(numbers), TOGETHER):
        yield numbers[start : start + TOGETHER]
