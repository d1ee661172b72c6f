"""Images in arguments, and a server that cannot see."""

from typing import Any

import pytest

from metacortex.adapters.local.describer import NoDescriber
from tests.endpoint import Endpoint
from tests.fakes import FakeDescriber
from tests.world import MakeWorld, World

KINDS = "image/png, image/jpeg, image/webp, image/gif, image/heic or image/heif"


def asked(world: World) -> int:
    """Return how often the describer was asked."""
    assert isinstance(world.describer, FakeDescriber)
    return len(world.describer.asked)


@pytest.mark.rule("C65", "C66")
@pytest.mark.parametrize("extra", [{}, {"content": "x"}])
async def test_an_image_comes_with_its_type(admin: Endpoint, extra: dict[str, Any]) -> None:
    alone = await admin.tool("remember_context", {**extra, "image_base64": "QUJD"})
    sentence = "image_mime_type is required when image_base64 is provided"
    assert alone.failure == ("invalid_input", sentence)


@pytest.mark.rule("C66", "C64")
async def test_a_type_comes_with_its_image(admin: Endpoint) -> None:
    typed = {"content": "x", "image_mime_type": "image/png"}
    sentence = "image_base64 is required when image_mime_type is provided"
    outcome = await admin.tool("remember_context", typed)
    assert outcome.failure == ("invalid_input", sentence)
    del typed["content"]
    sentence = "Either content or image_base64 must be provided"
    outcome = await admin.tool("remember_context", typed)
    assert outcome.failure == ("invalid_input", sentence)


@pytest.mark.rule("C67")
@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("image/svg+xml", "image/svg+xml"),
        ("application/pdf", "application/pdf"),
        ("png", "png"),
        ("image/" + "x" * 100, "image/" + "x" * 74),
        ("image/\nhtml", "image/ html"),
    ],
)
async def test_any_other_type_is_refused_before_a_model_is_asked(
    world: World, kind: str, shown: str
) -> None:
    arguments = {"image_base64": "QUJD", "image_mime_type": kind}
    outcome = await world.endpoint().tool("remember_context", arguments)
    sentence = f"image_mime_type '{shown}' is not supported; use {KINDS}"
    assert outcome.failure == ("invalid_input", sentence)
    assert asked(world) == 0


@pytest.mark.rule("C68")
async def test_a_data_url_of_another_type_is_refused(world: World) -> None:
    arguments = {"image_base64": "data:image/JPEG;base64,QUJD", "image_mime_type": "image/png"}
    outcome = await world.endpoint().tool("remember_context", arguments)
    sentence = "image_base64 declares 'image/jpeg' but image_mime_type is 'image/png'"
    assert outcome.failure == ("invalid_input", sentence)
    assert asked(world) == 0


@pytest.mark.rule("C69")
@pytest.mark.parametrize(
    "data",
    [
        "not base64!!",
        "QUJ",
        "====",
        "QU-_",
        "data:image/png;base64,",
        "data:image/png;base64,%%%",
        "data:image/png,plain",
        "Äpfel",
    ],
)
async def test_what_is_not_base64_is_refused(world: World, data: str) -> None:
    arguments = {"image_base64": data, "image_mime_type": "image/png"}
    outcome = await world.endpoint().tool("remember_context", arguments)
    assert outcome.failure == ("invalid_input", "image_base64 is not valid base64")
    assert asked(world) == 0


@pytest.mark.rule("C69", "C75")
@pytest.mark.parametrize(
    "data", ["QUJD", " Q U\nJ\tD ", "data:image/png;base64,QUJD", "DATA:IMAGE/PNG;BASE64,QU\nJD"]
)
async def test_every_spelling_of_the_same_bytes_is_read_alike(world: World, data: str) -> None:
    arguments = {"image_base64": data, "image_mime_type": "Image/PNG"}
    (await world.endpoint().tool("remember_context", arguments)).success["item"]["id"]
    assert isinstance(world.describer, FakeDescriber)
    ((image, _, _),) = world.describer.asked
    assert (image.data, image.mime_type) == (b"ABC", "image/png")


@pytest.mark.rule("C71")
@pytest.mark.parametrize("extra", [{}, {"content": "Our plan."}])
async def test_without_a_describer_an_image_is_plainly_unavailable(
    make_world: MakeWorld,
    extra: dict[str, Any],
) -> None:
    world = make_world(describer=NoDescriber())
    arguments = {**extra, "image_base64": "QUJD", "image_mime_type": "image/png"}
    outcome = await world.endpoint().tool("remember_context", arguments)
    assert outcome.failure == (
        "unavailable",
        "Image descriptions are not configured on this server",
    )
    assert await world.store.count("default") == 0
    assert world.embedder.calls == 0
