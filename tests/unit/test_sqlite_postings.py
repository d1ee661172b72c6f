"""The words of memories as they are stored and as they stand in memory."""

import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.adapters.sqlite import terms
from metacortex.adapters.sqlite.chunks import Vectors
from metacortex.adapters.sqlite.columns import growing, length_of, part
from metacortex.adapters.sqlite.postings import Postings, read_terms
from metacortex.adapters.sqlite.records import Names
from metacortex.adapters.sqlite.terms import CELL, digest_of, dump_terms, dump_text
from metacortex.domain.words.terms import TERM_SPACE, terms_of

WORDS = ["relay", "pump", "valve", "会議", "🚀"]
bags = st.lists(st.sampled_from(WORDS), max_size=8)


def holders(postings: Postings, term: str) -> list[tuple[int, int]]:
    """Return the rows that hold a term, each with how often, in order."""
    rows, counts = postings.of(digest_of(term))
    return sorted(zip(rows.tolist(), counts.tolist(), strict=True))


@given(st.lists(st.lists(bags | st.none(), max_size=4), max_size=8))
def test_postings_that_grew_tell_who_holds_a_term_and_how_often(
    arrivals: list[list[list[str] | None]],
) -> None:
    postings = Postings()
    held: list[Counter[str]] = []
    for arrived in arrivals:
        cells = [None if bag is None else dump_terms(bag) for bag in arrived]
        postings = postings.with_segment(read_terms(cells, first_row=len(held)))
        held += [Counter(bag or ()) for bag in arrived]
    for word in [*WORDS, "absent"]:
        assert holders(postings, word) == [
            (row, bag[word]) for row, bag in enumerate(held) if bag[word]
        ]
    sizes = [len(segment.rows) for segment in postings.segments]
    assert all(older >= 2 * newer for older, newer in pairwise(sizes))
    assert postings.nbytes == sum(map(len, held)) * 14


def test_a_term_of_no_segment_has_no_holders() -> None:
    assert holders(Postings(), "relay") == []


def test_a_memory_with_very_many_terms_keeps_those_that_come_most_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(terms, "MOST_TERMS", 2)
    monkeypatch.setattr(terms, "MOST_TIMES", 3)
    cell = dump_terms([*["relay"] * 5, "pump", "valve", "valve"])
    assert len(cell) == 2 * CELL
    postings = Postings().with_segment(read_terms([cell], first_row=7))
    assert [holders(postings, word) for word in ("relay", "valve", "pump")] == [
        [(7, 3)],
        [(7, 2)],
        [],
    ]


def test_stored_terms_read_the_same_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    here = dump_terms(["relay", "relay"])
    assert here == digest_of("relay").to_bytes(8, "little") + (2).to_bytes(2, "little")
    # What the arrays of a machine of the other order look like before they are turned.
    monkeypatch.setattr(sys, "byteorder", "big")
    assert dump_terms(["relay", "relay"]) == here[7::-1] + here[:7:-1]


@pytest.mark.parametrize("text", ["The relay is in rack C.", "relay " * 5_000, ""])
async def test_a_text_is_stored_with_its_space_its_terms_and_its_length(text: str) -> None:
    assert await dump_text(text) == (TERM_SPACE, dump_terms(terms_of(text)), len(terms_of(text)))


def test_who_reads_a_table_sees_nothing_of_what_arrives_after() -> None:
    def rows(*numbers: int) -> Vectors:
        return Vectors(np.array(numbers, np.int32), np.zeros((len(numbers), 2), np.float32))

    first = growing(rows(1, 2))
    second = first.with_rows(rows(3))
    third = second.with_rows(rows(4))
    assert [table.used.rows.tolist() for table in (first, second, third)] == [
        [1, 2],
        [1, 2, 3],
        [1, 2, 3, 4],
    ]
    assert third.table is not first.table
    assert third.nbytes == length_of(third.table) * (4 + 2 * 4)
    assert part(third.table, 1, 3).rows.tolist() == [2, 3]
    roomy = third.with_rows(rows(5, 6))
    assert roomy.with_rows(rows(7)).table is roomy.table


def test_names_keep_their_numbers() -> None:
    names = Names()
    assert names.learn(("a", "b", "a")).tolist() == [0, 1, 0]
    assert names.learn_sessions((None, "b", "c")).tolist() == [-1, 1, 3]
    assert names.known(("b", "unknown", "a")) == [1, 0]
