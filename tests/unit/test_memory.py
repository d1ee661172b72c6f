"""What a caller may ask to remember, and moments of time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.errors import InvalidInput, TooLarge
from metacortex.domain.memory import Image, Modality, NewMemory, check_limits
from metacortex.domain.moment import iso
from tests.samples import a_memory

IMAGE = Image(b"ABC", "image/png")


@pytest.mark.rule("C64")
def test_a_new_memory_needs_text_or_an_image() -> None:
    with pytest.raises(InvalidInput, match="Either content or image_base64 must be provided"):
        NewMemory()
    assert NewMemory(image=IMAGE).content == ""


@pytest.mark.rule("C75")
@pytest.mark.parametrize(
    ("new", "modality"),
    [
        (NewMemory("x"), Modality.TEXT),
        (NewMemory(image=IMAGE), Modality.IMAGE),
        (NewMemory("x", image=IMAGE), Modality.MIXED),
    ],
)
def test_the_modality_follows_from_what_was_given(new: NewMemory, modality: Modality) -> None:
    assert new.modality is modality


@pytest.mark.rule("C62", "C62a")
@given(st.characters(exclude_categories=["Cs"]), st.integers(0, 400), st.integers(0, 120))
def test_labels_are_counted_in_code_points(letter: str, length: int, count: int) -> None:
    refs = tuple(f"{number}{letter}" for number in range(count))
    if length <= 200 and count <= 100:
        check_limits("", letter * length, refs)
    else:
        with pytest.raises(InvalidInput, match=r"topic must be|artifact_refs must hold"):
            check_limits("", letter * length, refs)


@pytest.mark.rule("C62a")
@given(st.sampled_from("aä漢🧠"), st.integers(699_990, 700_010), st.integers(0, 2_048))
def test_text_and_references_together_are_counted_in_bytes(
    letter: str, total: int, in_ref: int
) -> None:
    size = len(letter.encode())
    content, ref = letter * (total // size - in_ref), letter * in_ref
    if len((content + ref).encode()) <= 700_000:
        assert NewMemory(content, artifact_refs=(ref,)).content == content
    else:
        with pytest.raises(TooLarge, match="content is too long; ingest long texts as documents"):
            NewMemory(content, artifact_refs=(ref,))


def test_what_is_embedded_is_the_content_unless_another_text_is_given() -> None:
    assert a_memory(content="seen").text == "seen"
    assert a_memory(content="seen", retrieval_text="seen and described").text.endswith("described")


@pytest.mark.rule("C100")
@pytest.mark.parametrize(
    ("at", "printed"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_773_489_600_000, "2026-03-14T12:00:00.000Z"),
        (1_772_407_799_999, "2026-03-01T23:29:59.999Z"),
    ],
)
def test_a_moment_is_printed_in_utc_with_milliseconds(at: int, printed: str) -> None:
    assert iso(at) == printed
