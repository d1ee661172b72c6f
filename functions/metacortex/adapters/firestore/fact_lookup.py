"""Reading facts: those that speak of an entity, and the newest."""

from collections.abc import Collection, Sequence

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import MEMORY_FIELDS, load_memory
from metacortex.adapters.firestore.layout import ABOUT_FIELD, KIND_FIELD, Tenant
from metacortex.adapters.firestore.lookup import pieces
from metacortex.adapters.firestore.parts import Part
from metacortex.adapters.firestore.queries import is_indexed
from metacortex.adapters.firestore.together import together
from metacortex.domain.details import Kind
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.listing import Place


async def facts_about(
    tenant: Tenant, namespaces: Collection[str] | None, entity_ids: Sequence[str]
) -> tuple[Fact, ...]:
    """Return facts as `FactStore.facts_about` tells."""
    asked = [id_ for id_ in dict.fromkeys(entity_ids) if is_indexed(id_)]
    found = await together(_about(tenant, piece) for piece in pieces(asked))
    # One of whose entities each is in a piece of its own is found twice.
    facts = {fact.id: fact for some in found for fact in some}
    return tuple(
        facts[id_]
        for id_ in sorted(facts)
        if namespaces is None or facts[id_].memory.namespace in namespaces
    )


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


async def _about(tenant: Tenant, entity_ids: Sequence[str]) -> list[Fact]:
    speaking = FieldFilter(ABOUT_FIELD, "array_contains_any", entity_ids)
    query = tenant.memories.where(filter=speaking).select(MEMORY_FIELDS)
    return [
        Fact(load_memory(snapshot.id, snapshot.to_dict() or {}))
        async for snapshot in query.stream(retry=None)
    ]
