"""Reading facts: those that speak of an entity, and the newest."""

from collections.abc import Collection, Sequence

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import MEMORY_FIELDS, load_memory
from metacortex.adapters.firestore.layout import ABOUT_FIELD, KIND_FIELD, SOURCES_FIELD, Tenant
from metacortex.adapters.firestore.lookup import pieces
from metacortex.adapters.firestore.parts import Part
from metacortex.adapters.firestore.queries import is_indexed
from metacortex.adapters.firestore.together import together
from metacortex.domain.details import Kind
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.listing import Place
from metacortex.domain.memory import Memory


async def facts_about(
    tenant: Tenant, namespaces: Collection[str] | None, entity_ids: Sequence[str]
) -> tuple[Fact, ...]:
    """Return facts as `FactStore.facts_about` tells."""
    found = await _naming(tenant, ABOUT_FIELD, entity_ids)
    return tuple(
        Fact(memory) for memory in found if namespaces is None or memory.namespace in namespaces
    )


async def drawn_from(tenant: Tenant, memory_ids: Sequence[str]) -> tuple[Fact, ...]:
    """Return facts as `FactStore.drawn_from` tells."""
    found = await _naming(tenant, SOURCES_FIELD, memory_ids)
    # Others have sources too: those that were made of several.
    return tuple(Fact(memory) for memory in found if memory.kind is Kind.FACT)


async def newest_facts(
    tenant: Tenant, namespaces: Collection[str] | None, limit: int
) -> tuple[Fact, ...]:
    """Return facts as `FactStore.facts` tells: each namespace is asked by itself."""
    is_fact = (KIND_FIELD, Kind.FACT.value)
    pushed = (
        [(is_fact,)]
        if namespaces is None
        else [(is_fact, ("namespace", each)) for each in dict.fromkeys(namespaces)]
    )
    parts = (Part(tenant, each, MEMORY_FIELDS) for each in pushed)
    answers = await together(part.newest(limit) for part in parts)
    memories = [load_memory(id_, record) for answer in answers for id_, record in answer]
    return tuple(map(Fact, sorted(memories, key=Place.of, reverse=True)[:limit]))


async def _naming(tenant: Tenant, field: str, ids: Sequence[str]) -> Sequence[Memory]:
    """Return the memories whose list of this name holds one of these ids, by their own."""
    asked = [id_ for id_ in dict.fromkeys(ids) if is_indexed(id_)]
    found = await together(_holding(tenant, field, piece) for piece in pieces(asked))
    # One that names ids of two pieces is found twice.
    memories = {memory.id: memory for some in found for memory in some}
    return [memories[id_] for id_ in sorted(memories)]


async def _holding(tenant: Tenant, field: str, ids: Sequence[str]) -> list[Memory]:
    holds = FieldFilter(field, "array_contains_any", ids)
    query = tenant.memories.where(filter=holds).select(MEMORY_FIELDS)
    return [
        load_memory(snapshot.id, snapshot.to_dict() or {})
        async for snapshot in query.stream(retry=None)
    ]
