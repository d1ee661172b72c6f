"""A shared set of memories is ranked alike on both engines: the same ids in the same order, with
the same scores.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient

from metacortex.adapters.firestore.whole import FEW
from metacortex.domain.calibration import PROBES, unrelated_cosine
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.question import Found, Question
from metacortex.domain.search import MemoryFilter, Mode
from metacortex.domain.vector import unit
from metacortex.domain.words.terms import query_terms
from metacortex.engine_settings import DEFAULT_DATABASE
from metacortex.engines import Engine
from tests.contract.conftest import sqlite
from tests.fakes import FakeEmbedder
from tests.firestore_bulk import put
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


def memories() -> list[Memory]:
    """Return short texts of two namespaces, topics and states, most of them in sessions."""
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


def others() -> list[Memory]:
    """Return more than Firestore reads whole of whatever is filtered by, of other words."""
    kinds = product(("default", "team"), ("home", "work"), (BranchState.ACTIVE, BranchState.WIP))
    return [
        a_memory(
            f"o{kind}{n}", content=f"zz{n} qq{n}", namespace=name, topic=topic, branch_state=state
        )
        for kind, (name, topic, state) in enumerate(kinds)
        for n in range(FEW)
    ]


@pytest.fixture(scope="module", params=["whole", "by legs"])
async def engines(
    firestore_emulator: str, request: pytest.FixtureRequest
) -> AsyncIterator[tuple[Engine, Engine]]:
    """Both engines with the set, in the second round among so many others that Firestore does not
    read them all.
    """
    held = memories() if request.param == "whole" else [*memories(), *others()]
    embedder, project = FakeEmbedder(), a_project()
    vectors = await embedder.embed_passages("", [memory.content for memory in held])
    units = [(unit(vector, embedder.space.dimension),) for vector in vectors]
    client = AsyncClient(project=project, database=DEFAULT_DATABASE)
    await put(client, zip(held, units, strict=True), space=embedder.space)
    await client._firestore_api.transport.close()
    async with sqlite(None, CACHE_MB) as one, opened(project) as other:
        for memory, windows in zip(held, units, strict=True):
            await add(one.store, memory, *windows, space=embedder.space)
        yield one, other


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


def explanations(found: Found) -> list[tuple[tuple[str, ...], list[float | None]]]:
    """Return of each match the terms that it holds, and the numbers of its explanation."""
    why = [match.explanation for match in found.matches if match.explanation]
    return [
        (
            each.evidence.terms,
            [
                *(each.evidence.cosine, each.evidence.near, each.evidence.words),
                *(each.outstanding, each.relevance, each.neighbours),
                *(each.importance, each.recency),
            ],
        )
        for each in why
    ]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("where", FILTERS, ids=range(len(FILTERS)))
async def test_both_engines_rank_a_shared_set_alike(
    engines: tuple[Engine, Engine], where: MemoryFilter, mode: Mode
) -> None:
    for query in QUERIES:
        question = replace(await asked(query, mode), explain=True)
        founds = [await engine.store.find(TENANT, question, where, LIMIT) for engine in engines]
        one, other = map(shown, founds)
        assert one[0] == other[0], query
        assert one[1] == pytest.approx(other[1], abs=1e-6)
        assert one[2] == pytest.approx(other[2], abs=1e-6)
        assert one[3] == other[3]
        why, other_why = map(explanations, founds)
        assert [terms for terms, _ in why] == [terms for terms, _ in other_why]
        for (_, numbers), (_, others) in zip(why, other_why, strict=True):
            assert numbers == pytest.approx(others, abs=1e-5)
