"""The memories of a tenant that were found last, as they stood at the moment of its corpus.

Reading a row takes as long as weighing it, and the same memories are found again and again.
"""

import sqlite3
from collections.abc import Iterable, Mapping

from metacortex.adapters.sqlite.lookup import by_keys
from metacortex.domain.memory import Memory

MOST = 1_024
"""Beyond so many it begins anew."""
LONGEST = 2_000
"""Longer texts are read each time."""
_BYTES_OF_MEMORY = 4_096


class Recent:
    """Memories by the keys of their rows. Threads share it."""

    def __init__(self, memory_by_key: Mapping[int, Memory] | None = None) -> None:
        self._memory_by_key = dict(memory_by_key or {})

    @property
    def nbytes(self) -> int:
        """About how much memory they take, at most."""
        return len(self._memory_by_key) * _BYTES_OF_MEMORY

    def without(self, keys: Iterable[int]) -> "Recent":
        """Return those that are left when these are gone or have changed."""
        left = self._memory_by_key.copy()
        for key in keys:
            left.pop(key, None)
        return Recent(left)

    def of(self, connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, Memory]:
        """Return the memories of these rows, reading those that are not here in a snapshot of the
        moment of the corpus.
        """
        here = self._memory_by_key
        found = {key: here[key] for key in keys if key in here}
        if missing := [key for key in keys if key not in found]:
            read = by_keys(connection, missing)
            self._keep(read)
            found |= read
        return found

    def _keep(self, read: Mapping[int, Memory]) -> None:
        short = {
            key: each
            for key, each in read.items()
            if len(each.content) + len(each.retrieval_text or "") <= LONGEST
        }
        full = len(self._memory_by_key) + len(short) > MOST
        # Put in its place whole: another thread may be looking at what was there.
        self._memory_by_key = short if full else self._memory_by_key | short
