"""Memories as columns: what searches filter and order by, one row for each memory."""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from metacortex.domain.lifecycle import BranchState
from metacortex.domain.search import MemoryFilter

Floats: TypeAlias = npt.NDArray[np.float32]
Integers: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]

STATES = {state: code for code, state in enumerate(BranchState)}
GONE = -1
"""The state of a row that no search may find, because a later row stands for its memory."""


class Names:
    """Small numbers for the namespaces, topics and other labels of one tenant."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def learn(self, names: tuple[str, ...]) -> Codes:
        """Return the number of each name, giving numbers to those that have none."""
        codes = self._codes
        return np.array([codes.setdefault(name, len(codes)) for name in names], dtype=np.int32)

    def learn_sessions(self, names: tuple[str | None, ...]) -> Codes:
        """Return the number of each session, -1 where there is none."""
        known = self.learn(tuple(name or "" for name in names))
        return np.where(np.array([name is None for name in names]), np.int32(-1), known)

    def known(self, names: tuple[str, ...]) -> list[int]:
        """Return the numbers of those names that have one."""
        return [self._codes[name] for name in names if name in self._codes]


@dataclass(frozen=True, slots=True)
class Records:
    """Parallel arrays, one row for each memory. An open bound of valid time is beyond all times."""

    keys: Integers
    created_at: Integers
    valid_from: Integers
    valid_until: Integers
    namespaces: Codes
    topics: Codes
    states: Codes
    sessions: Codes
    """A negative number where there is no session."""
    importances: Floats
    lengths: Codes
    """How many terms the text has."""

    def without(self, keys: Integers) -> "Records":
        """Return the same rows with those of these memories marked as gone.

        Who holds the former rows sees no change.
        """
        gone = np.isin(self.keys, keys)
        return replace(self, states=np.where(gone, GONE, self.states)) if gone.any() else self

    def passing(self, where: MemoryFilter, names: Names) -> Mask:
        """Return which rows pass the filter."""
        passing: Mask = self.states == STATES[where.branch_state]
        if where.topic is not None:
            passing &= _among(self.topics, names.known((where.topic,)))
        if where.namespaces is not None:
            passing &= _among(self.namespaces, names.known(where.namespaces))
        passing &= self.valid_from <= where.valid_at
        passing &= self.valid_until > where.valid_at
        return passing


def _among(column: Codes, codes: list[int]) -> Mask:
    among: Mask = column == codes[0] if len(codes) == 1 else np.isin(column, codes)
    return among
