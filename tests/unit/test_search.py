"""Scores and excerpts, vectors, windows and redaction: how a text is found and shown."""

from array import array
from math import inf, nan, sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.errors import InvalidInput
from metacortex.domain.passage import windows
from metacortex.domain.redaction import Redacted, Secret, redact
from metacortex.domain.search import Search
from metacortex.domain.text import excerpt
from metacortex.domain.vector import EmbeddingSpace, NotAVector, unit


@pytest.mark.rule("C82")
@given(st.text(max_size=600), st.sampled_from([220, 400]))
def test_an_excerpt_is_flat_and_never_over_its_limit(text: str, limit: int) -> None:
    shown, flat = excerpt(text, limit), " ".join(text.split())
    assert len(shown) <= limit
    assert shown == flat or (shown[-3:] == "..." and flat.startswith(shown[:-3]))
    assert (shown == flat) or len(flat) > limit


@pytest.mark.case("K62")
@pytest.mark.parametrize(
    "numbers", [[1.0, 0.0], [1.0] * 4, [], [0.0] * 3, [nan, 1.0, 0.0], [inf, 1.0, 0.0]]
)
def test_what_has_no_direction_of_its_space_is_no_vector(numbers: list[float]) -> None:
    with pytest.raises(NotAVector):
        unit(numbers, 3)


@pytest.mark.case("K62")
@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=3))
def test_a_vector_of_any_length_is_brought_to_unit_length(numbers: list[float]) -> None:
    if sqrt(sum(number * number for number in numbers)) < 1e-3:
        return
    vector = unit(numbers, 3)
    assert vector.typecode == "f"
    assert abs(sqrt(sum(number * number for number in vector)) - 1) < 1e-6


def test_a_vector_of_unit_length_is_passed_on_as_it_is() -> None:
    given_ = array("f", [0.6, 0.8])
    assert unit(given_, 2) is given_
    assert unit([0.6, 0.8], 2) == given_


def test_a_space_is_named_by_its_model_and_dimension() -> None:
    assert str(EmbeddingSpace("use", 512)) == "use/512"


@given(st.text(st.sampled_from("ab .\n,。;"), max_size=300), st.integers(8, 60), st.data())
def test_windows_cover_a_text_within_their_size_and_overlap(
    text: str, size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, (size - 1) // 2 - 1))
    covered = 0
    for window in windows(text, size, overlap):
        assert len(window) <= size
        place = text.find(window, max(0, covered - overlap))
        assert max(0, covered - overlap) <= place <= covered
        covered = max(covered, place + len(window))
    assert covered == len(text)


def test_a_window_ends_at_the_best_break_of_its_second_half() -> None:
    text = "First part. Second part, and more of it without an end"
    assert next(windows(text, 20, 0)) == "First part. "
    assert next(windows("x" * 50, 20, 0)) == "x" * 20
    assert [*windows("short", 20, 5)] == ["short"]


@pytest.mark.rule("C60a")
def test_overlapping_secrets_go_as_one_under_the_kind_that_begins_first() -> None:
    secrets = [
        Secret("inner", 4, 6),
        Secret("outer", 2, 8),
        Secret("late", 7, 10),
        Secret("x", 12, 13),
    ]
    assert redact("0123456789abcdef", secrets) == Redacted(
        "01[redacted outer]ab[redacted x]def", ("outer", "x")
    )
    assert redact("plain", []) == Redacted("plain")


@pytest.mark.parametrize(
    ("search", "sentence"),
    [
        ({"query": " \n"}, "query must not be empty"),
        ({"query": "half \ud83d"}, "query is not valid Unicode text"),
        ({"query": "x", "limit": 0}, "limit must be a whole number from 1 to 20"),
        ({"query": "x", "limit": 21}, "limit must be a whole number from 1 to 20"),
    ],
)
def test_a_search_that_exists_can_be_made(search: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        Search(**search)
    assert raised.value.sentence == sentence
