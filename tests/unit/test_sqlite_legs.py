"""The legs of a search in SQLite: exact where it counts, and cut in one order."""

from collections.abc import AsyncIterator
from math import fsum, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.adapters.sqlite import chunks, legs
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.legs import highest
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import MemoryStore
from tests.by_hand import found_by_hand
from tests.questions import a_question, found
from tests.samples import CACHE_MB, NOW, TENANT, a_filter, a_memory, a_vector, add, cosine_of

WIDE = EmbeddingSpace("wide", 256)
X, Y = a_vector(1, 0, 0), a_vector(0, 1, 0)
WORDS = ("relay", "pump", "valve", "rack", "door", "the", "of")


@pytest.fixture(params=[CACHE_MB, 0], ids=["cached", "uncached"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[MemoryStore]:
    database = Database(None)
    yield SqliteMemoryStore(database, request.param)
    await database.close()


def at_cosine(cosine: float, query: Vector, towards: list[float]) -> Vector:
    """Return a vector with this cosine to the query, as nearly as 32 bits can say."""
    along = fsum(a * b for a, b in zip(towards, query, strict=True))
    beside = [a - along * b for a, b in zip(towards, query, strict=True)]
    share = sqrt(1 - cosine**2) / sqrt(fsum(number * number for number in beside))
    return a_vector(*(cosine * b + share * a for a, b in zip(beside, query, strict=True)))


async def test_scores_that_differ_less_than_32_bits_can_tell_rank_exactly(
    store: MemoryStore,
) -> None:
    chance = Random(7)
    query = a_vector(*(chance.gauss(0, 1) for _ in range(256)))
    cosines = {}
    for n in range(60):
        vector = at_cosine(0.7000005, query, [chance.gauss(0, 1) for _ in range(256)])
        memory = await add(store, a_memory(f"m{n:02d}"), vector, space=WIDE)
        cosines[memory.id] = cosine_of(vector, query)
    assert {round(cosine, 6) for cosine in cosines.values()} == {0.7, 0.700001}
    best = sorted(cosines, key=lambda id_: (-round(cosines[id_], 9), id_))[:9]
    scores = await found(store, query, space=WIDE)
    assert [*scores.items()] == [(id_, round(cosines[id_], 6)) for id_ in best]


async def test_windows_computed_again_in_pieces_are_all_computed(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(legs, "_PIECE", 7)
    for n in range(40):
        await add(store, a_memory(f"m{n:02d}"), Y, X, Y)
    assert await found(store, X, limit=40) == {f"m{n:02d}": 1.0 for n in range(30)}


@pytest.mark.parametrize("share", [0.02, 0.4, 0.9])
@pytest.mark.parametrize("run", [1, 100])
async def test_products_are_the_same_however_the_passing_rows_lie(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, share: float, run: int
) -> None:
    monkeypatch.setattr(legs, "_LONG", 8)
    monkeypatch.setattr(chunks, "BATCH", 128)
    chance = Random(run)
    held = []
    for n in range(200):
        near = a_vector(*(chance.gauss(0, 1) for _ in range(3)))
        topic = "asked" if (n // run * 37) % 100 < share * 100 else f"other{n % 7}"
        content = " ".join(chance.choices(WORDS, k=5))
        varied = {"created_at": NOW - n % 9, "session_id": f"s{n % 50}", "content": content}
        held.append((await add(store, a_memory(f"m{n}", topic=topic, **varied), near), [near]))
        # So that what is kept in memory lies in the order of the writes.
        await found(store, X, limit=1)
    for vector, text in ((X, None), (X, "the relay of the pump"), (None, "valve")):
        question, where = a_question(vector, text, unrelated=0.1), a_filter(topic="asked")
        answer = await store.find(TENANT, question, where, 20)
        assert answer == found_by_hand(held, question, where, 20)


@given(st.integers(2, 3_000), st.integers(1, 30), st.integers(2, 50), st.randoms())
def test_the_lowest_of_the_highest_is_found(
    size: int, count: int, different: int, chance: Random
) -> None:
    values = [float(chance.randrange(different)) for _ in range(max(size, count + 1))]
    expected = sorted(values, reverse=True)[count - 1]
    assert highest(np.array(values), count) == expected
