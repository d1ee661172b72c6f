"""Facts in SQLite: read through indexes alone, and all of a statement or nothing is written."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from metacortex.adapters.sqlite import facts
from metacortex.domain.errors import Unavailable
from metacortex.engines import Engine, sqlite_engine
from tests.facts import CLIENT, DAY, a_fact
from tests.samples import CACHE_MB, NOW, TENANT, an_embedding


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metacortex.db"


@pytest.fixture
async def engine(path: Path) -> AsyncIterator[Engine]:
    engine = sqlite_engine(path, CACHE_MB)
    await engine.open()
    yield engine
    await engine.aclose()


@pytest.mark.parametrize(
    ("query", "indexes"),
    [
        (facts.SELECT_WHOLE, {"facts_by_subject"}),
        (facts.SELECT_OPEN, {"facts_by_subject"}),
        (facts.SELECT_ENDING, {"facts_by_subject"}),
        (facts.SELECT_ENDED, {"facts_by_subject"}),
        (facts.SELECT_ABOUT, {"facts_by_subject", "facts_by_object"}),
        (facts.SELECT_DRAWN, {"facts_by_sources"}),
        (facts.SELECT_NEWEST, {"facts_by_creation"}),
        (facts.SELECT_EPISODES, {"episodes_by_creation"}),
    ],
)
async def test_facts_are_read_through_their_indexes(
    engine: Engine, path: Path, query: str, indexes: set[str]
) -> None:
    bound = dict.fromkeys(
        (
            "tenant",
            "namespace",
            "namespaces",
            "subjects",
            "predicate",
            "since",
            "states",
            "limit",
            "entities",
            "ids",
            "limit",
        ),
        None,
    )
    with closing(sqlite3.connect(path)) as connection:
        steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", bound)]
    searched = [step.split() for step in steps if step.startswith(("SEARCH", "SCAN"))]
    used = {
        words[words.index("INDEX") + 1] for words in searched if "USING INDEX" in " ".join(words)
    }
    assert used == indexes
    assert not [step for step in steps if step == "SCAN memories"]


async def test_when_one_of_its_changes_fails_nothing_of_a_statement_is_kept(
    engine: Engine, path: Path
) -> None:
    old = a_fact("old", "espresso", NOW - 9 * DAY)
    await engine.facts.add_fact(TENANT, old.memory, an_embedding(), CLIENT)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TRIGGER failing BEFORE UPDATE ON memories BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    new = a_fact("new", "tea", NOW - DAY)
    with pytest.raises(Unavailable):
        await engine.facts.add_fact(TENANT, new.memory, an_embedding(), CLIENT)
    assert await engine.facts.facts(TENANT, None, 9) == (old,)
    assert await engine.store.changes(TENANT, "old") == (old.memory.creation(CLIENT),)
    assert await engine.store.changes(TENANT, "new") == ()
    assert await engine.store.count(TENANT) == 1
