"""The order of lists, and cursors: what is sealed comes back, and goes with one filter alone."""

import json
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.details import Kind
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.listing import (
    MOST_LISTED,
    Cursor,
    Listing,
    Page,
    Place,
    cursor_json,
    merged,
    read_cursor,
)
from metacortex.domain.memory import Memory
from metacortex.domain.search import MemoryFilter
from tests.filters import filters
from tests.samples import NOW, a_filter, a_memory

places = st.builds(Place, st.integers(0, NOW), st.text("ab-_09", min_size=1, max_size=8))


Wheres: TypeAlias = list[MemoryFilter]
some_filters = st.lists(filters, min_size=1, max_size=2)


def in_order(where: MemoryFilter) -> MemoryFilter:
    """Return a filter with its labels in order, which means the same."""
    kinds, tags = tuple(sorted(where.kinds)), tuple(sorted(where.tags))
    return replace(where, kinds=kinds, tags=tags)


@given(places, some_filters)
def test_a_cursor_comes_back_as_it_was_sealed_and_goes_on(place: Place, wheres: Wheres) -> None:
    cursor = Cursor(NOW).moved(place, wheres)
    read = read_cursor(json.loads(json.dumps(cursor_json(cursor))))
    assert read == cursor
    assert (read.began, read.after) == (NOW, place)
    read.check(wheres)


@given(some_filters, some_filters)
def test_a_cursor_goes_with_no_other_filter(one: Wheres, other: Wheres) -> None:
    cursor = Cursor(NOW).moved(Place(NOW, "m1"), one)
    if [*map(in_order, one)] != [*map(in_order, other)]:
        with pytest.raises(InvalidInput, match="cursor belongs to a list with other filters"):
            cursor.check(other)


def test_a_cursor_goes_with_its_filter_whatever_the_order_of_labels() -> None:
    kinds, tags = tuple(Kind), ("a", "b", "c")
    cursor = Cursor(NOW).moved(Place(NOW, "m1"), [a_filter(kinds=kinds, tags=tags)])
    cursor.check([a_filter(kinds=kinds[::-1], tags=tags[::-1])])


def test_a_list_that_begins_has_any_filter() -> None:
    Cursor(NOW).check([a_filter()])


@pytest.mark.parametrize("sealed", [{}, {"began": NOW}, {"began": NOW, "after": None}])
def test_what_another_version_has_sealed_is_refused(sealed: dict[str, JSON]) -> None:
    with pytest.raises(InvalidInput, match="cursor is of another version; list"):
        read_cursor(sealed)


@pytest.mark.parametrize("limit", [0, -1, MOST_LISTED + 1])
def test_a_limit_has_its_bounds(limit: int) -> None:
    with pytest.raises(InvalidInput, match="limit must be a whole number from 1 to 100"):
        Listing(limit=limit)


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=9), max_size=3),
    st.integers(1, 4),
)
def test_several_lists_together_skip_and_repeat_nothing(
    lists: list[list[tuple[int, int]]], limit: int
) -> None:
    """Each list is of ages, with how many memories it would show at most where it is asked there:
    as Firestore does, it may end a page early.
    """
    sides = [
        sorted(
            (
                (a_memory(f"m{n}-{side}", created_at=NOW - age), most)
                for n, (age, most) in enumerate(one)
            ),
            key=lambda held: Place.of(held[0]),
            reverse=True,
        )
        for side, one in enumerate(lists)
    ]

    def page(side: list[tuple[Memory, int]], after: Place | None) -> Page:
        rest = [held for held in side if after is None or Place.of(held[0]) < after]
        shown = tuple(memory for memory, _ in rest[: min(limit, rest[0][1])]) if rest else ()
        return Page(shown, Place.of(shown[-1]) if len(shown) < len(rest) else None)

    seen: list[Memory] = []
    after: Place | None = None
    while True:
        together = merged([page(side, after) for side in sides], limit)
        assert len(together.memories) <= limit
        seen += together.memories
        after = together.end
        if after is None:
            break
    everything = [memory for side in sides for memory, _ in side]
    assert seen == sorted(everything, key=Place.of, reverse=True)


def test_what_moves_to_a_later_list_while_they_are_read_stands_once() -> None:
    before, now = a_memory(), a_memory(branch_state=BranchState.DEPRECATED)
    assert merged([Page((before,), None), Page((now,), None)], 5) == Page((now,), None)
