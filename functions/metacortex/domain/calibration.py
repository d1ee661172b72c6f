"""Where the zero of an embedding space lies: the cosine of texts that have nothing in common.

One model gives such texts 0.05, another 0.75. Every model is measured by the same few sentences, so
that a score means the same with each.
"""

from collections.abc import Sequence
from itertools import combinations
from operator import mul

PROBES = (
    "The ferry to the islands leaves at noon.",
    "Knead the dough for eight minutes.",
    "How do I reset my password?",
    "My sister plays the violin in an orchestra.",
    "Der Mietvertrag endet im Juni.",
    "The test fails with a null pointer exception.",
    "Le chat dort sur le canapé.",
    "Quarterly revenue rose by four percent.",
    "Which vaccines does a puppy need?",
    "明日の会議は三時からです。",
)
"""Short texts of as many subjects, two of them questions."""


def unrelated_cosine(vectors: Sequence[Sequence[float]]) -> float:
    """Return the mean cosine of all pairs of the unit vectors of `PROBES`."""
    cosines: list[float] = [sum(map(mul, one, other)) for one, other in combinations(vectors, 2)]
    return sum(cosines) / len(cosines)
