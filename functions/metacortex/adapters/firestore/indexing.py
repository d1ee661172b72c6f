"""Records whose words nothing finds, since an earlier version wrote them: which these are, and how
they get their terms.

Firestore has no query for what lacks a field. So they are counted as the difference between all
records and those with present terms, and found by going through all, in order of their names.
"""

from functools import partial
from typing import TYPE_CHECKING

from google.api_core.exceptions import NotFound
from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.connection import Connection
from metacortex.adapters.firestore.layout import TERM_SPACE_FIELD, Tenant, tenant_of
from metacortex.adapters.firestore.lookup import get_record
from metacortex.adapters.firestore.terms import read_terms
from metacortex.adapters.firestore.upkeep import beyond, count_of
from metacortex.domain.words.terms import TERM_SPACE

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_client import AsyncClient

TOGETHER = 300
"""How many records one call goes through."""

Place = tuple[str, str]
"""A tenant and the id of a memory."""


async def count_unindexed(client: "AsyncClient", collection: str) -> int:
    """Return how many records there are without present terms."""
    group = client.collection_group(collection)
    present = group.where(filter=FieldFilter(TERM_SPACE_FIELD, "==", TERM_SPACE))
    # Counted first: what is written meanwhile has terms.
    indexed = await count_of(present)
    return max(0, await count_of(group) - indexed)


async def unindexed(
    connection: Connection, collection: str, after: Place, limit: int
) -> tuple[Place, ...]:
    """Return tenants and ids of such records, as `MemoryStore.unindexed` tells. Each page has its
    own deadline: there may be any number of records between two of them.
    """
    if not await connection.read(lambda client: count_unindexed(client, collection)):
        return ()
    found: list[Place] = []
    while len(found) < limit:
        passed = await connection.read(partial(_page, collection=collection, after=after))
        found += [place for place, is_indexed in passed if not is_indexed]
        if len(passed) < TOGETHER:
            break
        after = passed[-1][0]
    return tuple(found[:limit])


async def replace_terms(tenant: Tenant, memory_id: str) -> bool:
    """Give a record the present terms of its text, which never changes."""
    record = await get_record(tenant, memory_id)
    if record is None:
        return False
    try:
        await record.snapshot.reference.update(await read_terms(record.memory.text), retry=None)
    except NotFound:
        return False
    return True


async def _page(client: "AsyncClient", collection: str, after: Place) -> list[tuple[Place, bool]]:
    query = beyond(client.collection_group(collection), client, collection, after)
    page = query.select([TERM_SPACE_FIELD]).limit(TOGETHER)
    return [
        (
            (tenant_of(snapshot.reference), snapshot.id),
            (snapshot.to_dict() or {}).get(TERM_SPACE_FIELD) == TERM_SPACE,
        )
        async for snapshot in page.stream(retry=None)
    ]
