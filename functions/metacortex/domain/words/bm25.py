"""How well a memory holds the words of a query: BM25, read as a share of the query.

A term weighs its inverse document frequency among the memories that pass the filter: what is rare
where one searches tells most. Half of a term's weight counts as soon as the memory holds it, the
other half by how often, seen against the memory's length, as in Okapi BM25 (Robertson and Zaragoza,
"The Probabilistic Relevance Framework: BM25 and Beyond", 2009; the logarithm with 1 + as in
Lucene). Divided by the weight of the whole query it lies in [0, 1], and a term that no memory holds
lowers it for all.
"""

from collections.abc import Iterable, Mapping
from math import log

K1 = 0.6
B = 0.2
"""Measured on chats: texts of a sentence or two hardly repeat a word, and a longer one is no worse.
"""

UNSEEN = 100
"""A store is weighed as if it held this many memories more, of other words: what a handful of
memories has in common is not what is common in the world.
"""


def term_weight(frequency: int, memories: int) -> float:
    """Return the weight of a term that `frequency` of `memories` hold."""
    return log(1.0 + (memories + UNSEEN - frequency + 0.5) / (frequency + 0.5))


def term_weights(
    terms: Iterable[str], frequencies: Mapping[str, int], memories: int
) -> dict[str, float]:
    """Return the weight of each term of a query; a term without a frequency is in no memory."""
    return {term: term_weight(frequencies.get(term, 0), memories) for term in terms}


def term_share(count: int, length: int, average_length: float) -> float:
    """Return which share of its weight a term gives that occurs `count` times among `length`
    terms: 0 if it does not occur.
    """
    if not count:
        return 0.0
    slack = K1 * (1.0 - B + B * length / average_length)
    return 0.5 + 0.5 * min(1.0, count * (1.0 + K1) / (count + slack))


def words_share(
    weights: Mapping[str, float], counts: Mapping[str, int], length: int, average_length: float
) -> float:
    """Return the share of a query's weight that a memory holds; 0 for a query without terms.

    `counts` tells how often the memory holds each term, `length` how many terms it has in all.
    """
    whole = sum(weights.values())
    held = sum(
        weight * term_share(counts.get(term, 0), length, average_length)
        for term, weight in weights.items()
    )
    return min(1.0, held / whole) if whole else 0.0
