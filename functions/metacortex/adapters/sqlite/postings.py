"""Which memories hold a term, and how often: the inverted index of one chunk of memories.

Terms are known by 64 bits of their digest. The index is a few sorted segments: each arrival is one,
and segments of like size are merged, so that a row is copied a logarithmic number of times.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metacortex.adapters.sqlite.terms import CELL

Digests = npt.NDArray[np.uint64]

_DIGEST, _COUNT = np.dtype("<u8"), np.dtype("<u2")


@dataclass(frozen=True, slots=True)
class Segment:
    """Parallel arrays, ordered by the digest of the term and then by the row of the memory."""

    digests: Digests
    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.uint16]

    @property
    def nbytes(self) -> int:
        """How much memory the arrays take."""
        return self.digests.nbytes + self.rows.nbytes + self.counts.nbytes


def read_terms(cells: Sequence[bytes | None], first_row: int) -> Segment:
    """Return the postings of memories in their order, whose stored terms these are; the first
    memory has the row `first_row`. One without terms is in none.
    """
    sizes = [len(cell or b"") // CELL for cell in cells]
    digests = b"".join(cell[: size * 8] for cell, size in zip(cells, sizes, strict=True) if cell)
    counts = b"".join(cell[size * 8 :] for cell, size in zip(cells, sizes, strict=True) if cell)
    rows = np.repeat(np.arange(first_row, first_row + len(cells), dtype=np.int32), sizes)
    return _ordered(
        np.frombuffer(digests, dtype=_DIGEST), rows, np.frombuffer(counts, dtype=_COUNT)
    )


@dataclass(frozen=True, slots=True)
class Postings:
    """The segments of one chunk, oldest first."""

    segments: tuple[Segment, ...] = ()

    @property
    def nbytes(self) -> int:
        """How much memory the segments take."""
        return sum(segment.nbytes for segment in self.segments)

    def with_segment(self, arrived: Segment) -> "Postings":
        """Return the postings with those of more memories behind them."""
        segments = [*self.segments, arrived]
        while len(segments) > 1 and len(segments[-2].rows) < 2 * len(segments[-1].rows):
            segments[-2:] = [_merged(*segments[-2:])]
        return Postings(tuple(segments))

    def of(self, digest: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint16]]:
        """Return the rows of the memories that hold a term, and how often each does."""
        sought = np.uint64(digest)
        found = []
        for segment in self.segments:
            start = int(segment.digests.searchsorted(sought, "left"))
            stop = int(segment.digests.searchsorted(sought, "right"))
            if start < stop:
                found.append((segment.rows[start:stop], segment.counts[start:stop]))
        if len(found) == 1:
            return found[0]
        return (
            np.concatenate([np.empty(0, np.int32), *(rows for rows, _ in found)]),
            np.concatenate([np.empty(0, np.uint16), *(counts for _, counts in found)]),
        )


def _merged(older: Segment, newer: Segment) -> Segment:
    return _ordered(
        np.concatenate([older.digests, newer.digests]),
        np.concatenate([older.rows, newer.rows]),
        np.concatenate([older.counts, newer.counts]),
    )


def _ordered(
    digests: Digests, rows: npt.NDArray[np.int32], counts: npt.NDArray[np.uint16]
) -> Segment:
    order = np.argsort(digests, kind="stable")
    return Segment(digests[order], rows[order], counts[order])
