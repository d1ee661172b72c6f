"""From text to vectors: windows of passages and of queries."""

import asyncio
import gc
from math import isclose, sqrt

import pytest

from metacortex.domain.calibration import PROBES
from metacortex.domain.errors import Unavailable
from metacortex.domain.vector import EmbeddingSpace
from metacortex.service.embedding import QUERY_WINDOWS, TextEmbedding
from tests.fakes import FakeEmbedder
from tests.samples import a_memory


async def test_a_text_within_the_window_is_one_vector_of_the_space() -> None:
    embedder = FakeEmbedder()
    embedding = await TextEmbedding(embedder).of_memory(a_memory(content="short"))
    assert embedding.space == embedder.space
    assert len(embedding.vectors) == 1
    assert embedder.passages == ["short"]


async def test_a_longer_text_is_cut_into_windows_that_overlap() -> None:
    embedder = FakeEmbedder(window=80)
    memory = a_memory(content="one two three four five. " * 20)
    embedding = await TextEmbedding(embedder).of_memory(memory)
    assert len(embedding.vectors) == len(embedder.passages) > 6
    assert all(len(passage) <= 80 for passage in embedder.passages)


@pytest.mark.rule("C84")
async def test_a_long_query_is_the_mean_of_its_first_windows() -> None:
    embedder = FakeEmbedder(window=20)
    vector = await TextEmbedding(embedder).of_query("alpha beta gamma. " * 40)
    assert len(embedder.queries) == QUERY_WINDOWS
    assert isclose(sqrt(sum(number * number for number in vector)), 1, abs_tol=1e-6)


async def test_the_space_is_known_without_a_call() -> None:
    embedder = FakeEmbedder(space=EmbeddingSpace("m", 3))
    assert TextEmbedding(embedder).space == EmbeddingSpace("m", 3)
    assert embedder.calls == 0


async def test_searches_that_begin_together_measure_the_space_once() -> None:
    embedder = FakeEmbedder()
    embedding = TextEmbedding(embedder)
    measured = await asyncio.gather(*(embedding.unrelated() for _ in range(9)))
    assert embedder.passages == [*PROBES]
    assert {*measured, await embedding.unrelated()} == {measured[0]}


async def test_a_space_that_could_not_be_measured_is_measured_anew() -> None:
    embedder = FakeEmbedder(fault=Unavailable("The model sleeps"))
    embedding = TextEmbedding(embedder)
    outcomes = await asyncio.gather(
        *(embedding.unrelated() for _ in range(9)), return_exceptions=True
    )
    assert {type(outcome) for outcome in outcomes} == {Unavailable}
    assert embedder.passages == [*PROBES]
    embedder.fault = None
    assert -1.0 <= await embedding.unrelated() <= 1.0


async def given_up(embedding: TextEmbedding) -> None:
    waiting = asyncio.create_task(embedding.unrelated())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_measuring_outlives_who_gave_up_waiting_for_it() -> None:
    gate = asyncio.Event()
    embedder = FakeEmbedder(gate=gate)
    embedding = TextEmbedding(embedder)
    await given_up(embedding)
    gate.set()
    assert await embedding.unrelated() == await embedding.unrelated()
    assert embedder.passages == [*PROBES]


async def test_a_measuring_that_fails_when_nobody_waits_any_more_says_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    gate = asyncio.Event()
    embedder = FakeEmbedder(fault=Unavailable("The model sleeps"), gate=gate)
    embedding = TextEmbedding(embedder)
    await given_up(embedding)
    gate.set()
    with pytest.raises(Unavailable):
        # The next to come still waits for the same one.
        await embedding.unrelated()
    gate.clear()
    await given_up(embedding)
    gate.set()
    for _ in range(9):
        await asyncio.sleep(0)
    gc.collect()
    assert caplog.messages == []
    embedder.fault = None
    assert -1.0 <= await embedding.unrelated() <= 1.0
    assert embedder.passages == [*PROBES] * 3
