"""What a write is said to resemble, on every engine: what is left out takes no other's place."""

import pytest

from metacortex.domain.client import Principal
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.ports import MemoryStore
from metacortex.service.embedding import TextEmbedding
from metacortex.service.resemblances import Resemblances
from tests.fakes import BAG_OF_WORDS, FakeEmbedder
from tests.samples import TENANT, a_memory, add

NOTE = "The harbour crane number 7 lifts twelve tons on Tuesday mornings only."
SEEN = "The harbour crane number 7 lifts twelve tons on Tuesday mornings, seen by"
NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay")
ACTIVE = BranchState.ACTIVE
READER = Principal(TENANT, "reader", frozenset(), (ACTIVE,), frozenset(), ACTIVE)


async def put(store: MemoryStore, embedding: TextEmbedding, id_: str, content: str) -> Memory:
    """Store a memory as a write does."""
    memory = a_memory(id_, content=content)
    first = (await embedding.of_memory(memory)).vectors[0]
    return await add(store, memory, first, space=BAG_OF_WORDS)


# Without a cache SQLite names nothing.
@pytest.mark.parametrize("engine", ["sqlite-memory", "firestore"], indirect=True)
@pytest.mark.parametrize("own", [False, True], ids=["before the write", "after the write"])
async def test_what_is_left_out_takes_no_place_from_what_is_named(
    store: MemoryStore, own: bool
) -> None:
    embedding = TextEmbedding(FakeEmbedder())
    await put(store, embedding, "note", NOTE)
    for name in NAMES:
        await put(store, embedding, name, f"{SEEN} {name}.")
    memory = a_memory("merged", content=f"{SEEN} {', '.join(NAMES)}.")
    if own:
        await put(store, embedding, memory.id, memory.text)
    vectors = await embedding.of_memory(memory)
    for left_out, named in ((NAMES, {"note"}), (NAMES[1:], {"note", "Ann"})):
        sought = Resemblances(store, embedding).sought(READER, memory, vectors, left_out)
        async with sought as similar:
            assert {each.memory.id for each in await similar} == named
