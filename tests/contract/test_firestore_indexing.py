"""Records that an earlier version wrote to Firestore, without terms or with other ones: what finds
them, and how they get theirs.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.cloud.firestore_v1 import DELETE_FIELD
from google.cloud.firestore_v1.async_client import AsyncClient

from metacortex.adapters.firestore.indexing import TOGETHER
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.terms import dump_terms
from metacortex.engine_settings import DEFAULT_COLLECTION
from metacortex.engines import Engine
from tests.firestore_bulk import put
from tests.firestore_engines import opened
from tests.questions import found
from tests.samples import TENANT, a_memory, a_vector

X = a_vector()


@pytest.fixture
async def engine(client: AsyncClient, project: str) -> AsyncIterator[Engine]:
    async with opened(project) as engine:
        yield engine


async def write(client: AsyncClient, memory_id: str, tenant: str = TENANT, **older: Any) -> None:
    """Write a memory as an earlier version did, with these fields in place of its own."""
    memory = a_memory(memory_id, content=f"The relay {memory_id}.")
    await put(client, [(memory, [X])], tenant=tenant)
    own = dict.fromkeys(dump_terms(""), DELETE_FIELD)
    place = Tenant(client, tenant, DEFAULT_COLLECTION).memory(memory_id)
    await place.update(own | older)


async def test_words_find_a_memory_once_it_has_its_terms(
    engine: Engine, client: AsyncClient
) -> None:
    store = engine.store
    await write(client, "bare")
    older: dict[str, Any] = {"terms": [b"relay"], "term_counts": b"", "length": 2}
    await write(client, "other", **older, term_space="terms-0")
    await write(client, "third", tenant="beta")
    await put(client, [(a_memory("present", content="The relay."), [X])])
    assert list(await found(store, text="relay")) == ["present"]
    assert await store.count_unindexed() == 3
    assert await store.unindexed(("", ""), 2) == ((TENANT, "bare"), (TENANT, "other"))
    assert await store.unindexed((TENANT, "other"), 2) == (("beta", "third"),)
    for tenant, memory_id in await store.unindexed(("", ""), 9):
        assert await store.replace_terms(tenant, memory_id)
    assert await store.count_unindexed() == 0
    assert await store.unindexed(("", ""), 9) == ()
    assert set(await found(store, text="relay")) == {"bare", "other", "present"}


async def test_what_is_not_there_gets_no_terms(engine: Engine) -> None:
    assert not await engine.store.replace_terms(TENANT, "unknown")
    assert not await engine.store.replace_terms(TENANT, "no/id")


async def test_those_far_apart_are_found_too(engine: Engine, client: AsyncClient) -> None:
    await put(client, [(a_memory(f"m{n:04d}"), [X]) for n in range(TOGETHER + 10)])
    await write(client, "m0000a")
    await write(client, "m0305a")
    found = await engine.store.unindexed(("", ""), 9)
    assert found == ((TENANT, "m0000a"), (TENANT, "m0305a"))
    assert await engine.store.unindexed(found[0], 9) == found[1:]
