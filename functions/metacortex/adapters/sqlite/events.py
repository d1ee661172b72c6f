"""Events in SQLite: the parts that are filtered by in columns, the rest as JSON."""

import json
import sqlite3

from metacortex.adapters.sqlite.database import Database
from metacortex.domain.event import Event, EventFilter, EventStatus, EventType
from metacortex.domain.moment import Milliseconds

_COLUMNS = "id, type, timestamp, client_id, status, latency, body"
_INSERT = (
    f"INSERT INTO events ({_COLUMNS}, tool_name, expires_at, tenant)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SELECT = (
    f"SELECT {_COLUMNS} FROM events WHERE tenant = :tenant"
    " AND (:client_id IS NULL OR client_id = :client_id)"
    " AND (:type IS NULL OR type = :type)"
    " AND (:status IS NULL OR status = :status)"
    " AND (:tool_name IS NULL OR tool_name = :tool_name)"
    " AND (:since IS NULL OR timestamp >= :since)"
    " ORDER BY timestamp DESC, key DESC LIMIT :limit"
)
_PURGE = "DELETE FROM events WHERE expires_at <= ?"


class SqliteEventLog:
    """The `EventLog` of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, tenant: str, event: Event) -> None:
        tool_name = event.body.get("tool_name")
        cells = (
            event.id,
            event.type.value,
            event.timestamp,
            _stored(event.client_id),
            event.status.value,
            event.latency,
            json.dumps(event.body),
            _stored(tool_name) if isinstance(tool_name, str) else None,
            event.expires_at,
            tenant,
        )
        await self._database.write(lambda connection: connection.execute(_INSERT, cells).rowcount)

    async def list(self, tenant: str, where: EventFilter, limit: int) -> tuple[Event, ...]:
        bound = {
            "tenant": tenant,
            "client_id": where.client_id and _stored(where.client_id),
            "type": where.type and where.type.value,
            "status": where.status and where.status.value,
            "tool_name": where.tool_name and _stored(where.tool_name),
            "since": where.since,
            "limit": limit,
        }

        def newest(connection: sqlite3.Connection) -> tuple[Event, ...]:
            found = connection.execute(_SELECT, bound).fetchall()
            return tuple(
                Event(
                    id_,
                    EventType(type_),
                    timestamp,
                    client_id,
                    EventStatus(status),
                    latency,
                    json.loads(body),
                )
                for id_, type_, timestamp, client_id, status, latency, body in reversed(found)
            )

        return await self._database.read(newest)

    async def purge(self, expired_at: Milliseconds) -> int:
        return await self._database.write(
            lambda connection: connection.execute(_PURGE, (expired_at,)).rowcount
        )


def _stored(name: str) -> str:
    # A caller may have made a name up of anything; half a surrogate pair must not cost the event.
    return name.encode("utf-8", "replace").decode()
