"""Every bound of what is read of the graph stands in the documentation."""

import re

import pytest

from metacortex.adapters.firestore import mentioning
from metacortex.domain.knowledge import activation, asked
from metacortex.domain.words.terms import MOST_QUERY_TERMS
from metacortex.service import associations, knowledge, snapshots, surroundings
from tests.pages import page, section

TABLED = [
    asked.MOST_HOPS_OF_ENTITY,
    asked.MOST_HOPS,
    surroundings.MOST_FOLLOWED,
    surroundings.MOST_ABOUT,
    knowledge.MOST_ACTIVE,
    knowledge.MOST_HISTORY,
    knowledge.MOST_NEAR,
    knowledge.MOST_EPISODES,
    asked.MOST_SHOWN,
    snapshots.MOST_FACTS,
    snapshots.MOST_EPISODES,
    snapshots.MOST_MENTIONING,
    mentioning.MOST_LOOKED_AT,
]


def test_bounds_stand_in_the_table_in_this_order() -> None:
    rows = re.findall(
        r"^\| ([\d,]+)(?: \*)? \|", section(page("knowledge.md"), "Graph"), re.MULTILINE
    )
    assert rows == [f"{bound:,}" for bound in TABLED]


def test_how_much_of_a_query_counts_is_told() -> None:
    assert f"the first {MOST_QUERY_TERMS:,} different terms" in section(
        page("tools.md"), "search_context"
    )


@pytest.mark.parametrize(
    ("bound", "told"),
    [
        (activation.MOST_REACHED, "At most {} facts come along"),
        (associations.MOST_SPREAD, "at most {} entities, the most closely linked"),
    ],
)
def test_bounds_of_what_comes_to_mind_are_told(bound: int, told: str) -> None:
    assert told.format(bound) in section(page("knowledge.md"), "Graph")
