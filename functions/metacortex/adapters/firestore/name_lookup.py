"""Finding names by their vectors, and those that have none.

Firestore has no query for what lacks a field. So names without a vector of a space are counted as
the difference between all and those with one, and found by going through all in order.
"""

from asyncio import Semaphore
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.entity_lookup import ENTITY_FIELDS, entity_of
from metacortex.adapters.firestore.layout import ENTITIES, SPACE_FIELD, Tenant, tenant_of
from metacortex.adapters.firestore.queries import DISTANCE, pushed_into
from metacortex.adapters.firestore.tenants import Tenants
from metacortex.adapters.firestore.together import together
from metacortex.adapters.firestore.upkeep import count_of
from metacortex.adapters.firestore.vectors import NearestQuery
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.knowledge.likeness import Near
from metacortex.domain.vector import EmbeddingSpace, Vector

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_client import AsyncClient

PAGE = 300
"""How many entities one query goes through."""

Place = tuple[str, str]
"""A tenant and the id of an entity."""


async def near(
    tenant: Tenant,
    permits: Semaphore,
    namespaces: Sequence[str] | None,
    space: EmbeddingSpace,
    vector: Vector,
    limit: int,
) -> tuple[Near, ...]:
    """Return the nearest names, as `NameIndex.near` tells: one bounded query for each namespace."""
    within = (None,) if namespaces is None else namespaces
    found = await together(
        _near(tenant, permits, namespace, space, vector, limit) for namespace in within
    )
    ordered = sorted(chain.from_iterable(found), key=lambda each: (-each.cosine, each.entity.id))
    return tuple(ordered[:limit])


async def count_outside(client: "AsyncClient", space: EmbeddingSpace) -> int:
    """Return how many names have no vector in a space."""
    group = client.collection_group(ENTITIES)
    # Counted first: what is written meanwhile has a vector.
    inside = await count_of(group.where(filter=FieldFilter(SPACE_FIELD, "==", str(space))))
    return max(0, await count_of(group) - inside)


async def outside(
    tenants: Tenants, space: EmbeddingSpace, after: Place, limit: int
) -> tuple[tuple[str, Entity], ...]:
    """Return which these are, as `NameIndex.outside` tells. Each page has its own deadline: there
    may be any number of others between two of them.
    """
    # Asked once for all that lack one: counting goes through all names.
    is_first = after == ("", "")
    if is_first and not await tenants.connection.read(partial(count_outside, space=space)):
        return ()
    found: list[tuple[str, Entity]] = []
    while len(found) < limit:
        page = await tenants.connection.read(partial(_page, tenants=tenants, after=after))
        found += [(tenant, entity) for tenant, entity, its in page if its != str(space)]
        if len(page) < PAGE:
            break
        tenant, last, _ = page[-1]
        after = (tenant, last.id)
    return tuple(found[:limit])


async def _near(
    tenant: Tenant,
    permits: Semaphore,
    namespace: str | None,
    space: EmbeddingSpace,
    vector: Vector,
    limit: int,
) -> list[Near]:
    pushed = [(SPACE_FIELD, str(space))]
    pushed += [] if namespace is None else [("namespace", namespace)]
    passing = pushed_into(tenant.entities.select([*ENTITY_FIELDS, DISTANCE]), tuple(pushed))
    nearest = NearestQuery(passing, vector, limit, DISTANCE)
    async with permits:
        return [
            Near(entity_of(snapshot.id, stored), 1.0 - stored[DISTANCE])
            async for snapshot in nearest.stream(retry=None)
            if (stored := snapshot.to_dict())
        ]


async def _page(
    client: "AsyncClient", tenants: Tenants, after: Place
) -> list[tuple[str, Entity, str | None]]:
    query = client.collection_group(ENTITIES).order_by("__name__")
    if after[0]:
        tenant, entity_id = after
        query = query.start_after({"__name__": tenants.place(client, tenant).entity(entity_id)})
    page = query.select([*ENTITY_FIELDS, SPACE_FIELD]).limit(PAGE)
    return [
        (tenant_of(each.reference), entity_of(each.id, stored), stored.get(SPACE_FIELD))
        async for each in page.stream(retry=None)
        if (stored := each.to_dict())
    ]
