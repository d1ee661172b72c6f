"""What a model answers becomes a vector of unit length, or is refused (case K62)."""

from array import array
from math import hypot, inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.vector import EmbeddingSpace, NotAVector, unit


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_any_finite_numbers_but_zeros_become_a_vector_of_unit_length(numbers: list[float]) -> None:
    if hypot(*numbers) in (0.0, inf):
        with pytest.raises(NotAVector):
            unit(numbers, len(numbers))
    else:
        assert hypot(*unit(numbers, len(numbers))) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [1.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0],
        [-0.0, 0.0],
        [nan, 1.0],
        [inf, 1.0],
        [-inf, inf],
        [nan, inf],
    ],
)
def test_what_is_no_vector_of_the_space_is_refused(numbers: list[float]) -> None:
    with pytest.raises(NotAVector):
        unit(numbers, 2)


def test_a_shortened_vector_is_scaled_to_unit_length() -> None:
    assert unit([3.0, 4.0], 2) == array("f", [0.6, 0.8])


def test_numbers_whose_squares_overflow_or_vanish_keep_their_direction() -> None:
    assert unit([3e200, 4e200], 2) == unit([3e-200, 4e-200], 2) == array("f", [0.6, 0.8])


def test_a_vector_of_unit_length_is_returned_as_it_is() -> None:
    vector = array("f", [0.6, 0.8])
    assert unit(vector, 2) is vector


def test_a_refusal_says_how_many_numbers_came_and_none_of_them() -> None:
    with pytest.raises(NotAVector, match=r"^3072 numbers where 768 were expected$"):
        unit([0.25] * 3_072, 768)


def test_spaces_differ_by_model_and_by_dimension() -> None:
    spaces = {EmbeddingSpace("a", 2), EmbeddingSpace("a", 3), EmbeddingSpace("b", 2)}
    assert sorted(map(str, spaces)) == ["a/2", "a/3", "b/2"]
