"""Memories as columns: what searches filter and order by, one row for each memory."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from metacortex.domain.dates.period import FIRST
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.search import MemoryFilter, TagsMatch

Floats: TypeAlias = npt.NDArray[np.float32]
Integers: TypeAlias = npt.NDArray[np.int64]
Doubles: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]
Texts: TypeAlias = npt.NDArray[np.object_]

STATES = {state: code for code, state in enumerate(BranchState)}
GONE = -1
"""The state of a row that no search may find, because a later row stands for its memory."""


class Names:
    """Small numbers for the namespaces, topics and other labels of one tenant."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self.tags = TagLists()

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


class TagLists:
    """Small numbers for the lists of tags that the memories of one tenant have, and in which lists
    each tag is.
    """

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._lists_by_tag: dict[str, list[int]] = {}

    def learn(self, cells: Iterable[str]) -> Codes:
        """Return the number of each list, as it is stored, giving numbers to those without."""
        return np.array([self._code(cell) for cell in cells], dtype=np.int32)

    def holding(self, tags: Iterable[str], match: TagsMatch) -> list[int]:
        """Return the numbers of the lists that hold any of these tags, or all of them."""
        lists = [{*self._lists_by_tag.get(tag, ())} for tag in tags]
        return [*(set.union if match is TagsMatch.ANY else set.intersection)(*lists)]

    def _code(self, cell: str) -> int:
        code = self._codes.get(cell)
        if code is None:
            code = self._codes[cell] = len(self._codes)
            for tag in json.loads(cell):
                self._lists_by_tag.setdefault(tag, []).append(code)
        return code


@dataclass(frozen=True, slots=True)
class Records:
    """Parallel arrays, one row for each memory. An open bound of valid time is beyond all times."""

    keys: Integers
    ids: Texts
    created_at: Integers
    valid_from: Integers
    valid_until: Integers
    namespaces: Codes
    topics: Codes
    states: Codes
    sessions: Codes
    """A negative number where there is no session."""
    kinds: Codes
    tags: Codes
    """The number of the whole list."""
    clients: Codes
    importances: Doubles
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
        for mask in self._labelled(where, names):
            passing &= mask
        # Times are long columns: they are not read where no label fits.
        if passing.any():
            for mask in self._within(where):
                passing &= mask
        return passing

    def _labelled(self, where: MemoryFilter, names: Names) -> Iterator[Mask]:
        for column, wanted in (
            (self.namespaces, where.namespaces),
            (self.topics, _one(where.topic)),
            (self.kinds, where.kinds or None),
            (self.sessions, _one(where.session_id)),
            (self.clients, _one(where.client)),
        ):
            if wanted is not None:
                yield _among(column, names.known(wanted))
        if where.tags:
            yield _among(self.tags, names.tags.holding(where.tags, where.tags_match))
        if where.min_importance is not None:
            yield self.importances >= where.min_importance

    def _within(self, where: MemoryFilter) -> Iterator[Mask]:
        if where.valid_at is not None:
            yield self.valid_from <= where.valid_at
            yield self.valid_until > where.valid_at
        if where.undated:
            yield self.valid_from < FIRST
        for column, start, end in (
            (self.created_at, where.created_from, where.created_until),
            (self.valid_from, where.started_from, where.started_until),
        ):
            if start is not None:
                yield column >= start
            if end is not None:
                # An open start is before all times.
                yield (column >= FIRST) & (column < end)


def _one(name: str | None) -> tuple[str, ...] | None:
    return None if name is None else (name,)


def _among(column: Codes, codes: list[int]) -> Mask:
    among: Mask = column == codes[0] if len(codes) == 1 else np.isin(column, codes)
    return among
