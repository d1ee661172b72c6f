"""An image on its way through the whole program and Gemini on loopback, and what stays when that
fails.
"""

from collections.abc import AsyncIterator, Iterator

import pytest

from metacortex.adapters.gemini.connection import USUAL, Limits
from metacortex.adapters.gemini.describer import GeminiDescriber
from tests.gemini_connections import WRITER, Pauses, with_key
from tests.gemini_endpoint import (
    DESCRIPTION,
    GeminiEndpoint,
    MakeAnswer,
    described,
    dropped,
    of_status,
    serve_gemini,
)
from tests.world import MakeWorld, World

SCREENSHOT = {"image_base64": "QUJD", "image_mime_type": "image/png", "topic": "ui-settings"}
SAID = "The settings dialog after the update."


@pytest.fixture
def gemini() -> Iterator[GeminiEndpoint]:
    """An endpoint that answers right, unless it is told otherwise."""
    with serve_gemini() as served:
        yield served


@pytest.fixture
async def seeing(gemini: GeminiEndpoint, make_world: MakeWorld) -> AsyncIterator[World]:
    """A program whose images are described by `gemini`."""
    describer = describer_of(gemini)
    yield make_world(describer=describer)
    await describer.aclose()


def describer_of(gemini: GeminiEndpoint, limits: Limits = USUAL) -> GeminiDescriber:
    """Return what asks `gemini` to describe an image."""
    return GeminiDescriber(with_key(gemini.url, limits=limits, pause=Pauses()), WRITER)


async def test_an_image_without_words_is_remembered_as_its_description(seeing: World) -> None:
    outcome = await seeing.endpoint().tool("remember_context", SCREENSHOT)
    item = outcome.success["item"]
    assert (item["content"], item["metadata"]["modality"]) == (DESCRIPTION, "image")
    found = await seeing.endpoint().tool("search_context", {"query": "error E1042"})
    assert [match["id"] for match in found.success["matches"]] == [item["id"]]


async def test_an_image_with_words_keeps_them_and_is_found_by_what_it_shows(
    gemini: GeminiEndpoint, seeing: World
) -> None:
    outcome = await seeing.endpoint().tool("remember_context", {**SCREENSHOT, "content": SAID})
    item = outcome.success["item"]
    assert (item["content"], item["metadata"]["modality"]) == (SAID, "mixed")
    assert SAID in gemini.asked[0].texts[0]
    assert seeing.embedder.passages == [f"{SAID}\n\n{DESCRIPTION}"]


@pytest.mark.case("K15")
@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([of_status(503)] * 3, "failed with status 503"),
        ([of_status(429, **{"Retry-After": "60"})], "try again in 60 seconds"),
        ([of_status(403)], "check GEMINI_API_KEY"),
        ([dropped] * 3, "broke off its answer"),
        ([lambda asked: described(reason="SAFETY")], "declined to describe the image"),
        ([lambda asked: described(" ")], "described nothing"),
    ],
    ids=["503", "429", "403", "dropped", "blocked", "empty"],
)
async def test_an_image_that_is_not_described_is_not_remembered_and_an_event_says_why(
    gemini: GeminiEndpoint, seeing: World, answers: list[MakeAnswer], told: str
) -> None:
    gemini.answers = [*answers]
    endpoint = seeing.endpoint()
    code, sentence = (await endpoint.tool("remember_context", SCREENSHOT)).failure
    assert code == "unavailable"
    assert told in sentence
    assert sentence.endswith("; nothing was saved")
    assert await seeing.store.count("default") == 0
    (event,) = await seeing.events()
    assert event["status"] == "error"
    assert event["error"] == {"name": "unavailable", "message": sentence, "status_code": 503}
    outcome = await endpoint.tool("remember_context", SCREENSHOT)
    assert outcome.success["write_status"] == "created"


async def test_an_image_that_is_described_too_late_is_not_remembered(
    gemini: GeminiEndpoint, make_world: MakeWorld
) -> None:
    gemini.answers = [gemini.hang]
    describer = describer_of(gemini, limits=Limits(0.5, 25.0))
    world = make_world(describer=describer)
    assert (await world.endpoint().tool("remember_context", SCREENSHOT)).failure == (
        "unavailable",
        "Gemini did not answer in time; try again later; nothing was saved",
    )
    assert await world.store.count("default") == 0
    await describer.aclose()
