"""The set of contradictions: what is told of it may get better, and not worse."""

from bench.facts import judged

FLOORS = {
    "even": dict.fromkeys(
        ("negation", "antonym", "number", "date", "predicate_alias", "multi_value", "none"),
        (0.95, 0.95),
    ),
    "odd": {
        "negation": (0.95, 0.8),
        "antonym": (0.95, 0.85),
        "number": (0.9, 0.9),
        "date": (0.95, 0.85),
        "predicate_alias": (0.95, 0.8),
        "multi_value": (0.64, 0.85),
        "none": (0.82, 0.89),
    },
}
"""Precision and recall of each kind."""


def test_no_kind_of_contradiction_is_told_worse_than_it_was_measured() -> None:
    below = [
        row
        for row in judged()
        for precision, recall in [FLOORS[row["half"]][row["kind"]]]
        if row["precision"] < precision or row["recall"] < recall
    ]
    assert below == []
