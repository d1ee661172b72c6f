"""What every reranker keeps to, and what the cross-encoders of fastembed do beside it."""

import asyncio
import sys
from pathlib import Path

import pytest

from metacortex.adapters.local.cross_encoder import CrossEncoder
from metacortex.domain.errors import Unavailable
from metacortex.model_ports import Reranker
from tests.hostile_texts import HOSTILE
from tests.lacking import require

TEXTS = ["the bread", "the ferry leaves the harbour", "a crane at the harbour", "nothing known"]


@pytest.fixture
def reranker(tmp_path: Path) -> Reranker:
    """A cross-encoder that counts the words that query and text share."""
    for package in ("fastembed", "onnx"):
        require(package)
    # Loaded here, since it needs both.
    from tests.tiny_cross_encoder import MODEL, save_tiny_cross_encoder

    save_tiny_cross_encoder(tmp_path)
    return CrossEncoder(MODEL, tmp_path)


async def test_every_text_gets_a_number_in_order_and_the_better_answer_a_higher_one(
    reranker: Reranker,
) -> None:
    scores = await reranker.rerank("ferry harbour", TEXTS)
    assert [*scores] == [0.0, 2.0, 1.0, 0.0]
    await reranker.aclose()


async def test_a_text_is_judged_by_itself_whatever_stands_beside_it(reranker: Reranker) -> None:
    together = await reranker.rerank("crane", TEXTS)
    alone = [(await reranker.rerank("crane", [text]))[0] for text in TEXTS]
    assert [*together] == alone


async def test_no_texts_get_no_numbers(reranker: Reranker) -> None:
    assert [*await reranker.rerank("ferry", [])] == []


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
async def test_any_text_is_judged_as_text_and_as_query(reranker: Reranker, text: str) -> None:
    assert len(await reranker.rerank(text, [text, "ferry"])) == 2


async def test_those_who_ask_together_get_their_own_answers(reranker: Reranker) -> None:
    answers = await asyncio.gather(
        *(reranker.rerank(query, TEXTS) for query in ("bread", "ferry", "crane"))
    )
    assert [[*scores] for scores in answers] == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]


async def test_a_model_that_could_not_be_loaded_is_loaded_anew_by_the_next_query(
    reranker: Reranker, tmp_path: Path
) -> None:
    network = tmp_path / "model.onnx"
    whole = network.read_bytes()
    network.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Unavailable, match="could not be loaded; check METACORTEX_RERANKER_MODEL"):
        await reranker.rerank("ferry", TEXTS)
    network.write_bytes(whole)
    assert len(await reranker.rerank("ferry", TEXTS)) == len(TEXTS)


async def test_a_model_that_fastembed_does_not_know_is_unavailable() -> None:
    require("fastembed")
    with pytest.raises(Unavailable, match="check METACORTEX_RERANKER_MODEL"):
        await CrossEncoder("no/such-model").rerank("ferry", TEXTS)


async def test_without_the_package_it_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", None)
    with pytest.raises(Unavailable, match="METACORTEX_EXTRAS=fastembed scripts/serve"):
        await CrossEncoder("any/model").rerank("ferry", TEXTS)
