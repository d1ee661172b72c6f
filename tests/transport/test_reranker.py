"""A search with a reranker, through the whole program."""

from pathlib import Path

import pytest

from metacortex.bootstrap import build
from metacortex.config import Settings
from metacortex.domain.client import whole_tenant
from metacortex.domain.errors import Unavailable
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import NewMemory
from metacortex.domain.search import Search
from metacortex.service.reranking import CANDIDATES
from tests.fakes import FakeEmbedder, FakeReranker
from tests.lacking import require
from tests.world import TOOL_NAMES, MakeWorld, World

QUERY = "ferry timetable"
LAST = "The ferry, as ever."
"""The weakest of those that match the query."""


@pytest.fixture
def reranker() -> FakeReranker:
    """A reranker that likes the weakest match."""
    return FakeReranker(liked=("nothing", LAST))


@pytest.fixture
async def reranking(make_world: MakeWorld, reranker: FakeReranker) -> World:
    """A program with `reranker`, and more matches than it is shown."""
    world = make_world(reranker=reranker)
    endpoint = world.endpoint()
    for number in range(8):
        await endpoint.remember(f"The ferry timetable of line {number}.")
    await endpoint.remember(LAST)
    return world


async def test_the_reranker_has_the_last_word_on_the_order_and_scores_still_fall(
    reranking: World, reranker: FakeReranker
) -> None:
    outcome = await reranking.endpoint().tool("search_context", {"query": QUERY, "limit": 3})
    matches = outcome.success["matches"]
    assert len(matches) == 3
    assert matches[0]["content_preview"] == LAST
    scores = [match["score"] for match in matches]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert "degraded" not in outcome.success
    ((query, texts),) = reranker.asked
    assert query == QUERY
    assert 3 < len(texts) <= CANDIDATES


async def test_a_search_by_words_alone_goes_by_no_model(
    reranking: World, reranker: FakeReranker
) -> None:
    matches = await reranking.endpoint().search(QUERY, mode="words")
    assert matches[0]["content_preview"] != LAST
    assert reranker.asked == []


async def test_an_explanation_stays_with_its_memory_where_scores_stay_with_their_places(
    reranking: World,
) -> None:
    endpoint = reranking.endpoint()
    first = (await endpoint.search(QUERY, explain=True))[0]
    assert first["content_preview"] == LAST
    assert first["score"] > first["explanation"]["relevance"]


async def test_what_scores_too_little_the_reranker_is_not_shown(
    reranking: World, reranker: FakeReranker
) -> None:
    matches = await reranking.endpoint().search(QUERY, limit=20)
    assert matches[0]["content_preview"] == LAST
    least = matches[-2]["score"]
    assert least > matches[-1]["score"]
    stronger = await reranking.endpoint().search(QUERY, limit=20, min_score=least)
    assert len(stronger) == len(matches) - 1
    assert LAST not in reranker.asked[-1][1]


async def test_without_an_answer_the_order_of_the_search_stands_and_that_is_said(
    reranking: World, reranker: FakeReranker
) -> None:
    endpoint = reranking.endpoint()
    reranker.fault = Unavailable("not there")
    outcome = await endpoint.tool("search_context", {"query": QUERY, "limit": 3})
    assert outcome.success["degraded"] == ["reranker"]
    assert len(outcome.success["matches"]) == 3
    assert outcome.success["matches"][0]["content_preview"] != LAST


async def test_what_a_client_may_not_read_the_reranker_is_not_shown(
    reranking: World, reranker: FakeReranker
) -> None:
    await reranking.endpoint("acme-web").search(QUERY)
    await reranking.endpoint("team").search(QUERY)
    assert reranker.asked == []


async def test_a_cross_encoder_of_fastembed_reranks_as_the_settings_say(tmp_path: Path) -> None:
    for package in ("fastembed", "onnx"):
        require(package)
    # Loaded here, since it needs both.
    from tests.tiny_cross_encoder import MODEL, save_tiny_cross_encoder

    save_tiny_cross_encoder(tmp_path)
    env = {
        "METACORTEX_DATA_DIR": str(tmp_path / "memory"),
        "METACORTEX_RERANKER": "fastembed",
        "METACORTEX_RERANKER_MODEL": MODEL,
        "METACORTEX_RERANKER_FOLDER": str(tmp_path),
    }
    program = build(Settings.from_env(env, TOOL_NAMES, serving=False), FakeEmbedder())
    principal = whole_tenant("cli", "default", BranchState.ACTIVE)
    texts = ("Oven and bread and some rye", "Bread", "Bread, oven, rye, rye, rye")
    for text in texts:
        await program.services.memories.remember(principal, NewMemory(text))
    searched = await program.services.searches.search(principal, Search("bread rye"))
    await program.aclose()
    assert searched.degraded == ()
    # The tiny model knows lower case only, and counts: three, one, none.
    assert [match.memory.content for match in searched.found.matches] == [
        texts[2],
        texts[0],
        texts[1],
    ]
