"""Hostile values: whatever a fact says, it is compared with others, and soon."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.knowledge.readings import reading_of
from metacortex.domain.knowledge.vocabulary import asked_by, documented
from tests.stated import kinds, stated

_SIGNS = [
    *"0159٣\u0660.,'/\u2044:-+%½¾⅟↉ ek",
    "00",
    "1e",
    "e99",
    "000",
    "20",
    "2026",
    "uhr",
    "may",
    "v1",
    "/2",
]
_VALUES = st.lists(st.sampled_from(_SIGNS), max_size=12).map("".join)


@given(_VALUES, _VALUES)
def test_whatever_signs_numbers_are_made_of_they_are_compared(one: str, other: str) -> None:
    assert kinds("limit", one, other) == kinds("limit", other, one)
    assert kinds("released", one, one) == []


@pytest.mark.parametrize(
    "value",
    [
        "1\u20440",
        "0\u20440",
        "٣\u2044\u0660",
        "1\u204400",
        "1\u2044⁰",
        "½½",
        "½1",
        "1½½",
        "½\u20442",
        "1e3000000",
        "1e-100",
        "1.2.3e5",
    ],
)
def test_what_is_no_number_is_not_read_as_one(value: str) -> None:
    assert _amounts(value) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 000½", "1000.5"),
        ("1,000 ½", "1000.5"),
        ("12 000 1/2", "12000.5"),
        ("3\u20444", "0.75"),
        ("1e3", "1000"),
        ("1.5e+03", "1500"),
    ],
)
def test_a_number_is_read_whole(one: str, other: str) -> None:
    assert _amounts(one) == _amounts(other) == 1
    assert kinds("limit", one, other) == []
    assert kinds("limit", one, "7") == ["number"]


@pytest.mark.parametrize("letters", [19, 99])
def test_a_word_is_soon_no_abbreviation_of_many_words_alike(letters: int) -> None:
    words = " ".join(["a" * 12] * (letters // 2))
    assert kinds("owner", "a" * letters + "b", words) == []


def _amounts(value: str) -> int:
    vocabulary = documented()
    asked = asked_by("limit", vocabulary)
    return len(reading_of(stated("limit", value), asked, vocabulary, dated=False).amounts)
