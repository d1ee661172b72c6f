"""Compiling a context: what of it is done side by side."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from metacortex.adapters.local.tokens import O200kTokenCounter
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entities import SqliteEntityStore
from metacortex.adapters.sqlite.facts import SqliteFactStore
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.domain.bundles.bundle import Compile
from metacortex.domain.client import whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.service.associations import Associations
from metacortex.service.contexts import ContextService
from metacortex.service.embedding import TextEmbedding
from metacortex.service.entities import EntityService
from tests.fakes import FakeEmbedder, FixedClock
from tests.samples import CACHE_MB, TENANT

PRINCIPAL = whole_tenant("cli", TENANT, BranchState.ACTIVE)

T = TypeVar("T")


@pytest.mark.parametrize(
    ("in_process", "include_superseded", "order"),
    [
        (True, False, ["embeds", "reads", "reads", "has read", "has read"]),
        (True, True, ["reads", "embeds", "has read"]),
        (False, False, ["reads", "embeds", "has read"]),
    ],
)
async def test_what_this_process_reads_of_one_state_is_read_at_one_go_and_beside_nothing(
    tmp_path: Path, in_process: bool, include_superseded: bool, order: list[str]
) -> None:
    database, told = Database(tmp_path / "memories.db"), list[str]()
    embeds = asyncio.Event()
    await database.open()

    async def together(work: Callable[[], Coroutine[object, object, T]]) -> T:
        told.append("reads")
        if not in_process or include_superseded:
            await embeds.wait()
        read = await database.together(work)
        told.append("has read")
        return read

    class Telling(FakeEmbedder):
        async def embed_query(self, query: str) -> Sequence[float]:
            told.append("embeds")
            embeds.set()
            return await super().embed_query(query)

    entities = EntityService(SqliteEntityStore(database))
    store = SqliteMemoryStore(database, CACHE_MB)
    facts = SqliteFactStore(database, store.cache)
    contexts = ContextService(
        store,
        Associations(facts, entities, FixedClock(), together),
        TextEmbedding(Telling()),
        O200kTokenCounter(),
        FixedClock(),
        together if in_process else None,
    )
    await contexts.compile(
        PRINCIPAL, Compile("who owns the ledger?", include_superseded=include_superseded)
    )
    await database.close()

    assert told == order
