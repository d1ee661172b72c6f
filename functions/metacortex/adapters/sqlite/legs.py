"""The two legs of a search over one chunk: how near each memory is, and which of the words it
holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from metacortex.adapters.sqlite.chunks import Chunk, Vectors
from metacortex.adapters.sqlite.records import Codes, Floats, Integers, Mask

Scores = npt.NDArray[np.float64]

NO_VECTOR = -2.0
"""The cosine of a memory without a vector in the space: below all that can be."""
MARGIN = 2e-5
"""More than a 32-bit cosine and its exact value can differ by."""
_BLAS = ThreadpoolController()
_WORTH_A_THREAD = 20_000
"""Rows that take long enough to share their product among the processors."""
_DENSE = 3
"""Where more than one row in so many is chosen, multiplying all is faster than gathering some."""


@dataclass(frozen=True, slots=True)
class Holders:
    """Who of the passing memories holds one term of the query, and how often."""

    places: npt.NDArray[np.intp]
    """Into the arrays of `Looked`."""
    counts: Floats


@dataclass(frozen=True, slots=True)
class Looked:
    """What a chunk holds for a question: parallel arrays of the memories that pass its filter, and
    the holders of each term.
    """

    keys: Integers
    created_at: Integers
    importances: Floats
    sessions: Codes
    lengths: Codes
    cosines: Scores
    holders: Sequence[Holders]


def look(
    chunk: Chunk, passing: Mask, query: Floats | None, digests: Sequence[int], exact: int
) -> Looked:
    """Return what a chunk holds for a query and its terms among the passing memories.

    The cosines of the `exact` nearest are computed again in 64 bits, row by row: those of a 32-bit
    product differ in their last digits with the shape of the matrix.
    """
    records = chunk.records.used
    rows = np.flatnonzero(passing)
    return Looked(
        records.keys[rows],
        records.created_at[rows],
        records.importances[rows],
        records.sessions[rows],
        records.lengths[rows],
        _cosines(chunk.vectors.used, passing, rows, query, exact),
        [_holders(chunk, passing, rows, digest) for digest in digests],
    )


def _holders(chunk: Chunk, passing: Mask, rows: npt.NDArray[np.intp], digest: int) -> Holders:
    holders, counts = chunk.postings.of(digest)
    chosen = passing[holders]
    return Holders(np.searchsorted(rows, holders[chosen]), counts[chosen].astype(np.float32))


def _cosines(
    vectors: Vectors,
    passing: Mask,
    rows: npt.NDArray[np.intp],
    query: Floats | None,
    exact: int,
) -> Scores:
    """Return the cosine of the best window of each passing memory."""
    cosines = np.full(len(rows), NO_VECTOR)
    if query is None or not len(vectors.rows):
        return cosines
    windows = np.flatnonzero(passing[vectors.rows])
    if not len(windows):
        return cosines
    of_window = _products(vectors.vectors, windows, query)
    owners = vectors.rows[windows]
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))
    places = np.searchsorted(rows, owners[firsts])
    best = of_window if len(firsts) == len(owners) else np.maximum.reduceat(of_window, firsts)
    cosines[places] = best
    near = _near_enough(of_window, best, exact)
    again = _exact(vectors.vectors[windows[near]], query)
    exact_places = np.searchsorted(rows, owners[near])
    cosines[exact_places] = NO_VECTOR
    np.maximum.at(cosines, exact_places, again)
    return cosines


def _exact(vectors: Floats, query: Floats) -> Scores:
    # Vectors of 32 bits miss unit length by as much as the last digit that a score shows.
    rows, asked = vectors.astype(np.float64), query.astype(np.float64)
    lengths = np.sqrt((rows * rows).sum(axis=1) * (asked * asked).sum())
    cosines: Scores = (rows * asked).sum(axis=1) / lengths
    return cosines


def _near_enough(of_window: Floats, best: Floats, exact: int) -> npt.NDArray[np.intp]:
    """Return where the windows stand that may belong to the best `exact` memories."""
    if len(best) <= exact:
        return np.arange(len(of_window))
    floor = np.partition(best, -exact)[-exact]
    return np.flatnonzero(of_window >= floor - 2 * MARGIN)


def _products(vectors: Floats, rows: npt.NDArray[np.intp], query: Floats) -> Floats:
    # A second thread of BLAS halves a large product, but on a busy machine it spins for twenty
    # milliseconds over a small one.
    threads = 1 if len(rows) < _WORTH_A_THREAD else None
    with _BLAS.limit(limits=threads, user_api="blas"):
        if len(rows) == len(vectors):
            return vectors @ query
        if len(rows) * _DENSE > len(vectors):
            return (vectors @ query)[rows]
        return vectors[rows] @ query
