"""Which of many windows are nearest to a query, exactly and the same on every path.

Scores of 32-bit matrix products differ in their last digits with the shape of the matrix. They only
choose who is near enough; those few are scored again row by row in 64 bits, and it is these scores
that rank.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from metacortex.adapters.sqlite.windows import Floats, Integers, Rows, Windows

_MARGIN = 2e-5
"""More than a 32-bit score and the rounding of an exact one can differ by."""
_UNITS = 1_000_000
"""Scores are compared in whole millionths: what is equal when shown is equal when ranked."""
_BLAS = ThreadpoolController()
_WORTH_A_THREAD = 20_000
"""Rows that take long enough to share their product among the processors."""
_DENSE = 3
"""Where more than one row in so many is chosen, multiplying all is faster than gathering some."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Memories, best first and then newest first. Parallel arrays."""

    scores: Integers
    """In millionths."""
    created_at: Integers
    keys: Integers

    def top(self, limit: int) -> "Ranking":
        """Return the best `limit` memories, each once, and all that stand equal to the last."""
        order = np.lexsort((-self.created_at, -self.scores))
        first = np.unique(self.keys[order], return_index=True)[1]
        order = order[np.sort(first)]
        if len(order) > limit:
            last = order[limit - 1]
            equal = self.scores[order] == self.scores[last]
            equal &= self.created_at[order] == self.created_at[last]
            order = order[: np.flatnonzero(equal)[-1] + 1]
        return Ranking(self.scores[order], self.created_at[order], self.keys[order])


def rank(windows: Windows, rows: Rows, query: Floats, limit: int) -> Ranking:
    """Return the nearest of the chosen rows, as `Ranking.top` does."""
    cosines = _cosines(windows.vectors, rows, query)
    near = _near_enough(cosines, windows.keys[rows], limit)
    chosen = rows[near]
    exact = np.zeros(len(chosen))
    above = cosines[near] > -_MARGIN
    exact[above] = _exact(windows.vectors[chosen[above]], query)
    scores = np.rint(np.clip(exact, 0.0, 1.0) * _UNITS).astype(np.int64)
    return Ranking(scores, windows.created_at[chosen], windows.keys[chosen]).top(limit)


def best(rankings: Iterable[Ranking], limit: int) -> Ranking:
    """Return the best of several rankings as one."""
    parts = list(rankings)
    return Ranking(
        _joined([part.scores for part in parts]),
        _joined([part.created_at for part in parts]),
        _joined([part.keys for part in parts]),
    ).top(limit)


def cosine(score: int) -> float:
    """Return the cosine that a ranked score stands for."""
    return score / _UNITS


def _cosines(vectors: Floats, rows: Rows, query: Floats) -> Floats:
    # A second thread of BLAS halves a large product, but on a busy machine it spins for twenty
    # milliseconds over a small one.
    threads = 1 if len(rows) < _WORTH_A_THREAD else None
    with _BLAS.limit(limits=threads, user_api="blas"):
        return _product(vectors, rows, query)


def _product(vectors: Floats, rows: Rows, query: Floats) -> Floats:
    if len(rows) == len(vectors):
        return vectors @ query
    if len(rows) * _DENSE > len(vectors):
        return (vectors @ query)[rows]
    return vectors[rows] @ query


def _near_enough(cosines: Floats, keys: Integers, limit: int) -> Rows:
    """Return where the windows stand that may belong to the best `limit` memories."""
    near = np.maximum(cosines, 0.0)
    firsts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    best_windows = near if len(firsts) == len(keys) else np.maximum.reduceat(near, firsts)
    if len(best_windows) <= limit:
        return np.arange(len(cosines))
    floor = np.partition(best_windows, -limit)[-limit]
    return np.flatnonzero(near >= floor - 2 * _MARGIN)


def _exact(vectors: Floats, query: Floats) -> npt.NDArray[np.float64]:
    # Vectors of 32 bits miss unit length by as much as the last digit that a score shows.
    rows, asked = vectors.astype(np.float64), query.astype(np.float64)
    lengths = np.sqrt((rows * rows).sum(axis=1) * (asked * asked).sum())
    cosines: npt.NDArray[np.float64] = (rows * asked).sum(axis=1) / lengths
    return cosines


def _joined(parts: list[Integers]) -> Integers:
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])
