"""Many memories put into Firestore at once, past the adapter's own way of adding them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from google.cloud.firestore_v1.async_client import AsyncClient

from metacortex.adapters.firestore.documents import dump_memory, dump_window
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.terms import dump_terms
from metacortex.adapters.firestore.vectors import add_vector
from metacortex.domain.memory import Memory
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.engine_settings import DEFAULT_COLLECTION
from tests.samples import SPACE, TENANT, an_embedding

T = TypeVar("T")

TOGETHER = 300
Held = tuple[Memory, Sequence[Vector]]


async def put(
    client: AsyncClient,
    held: Iterable[Held],
    *,
    tenant: str = TENANT,
    space: EmbeddingSpace = SPACE,
    records: bool = True,
) -> None:
    """Write memories with their windows, or, without `records`, the further windows alone."""
    place = Tenant(client, tenant, DEFAULT_COLLECTION)
    for some in _cut(iter(held)):
        batch = client.batch()
        for memory, vectors in some:
            embedding = an_embedding(*vectors, space=space)
            if records:
                batch.set(
                    place.memory(memory.id), dump_memory(memory, embedding, dump_terms(memory.text))
                )
                add_vector(batch, vectors[0])
            for n, vector in enumerate(vectors[1:], start=1):
                batch.set(place.window(memory.id, n), dump_window(memory, space))
                add_vector(batch, vector)
        await batch.commit()


def _cut(each: Iterator[T]) -> Iterator[list[T]]:
    while some := list(islice(each, TOGETHER)):
        yield some
