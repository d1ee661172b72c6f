"""Gemini slow, refusing, breaking off or broken: what is tried again, what is said (case K15)."""

import json
import logging
import socket
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from metacortex.adapters.gemini.circuit import FAILURES, REST
from metacortex.adapters.gemini.connection import ATTEMPTS, GeminiConnection, Limits
from metacortex.adapters.gemini.embeddings import GeminiEmbedder
from metacortex.domain.errors import Unavailable
from tests.embedding_endpoint import DIMENSION, Answer
from tests.gemini_connections import SECRETS, TEXT, Pauses, on_vertex, with_key
from tests.gemini_endpoint import (
    GeminiEndpoint,
    MakeAnswer,
    dropped,
    of_status,
    refused,
    retry_info,
    right,
    serve_gemini,
)

MODEL = "gemini-embedding-001"
API_KEY_INVALID = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    "reason": "API_KEY_INVALID",
}


@pytest.fixture
def endpoint() -> Iterator[GeminiEndpoint]:
    """An endpoint that answers right, unless it is told otherwise."""
    with serve_gemini() as served:
        yield served


@pytest.fixture
def pauses() -> Pauses:
    """The pauses that `embedder` has made."""
    return Pauses()


@pytest.fixture
async def embedder(endpoint: GeminiEndpoint, pauses: Pauses) -> AsyncIterator[GeminiEmbedder]:
    """The embedder of `endpoint`, with a key."""
    made = embedder_of(with_key(endpoint.url, pause=pauses, clock=pauses.now))
    yield made
    await made.aclose()


def embedder_of(connection: GeminiConnection) -> GeminiEmbedder:
    """Return an embedder that asks through this connection."""
    return GeminiEmbedder(connection, MODEL, DIMENSION)


async def refusal(embedder: GeminiEmbedder) -> str:
    """Return the sentence with which a query fails; it holds neither a key nor a text, and no
    other exception that does hangs on it.
    """
    with pytest.raises(Unavailable) as caught:
        await embedder.embed_query(TEXT)
    assert [secret for secret in SECRETS if secret in caught.value.sentence] == []
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    return caught.value.sentence


KEY_REFUSED = "refused the key; check GEMINI_API_KEY, and that it may use the Gemini API"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (
            of_status(400),
            "refused the request; check that GEMINI_EMBEDDING_MODEL is a model that embeds texts,"
            " and GEMINI_EMBEDDING_DIMENSIONS",
        ),
        (of_status(400, API_KEY_INVALID), KEY_REFUSED),
        (
            lambda asked: refused(400, "FAILED_PRECONDITION"),
            "does not serve this project from here; check its billing, or set GEMINI_BACKEND",
        ),
        (of_status(401), KEY_REFUSED),
        (of_status(403), KEY_REFUSED),
        (of_status(404), "has no such model; check GEMINI_EMBEDDING_MODEL"),
        (of_status(418), "answered with status 418; check GEMINI_URL"),
        (
            of_status(302, Location="http://127.0.0.1:9/elsewhere"),
            "answered with status 302; check GEMINI_URL",
        ),
    ],
    ids=["request", "invalid key", "billing", "401", "403", "404", "418", "redirect"],
)
async def test_what_will_not_pass_is_told_with_its_setting_and_not_tried_again(
    endpoint: GeminiEndpoint,
    embedder: GeminiEmbedder,
    pauses: Pauses,
    answer: MakeAnswer,
    sentence: str,
) -> None:
    endpoint.answers = [answer]
    assert await refusal(embedder) == f"Gemini {sentence}"
    assert (len(endpoint.asked), pauses.seconds) == (1, [])


@pytest.mark.parametrize(
    ("status", "named"),
    [
        (401, "roles/aiplatform.user"),
        (403, "GOOGLE_CLOUD_PROJECT"),
        (404, "check GEMINI_EMBEDDING_MODEL and GEMINI_LOCATION"),
    ],
)
async def test_on_vertex_the_identity_and_the_location_are_named(
    endpoint: GeminiEndpoint, status: int, named: str
) -> None:
    endpoint.answers = [of_status(status)]
    embedder = embedder_of(on_vertex(endpoint.url))
    assert named in await refusal(embedder)
    await embedder.aclose()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
async def test_what_passes_is_tried_again_after_a_pause(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder, pauses: Pauses, status: int
) -> None:
    endpoint.answers = [of_status(status)]
    assert len(await embedder.embed_query("ferry")) == DIMENSION
    (pause,) = pauses.seconds
    assert 0.5 <= pause <= 1.0


async def test_a_connection_that_breaks_off_within_an_answer_is_tried_again(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder
) -> None:
    endpoint.answers = [dropped]
    assert len(await embedder.embed_query("ferry")) == DIMENSION
    assert len(endpoint.asked) == 2
    endpoint.answers = [dropped] * ATTEMPTS
    assert await refusal(embedder) == "Gemini broke off its answer; try again later"


async def test_a_service_that_never_recovers_is_given_up_and_only_ours_tries_again(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder, pauses: Pauses
) -> None:
    endpoint.answers = [of_status(503)] * 10
    assert await refusal(embedder) == "Gemini failed with status 503; try again later"
    assert len(endpoint.asked) == ATTEMPTS
    assert len(pauses.seconds) == ATTEMPTS - 1


@pytest.mark.parametrize(
    ("answer", "pause"),
    [
        (of_status(429, **{"Retry-After": "7"}), 7.0),
        (of_status(429, retry_info("3.5s")), 3.5),
        (of_status(503, retry_info("2s"), **{"Retry-After": "4"}), 4.0),
    ],
    ids=["header", "detail", "both"],
)
async def test_the_pause_that_google_asks_for_is_kept(
    endpoint: GeminiEndpoint,
    embedder: GeminiEmbedder,
    pauses: Pauses,
    answer: MakeAnswer,
    pause: float,
) -> None:
    endpoint.answers = [answer]
    await embedder.embed_query("ferry")
    assert pauses.seconds == [pause]


async def test_who_is_told_to_wait_for_long_gives_up_at_once_and_says_for_how_long(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder, pauses: Pauses
) -> None:
    endpoint.answers = [of_status(429, retry_info("33.2s"))]
    assert await refusal(embedder) == (
        "Gemini asks for fewer calls; try again in 34 seconds, or raise the quota of the project"
    )
    assert (len(endpoint.asked), pauses.seconds) == (1, [])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"[1, 2]",
        b"null",
        b'{"error": 1}',
        b'{"error": {"details": {"retryDelay": "1s"}}}',
        b'{"error": {"details": [1, {"retryDelay": 2}, {"retryDelay": "soon"}]}}',
    ],
    ids=range(8),
)
async def test_a_refusal_of_another_form_is_still_a_refusal(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder, pauses: Pauses, body: bytes
) -> None:
    endpoint.answers = [lambda asked: Answer(body, 503, {"Retry-After": "tomorrow"})]
    assert len(await embedder.embed_query("ferry")) == DIMENSION
    assert len(pauses.seconds) == 1


async def test_a_service_that_hangs_is_left_in_time(endpoint: GeminiEndpoint) -> None:
    endpoint.answers = [endpoint.hang]
    embedder = embedder_of(with_key(endpoint.url, limits=Limits(0.5, 25.0)))
    assert await refusal(embedder) == "Gemini did not answer in time; try again later"
    await embedder.aclose()


async def test_no_attempt_begins_that_would_pass_the_deadline(
    endpoint: GeminiEndpoint, pauses: Pauses
) -> None:
    endpoint.answers = [of_status(503, **{"Retry-After": "6"})] * 10
    embedder = embedder_of(
        with_key(endpoint.url, pause=pauses, clock=pauses.now, limits=Limits(10.0, 10.0))
    )
    assert "failed with status 503" in await refusal(embedder)
    assert (len(endpoint.asked), pauses.seconds) == (2, [6.0])
    await embedder.aclose()


@pytest.mark.parametrize("connection", [with_key, on_vertex])
async def test_an_endpoint_that_is_not_there_cannot_be_reached(
    pauses: Pauses, connection: Callable[..., GeminiConnection]
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        embedder = embedder_of(connection(url, pause=pauses))
        assert await refusal(embedder) == "Gemini cannot be reached; check GEMINI_URL"
    await embedder.aclose()
    assert len(pauses.seconds) == ATTEMPTS - 1


@pytest.mark.parametrize("url", ["http://[::1", "http://", "http://harbour\n.example"])
async def test_an_address_that_is_none_cannot_be_reached(pauses: Pauses, url: str) -> None:
    embedder = embedder_of(with_key(url, pause=pauses))
    assert await refusal(embedder) == "Gemini cannot be reached; check GEMINI_URL"
    await embedder.aclose()


async def test_after_several_failures_it_is_left_alone_and_then_tried_once(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder, pauses: Pauses
) -> None:
    endpoint.answers = [of_status(500)] * ATTEMPTS * FAILURES
    for _ in range(FAILURES):
        await refusal(embedder)
    asked = len(endpoint.asked)
    assert await refusal(embedder) == (
        "Gemini failed with status 500; try again later; it failed 5 times in a row and is not"
        " asked for a while"
    )
    assert len(endpoint.asked) == asked
    pauses.passed += REST
    assert len(await embedder.embed_query("ferry")) == DIMENSION
    assert len(await embedder.embed_query("ferry")) == DIMENSION


async def test_requests_that_are_wrong_do_not_keep_others_from_asking(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder
) -> None:
    endpoint.answers = [of_status(400)] * FAILURES * 2
    for _ in range(FAILURES * 2):
        await refusal(embedder)
    assert len(await embedder.embed_query("ferry")) == DIMENSION


async def test_a_failed_write_says_that_nothing_was_saved(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder
) -> None:
    endpoint.answers = [of_status(404)]
    with pytest.raises(Unavailable) as caught:
        await embedder.embed_passages("general", [TEXT])
    assert caught.value.sentence == (
        "Gemini has no such model; check GEMINI_EMBEDDING_MODEL; nothing was saved"
    )


async def test_no_log_holds_a_key_or_a_text(
    endpoint: GeminiEndpoint, embedder: GeminiEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    endpoint.answers = [of_status(503), of_status(400), right]
    await refusal(embedder)
    await embedder.embed_query(TEXT)
    shown = json.dumps([record.getMessage() for record in caplog.records])
    assert [secret for secret in SECRETS if secret in shown] == []
