"""The embedder behind HTTP when the other end answers badly, late or never (cases K15, K62)."""

import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field

import pytest

from metacortex.adapters.openai.embeddings import ATTEMPTS, OpenAIEmbedder
from metacortex.domain.errors import Unavailable
from metacortex.domain.vector import EmbeddingSpace, unit
from tests.embedding_endpoint import (
    DIMENSION,
    Answer,
    EmbeddingEndpoint,
    bag_of_words,
    right,
    rows_answer,
    serve_embeddings,
)

KEY = "a-key-that-is-secret"
TEXT = "a text that is private"


@dataclass
class Pauses:
    """Waits for nothing, and notes for how long it would have."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        """Note a pause."""
        self.seconds.append(seconds)


@pytest.fixture
def endpoint() -> Iterator[EmbeddingEndpoint]:
    """An endpoint that answers right, unless it is told otherwise."""
    with serve_embeddings() as served:
        yield served


@pytest.fixture
def pauses() -> Pauses:
    """The pauses that `embedder` has made."""
    return Pauses()


@pytest.fixture
async def embedder(endpoint: EmbeddingEndpoint, pauses: Pauses) -> AsyncIterator[OpenAIEmbedder]:
    """The embedder of `endpoint`."""
    made = OpenAIEmbedder(endpoint.url, "bag-of-words", DIMENSION, KEY, pause=pauses)
    yield made
    await made.aclose()


async def refusal(embedder: OpenAIEmbedder, *texts: str) -> str:
    """Return the sentence with which embedding fails; it holds neither the key nor a text."""
    with pytest.raises(Unavailable) as caught:
        await embedder.embed_passages("general", texts or (TEXT,))
    assert KEY not in caught.value.sentence
    assert TEXT not in caught.value.sentence
    return caught.value.sentence


def of_status(status: int, **headers: str) -> Callable[[list[str]], Answer]:
    """Answer with a status, and repeat the texts as some endpoints do in their errors."""
    return lambda texts: Answer(json.dumps({"error": texts}).encode(), status, headers)


async def test_it_asks_as_the_interface_wants(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder
) -> None:
    await embedder.embed_query("ferry")
    assert endpoint.requests == [
        {"model": "bag-of-words", "input": ["ferry"], "encoding_format": "float"}
    ]
    assert endpoint.keys == [f"Bearer {KEY}"]


async def test_without_a_key_it_sends_none(endpoint: EmbeddingEndpoint) -> None:
    embedder = OpenAIEmbedder(f"{endpoint.url}/", "bag-of-words", DIMENSION)
    await embedder.embed_query("ferry")
    await embedder.aclose()
    assert endpoint.keys == [None]


def test_its_space_is_what_was_set() -> None:
    embedder = OpenAIEmbedder("http://127.0.0.1:9/v1", "nomic", 768)
    assert embedder.space == EmbeddingSpace("nomic", 768)


async def test_many_passages_go_in_batches_and_come_back_in_order(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder
) -> None:
    passages = [f"word{number} again" for number in range(150)]
    vectors = await embedder.embed_passages("general", passages)
    assert [len(request["input"]) for request in endpoint.requests] == [64, 64, 22]
    assert vectors == [unit(bag_of_words(passage), DIMENSION) for passage in passages]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (
            lambda texts: rows_answer([{"index": 0, "embedding": bag_of_words("one")}]),
            "answered 1 vectors for 2 texts; check METACORTEX_EMBEDDING_MODEL",
        ),
        (
            lambda texts: rows_answer([{"index": place, "embedding": [1.0]} for place in (0, 1)]),
            "answered 1 numbers where 64 were expected; check METACORTEX_EMBEDDING_DIMENSIONS",
        ),
        (
            lambda texts: rows_answer(
                [{"index": place, "embedding": [float("nan")] * DIMENSION} for place in (0, 1)]
            ),
            "answered a vector without a direction; check METACORTEX_EMBEDDING_DIMENSIONS",
        ),
        (
            lambda texts: rows_answer(
                [{"index": place, "embedding": [0] * DIMENSION} for place in (0, 1)]
            ),
            "answered a vector without a direction; check METACORTEX_EMBEDDING_DIMENSIONS",
        ),
    ],
    ids=["count", "dimension", "NaN", "zero"],
)
async def test_vectors_that_are_not_what_was_asked_for_are_refused(
    endpoint: EmbeddingEndpoint,
    embedder: OpenAIEmbedder,
    answer: Callable[[list[str]], Answer],
    sentence: str,
) -> None:
    endpoint.answers = [answer]
    assert await refusal(embedder, "one", "two") == f"The embedding endpoint {sentence}"


NUMBERS = [1.0] * DIMENSION


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Sign in</html>",
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"data":null}',
        b'{"data":[1,2]}',
        b'{"data":[{"index":0}]}',
        b"[" * 100_000,
        json.dumps({"data": [{"embedding": NUMBERS}]}).encode(),
        json.dumps({"data": [{"index": 1, "embedding": NUMBERS}]}).encode(),
        json.dumps({"data": [{"index": [], "embedding": NUMBERS}]}).encode(),
        json.dumps({"data": [{"index": 0, "embedding": [10**400] * DIMENSION}]}).encode(),
    ],
    ids=range(13),
)
async def test_an_answer_of_another_form_is_refused(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder, body: bytes
) -> None:
    endpoint.answers = [lambda texts: Answer(body)]
    assert await refusal(embedder) == (
        "The embedding endpoint answered with something else; check METACORTEX_EMBEDDING_URL"
    )


@pytest.mark.parametrize(
    "embedding", ["AACAPw==", ["1"] * DIMENSION, {"0": 1.0}, [True] * DIMENSION]
)
async def test_an_embedding_that_is_no_list_of_numbers_is_refused(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder, embedding: object
) -> None:
    endpoint.answers = [lambda texts: rows_answer([{"index": 0, "embedding": embedding}])]
    assert "answered 0 vectors for 1 texts" in await refusal(embedder)


async def test_two_vectors_of_one_index_are_never_given_to_two_texts(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder
) -> None:
    endpoint.answers = [lambda texts: rows_answer([{"index": 0, "embedding": NUMBERS}] * 2)]
    assert "answered 1 vectors for 2 texts" in await refusal(embedder, "one", "two")


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 302, 418])
async def test_what_will_not_pass_is_not_tried_again(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder, pauses: Pauses, status: int
) -> None:
    endpoint.answers = [of_status(status)]
    assert (await refusal(embedder)).startswith("The embedding endpoint ")
    assert (len(endpoint.requests), pauses.seconds) == (1, [])


async def test_a_refused_key_names_the_setting_to_look_at(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder
) -> None:
    endpoint.answers = [of_status(401)]
    assert await refusal(embedder) == (
        "The embedding endpoint refused the key; check METACORTEX_EMBEDDING_API_KEY"
    )


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_what_passes_is_tried_again_after_a_pause(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder, pauses: Pauses, status: int
) -> None:
    endpoint.answers = [of_status(status)]
    assert await embedder.embed_query("ferry") == unit(bag_of_words("ferry"), DIMENSION)
    assert len(pauses.seconds) == 1
    assert 0.5 <= pauses.seconds[0] <= 1.0


async def test_an_endpoint_that_never_recovers_is_given_up(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder, pauses: Pauses
) -> None:
    endpoint.answers = [of_status(500)] * 10
    assert await refusal(embedder) == (
        "The embedding endpoint failed with status 500; try again later"
    )
    assert len(endpoint.requests) == ATTEMPTS
    assert pauses.seconds == sorted(pauses.seconds)


async def test_the_pause_that_the_endpoint_asks_for_is_kept(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder, pauses: Pauses
) -> None:
    endpoint.answers = [of_status(429, **{"Retry-After": "7"}), right]
    await embedder.embed_query("ferry")
    assert pauses.seconds == [7.0]


async def test_who_is_told_to_wait_for_long_gives_up_at_once(
    endpoint: EmbeddingEndpoint, embedder: OpenAIEmbedder, pauses: Pauses
) -> None:
    endpoint.answers = [of_status(429, **{"Retry-After": "3600"})]
    assert await refusal(embedder) == (
        "The embedding endpoint asks for fewer calls; try again later"
    )
    assert (len(endpoint.requests), pauses.seconds) == (1, [])


async def test_an_endpoint_that_hangs_is_left_in_time(endpoint: EmbeddingEndpoint) -> None:
    endpoint.answers = [endpoint.hang]
    embedder = OpenAIEmbedder(endpoint.url, "bag-of-words", DIMENSION, seconds=0.05)
    assert await refusal(embedder) == (
        "The embedding endpoint did not answer in time; try again later"
    )
    await embedder.aclose()


async def test_an_endpoint_that_is_not_there_cannot_be_reached(pauses: Pauses) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        embedder = OpenAIEmbedder(url, "bag-of-words", DIMENSION, pause=pauses)
        assert await refusal(embedder) == (
            "The embedding endpoint cannot be reached; check METACORTEX_EMBEDDING_URL"
        )
    await embedder.aclose()
    assert len(pauses.seconds) == ATTEMPTS - 1


async def test_an_address_that_is_none_cannot_be_reached(pauses: Pauses) -> None:
    embedder = OpenAIEmbedder("http://[::1/v1", "bag-of-words", DIMENSION, pause=pauses)
    assert "cannot be reached" in await refusal(embedder)
    await embedder.aclose()


async def test_after_it_was_closed_it_can_be_used_again(embedder: OpenAIEmbedder) -> None:
    await embedder.aclose()
    await embedder.aclose()
    assert len(await embedder.embed_query("ferry")) == DIMENSION
