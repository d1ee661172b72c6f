"""What is asked of all tenants at once, and the deletion of many documents."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.connection import Connection
from metacortex.adapters.firestore.documents import MEMORY_FIELDS, load_memory, space_of, timestamp
from metacortex.adapters.firestore.layout import EVENTS, FINGERPRINTS, Tenant, tenant_of
from metacortex.domain.lifecycle import ChangeKind
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.vector import EmbeddingSpace

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_client import AsyncClient
    from google.cloud.firestore_v1.async_collection import AsyncCollectionReference
    from google.cloud.firestore_v1.async_document import AsyncDocumentReference
    from google.cloud.firestore_v1.async_query import AsyncQuery

Query: TypeAlias = "AsyncQuery | AsyncCollectionReference"
TOGETHER = 300
"""How many documents one commit deletes."""


async def spaces(client: "AsyncClient", collection: str) -> Mapping[EmbeddingSpace, int]:
    """Return how many memories live in each embedding space: one read and one count for each."""
    counted: dict[EmbeddingSpace, int] = {}
    for name in await space_names(client.collection_group(collection)):
        matching = client.collection_group(collection).where(
            filter=FieldFilter("space", "==", name)
        )
        counted[space_of(name)] = await count_of(matching)
    return counted


async def space_names(memories: "AsyncQuery") -> list[str]:
    """Return the names of all embedding spaces that memories live in, each found by one read."""
    names: list[str] = []
    ordered = memories.order_by("space").select(["space"]).limit(1)
    while True:
        query = ordered.start_after({"space": names[-1]}) if names else ordered
        found = [snapshot.get("space") async for snapshot in query.stream(retry=None)]
        if not found:
            return names
        names += found


async def outside(
    client: "AsyncClient",
    collection: str,
    space: EmbeddingSpace,
    after: tuple[str, str],
    limit: int,
) -> tuple[tuple[str, Memory], ...]:
    """Return memories that live in another space, as `MemoryStore.outside` tells."""
    found: list[tuple[str, Memory]] = []
    for name in await space_names(client.collection_group(collection)):
        if name != str(space):
            group = client.collection_group(collection)
            inside = group.where(filter=FieldFilter("space", "==", name))
            page = beyond(inside, client, collection, after).select(MEMORY_FIELDS).limit(limit)
            found += [
                (tenant_of(each.reference), load_memory(each.id, each.to_dict() or {}))
                async for each in page.stream(retry=None)
            ]
    return tuple(sorted(found, key=lambda each: (each[0], each[1].id))[:limit])


def beyond(
    query: "AsyncQuery", client: "AsyncClient", collection: str, after: tuple[str, str]
) -> "AsyncQuery":
    """Order a query over all tenants by (tenant, id), from beyond `after` or from the first."""
    ordered, (tenant, memory_id) = query.order_by("__name__"), after
    if not tenant:
        return ordered
    return ordered.start_after({"__name__": Tenant(client, tenant, collection).memory(memory_id)})


async def count_of(query: Query) -> int:
    """Return how many documents a query finds; the library counts none as a float."""
    # Its types tell less than it does.
    aggregation: Any = query.count()
    return int((await aggregation.get(retry=None))[0][0].value)


async def delete_found(connection: Connection, find: "Callable[[AsyncClient], Query]") -> int:
    """Delete all documents that a query finds, and return how many there were. Each page is a write
    of its own, with its own deadline: there may be any number.
    """
    deleted: set[str] = set()

    async def page(client: "AsyncClient") -> bool:
        query = find(client).select([]).limit(TOGETHER)
        found = [snapshot.reference async for snapshot in query.stream(retry=None)]
        # Noted before the commit, whose answer may be lost.
        deleted.update(reference.path for reference in found)
        await _delete(client, found)
        return len(found) == TOGETHER

    while await connection.write(page):
        pass
    return len(deleted)


async def purge_fingerprints(connection: Connection, before: Milliseconds) -> int:
    """Delete the fingerprints of all tenants that were first written before this moment."""
    old = FieldFilter("first_written_at", "<", before)
    return await delete_found(
        connection, lambda client: client.collection_group(FINGERPRINTS).where(filter=old)
    )


async def reset(connection: Connection, place: "Callable[[AsyncClient], Tenant]") -> int:
    """Delete all that a tenant has stored but its tombstones and events, and return how many
    memories it was.

    The memories go first: what is left of them after a fault is shown by nothing.
    """
    deleted = await delete_found(connection, lambda client: place(client).memories)
    await delete_found(connection, lambda client: place(client).windows)
    for kind in (kind for kind in ChangeKind if kind is not ChangeKind.FORGOTTEN):
        of_kind = FieldFilter("kind", "==", kind)
        await delete_found(connection, partial(_changes, place, of_kind))
    await delete_found(connection, lambda client: place(client).fingerprints)
    await delete_found(connection, lambda client: place(client).timelines)
    await delete_found(connection, lambda client: place(client).findings)
    await delete_found(connection, lambda client: place(client).use)
    await delete_found(connection, lambda client: place(client).entities)
    return deleted


def _changes(
    place: "Callable[[AsyncClient], Tenant]", where: FieldFilter, client: "AsyncClient"
) -> "AsyncQuery":
    return place(client).changes.where(filter=where)


async def purge_events(connection: Connection, expired_at: Milliseconds) -> int:
    """Delete the events of all tenants that have expired by this moment."""
    expired = FieldFilter("expires_at", "<=", timestamp(expired_at))
    return await delete_found(
        connection, lambda client: client.collection_group(EVENTS).where(filter=expired)
    )


async def _delete(client: "AsyncClient", found: "Sequence[AsyncDocumentReference]") -> None:
    if not found:
        return
    batch = client.batch()
    for reference in found:
        batch.delete(reference)
    await batch.commit(retry=None)
