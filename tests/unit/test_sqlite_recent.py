"""Memories that were found last are not read again, and yet are shown as the file has them."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from sqlite3 import Connection
from threading import Event

import pytest

from metacortex.adapters.sqlite import recent
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entities import SqliteEntityStore
from metacortex.adapters.sqlite.facts import SqliteFactStore
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.adapters.sqlite.progress import Progress, progress_of
from metacortex.adapters.sqlite.recent import Recent, recent_of
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from tests.questions import a_question
from tests.samples import CACHE_MB, NOW, TENANT, a_filter, a_memory, a_vector, add, an_embedding
from tests.statements import a_value

ADAPTER = Path(recent.__file__).parent
X = a_vector(1, 0, 0)


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Database]:
    opened = Database(tmp_path / "metacortex.db")
    yield opened
    await opened.close()


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Database]:
    """The same file, as another process has it."""
    opened = Database(tmp_path / "metacortex.db")
    yield opened
    await opened.close()


async def shown(store: SqliteMemoryStore, tenant: str = TENANT, **where: object) -> list[Memory]:
    """Return the memories that are found, by id."""
    answer = await store.find(tenant, a_question(X), a_filter(**where), 9)
    return sorted((match.memory for match in answer.matches), key=lambda memory: memory.id)


def kept(store: SqliteMemoryStore) -> list[str]:
    """Return the ids of the memories that the next search need not read."""
    held = store.cache.slot(Recent, (TENANT, None)).held
    assert held is not None
    return sorted(memory.id for memory in held._memory_by_key.values())


async def test_what_was_found_is_not_read_again(here: Database) -> None:
    store = SqliteMemoryStore(here, CACHE_MB)
    await add(store, a_memory("m1"), X)
    (first,) = await shown(store)
    (second,) = await shown(store)
    assert second is first
    await add(store, a_memory("m2"), X)
    (third, _) = await shown(store)
    assert third is first


async def test_what_another_process_replaces_is_shown_so(here: Database, there: Database) -> None:
    one, other = SqliteMemoryStore(here, CACHE_MB), SqliteMemoryStore(there, CACHE_MB)
    for id_ in ("m1", "m2"):
        await add(one, a_memory(id_), X)
    await shown(one)
    await other.supersede(TENANT, "m1", "m2", "cli", NOW)
    assert await shown(one, branch_state=BranchState.DEPRECATED) == [await one.get(TENANT, "m1")]
    await other.forget(TENANT, ["m2"], Forgetting(b"key", "cli", NOW))
    (left,) = await shown(one, branch_state=BranchState.DEPRECATED)
    assert (left.id, left.superseded_by) == ("m1", "forgotten")


async def test_what_another_process_forgets_is_kept_no_longer(
    here: Database, there: Database
) -> None:
    one, other = SqliteMemoryStore(here, CACHE_MB), SqliteMemoryStore(there, CACHE_MB)
    for id_ in ("m1", "m2"):
        await add(one, a_memory(id_), X)
    await shown(one)
    assert kept(one) == ["m1", "m2"]
    await other.forget(TENANT, ["m1"], Forgetting(b"key", "cli", NOW))
    assert [memory.id for memory in await shown(one)] == ["m2"]
    assert kept(one) == ["m2"]
    await other.reset(TENANT)
    assert await shown(one) == []
    assert kept(one) == []


async def test_links_that_another_process_adds_are_shown(here: Database, there: Database) -> None:
    store = SqliteMemoryStore(here, CACHE_MB)
    await add(store, a_memory("m1"), X)
    await shown(store)
    await SqliteEntityStore(there).link(TENANT, "m1", ["ent_1"])
    (linked,) = await shown(store)
    assert linked.entities == ("ent_1",)


async def test_the_row_of_what_was_forgotten_may_be_that_of_another(here: Database) -> None:
    store = SqliteMemoryStore(here, CACHE_MB)
    await add(store, a_memory("m1"), X)
    await shown(store)
    await store.forget(TENANT, ["m1"], Forgetting(b"key", "cli", NOW))
    await add(store, a_memory("m2", content="another"), X)
    assert [memory.content for memory in await shown(store)] == ["another"]


async def test_each_tenant_has_its_own(here: Database) -> None:
    store = SqliteMemoryStore(here, CACHE_MB)
    await add(store, a_memory("m1", content="mine"), X)
    await add(store, a_memory("m1", content="theirs"), X, tenant="other")
    for _ in range(2):
        assert [each.content for each in await shown(store)] == ["mine"]
        assert [each.content for each in await shown(store, "other")] == ["theirs"]


async def test_long_texts_are_read_each_time(here: Database) -> None:
    store = SqliteMemoryStore(here, CACHE_MB)
    await add(store, a_memory("long", content="x" * (recent.LONGEST + 1)), X)
    await add(store, a_memory("short"), X)
    assert len(await shown(store)) == 2
    assert kept(store) == ["short"]


def test_of_many_the_last_are_kept() -> None:
    some = {key: replace(a_memory(), id=f"m{key}") for key in range(recent.MOST)}
    full = Recent(Progress(0, 1), some)
    size = full.nbytes
    full._keep({recent.MOST: a_memory("one more")})
    assert full.nbytes < size
    assert [*full._memory_by_key] == [recent.MOST]
    full._keep(dict.fromkeys(range(recent.MOST + 1), a_memory()))
    assert [*full._memory_by_key] == [recent.MOST]


async def test_facts_that_were_read_are_shown_as_another_process_left_them(
    here: Database, there: Database
) -> None:
    store, others = SqliteMemoryStore(here, CACHE_MB), SqliteMemoryStore(there, CACHE_MB)
    facts, written = SqliteFactStore(here, store.cache), SqliteFactStore(there, others.cache)
    first = a_value("ledger", "PASETO", id_="f1", start=NOW)
    second = a_value("ledger", "JWT", id_="f2", start=NOW + 1)
    subject = first.details.subject_id

    async def about() -> list[Memory]:
        return [fact.memory for fact in await facts.facts_about(TENANT, None, [subject])]

    await facts.add_fact(TENANT, first.memory, an_embedding(X), "cli")
    (once,), (again,) = await about(), await about()
    assert again is once
    await written.add_fact(TENANT, second.memory, an_embedding(X), "cli")
    assert await about() == [await store.get(TENANT, id_) for id_ in ("f1", "f2")]
    assert (await about())[0].superseded_by == "f2"
    await others.forget(TENANT, [first.id], Forgetting(b"key", "cli", NOW))
    assert [memory.id for memory in await about()] == [second.id]
    assert kept(store) == [second.id]


async def test_an_earlier_snapshot_is_shown_as_it_was_beside_a_later_one(
    here: Database, there: Database
) -> None:
    store = SqliteMemoryStore(here, CACHE_MB)
    for id_ in ("m1", "m2"):
        await add(store, a_memory(id_), X)
    began, goes_on = Event(), Event()

    def earlier(connection: Connection) -> str | None:
        progress_of(connection, TENANT)
        began.set()
        goes_on.wait()
        here = recent_of(connection, store.cache, TENANT)
        return here.of(connection, [1])[1].superseded_by

    reading = asyncio.create_task(there.read(earlier))
    await asyncio.to_thread(began.wait)
    await store.supersede(TENANT, "m1", "m2", "cli", NOW)
    await shown(store, branch_state=BranchState.DEPRECATED)
    goes_on.set()
    assert await reading is None
    (later,) = await shown(store, branch_state=BranchState.DEPRECATED)
    assert later.superseded_by == "m2"


def test_whatever_changes_a_row_of_a_memory_counts_the_write() -> None:
    sources = [path.read_text("utf-8") for path in ADAPTER.glob("*.py")]
    joined = re.sub(r'"\s+f?"', "", "\n".join(sources))
    updates = re.findall(r'UPDATE memories SET[^"]+', joined)
    assert len(updates) >= 5
    assert [each for each in updates if "seq = ?" not in each] == []
