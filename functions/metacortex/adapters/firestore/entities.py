"""Entities in Firestore: a document each, with the keys of its name; who mentions it stands in the
memories.

A memory lists what it mentions, and an index of that list counts. So nothing is counted twice, and
a write changes no entity that is there already.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from metacortex.adapters.firestore.layout import MENTIONS_FIELD, NAME_KEYS_FIELD, Tenant
from metacortex.adapters.firestore.tenants import Tenants
from metacortex.domain.knowledge.entity import (
    Entity,
    EntityType,
    entity_id,
    folded_name,
    is_entity_id,
)
from metacortex.domain.knowledge.likeness import (
    MOST_COMPARED,
    MOST_KEYS,
    beginning_key,
    keys_of,
    likeness_keys,
)
from metacortex.domain.lifecycle import BranchState, Change
from metacortex.domain.memory import Memory
from metacortex.domain.search import MemoryFilter

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_query import AsyncQuery
    from google.cloud.firestore_v1.base_document import DocumentSnapshot

T = TypeVar("T")

TOGETHER = 30
"""How many values one query takes."""


class FirestoreEntityStore:
    """The `EntityStore` of one database."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants

    async def put(self, tenant: str, entities: Sequence[Entity]) -> None:
        from metacortex.adapters.firestore.together import together

        await self._tenants.write(
            tenant, lambda place: together(_create(place, each) for each in entities)
        )

    async def find(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        return await self._tenants.read(tenant, lambda place: _find(place, entity_ids))

    async def named(
        self, tenant: str, namespaces: Sequence[str] | None, name: str
    ) -> tuple[Entity, ...]:
        if namespaces is not None:
            return await self.find(tenant, [entity_id(each, name) for each in namespaces])
        return await self._tenants.read(
            tenant, lambda place: _found(_where(place.entities, "folded", "==", _digest(name)))
        )

    async def beginning(
        self, tenant: str, namespaces: Sequence[str] | None, words: Sequence[str]
    ) -> tuple[Entity, ...]:
        keys = [*dict.fromkeys(map(beginning_key, words))]
        return await self._keyed(tenant, namespaces, keys)

    async def resembling(
        self, tenant: str, namespaces: Sequence[str] | None, name: str
    ) -> tuple[Entity, ...]:
        keys = likeness_keys(name)[:MOST_KEYS]
        return await self._keyed(tenant, namespaces, keys)

    async def merged_into(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        return await self._tenants.read(tenant, lambda place: _merged_into(place, entity_ids))

    async def mentions(
        self, tenant: str, families: Mapping[str, Sequence[str]], states: Sequence[BranchState]
    ) -> Mapping[str, int]:
        from metacortex.adapters.firestore.together import together

        counts = await self._tenants.read(
            tenant,
            lambda place: together(_count(place, ids, states) for ids in families.values()),
        )
        return dict(zip(families, counts, strict=True))

    async def mentioning(
        self, tenant: str, entity_ids: Sequence[str], where: MemoryFilter, limit: int
    ) -> tuple[Memory, ...]:
        from metacortex.adapters.firestore.mentioning import mentioning

        return await self._tenants.read(
            tenant, lambda place: mentioning(place, [*_pieces(entity_ids)], where, limit)
        )

    async def link(self, tenant: str, memory_id: str, entity_ids: Sequence[str]) -> bool:
        return await self._tenants.write(tenant, lambda place: _link(place, memory_id, entity_ids))

    async def merge(self, tenant: str, change: Change) -> bool:
        return await self._tenants.write(tenant, lambda place: _merge(place, change))

    async def _keyed(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        keys: Sequence[str],
    ) -> tuple[Entity, ...]:
        from metacortex.adapters.firestore.together import together

        within = (None,) if namespaces is None else namespaces
        found = await self._tenants.read(
            tenant,
            lambda place: together(
                _found(_holding(place, namespace, some))
                for namespace in within
                for some in _pieces(keys)
            ),
        )
        by_id = {entity.id: entity for entity in chain.from_iterable(found)}
        return tuple(by_id[id_] for id_ in sorted(by_id))


async def unmentioned(
    tenant: Tenant, entity_ids: Iterable[str], besides: Mapping[str, int]
) -> list[str]:
    """Return those of these entities that go, as `EntityStore` tells, once memories are gone of
    which so many mention each.
    """
    from metacortex.adapters.firestore.together import together

    found = await _find(tenant, [*dict.fromkeys(entity_ids)])
    loose = [each.id for each in found if not each.by_hand and each.merged_with is None]
    held = {each.merged_with for each in await _merged_into(tenant, loose)}
    loose = [id_ for id_ in loose if id_ not in held]
    counts = await together(_count(tenant, [id_], tuple(BranchState)) for id_ in loose)
    return [id_ for id_, count in zip(loose, counts, strict=True) if count <= besides[id_]]


async def _create(tenant: Tenant, entity: Entity) -> None:
    from google.api_core.exceptions import AlreadyExists

    try:
        await tenant.entity(entity.id).create(_dump(entity), retry=None)
    except AlreadyExists:
        return


async def _find(tenant: Tenant, entity_ids: Iterable[str]) -> tuple[Entity, ...]:
    places = [tenant.entity(id_) for id_ in dict.fromkeys(entity_ids) if is_entity_id(id_)]
    if not places:
        return ()
    found = [each async for each in tenant.client.get_all(places, retry=None) if each.exists]
    return tuple(sorted(map(_load, found), key=lambda entity: entity.id))


async def _found(query: "AsyncQuery") -> tuple[Entity, ...]:
    found = [_load(snapshot) async for snapshot in query.stream(retry=None)]
    return tuple(sorted(found, key=lambda entity: entity.id))


async def _merged_into(tenant: Tenant, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
    from metacortex.adapters.firestore.together import together

    found = await together(
        _found(_where(tenant.entities, "merged_with", "in", [*some]))
        for some in _pieces(entity_ids)
    )
    return tuple(sorted(chain.from_iterable(found), key=lambda entity: entity.id))


def _holding(tenant: Tenant, namespace: str | None, keys: Sequence[str]) -> "AsyncQuery":
    query = _where(tenant.entities, NAME_KEYS_FIELD, "array_contains_any", [*keys])
    if namespace is not None:
        query = _where(query, "namespace", "==", namespace)
    return query.limit(MOST_COMPARED)


async def _count(tenant: Tenant, ids: Sequence[str], states: Sequence[BranchState]) -> int:
    """Return how many memories in these states mention any of so few entities."""
    from metacortex.adapters.firestore.together import together
    from metacortex.adapters.firestore.upkeep import count_of

    mentioning = _where(tenant.memories, MENTIONS_FIELD, "array_contains_any", [*ids])
    if set(states) == set(BranchState):
        return await count_of(mentioning)
    of_each = [_where(mentioning, "branch_state", "==", state.value) for state in states]
    return sum(await together(count_of(query) for query in of_each))


async def _link(tenant: Tenant, memory_id: str, entity_ids: Sequence[str]) -> bool:
    from google.api_core.exceptions import NotFound

    from metacortex.adapters.firestore.lookup import get_record

    # Looked up before, since what lacks the whole database answers to a write alike.
    record = await get_record(tenant, memory_id)
    if record is None:
        return False
    try:
        await record.snapshot.reference.update({MENTIONS_FIELD: [*entity_ids]}, retry=None)
    except NotFound:
        return False
    return True


async def _merge(tenant: Tenant, change: Change) -> bool:
    from metacortex.adapters.firestore.documents import dump_change
    from metacortex.adapters.firestore.failures import TAKEN

    into, recorded = change.after.superseded_by, tenant.changes.document(change.sha256)
    batch, option = tenant.client.batch(), tenant.client.write_option
    named = [change.subject_id] if into is None else [change.subject_id, into]
    places = [tenant.entity(id_) for id_ in named]
    found = {each.id: each async for each in tenant.client.get_all(places, retry=None)}
    if not _is_as_before(found, change):
        return bool((await recorded.get([], retry=None)).exists)
    for id_, snapshot in found.items():
        # What the other one is merged into changes nothing, and must not be merged meanwhile.
        merged_with = into if id_ == change.subject_id else None
        unchanged = option(last_update_time=snapshot.update_time)
        batch.update(snapshot.reference, {"merged_with": merged_with}, option=unchanged)
    batch.create(recorded, dump_change(change))
    try:
        await batch.commit(retry=None)
    except TAKEN:
        return bool((await recorded.get([], retry=None)).exists)
    return True


def _is_as_before(found: "Mapping[str, DocumentSnapshot[Any]]", change: Change) -> bool:
    if not all(snapshot.exists for snapshot in found.values()):
        return False
    into, former = change.after.superseded_by, change.before and change.before.superseded_by
    is_free = into is None or found[into].get("merged_with") is None
    return is_free and found[change.subject_id].get("merged_with") == former


def _pieces(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), TOGETHER):
        yield values[start : start + TOGETHER]


def _where(query: Any, field: str, operator: str, value: object) -> "AsyncQuery":
    from google.cloud.firestore_v1.base_query import FieldFilter

    narrowed: AsyncQuery = query.where(filter=FieldFilter(field, operator, value))
    return narrowed


def _digest(name: str) -> str:
    """Return what stands for a folded name: one that is long is no value of an index."""
    return sha256(folded_name(name).encode("utf-8", "surrogatepass")).hexdigest()


def _dump(entity: Entity) -> dict[str, Any]:
    return {
        "namespace": entity.namespace,
        "name": entity.name,
        "folded": _digest(entity.name),
        "type": entity.type.value,
        "created_at": entity.created_at,
        "by_hand": entity.by_hand,
        "merged_with": entity.merged_with,
        NAME_KEYS_FIELD: [*keys_of(entity.name)],
    }


def _load(snapshot: "DocumentSnapshot[Any]") -> Entity:
    stored = snapshot.to_dict() or {}
    return Entity(
        snapshot.id,
        stored["namespace"],
        stored["name"],
        EntityType(stored["type"]),
        stored["created_at"],
        stored["by_hand"],
        stored["merged_with"],
    )
