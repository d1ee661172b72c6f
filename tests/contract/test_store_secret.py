"""The secret of a store: one for all processes and tenants, and never another."""

import asyncio
from pathlib import Path

import pytest

from metacortex.engines import Engine
from metacortex.ports import MemoryStore
from tests.contract.conftest import sqlite
from tests.firestore_engines import a_project, opened
from tests.samples import TENANT, a_memory, add


async def test_the_first_secret_that_is_offered_stays(store: MemoryStore) -> None:
    assert await store.secret(b"\x00first") == b"\x00first"
    assert await store.secret(b"second") == b"\x00first"


async def test_a_reset_leaves_the_secret(store: MemoryStore) -> None:
    await add(store, a_memory())
    await store.secret(b"first")
    await store.reset(TENANT)
    assert await store.secret(b"second") == b"first"


async def first_offers(*engines: Engine) -> set[bytes]:
    offers = (engine.store.secret(bytes([n])) for n, engine in enumerate(engines))
    return set(await asyncio.gather(*offers))


async def test_offers_at_once_agree(engine: Engine) -> None:
    assert len(await first_offers(*[engine] * 20)) == 1


async def test_connections_to_one_file_agree(tmp_path: Path) -> None:
    path = tmp_path / "metacortex.db"
    async with sqlite(path, 1) as one, sqlite(path, 1) as other:
        assert len(await first_offers(one, other)) == 1


@pytest.mark.usefixtures("firestore_emulator")
async def test_instances_on_one_database_agree() -> None:
    project = a_project()
    async with opened(project) as one, opened(project) as other:
        assert len(await first_offers(*[one, other] * 5)) == 1
