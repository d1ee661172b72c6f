"""How far the writes of a tenant have come, by which what stays in memory follows the file.

Nothing here needs numpy, which only searches load.
"""

import sqlite3
from dataclasses import dataclass

_SELECT_PROGRESS = "SELECT generation, seq FROM tenants WHERE tenant = ?"
_SELECT_CHANGED = (
    "SELECT key FROM memories WHERE tenant = :tenant AND seq > :seq"
    # What was forgotten has no row any more.
    " UNION ALL SELECT memory FROM changes"
    " WHERE tenant = :tenant AND seq > :seq AND memory IS NOT NULL"
)


@dataclass(frozen=True, slots=True, order=True)
class Progress:
    """How far a tenant's writes have come. A new generation means that rows were deleted."""

    generation: int
    seq: int


def progress_of(connection: sqlite3.Connection, tenant: str) -> Progress:
    """Return how far the tenant's writes have come in this snapshot."""
    return Progress(*(connection.execute(_SELECT_PROGRESS, (tenant,)).fetchone() or (0, 0)))


def changed_since(connection: sqlite3.Connection, tenant: str, progress: Progress) -> list[int]:
    """Return the keys of the rows that were written, or are gone, since an earlier moment of the
    same generation.
    """
    since = {"tenant": tenant, "seq": progress.seq}
    return [key for (key,) in connection.execute(_SELECT_CHANGED, since)]
