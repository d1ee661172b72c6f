"""Events in Firestore, each a document that a time-to-live policy deletes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metacortex.adapters.firestore.connection import Connection
from metacortex.adapters.firestore.layout import EVENTS, collection_of, key_of
from metacortex.domain.event import Event, EventFilter, EventStatus, EventType
from metacortex.domain.json import JSON
from metacortex.domain.moment import Milliseconds

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_client import AsyncClient
    from google.cloud.firestore_v1.async_query import AsyncQuery

FILTERED_FIELDS = ("client_id", "event_type", "status", "tool_name")
"""What events are filtered by, each alone or with others."""
ORDER = ("timestamp", "recorded_at")
"""What events are ordered by, both descending; the first bounds them too."""
_OWN_FIELDS = frozenset(
    ("event_type", "timestamp", "client_id", "status", "latency_ms", "expires_at", "recorded_at")
)


class FirestoreEventLog:
    """The `EventLog` of one database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def record(self, tenant: str, event: Event) -> None:
        async def record(client: "AsyncClient") -> None:
            place = collection_of(client, tenant, EVENTS).document(key_of(event.id))
            # Not `create`: an attempt whose answer was lost may have stored it.
            await place.set(_dump(event), retry=None)

        await self._connection.write(record, briefly=True)

    async def list(self, tenant: str, where: EventFilter, limit: int) -> tuple[Event, ...]:
        async def newest(client: "AsyncClient") -> tuple[Event, ...]:
            query = filtered(client, tenant, where).limit(limit)
            found = [
                _load(each.id, each.to_dict() or {}) async for each in query.stream(retry=None)
            ]
            return tuple(reversed(found))

        return await self._connection.read(newest)

    async def purge(self, expired_at: Milliseconds) -> int:
        from metacortex.adapters.firestore.upkeep import purge_events

        return await purge_events(self._connection, expired_at)


def filtered(client: "AsyncClient", tenant: str, where: EventFilter) -> "AsyncQuery":
    """Return the query for the events of a tenant that pass `where`, newest first."""
    from google.cloud.firestore_v1.base_query import FieldFilter

    moment, arrival = ORDER
    query = collection_of(client, tenant, EVENTS).order_by(moment, direction="DESCENDING")
    query = query.order_by(arrival, direction="DESCENDING")
    values = (where.client_id, where.type, where.status, where.tool_name)
    for field, value in zip(FILTERED_FIELDS, values, strict=True):
        if value is not None:
            query = query.where(filter=FieldFilter(field, "==", _clean(str(value))))
    # An end of the order and no filter: Firestore promises to merge indexes for equalities and an
    # order, and promises nothing where a range is filtered by.
    return query if where.since is None else query.end_at({moment: where.since})


def _dump(event: Event) -> dict[str, Any]:
    from google.cloud.firestore_v1 import SERVER_TIMESTAMP

    from metacortex.adapters.firestore.documents import timestamp

    return {
        **{name: _cleaned(value) for name, value in event.body.items()},
        "event_type": event.type.value,
        "timestamp": event.timestamp,
        "client_id": _clean(event.client_id),
        "status": event.status.value,
        "latency_ms": event.latency,
        "expires_at": timestamp(event.expires_at),
        # The order of arrival within one millisecond.
        "recorded_at": SERVER_TIMESTAMP,
    }


def _load(event_id: str, stored: Mapping[str, Any]) -> Event:
    return Event(
        id=event_id,
        type=EventType(stored["event_type"]),
        timestamp=stored["timestamp"],
        client_id=stored["client_id"],
        status=EventStatus(stored["status"]),
        latency=stored["latency_ms"],
        body={name: value for name, value in stored.items() if name not in _OWN_FIELDS},
    )


def _cleaned(value: JSON) -> JSON:
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, Mapping):
        return {name: _cleaned(inner) for name, inner in value.items()}
    return [_cleaned(inner) for inner in value] if isinstance(value, list | tuple) else value


def _clean(text: str) -> str:
    # A caller may have made a name up of anything; half a surrogate pair must not cost the event.
    return text.encode("utf-8", "replace").decode()
