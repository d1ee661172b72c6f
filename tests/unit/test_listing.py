"""The order of lists, and cursors: what is sealed comes back, and goes with one filter alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.listing import MOST_LISTED, Cursor, Listing, Place, cursor_json, read_cursor
from metacortex.domain.search import MemoryFilter
from tests.filters import filters
from tests.samples import NOW, a_filter

places = st.builds(Place, st.integers(0, NOW), st.text("ab-_09", min_size=1, max_size=8))


@given(places, filters)
def test_a_cursor_comes_back_as_it_was_sealed_and_goes_on(
    place: Place, where: MemoryFilter
) -> None:
    cursor = Cursor(NOW).moved(place, where)
    read = read_cursor(json.loads(json.dumps(cursor_json(cursor))))
    assert read == cursor
    assert (read.began, read.after) == (NOW, place)
    read.check(where)


@given(filters, filters)
def test_a_cursor_goes_with_no_other_filter(one: MemoryFilter, other: MemoryFilter) -> None:
    cursor = Cursor(NOW).moved(Place(NOW, "m1"), one)
    if one != other:
        with pytest.raises(InvalidInput, match="cursor belongs to a list with other filters"):
            cursor.check(other)


def test_a_list_that_begins_has_any_filter() -> None:
    Cursor(NOW).check(a_filter())


@pytest.mark.parametrize("sealed", [{}, {"began": NOW}, {"began": NOW, "after": None}])
def test_what_another_version_has_sealed_is_refused(sealed: dict[str, JSON]) -> None:
    with pytest.raises(InvalidInput, match="cursor is of another version; list"):
        read_cursor(sealed)


@pytest.mark.parametrize("limit", [0, -1, MOST_LISTED + 1])
def test_a_limit_has_its_bounds(limit: int) -> None:
    with pytest.raises(InvalidInput, match="limit must be a whole number from 1 to 100"):
        Listing(limit=limit)
