"""Entities: finding what a name stands for, and which names stand for the same."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from metacortex.domain.client import Principal
from metacortex.domain.details import Kind
from metacortex.domain.errors import NotFound
from metacortex.domain.knowledge.entity import (
    MAX_NAME_LENGTH,
    Entity,
    EntityType,
    is_entity_id,
)
from metacortex.domain.knowledge.family import Family
from metacortex.domain.knowledge.likeness import Proposal, Stage
from metacortex.domain.knowledge.naming import beginnings, mentioned, words_of
from metacortex.domain.knowledge.new_fact import check_line
from metacortex.domain.listing import Place
from metacortex.domain.memory import Memory
from metacortex.domain.search import MemoryFilter
from metacortex.knowledge_ports import EntityStore
from metacortex.service.permissions import UNKNOWN_ENTITY


@dataclass(frozen=True, slots=True)
class Known:
    """What a principal may know of an entity: its names, how many memories that it may read
    mention any of them, how alike the name is that was looked for, and what tells that; 1 where it
    is the same.
    """

    family: Family
    mention_count: int
    score: float = 1.0
    stage: Stage = Stage.EXACT


class EntityService:
    """What a principal may know of the entities of its tenant."""

    def __init__(self, entities: EntityStore) -> None:
        self._entities = entities

    async def met(
        self, principal: Principal, namespace: str, name_or_id: str, unknown: str = UNKNOWN_ENTITY
    ) -> Entity | None:
        """Return the entity of this very name or id in a namespace, whether or not it is merged;
        None for a name that is new.

        Raises:
            NotFound: the namespace holds no entity of this id; `unknown` says so.
            InvalidInput: it is no name.
        """
        if is_entity_id(name_or_id):
            return await self.of_id(principal.tenant, namespace, name_or_id, unknown)
        check_line("name", name_or_id, MAX_NAME_LENGTH)
        found = await self._entities.named(principal.tenant, [namespace], name_or_id)
        return found[0] if found else None

    async def of_id(
        self, tenant: str, namespace: str, id_: str, unknown: str = UNKNOWN_ENTITY
    ) -> Entity:
        """Return the entity of this id in a namespace, whether or not it is merged.

        Raises:
            NotFound: there is none; `unknown` says so.
        """
        found = await self._entities.find(tenant, [id_])
        if not found or found[0].namespace != namespace:
            raise NotFound(unknown)
        return found[0]

    async def survivor(self, tenant: str, entity: Entity) -> Entity:
        """Return what an entity stands for: what it was merged into, or itself where that is
        gone.
        """
        (end,) = await self._ends(tenant, [entity])
        return end

    async def families(self, tenant: str, entities: Iterable[Entity]) -> tuple[Family, ...]:
        """Return each of these entities, or what it was merged into, once, with all that was merged
        into it, in the order in which they come.
        """
        survivors = {each.id: each for each in await self._ends(tenant, [*entities])}
        merged: dict[str, list[Entity]] = {id_: [] for id_ in survivors}
        top = {id_: id_ for id_ in survivors}
        level: Sequence[str] = [*survivors]
        while level:
            below = await self._entities.merged_into(tenant, level)
            for each in below:
                top[each.id] = top[str(each.merged_with)]
                merged[top[each.id]].append(each)
            level = [each.id for each in below]
        return tuple(Family(each, tuple(merged[id_])) for id_, each in survivors.items())

    async def called(
        self,
        principal: Principal,
        namespaces: Sequence[str] | None,
        name_or_id: str,
        unknown: str = UNKNOWN_ENTITY,
    ) -> Known:
        """Return the entity that a name or an id stands for: that of the principal's own namespace
        first, then of the others by their names. `unknown` says that there is none.

        Raises:
            NotFound: there is none that the principal may know of.
        """
        found = await self.of_name(principal.tenant, namespaces, name_or_id)
        known = await self.known(principal, [*map(exactly, found)])
        if not known:
            raise NotFound(unknown)

        def order(each: Known) -> tuple[bool, str]:
            namespace = each.family.entity.namespace
            return namespace != principal.own_namespace, namespace

        return min(known, key=order)

    async def told(self, principal: Principal, id_: str) -> Known:
        """Return what an entity stands for, even where nothing tells of it.

        Raises:
            NotFound: it is not there.
        """
        families = await self.resolved(principal.tenant, [id_])
        if not families:
            raise NotFound(UNKNOWN_ENTITY)
        known = await self._known_by_any_name(principal, families)
        return known[0] if known else Known(Family(families[0].entity), 0)

    async def meant(
        self, principal: Principal, entity: Entity, unknown: str = UNKNOWN_ENTITY
    ) -> Entity:
        """Return what the principal means by the id of an entity: this one, or, where it may not
        know of its name, the first that names the same of which it may.

        Raises:
            NotFound: it may know of none; `unknown` says so.
        """
        families = await self.families(principal.tenant, [entity])
        known = await self._known_by_any_name(principal, families)
        if not known:
            raise NotFound(unknown)
        family = known[0].family
        return next((each for each in family.told if each.id == entity.id), family.named)

    async def resolved(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Family, ...]:
        """Return what these ids stand for, each once, as `families` does."""
        return await self.families(tenant, await self._entities.find(tenant, entity_ids))

    async def there(self, tenant: str, entity_ids: Sequence[str]) -> frozenset[str]:
        """Return which of these ids the store holds."""
        return frozenset(each.id for each in await self._entities.find(tenant, entity_ids))

    async def survivors(self, tenant: str) -> Mapping[str, str]:
        """Return the ids of what entities stand for that were merged, by the ids of these."""
        into = {each.id: each.merged_with for each in await self._entities.merged(tenant)}

        def end_of(id_: str) -> str:
            following = into.get(id_)
            return id_ if following is None else end_of(following)

        return {id_: end_of(id_) for id_ in into}

    async def seen(self, principal: Principal, families: Sequence[Family]) -> tuple[Family, ...]:
        """Return families without the names that the principal may not know of: those that neither
        a memory, which it may read, nor anybody by hand tells of. It is asked of merged ones alone:
        any other has but the name under which it was met.
        """
        asked = {id_: [id_] for family in families for id_ in family.mentioned}
        states = principal.filter_states
        counts = await self._entities.mentions(principal.tenant, asked, states) if asked else {}
        hidden = frozenset(id_ for id_, count in counts.items() if not count)
        return tuple(replace(each, hidden=hidden.intersection(each.ids)) for each in families)

    async def other_names(
        self, tenant: str, entity_ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return, by the ids of these entities and of all that name the same, those of the
        others.
        """
        families = await self.resolved(tenant, entity_ids)
        return {
            id_: [other for other in family.ids if other != id_]
            for family in families
            for id_ in family.ids
        }

    async def episodes(
        self, tenant: str, family: Family, wheres: Sequence[MemoryFilter], limit: int
    ) -> tuple[Memory, ...]:
        """Return the newest episodes that mention an entity and pass any of these filters."""
        of_episodes = (replace(where, kinds=(Kind.EPISODE,)) for where in wheres)
        found = await asyncio.gather(
            *(self._entities.mentioning(tenant, family.ids, each, limit) for each in of_episodes)
        )
        episodes = {memory.id: memory for some in found for memory in some}
        return tuple(sorted(episodes.values(), key=Place.of, reverse=True)[:limit])

    async def named_in(
        self, principal: Principal, namespaces: Sequence[str] | None, text: str
    ) -> tuple[Family, ...]:
        """Return the entities whose names or aliases, as far as the principal may know of them,
        stand in a text, as whole words.
        """
        words, tenant = words_of(text), principal.tenant
        first = beginnings(words)
        known = await self._entities.beginning(tenant, namespaces, first) if first else ()
        here = {
            id_
            for namespace in {each.namespace for each in known}
            for id_ in mentioned(words, (one for one in known if one.namespace == namespace))
        }
        found = await self.families(tenant, (each for each in known if each.id in here))
        seen = await self.seen(principal, found)
        return tuple(family for family in seen if any(each.id in here for each in family.told))

    async def known(
        self, principal: Principal, like: Sequence[Proposal], type_: EntityType | None = None
    ) -> list[Known]:
        """Return what is known of entities that are like a name, or of what they were merged into,
        each once, in their order; of this type, where one is given.
        """
        families = await self.families(principal.tenant, (each.entity for each in like))
        wanted = [each for each in families if type_ in (None, each.entity.type)]
        return await self._known(principal, wanted, {each.entity.id: each for each in like})

    async def of_name(
        self, tenant: str, namespaces: Sequence[str] | None, name_or_id: str
    ) -> tuple[Entity, ...]:
        """Return the entities of a name or an id, whether or not they are merged."""
        if not is_entity_id(name_or_id):
            return await self._entities.named(tenant, namespaces, name_or_id)
        found = await self._entities.find(tenant, [name_or_id])
        return tuple(each for each in found if namespaces is None or each.namespace in namespaces)

    async def _known_by_any_name(
        self, principal: Principal, families: Sequence[Family]
    ) -> list[Known]:
        names = (each for family in families for each in (family.entity, *family.merged))
        return await self._known(principal, families, {each.id: exactly(each) for each in names})

    async def _known(
        self, principal: Principal, families: Sequence[Family], like: Mapping[str, Proposal]
    ) -> list[Known]:
        """Return what is known of each, under those of its names that are like one, by their ids;
        but of those that neither a memory, which the principal may read, nor anybody by hand tells
        of.
        """
        ids = {family.entity.id: family.ids for family in families}
        counts, seen = await asyncio.gather(
            self._entities.mentions(principal.tenant, ids, principal.filter_states),
            self.seen(principal, families),
        )
        told = [family for family in seen if counts[family.entity.id] or family.is_by_hand]
        alike = [[like[each.id] for each in one.told if each.id in like] for one in told]
        return [
            _as_alike(family, counts[family.entity.id], found)
            for family, found in zip(told, alike, strict=True)
            if found
        ]

    async def _ends(self, tenant: str, entities: Sequence[Entity]) -> Sequence[Entity]:
        """Return what each stands for. Each step of merging is one reading for all of them."""
        known = dict[str, Entity]()
        level = _merged_with(entities)
        while level:
            found = await self._entities.find(tenant, level)
            known |= {each.id: each for each in found}
            level = [id_ for id_ in _merged_with(found) if id_ not in known]
        return [_end_of(each, known) for each in entities]


def exactly(entity: Entity) -> Proposal:
    """Return an entity as one that is called by its very name or id."""
    return Proposal(entity, 1.0, Stage.EXACT)


def _as_alike(family: Family, count: int, alike: Sequence[Proposal]) -> Known:
    """Return what is known of an entity, as alike as the most alike of its names."""
    best = max(alike, key=lambda each: (each.stage is Stage.EXACT, each.score))
    return Known(family, count, best.score, best.stage)


def _merged_with(entities: Iterable[Entity]) -> list[str]:
    return [*dict.fromkeys(each.merged_with for each in entities if each.merged_with)]


def _end_of(entity: Entity, known: Mapping[str, Entity]) -> Entity:
    while (into := known.get(entity.merged_with or "")) is not None:
        entity = into
    return entity
