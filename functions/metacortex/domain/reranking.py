"""Second thoughts about an order: what a reranker reads, and what becomes of the list."""

from collections.abc import Sequence
from dataclasses import replace

from metacortex.domain.passage import windows
from metacortex.domain.search import Match

LENGTH = 1_500
"""How many characters of a memory a reranker reads: with a query, most of what the models take."""


def passage_for(query: str, text: str) -> str:
    """Return the part of a text to judge it by: of its windows the first of those that hold most
    words of the query.
    """
    if len(text) <= LENGTH:
        return text
    words = set(query.casefold().split())

    def held(window: str) -> int:
        folded = window.casefold()
        return sum(word in folded for word in words)

    return max(windows(text, LENGTH, LENGTH // 8), key=held)


def reordered(matches: Sequence[Match], scores: Sequence[float]) -> tuple[Match, ...]:
    """Return the matches by what a reranker said of each, best first; equals keep their order.

    The scores that the list had stay with its places: a reranker decides the order alone, and its
    numbers, on a scale of each model's own, are not shown.
    """
    order = sorted(range(len(matches)), key=lambda place: -scores[place])
    return tuple(
        replace(matches[chosen], score=place.score)
        for chosen, place in zip(order, matches, strict=True)
    )
