"""The memories of a tenant that were read last, as they stood at one moment.

Reading a row takes as long as weighing it, and the same memories are found again and again: by a
search, and by what a query names.
"""

import sqlite3
from collections.abc import Iterable, Mapping

from metacortex.adapters.sqlite.cache import Cache
from metacortex.adapters.sqlite.lookup import by_keys
from metacortex.adapters.sqlite.progress import Progress, changed_since, progress_of
from metacortex.domain.memory import Memory

MOST = 1_024
"""Beyond so many it begins anew; of more that are read at once none is kept."""
LONGEST = 2_000
"""Longer texts are read each time."""
_BYTES_OF_MEMORY = 4_096


class Recent:
    """Memories by the keys of their rows, as they stood at `progress`. Threads share it."""

    def __init__(
        self, progress: Progress, memory_by_key: Mapping[int, Memory] | None = None
    ) -> None:
        self.progress = progress
        self._memory_by_key = dict(memory_by_key or {})

    @property
    def nbytes(self) -> int:
        """About how much memory they take, at most."""
        return len(self._memory_by_key) * _BYTES_OF_MEMORY

    def at(self, progress: Progress, changed: Iterable[int]) -> "Recent":
        """Return those that are left at a later moment, when these are gone or have changed."""
        left = self._memory_by_key.copy()
        for key in changed:
            left.pop(key, None)
        return Recent(progress, left)

    def of(self, connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, Memory]:
        """Return the memories of these rows, reading those that are not here in a snapshot of this
        moment.
        """
        here = self._memory_by_key
        found = {key: here[key] for key in keys if key in here}
        if missing := [key for key in keys if key not in found]:
            read = by_keys(connection, missing)
            self._keep(read)
            found |= read
        return found

    def _keep(self, read: Mapping[int, Memory]) -> None:
        if len(read) > MOST:
            return
        short = {
            key: each
            for key, each in read.items()
            if len(each.content) + len(each.retrieval_text or "") <= LONGEST
        }
        full = len(self._memory_by_key) + len(short) > MOST
        # Put in its place whole: another thread may be looking at what was there.
        self._memory_by_key = short if full else self._memory_by_key | short


def recent_of(connection: sqlite3.Connection, cache: Cache, tenant: str) -> Recent:
    """Return the memories of a tenant that were read last, as they stand in this snapshot."""
    slot = cache.slot(Recent, (tenant, None))
    with slot.lock:
        progress, held = progress_of(connection, tenant), slot.held
        if held is None or held.progress < progress:
            slot.held = _followed(connection, tenant, held, progress)
        # Another thread may have left those of a later moment than this snapshot is of.
        recent = slot.held if slot.held and slot.held.progress == progress else Recent(progress)
    if held is None:
        cache.trim()
    return recent


def _followed(
    connection: sqlite3.Connection, tenant: str, held: Recent | None, progress: Progress
) -> Recent:
    if held is None or held.progress.generation != progress.generation:
        return Recent(progress)
    return held.at(progress, changed_since(connection, tenant, held.progress))
