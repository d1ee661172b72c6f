"""Which names stand for one thing, in SQLite: an entity's row tells what it was merged into."""

import sqlite3

from metacortex.adapters.sqlite.changes import append, count_write
from metacortex.domain.knowledge.merging import check_room
from metacortex.domain.lifecycle import Change

_UPDATE = "UPDATE entities SET merged_with = ? WHERE tenant = ? AND id = ? AND merged_with IS ?"
_SELECT_ROOT = "SELECT 1 FROM entities WHERE tenant = ? AND id = ? AND merged_with IS NULL"
_COUNT_NAMES = (
    "WITH RECURSIVE names (id) AS (VALUES (?)"
    " UNION SELECT e.id FROM names CROSS JOIN entities AS e"
    " ON e.tenant = ? AND e.merged_with = names.id) SELECT count(*) FROM names"
)


def merge(connection: sqlite3.Connection, tenant: str, change: Change) -> bool:
    """Merge an entity, or undo that, as `EntityStore.merge` tells."""
    into, former = change.after.superseded_by, change.before and change.before.superseded_by
    if into is not None and not connection.execute(_SELECT_ROOT, (tenant, into)).fetchone():
        return False
    if not connection.execute(_UPDATE, (into, tenant, change.subject_id, former)).rowcount:
        return False
    if into is not None:
        # What is refused here takes the update back.
        check_room(_count_names(connection, tenant, into))
    append(connection, tenant, count_write(connection, tenant), change)
    return True


def _count_names(connection: sqlite3.Connection, tenant: str, entity_id: str) -> int:
    bound = (entity_id, tenant)
    return int(connection.execute(_COUNT_NAMES, bound).fetchone()[0])
