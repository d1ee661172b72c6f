"""What the embedder asks of Gemini, and vectors that are not what was asked for (case K62)."""

from collections.abc import AsyncIterator, Callable, Iterator
from math import hypot

import pytest

from metacortex.adapters.gemini.connection import GeminiConnection
from metacortex.adapters.gemini.embeddings import GeminiEmbedder
from metacortex.domain.errors import Unavailable
from metacortex.domain.vector import EmbeddingSpace, unit
from tests.embedding_endpoint import DIMENSION, Answer, bag_of_words
from tests.gemini_connections import KEY, SECRETS, TEXT, TOKEN, on_vertex, with_key
from tests.gemini_endpoint import GeminiEndpoint, MakeAnswer, said, serve_gemini, vectors

MODEL = "gemini-embedding-001"
ROW = [1.0] * DIMENSION


@pytest.fixture
def endpoint() -> Iterator[GeminiEndpoint]:
    """An endpoint that answers right, unless it is told otherwise."""
    with serve_gemini() as served:
        yield served


@pytest.fixture
async def embedder(endpoint: GeminiEndpoint) -> AsyncIterator[GeminiEmbedder]:
    """The embedder of `endpoint`, with a key."""
    made = GeminiEmbedder(with_key(endpoint.url), MODEL, DIMENSION)
    yield made
    await made.aclose()


@pytest.fixture
async def vertex_embedder(endpoint: GeminiEndpoint) -> AsyncIterator[GeminiEmbedder]:
    """The embedder of `endpoint` on Vertex AI."""
    made = GeminiEmbedder(on_vertex(endpoint.url), MODEL, DIMENSION)
    yield made
    await made.aclose()


def test_its_space_is_what_was_set() -> None:
    embedder = GeminiEmbedder(GeminiConnection(api_key=KEY), MODEL, 768)
    assert embedder.space == EmbeddingSpace(MODEL, 768)


async def test_passages_are_documents_with_their_topic_as_title(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder
) -> None:
    await embedder.embed_passages("harbour", ["ferry", "crane"])
    (asked,) = endpoint.asked
    assert asked.path == f"/v1beta/models/{MODEL}:batchEmbedContents"
    assert asked.headers["x-goog-api-key"] == KEY
    assert "authorization" not in asked.headers
    assert asked.body == {
        "requests": [
            {
                "model": f"models/{MODEL}",
                "content": {"parts": [{"text": text}]},
                "taskType": "RETRIEVAL_DOCUMENT",
                "title": "harbour",
                "outputDimensionality": DIMENSION,
            }
            for text in ("ferry", "crane")
        ]
    }


async def test_a_query_is_a_query_without_a_title(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder
) -> None:
    assert await embedder.embed_query("ferry") == unit(bag_of_words("ferry"), DIMENSION)
    (each,) = endpoint.asked[0].contents
    assert (each["taskType"], "title" in each) == ("RETRIEVAL_QUERY", False)
    assert each["outputDimensionality"] == DIMENSION


async def test_vertex_is_asked_in_the_project_as_the_identity_with_one_text_a_request(
    endpoint: GeminiEndpoint, vertex_embedder: GeminiEmbedder
) -> None:
    passages = [f"word{number} again" for number in range(20)]
    found = await vertex_embedder.embed_passages("harbour", passages)
    assert found == [unit(bag_of_words(passage), DIMENSION) for passage in passages]
    assert sorted(text for asked in endpoint.asked for text in asked.texts) == sorted(passages)
    assert {len(asked.texts) for asked in endpoint.asked} == {1}
    asked = endpoint.asked[0]
    assert asked.path == (
        "/v1beta1/projects/harbour/locations/europe-west4/publishers/google"
        f"/models/{MODEL}:embedContent"
    )
    assert asked.headers["authorization"] == f"Bearer {TOKEN}"
    assert "x-goog-api-key" not in asked.headers
    assert asked.body["embedContentConfig"] == {
        "taskType": "RETRIEVAL_DOCUMENT",
        "title": "harbour",
        "outputDimensionality": DIMENSION,
    }


@pytest.mark.parametrize("connection", [with_key, on_vertex])
async def test_a_model_without_task_types_is_told_in_words_and_fuses_no_texts(
    endpoint: GeminiEndpoint, connection: Callable[[str], GeminiConnection]
) -> None:
    embedder = GeminiEmbedder(connection(endpoint.url), "gemini-embedding-2", DIMENSION)
    assert len(await embedder.embed_passages("harbour", ["ferry", "crane"])) == 2
    await embedder.embed_query("ferry")
    await embedder.aclose()
    texts = [text for asked in endpoint.asked for text in asked.texts]
    assert sorted(texts) == [
        "task: search result | query: ferry",
        "title: harbour | text: crane",
        "title: harbour | text: ferry",
    ]
    contents = [each for asked in endpoint.asked for each in asked.contents]
    assert [each for each in contents if "taskType" in each or "title" in each] == []


async def test_many_passages_go_in_batches_and_come_back_in_order(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder
) -> None:
    passages = [f"word{number} again" for number in range(250)]
    found = await embedder.embed_passages("general", passages)
    assert sorted(len(asked.texts) for asked in endpoint.asked) == [50, 100, 100]
    assert found == [unit(bag_of_words(passage), DIMENSION) for passage in passages]


async def test_a_shortened_vector_is_brought_to_unit_length(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder
) -> None:
    endpoint.answers = [vectors([3.0] * DIMENSION)]
    assert hypot(*await embedder.embed_query("ferry")) == pytest.approx(1.0, abs=1e-6)


SHORT = "check GEMINI_EMBEDDING_MODEL and GEMINI_EMBEDDING_DIMENSIONS"


@pytest.mark.case("K62")
@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (vectors(ROW), "answered 1 vectors for 2 texts; check GEMINI_EMBEDDING_MODEL"),
        (vectors(), "answered 0 vectors for 2 texts; check GEMINI_EMBEDDING_MODEL"),
        (vectors(ROW * 2, ROW * 2), f"answered 128 numbers where 64 were expected; {SHORT}"),
        (vectors([], []), f"answered 0 numbers where 64 were expected; {SHORT}"),
        (
            vectors([0.0] * DIMENSION, ROW),
            f"answered a vector without a direction; {SHORT}",
        ),
        (
            vectors([float("nan")] * DIMENSION, ROW),
            f"answered a vector without a direction; {SHORT}",
        ),
    ],
    ids=["count", "none", "dimension", "empty", "zero", "NaN"],
)
async def test_vectors_that_are_not_what_was_asked_for_are_refused(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder, answer: MakeAnswer, sentence: str
) -> None:
    endpoint.answers = [answer]
    with pytest.raises(Unavailable) as caught:
        await embedder.embed_passages("general", ["one", "two"])
    assert caught.value.sentence == f"Gemini {sentence}; nothing was saved"


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Sign in</html>",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"3",
        b'"text"',
        b'{"embeddings": 3}',
        b'{"embeddings": [1, 2]}',
        b'{"embeddings": [{"values": "AACAPw=="}]}',
        b'{"embeddings": [{"values": ["one"]}]}',
        b'{"embeddings": [{"values": {"0": 1.0}}]}',
        b'{"embeddings": [{"values": [1' + b"0" * 400 + b"]}]}",
        b"[" * 100_000,
        b'{"embeddings": [',
        b"",
    ],
    ids=range(15),
)
async def test_an_answer_of_another_form_is_refused(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder, body: bytes
) -> None:
    endpoint.answers = [lambda asked: Answer(body)]
    with pytest.raises(Unavailable, match=r"check GEMINI_(URL|EMBEDDING_MODEL)") as caught:
        await embedder.embed_passages("general", [TEXT])
    assert [secret for secret in SECRETS if secret in caught.value.sentence] == []


async def test_one_request_that_fails_fails_all_and_says_so_once(
    endpoint: GeminiEndpoint, vertex_embedder: GeminiEmbedder
) -> None:
    endpoint.answers = [lambda asked: said({})]
    with pytest.raises(Unavailable) as caught:
        await vertex_embedder.embed_passages("general", ["one", "two", "three"])
    assert caught.value.sentence.startswith("Gemini answered 0 vectors for 1 texts")


async def test_after_it_was_closed_it_can_be_used_again(embedder: GeminiEmbedder) -> None:
    await embedder.embed_query("ferry")
    await embedder.aclose()
    await embedder.aclose()
    assert len(await embedder.embed_query("ferry")) == DIMENSION
