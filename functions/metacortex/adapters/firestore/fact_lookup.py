"""Reading facts: those that speak of an entity, and the newest, of episodes too."""

from collections.abc import Collection, Iterable, Sequence
from itertools import product
from typing import TypeAlias

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import MEMORY_FIELDS, load_memory
from metacortex.adapters.firestore.layout import ABOUT_FIELD, KIND_FIELD, SOURCES_FIELD, Tenant
from metacortex.adapters.firestore.lookup import pieces
from metacortex.adapters.firestore.parts import Part
from metacortex.adapters.firestore.queries import is_indexed
from metacortex.adapters.firestore.together import together
from metacortex.domain.details import Kind
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.listing import Place
from metacortex.domain.memory import Memory

Equal: TypeAlias = tuple[tuple[str, str], ...]
"""Fields and what they are to be equal to."""


async def facts_about(
    tenant: Tenant,
    namespaces: Collection[str] | None,
    entity_ids: Sequence[str],
    states: Collection[BranchState],
    limit: int | None,
) -> tuple[Fact, ...]:
    """Return facts as `FactStore.facts_about` tells: each namespace is asked by itself, and each
    state, unless all are asked for.
    """
    within = [()] if namespaces is None else [(("namespace", each),) for each in {*namespaces}]
    every = {*states} == {*BranchState}
    among = [()] if every else [(("branch_state", each.value),) for each in {*states}]
    equal = [(*one, *other) for one, other in product(within, among)]
    found = await _naming(tenant, ABOUT_FIELD, entity_ids, equal, limit)
    return tuple(map(Fact, found[:limit]))


async def drawn_from(tenant: Tenant, memory_ids: Sequence[str]) -> tuple[Fact, ...]:
    """Return facts as `FactStore.drawn_from` tells."""
    found = await _naming(tenant, SOURCES_FIELD, memory_ids)
    # Others have sources too: those that were made of several.
    return tuple(Fact(memory) for memory in found if memory.kind is Kind.FACT)


async def newest(
    tenant: Tenant, kind: Kind, namespaces: Collection[str] | None, limit: int
) -> tuple[Memory, ...]:
    """Return memories of a kind, the newest first: each namespace is asked by itself."""
    of_kind = (KIND_FIELD, kind.value)
    pushed = (
        [(of_kind,)]
        if namespaces is None
        else [(of_kind, ("namespace", each)) for each in dict.fromkeys(namespaces)]
    )
    parts = (Part(tenant, each, MEMORY_FIELDS) for each in pushed)
    answers = await together(part.newest(limit) for part in parts)
    memories = [load_memory(id_, record) for answer in answers for id_, record in answer]
    return tuple(sorted(memories, key=Place.of, reverse=True)[:limit])


async def _naming(
    tenant: Tenant,
    field: str,
    ids: Sequence[str],
    equal: Iterable[Equal] = ((),),
    limit: int | None = None,
) -> Sequence[Memory]:
    """Return the memories whose list of this name holds one of these ids, and any of whose sets of
    fields is equal, by their own ids: of each query the first `limit`.
    """
    asked = [id_ for id_ in dict.fromkeys(ids) if is_indexed(id_)]
    found = await together(
        _holding(tenant, field, piece, each, limit) for each in equal for piece in pieces(asked)
    )
    # One that names ids of two pieces is found twice.
    memories = {memory.id: memory for some in found for memory in some}
    return [memories[id_] for id_ in sorted(memories)]


async def _holding(
    tenant: Tenant, field: str, ids: Sequence[str], equal: Equal, limit: int | None
) -> list[Memory]:
    query = tenant.memories.where(filter=FieldFilter(field, "array_contains_any", ids))
    for name, value in equal:
        query = query.where(filter=FieldFilter(name, "==", value))
    query = query.select(MEMORY_FIELDS)
    if limit is not None:
        query = query.limit(limit)
    return [
        load_memory(snapshot.id, snapshot.to_dict() or {})
        async for snapshot in query.stream(retry=None)
    ]
