"""The memories that pass a filter, of all chunks, and which of them are worth weighing.

Each has a place: chunks stand one behind the other in the order in which they were looked at.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import accumulate, chain, pairwise
from typing import Literal

import numpy as np

from metacortex.adapters.sqlite.chunks import read_vectors
from metacortex.adapters.sqlite.legs import (
    Looked,
    Places,
    Scores,
    exact_cosines,
    highest,
    windows_of,
)
from metacortex.adapters.sqlite.records import Codes, Floats, Integers
from metacortex.domain.neighbours import REACH
from metacortex.domain.ranking import EACH_LEG
from metacortex.domain.vector import EmbeddingSpace
from metacortex.domain.words.bm25 import K1, B, term_weight

_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a memory without reading it."""

    place: int
    key: int
    id: str
    created_at: int
    importance: float
    session: int
    """A negative number where there is none."""


class Pool:
    """What passes the filter of one search, in one snapshot."""

    def __init__(self, connection: sqlite3.Connection, looked: Sequence[Looked]) -> None:
        self._connection = connection
        self._looked = looked
        self._ends = [*accumulate(len(each.rows) for each in looked)]
        self._starts = [0, *self._ends][:-1]
        self.size = self._ends[-1] if looked else 0

    def seen(self, places: Iterable[int]) -> dict[int, Seen]:
        """Return what is known of the memories at these places."""
        found: dict[int, Seen] = {}
        for each, members, rows in self._by_chunk(np.array(sorted(places), dtype=np.intp)):
            told = each.records
            columns = (told.keys, told.ids, told.created_at, told.importances, told.sessions)
            listed = (column[rows].tolist() for column in columns)
            for place, *known in zip(members.tolist(), *listed, strict=True):
                found[place] = Seen(place, *known)
        return found

    def nearest(self) -> dict[int, float]:
        """Return the cosines of those that may be among the best by meaning, by place."""
        found: dict[int, float] = {}
        for start, each in zip(self._starts, self._looked, strict=True):
            found |= zip((each.nearest + start).tolist(), each.cosines.tolist(), strict=True)
        return found

    def cosines(
        self, places: Iterable[int], query: Floats, space: EmbeddingSpace
    ) -> dict[int, float]:
        """Return the exact cosines of the memories at these places, by place."""
        found: dict[int, float] = {}
        for each, members, rows in self._by_chunk(np.array(sorted(places), dtype=np.intp)):
            if each.vectors is None:
                vectors = read_vectors(self._connection, each.records.keys[rows], space)
            else:
                vectors = windows_of(each.vectors, rows)
            cosines = exact_cosines(vectors, query, len(rows))
            found |= zip(members.tolist(), cosines.tolist(), strict=True)
        return found

    def words(self, terms: int) -> list[Scores]:
        """Do what `bm25.words_share` does, for many: return the shares of each chunk's memories."""
        length = sum(int(each.records.lengths[each.rows].sum()) for each in self._looked)
        weights = [
            term_weight(sum(len(each.holders[n].places) for each in self._looked), self.size)
            for n in range(terms)
        ]
        whole, average = sum(weights), length / max(self.size, 1)
        shares = []
        for each in self._looked:
            held = np.zeros(len(each.rows))
            for weight, holders in zip(weights, each.holders, strict=True):
                lengths = each.records.lengths[each.rows[holders.places]]
                slack = K1 * (1.0 - B + B * lengths / (average or 1.0))
                share = np.minimum(1.0, holders.counts * (1.0 + K1) / (holders.counts + slack))
                held[holders.places] += weight * (0.5 + 0.5 * share)
            shares.append(np.minimum(1.0, held / whole) if whole else held)
        return shares

    def held(self, place: int) -> list[int]:
        """Return which of the terms the memory at this place holds, by their numbers."""
        chunk = bisect_right(self._ends, place)
        own = place - self._starts[chunk]
        holders = self._looked[chunk].holders
        return [n for n, each in enumerate(holders) if (each.places == own).any()]

    def best(self, places: Places, values: Scores) -> list[int]:
        """Return the places of the `EACH_LEG` highest values above 0; equals are cut newest first,
        then by id.
        """
        places, values = places[values > 0.0], values[values > 0.0]
        if len(places) <= EACH_LEG:
            return list(places.tolist())
        floor = highest(values, EACH_LEG)
        above = places[values > floor].tolist()
        return [*above, *self._newest(places[values == floor], EACH_LEG - len(above))]

    def run(self, one: Seen) -> list[int]:
        """Return the places of a memory and of those around it in its session, in their order: by
        `created_at`, then by id.
        """
        places, created_at = self._session(one.session)
        order = np.argsort(created_at, kind="stable")
        places, created_at = places[order], created_at[order]
        own, end = (int(np.searchsorted(created_at, one.created_at, side)) for side in _SIDES)
        first = created_at[max(own - REACH, 0)]
        last = created_at[min(end + REACH, len(places)) - 1]
        chosen = (created_at >= first) & (created_at <= last)
        around: list[int] = places[chosen].tolist()
        if not np.diff(created_at[chosen]).all():
            # Which of several of one moment stands first, only their ids tell.
            seen = self.seen(around)
            around.sort(key=lambda place: (seen[place].created_at, seen[place].id))
        at = around.index(one.place)
        return around[max(0, at - REACH) : at + REACH + 1]

    def _session(self, session: int) -> tuple[Places, Integers]:
        """Return the places of a session's memories, and when they were made."""
        places, created_at = [np.empty(0, np.intp)], [np.empty(0, np.int64)]
        for start, each, sessions in zip(self._starts, self._looked, self._sessions, strict=True):
            members = np.flatnonzero(sessions == session)
            places.append(members + start)
            created_at.append(each.records.created_at[each.rows[members]])
        return np.concatenate(places), np.concatenate(created_at)

    @cached_property
    def _sessions(self) -> list[Codes]:
        return [each.records.sessions[each.rows] for each in self._looked]

    def _newest(self, places: Places, count: int) -> list[int]:
        made = [each.records.created_at[rows] for each, _, rows in self._by_chunk(places)]
        created_at = np.concatenate(made)
        floor = np.partition(created_at, -count)[-count]
        newer = places[created_at > floor].tolist()
        equal = places[created_at == floor]
        ids = (each.records.ids[rows].tolist() for each, _, rows in self._by_chunk(equal))
        named = zip(chain.from_iterable(ids), equal.tolist(), strict=True)
        return [*newer, *(place for _, place in nsmallest(count - len(newer), named))]

    def _by_chunk(self, places: Places) -> Iterator[tuple[Looked, Places, Places]]:
        """Yield each chunk with those of these places, which must rise, that are in it, and with
        their rows.
        """
        bounds = np.searchsorted(places, [*self._starts, self.size])
        for (first, last), start, each in zip(
            pairwise(bounds.tolist()), self._starts, self._looked, strict=True
        ):
            if first < last:
                members = places[first:last]
                yield each, members, each.rows[members - start]
