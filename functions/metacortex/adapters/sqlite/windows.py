"""Vectors with what they are filtered and ordered by, one row for each window of a memory."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.search import MemoryFilter

Floats: TypeAlias = npt.NDArray[np.float32]
Integers: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Rows: TypeAlias = npt.NDArray[np.intp]

BATCH = 8_192
"""How many windows are read in one piece."""

WINDOW_COLUMNS = (
    "m.key, m.created_at,"
    " coalesce(m.valid_from, -9223372036854775808), coalesce(m.valid_until, 9223372036854775807),"
    " m.namespace, m.topic, m.branch_state, v.vector"
)
"""What `read_windows` expects of a SELECT: `m` is a memory and `v` one of its vectors.

An open bound of the valid time is beyond all times.
"""

_STATES = {state: code for code, state in enumerate(BranchState)}
_GONE = -1
"""The state of a row that no search may find, because a later row stands for its memory."""


class Names:
    """Small numbers for the namespaces and topics of one tenant."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def learn(self, names: tuple[str, ...]) -> Codes:
        """Return the number of each name, giving numbers to those that have none."""
        codes = self._codes
        return np.array([codes.setdefault(name, len(codes)) for name in names], dtype=np.int32)

    def known(self, names: tuple[str, ...]) -> list[int]:
        """Return the numbers of those names that have one."""
        return [self._codes[name] for name in names if name in self._codes]


@dataclass(frozen=True, slots=True)
class Windows:
    """Parallel arrays. The windows of one memory stand together."""

    keys: Integers
    created_at: Integers
    valid_from: Integers
    valid_until: Integers
    namespaces: Codes
    topics: Codes
    states: Codes
    vectors: Floats

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def nbytes(self) -> int:
        """How much memory the arrays take."""
        return sum(column.nbytes for column in self._columns())

    def part(self, start: int, stop: int) -> "Windows":
        """Return the rows from `start` up to `stop`, sharing their memory."""
        return Windows(*(column[start:stop] for column in self._columns()))

    def with_room(self, capacity: int) -> "Windows":
        """Return a copy with room for `capacity` rows; new ones are undefined."""
        return Windows(*(_with_room(column, capacity) for column in self._columns()))

    def put(self, start: int, arrived: "Windows") -> None:
        """Write `arrived` over the rows that begin at `start`."""
        for column, values in zip(self._columns(), arrived._columns(), strict=True):
            column[start : start + len(values)] = values

    def without(self, keys: Integers) -> "Windows":
        """Return the same rows with those of these memories marked as gone.

        Who holds the former rows sees no change.
        """
        gone = np.isin(self.keys, keys)
        return replace(self, states=np.where(gone, _GONE, self.states)) if gone.any() else self

    def passing(self, where: MemoryFilter, names: Names) -> Rows:
        """Return which rows pass the filter, in order."""
        passing = self.states == _STATES[where.branch_state]
        if where.topic is not None:
            passing &= _among(self.topics, names.known((where.topic,)))
        if where.namespaces is not None:
            passing &= _among(self.namespaces, names.known(where.namespaces))
        rows = np.flatnonzero(passing)
        valid = self.valid_from[rows] <= where.valid_at
        valid &= self.valid_until[rows] > where.valid_at
        return rows if valid.all() else rows[valid]

    def gone(self) -> int:
        """Return how many rows are marked as gone."""
        return int(np.count_nonzero(self.states == _GONE))

    def _columns(self) -> Iterator[npt.NDArray[Any]]:
        return (getattr(self, field.name) for field in fields(self))


def read_windows(cursor: sqlite3.Cursor, dimension: int, names: Names) -> Iterator[Windows]:
    """Yield what a SELECT of `WINDOW_COLUMNS` finds, at most `BATCH` rows at a time."""
    while found := cursor.fetchmany(BATCH):
        keys, created_at, valid_from, valid_until, namespaces, topics, states, vectors = zip(
            *found, strict=True
        )
        yield Windows(
            np.array(keys, dtype=np.int64),
            np.array(created_at, dtype=np.int64),
            np.array(valid_from, dtype=np.int64),
            np.array(valid_until, dtype=np.int64),
            names.learn(namespaces),
            names.learn(topics),
            np.array([_STATES[BranchState(state)] for state in states], dtype=np.int32),
            np.frombuffer(b"".join(vectors), dtype=np.float32).reshape(-1, dimension),
        )


def _among(column: Codes, codes: list[int]) -> npt.NDArray[np.bool_]:
    return column == codes[0] if len(codes) == 1 else np.isin(column, codes)


def _with_room(column: npt.NDArray[Any], capacity: int) -> npt.NDArray[Any]:
    roomy = np.empty((capacity, *column.shape[1:]), dtype=column.dtype)
    roomy[: len(column)] = column
    return roomy
