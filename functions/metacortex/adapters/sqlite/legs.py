"""The two legs of a search over one chunk: how near each memory is, and which of the words it
holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from metacortex.adapters.sqlite.chunks import Chunk, Vectors
from metacortex.adapters.sqlite.records import Codes, Floats, Integers, Mask, Records
from metacortex.domain.ranking import EACH_LEG

Scores: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.intp]
Values: TypeAlias = Floats | Scores | Integers

NO_VECTOR = -2.0
"""The cosine of a memory without a vector in the space: below all that can be."""
MARGIN = 2e-5
"""More than a 32-bit cosine and its exact value can differ by."""
_PIECE = 4_096
"""How many windows are computed again at a time, to bound what they take in memory."""
_LONG = 64
"""Runs of rows that are longer than this on average are multiplied where they stand."""
_TALL = 32
_DENSE = 3
"""Where more than one row in so many is chosen, multiplying all is faster than gathering some."""


@dataclass(frozen=True, slots=True)
class Holders:
    """Who of the passing memories holds one term of the query, and how often."""

    places: Places
    """Into `Looked.rows`."""
    counts: Scores


@dataclass(frozen=True, slots=True)
class Looked:
    """What a chunk holds for a question, among the memories that pass its filter."""

    records: Records
    rows: Places
    """Where in the records the passing memories stand."""
    nearest: Places
    """Into `rows`: all that may be among the best by meaning, and perhaps a few more."""
    cosines: Scores
    """Those of `nearest`, in 64 bits."""
    holders: Sequence[Holders]
    """One of each term."""
    vectors: Vectors | None
    """Those of the chunk, where it stays in memory."""


def look(
    chunk: Chunk,
    records: Records,
    passing: Mask,
    query: Floats | None,
    digests: Sequence[int],
    *,
    stays: bool,
) -> Looked:
    """Return what a chunk of these records holds for a query and its terms among the passing."""
    rows = np.flatnonzero(passing)
    # What is filtered by stands together, so most of what does not pass stands outside of these.
    bounds = np.array((rows[0], rows[-1] + 1), dtype=np.int32)
    vectors = chunk.vectors.used
    nearest, cosines = _nearest(vectors, passing, rows, bounds, query)
    place_of_row = np.empty(len(passing), dtype=np.intp)
    place_of_row[rows] = np.arange(len(rows))
    holders = [_holders(chunk, passing, bounds, place_of_row, digest) for digest in digests]
    return Looked(records, rows, nearest, cosines, holders, vectors if stays else None)


def exact_cosines(vectors: Vectors, query: Floats, memories: int) -> Scores:
    """Return the cosine of the best window of each of so many memories.

    In 64 bits and row by row: those of a 32-bit product differ in their last digits with the shape
    of the matrix.
    """
    cosines = np.full(memories, NO_VECTOR)
    asked = query.astype(np.float64)
    asked_length = np.vecdot(asked, asked)
    for start in range(0, len(vectors.rows), _PIECE):
        windows = vectors.vectors[start : start + _PIECE].astype(np.float64)
        # Vectors of 32 bits miss unit length by as much as the last digit that a score shows.
        lengths = np.sqrt(np.vecdot(windows, windows) * asked_length)
        rows = vectors.rows[start : start + _PIECE]
        np.maximum.at(cosines, rows, np.vecdot(windows, asked) / lengths)
    return cosines


def windows_of(vectors: Vectors, rows: Places) -> Vectors:
    """Return the windows of the memories in these rows of a chunk, in the order of the memories."""
    # Of the same type: else all that is searched would be copied.
    sought = rows.astype(vectors.rows.dtype)
    starts = vectors.rows.searchsorted(sought, "left")
    counts = vectors.rows.searchsorted(sought, "right") - starts
    ends = counts.cumsum()
    windows = np.arange(ends[-1]) + np.repeat(starts - ends + counts, counts)
    owners = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
    return Vectors(owners, vectors.vectors[windows])


def _holders(
    chunk: Chunk, passing: Mask, bounds: Codes, place_of_row: Places, digest: int
) -> Holders:
    holders, counts = chunk.postings.of(digest)
    start, stop = holders.searchsorted(bounds)
    within = holders[start:stop]
    chosen = passing[within]
    return Holders(place_of_row[within[chosen]], counts[start:stop][chosen].astype(np.float64))


def _nearest(
    vectors: Vectors, passing: Mask, rows: Places, bounds: Codes, query: Floats | None
) -> tuple[Places, Scores]:
    """Return who may be among the best of all chunks, and their cosines."""
    start, stop = vectors.rows.searchsorted(bounds)
    windows = start + np.flatnonzero(passing[vectors.rows[start:stop]])
    if query is None or not len(windows):
        return np.empty(0, np.intp), np.empty(0)
    of_window = products(vectors.vectors, windows, query)
    near = windows[_near_enough(of_window, vectors.rows[windows])]
    # The windows of a memory stand together.
    firsts = np.diff(vectors.rows[near], prepend=-1) != 0
    places = np.searchsorted(rows, vectors.rows[near[firsts]])
    chosen = Vectors((np.cumsum(firsts) - 1).astype(np.int32), vectors.vectors[near])
    return places, exact_cosines(chosen, query, len(places))


def _near_enough(of_window: Floats, owners: Codes) -> Places:
    """Return where the windows stand that may make their memory one of the best."""
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))
    best = of_window if len(firsts) == len(owners) else np.maximum.reduceat(of_window, firsts)
    if len(best) <= EACH_LEG:
        return np.arange(len(of_window))
    floor = highest(best, EACH_LEG)
    return np.flatnonzero(of_window >= floor - 4 * MARGIN)


def highest(values: Values, count: int) -> float:
    """Return the last of the `count` highest of more values than that."""
    # Among the highest of each column are so many of the highest of all, and looking for those is
    # several times faster than putting all values in their places.
    columns = len(values) // _TALL
    if columns > count:
        tops = values[: columns * _TALL].reshape(_TALL, columns).max(axis=0)
        values = values[values >= np.partition(tops, -count)[-count]]
    return float(np.partition(values, -count)[-count])


def products(vectors: Floats, rows: Places, query: Floats) -> Floats:
    """Return the product of each of these rows, which rise, with a query."""
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    if len(breaks) * _LONG < len(rows):
        return _products_of_runs(vectors, rows, [0, *breaks.tolist(), len(rows)], query)
    if len(rows) * _DENSE > len(vectors):
        return _dots(vectors, query)[rows]
    return _dots(vectors[rows], query)


def _products_of_runs(
    vectors: Floats, rows: Places, bounds: Sequence[int], query: Floats
) -> Floats:
    products = np.empty(len(rows), dtype=np.float32)
    for start, stop in pairwise(bounds):
        products[start:stop] = _dots(vectors[rows[start] : rows[stop - 1] + 1], query)
    return products


def _dots(vectors: Floats, query: Floats) -> Floats:
    # Row by row on one thread, which is as fast as memory is read. A product of a matrix would wake
    # a second thread of BLAS, which on a busy machine spins for twenty milliseconds.
    dots: Floats = np.vecdot(vectors, query)
    return dots
