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
    entity_id,
    is_entity_id,
)
from metacortex.domain.knowledge.family import Family
from metacortex.domain.knowledge.likeness import proposals
from metacortex.domain.knowledge.naming import beginnings, mentioned, type_of, words_of
from metacortex.domain.knowledge.new_fact import check_line
from metacortex.domain.listing import Place
from metacortex.domain.memory import Memory
from metacortex.domain.search import MemoryFilter
from metacortex.knowledge_ports import EntityStore
from metacortex.ports import Clock
from metacortex.service.filters import namespaces_read
from metacortex.service.permissions import UNKNOWN_ENTITY


@dataclass(frozen=True, slots=True)
class Known:
    """What a principal may know of an entity: its names, how many memories that it may read
    mention any of them, and how alike the name is that was looked for; 1 where it is the same.
    """

    family: Family
    mention_count: int
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Searched:
    """The entities of a name, and those that may be meant."""

    entities: tuple[Known, ...]
    proposals: tuple[Known, ...]


class EntityService:
    """What a principal may know of the entities of its tenant."""

    def __init__(self, entities: EntityStore, clock: Clock) -> None:
        self._entities = entities
        self._clock = clock

    async def resolve(
        self, principal: Principal, namespace: str, name_or_id: str, unknown: str = UNKNOWN_ENTITY
    ) -> Entity:
        """Return the entity that a name or an id in a namespace stands for, merges followed. One of
        a new name is made; what is only like it is not taken for it.

        Raises:
            NotFound: the namespace holds no entity of this id; `unknown` says so.
            InvalidInput: it is no name.
        """
        if is_entity_id(name_or_id):
            found = await self._entities.find(principal.tenant, [name_or_id])
            if not found or found[0].namespace != namespace:
                raise NotFound(unknown)
            return await self.survivor(principal.tenant, found[0])
        check_line("name", name_or_id, MAX_NAME_LENGTH)
        named = await self._entities.named(principal.tenant, [namespace], name_or_id)
        if named:
            return await self.survivor(principal.tenant, named[0])
        new = self._made(namespace, name_or_id)
        await self._entities.put(principal.tenant, [new])
        return new

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
        found = await self._called(principal.tenant, namespaces, name_or_id)
        families = await self.families(principal.tenant, found)
        known = await self._known(principal, families, {each.id: 1.0 for each in found})
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
        (family,) = families
        known = await self._known(principal, families, dict.fromkeys(family.ids, 1.0))
        return known[0] if known else Known(Family(family.entity), 0)

    async def resolved(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Family, ...]:
        """Return what these ids stand for, each once, as `families` does."""
        return await self.families(tenant, await self._entities.find(tenant, entity_ids))

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

    async def aliases(self, tenant: str, entity_id: str) -> tuple[str, ...]:
        """Return the ids of all that was merged into an entity, at whatever remove."""
        found: list[str] = []
        level = [entity_id]
        while level:
            level = [each.id for each in await self._entities.merged_into(tenant, level)]
            found += level
        return tuple(found)

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

    async def search(
        self,
        principal: Principal,
        query: str,
        type_: EntityType | None,
        namespace: str | None,
        limit: int,
    ) -> Searched:
        """Return the entities that a name stands for, and those whose names are like it: at most
        `limit` of each, of those that the principal may know of.

        Raises:
            Forbidden: the profile may not read the namespace.
            InvalidInput: the query is no name.
        """
        check_line("query", query, MAX_NAME_LENGTH)
        namespaces = namespaces_read(principal, namespace)
        tenant = principal.tenant
        exact = await self._called(tenant, namespaces, query)
        like = proposals(query, await self._entities.resembling(tenant, namespaces, query))
        scores: dict[str, float] = {entity.id: 1.0 for entity in exact}
        for each in like:
            scores.setdefault(each.entity.id, each.score)
        # Each costs a count of its mentions, and those that turn out to be unknown to the principal
        # leave room for others.
        like = like[: 4 * limit]
        found = await self.families(tenant, [*exact, *(each.entity for each in like)])
        found = tuple(each for each in found if type_ in (None, each.entity.type))
        known = await self._known(principal, found, scores)
        entities = tuple(each for each in known if any(one in exact for one in each.family.told))
        others = tuple(each for each in known if each not in entities)
        return Searched(entities[:limit], others[:limit])

    async def _called(
        self, tenant: str, namespaces: Sequence[str] | None, name_or_id: str
    ) -> tuple[Entity, ...]:
        if not is_entity_id(name_or_id):
            return await self._entities.named(tenant, namespaces, name_or_id)
        found = await self._entities.find(tenant, [name_or_id])
        return tuple(each for each in found if namespaces is None or each.namespace in namespaces)

    async def _known(
        self, principal: Principal, families: Sequence[Family], scores: Mapping[str, float]
    ) -> list[Known]:
        """Return what is known of each, under those of its names that are looked for, by their ids;
        but of those that neither a memory, which the principal may read, nor anybody by hand tells
        of.
        """
        ids = {family.entity.id: family.ids for family in families}
        counts, seen = await asyncio.gather(
            self._entities.mentions(principal.tenant, ids, principal.filter_states),
            self.seen(principal, families),
        )
        told = [family for family in seen if counts[family.entity.id] or family.is_by_hand]
        alike = [[scores[each.id] for each in one.told if each.id in scores] for one in told]
        return [
            Known(family, counts[family.entity.id], max(found))
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

    def _made(self, namespace: str, name: str) -> Entity:
        id_ = entity_id(namespace, name)
        return Entity(id_, namespace, name, type_of(name), self._clock.now())


def _merged_with(entities: Iterable[Entity]) -> list[str]:
    return [*dict.fromkeys(each.merged_with for each in entities if each.merged_with)]


def _end_of(entity: Entity, known: Mapping[str, Entity]) -> Entity:
    while (into := known.get(entity.merged_with or "")) is not None:
        entity = into
    return entity
