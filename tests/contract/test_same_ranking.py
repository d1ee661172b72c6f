"""A shared set of memories is ranked alike on both engines: the same ids in the same order, with
the same scores.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from random import Random

import pytest

from metacortex.bootstrap import Engine
from metacortex.domain.calibration import PROBES, unrelated_cosine
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.question import Found, Question
from metacortex.domain.search import MemoryFilter, Mode
from metacortex.domain.terms import query_terms
from metacortex.domain.vector import unit
from tests.contract.conftest import sqlite
from tests.fakes import FakeEmbedder
from tests.firestore_engines import a_project, opened
from tests.samples import CACHE_MB, NOW, TENANT, a_filter, a_memory, add

MEMORIES = 60
DAY = 24 * 3_600_000
PEOPLE = ("Ada", "Bruno", "Carla", "Dmitri", "Emiko")
DEEDS = ("moved the deadline of", "tested", "paid for", "forgot", "asked about", "wrote down")
THINGS = (
    *("the ferry to the islands", "max_tokens in config.yaml", "the tax form of 2024"),
    *("v2.3.1 of the parser", "a violin lesson", "the null pointer in Door.java"),
    *("東京の会議", "the garden fence", "10.5 kg of flour", "the Übergabe in Köln"),
)
QUERIES = (
    *("Who paid for the ferry?", "maxTokens", "Ada tested v2.3.1", "flour"),
    *("会議", "what did Emiko forget", "null pointer Door", "koln übergabe deadline"),
    *("tax form 2024", "violin", "garden", "Bruno asked about the islands"),
)
FILTERS = (
    a_filter(),
    a_filter(namespaces=("default",)),
    a_filter(namespaces=("default", "team"), topic="home"),
    a_filter(branch_state=BranchState.WIP, topic="work"),
)
LIMIT = 10


@pytest.fixture(scope="module")
def memories() -> list[Memory]:
    """Short texts of two namespaces, two topics and two states, most of them in sessions."""
    chance = Random(11)
    return [
        a_memory(
            f"m{n:02d}",
            content=f"{chance.choice(PEOPLE)} {chance.choice(DEEDS)} {chance.choice(THINGS)}.",
            namespace=chance.choice(["default", "default", "team"]),
            topic=chance.choice(["home", "work"]),
            branch_state=chance.choice([BranchState.ACTIVE, BranchState.ACTIVE, BranchState.WIP]),
            session_id=chance.choice([None, "s1", "s1", "s2"]),
            importance=chance.choice([0.2, 0.5, 0.9]),
            created_at=NOW - chance.randrange(50) * DAY,
        )
        for n in range(MEMORIES)
    ]


@pytest.fixture(scope="module")
async def engines(
    firestore_emulator: str, memories: list[Memory]
) -> AsyncIterator[tuple[Engine, Engine]]:
    embedder = FakeEmbedder()
    async with AsyncExitStack() as stack:
        both = (
            await stack.enter_async_context(sqlite(None, CACHE_MB)),
            await stack.enter_async_context(opened(a_project())),
        )
        vectors = await embedder.embed_passages("", [memory.content for memory in memories])
        for memory, vector in zip(memories, vectors, strict=True):
            for engine in both:
                of_unit = unit(vector, embedder.space.dimension)
                await add(engine.store, memory, of_unit, space=embedder.space)
        yield both


async def asked(query: str, mode: Mode) -> Question:
    embedder = FakeEmbedder()
    probes = [unit(each, 256) for each in await embedder.embed_passages("", PROBES)]
    by_meaning, by_words = mode is not Mode.WORDS, mode is not Mode.MEANING
    return Question(
        embedder.space,
        unit(await embedder.embed_query(query), 256) if by_meaning else None,
        tuple(query_terms(query)) if by_words else None,
        unrelated_cosine(probes) if by_meaning else 0.0,
        NOW,
    )


def shown(found: Found) -> tuple[list[str], list[float], float | None, int]:
    ids = [match.memory.id for match in found.matches]
    return ids, [match.score for match in found.matches], found.best, found.below


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("where", FILTERS, ids=range(len(FILTERS)))
async def test_both_engines_rank_a_shared_set_alike(
    engines: tuple[Engine, Engine], where: MemoryFilter, mode: Mode
) -> None:
    for query in QUERIES:
        question = await asked(query, mode)
        one, other = [
            shown(await engine.store.find(TENANT, question, where, LIMIT)) for engine in engines
        ]
        assert one[0] == other[0], query
        assert one[1] == pytest.approx(other[1], abs=1e-6)
        assert one[2] == pytest.approx(other[2], abs=1e-6)
        assert one[3] == other[3]
