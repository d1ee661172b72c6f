"""Merging entities, and telling them apart again."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.errors import Conflict, InvalidInput, NotFound
from metacortex.domain.knowledge.entity import MAX_NAME_LENGTH, Entity, entity_id, is_entity_id
from metacortex.domain.knowledge.merging import check_room, merger, separation
from metacortex.domain.knowledge.naming import type_of
from metacortex.domain.knowledge.new_fact import check_line
from metacortex.domain.lifecycle import Change
from metacortex.knowledge_ports import EntityStore
from metacortex.ports import Clock
from metacortex.service.entities import UNKNOWN_ENTITY, EntityService, Known
from metacortex.service.intake import Intake
from metacortex.service.permissions import check_may_write_to

_TRIES = 5


@dataclass(frozen=True, slots=True)
class Merged:
    """What was merged or told apart, the entity that it stands for now, and whether this call
    changed anything.
    """

    entity: Entity
    known: Known
    changed: bool


class MergeService:
    """What a principal may say of which names stand for the same."""

    def __init__(
        self, store: EntityStore, entities: EntityService, intake: Intake, clock: Clock
    ) -> None:
        self._store = store
        self._entities = entities
        self._intake = intake
        self._clock = clock

    async def merge(
        self, principal: Principal, name: str, into: str, namespace: str | None
    ) -> Merged:
        """Let an entity stand for another from now on. A name that is unknown becomes an alias.

        Raises:
            NotFound: one is called by an id, or `into` by a name, that its namespace does not hold.
            InvalidInput: both are one, or one of them is no name, or a live secret.
            Conflict: it is merged into another one, or there would be too many aliases.
            Forbidden: the profile only reads the namespace.
        """
        where = _writable(principal, namespace)

        async def due(entity: Entity) -> Change | None:
            survivor = await self._entities.resolve(principal, where, into)
            change = merger(entity, survivor, principal.client_id, self._clock.now())
            if change is not None:
                families = await self._entities.families(principal.tenant, [entity, survivor])
                check_room(sum(len(family.ids) for family in families))
            return change

        if await self._find(principal, where, "into", into) is None:
            raise NotFound(UNKNOWN_ENTITY)
        _, secrets = await self._intake.cleared(principal, (name,))
        if secrets:
            kinds = ", ".join(secrets)
            raise InvalidInput(f"from looks like a live secret ({kinds}); leave it out")
        return await self._settled(principal, where, name, due, is_new_alias=True)

    async def undo(self, principal: Principal, name: str, namespace: str | None) -> Merged:
        """Let an entity that was merged stand for itself again, with all that was merged into it.

        Raises:
            NotFound: the namespace holds no such entity.
            Forbidden: the profile only reads the namespace.
        """
        where = _writable(principal, namespace)

        async def due(entity: Entity) -> Change | None:
            return separation(entity, principal.client_id, self._clock.now())

        return await self._settled(principal, where, name, due, is_new_alias=False)

    async def _settled(
        self,
        principal: Principal,
        namespace: str,
        name: str,
        due: Callable[[Entity], Awaitable[Change | None]],
        *,
        is_new_alias: bool,
    ) -> Merged:
        """Make the Change that is due, decided anew where others were faster."""
        for _ in range(_TRIES):
            entity = await self._find(principal, namespace, "from", name)
            if entity is None and is_new_alias and not is_entity_id(name):
                entity = self._alias(namespace, name)
                await self._store.put(principal.tenant, [entity])
            if entity is None:
                raise NotFound(UNKNOWN_ENTITY)
            change = await due(entity)
            if change is None or await self._store.merge(principal.tenant, change):
                known = await self._entities.told(principal, entity.id)
                return Merged(entity, known, change is not None)
        raise Conflict("Others keep changing these entities; try again")

    async def _find(
        self, principal: Principal, namespace: str, argument: str, name_or_id: str
    ) -> Entity | None:
        """Return the entity of this very name or id, whether or not it is merged."""
        check_line(argument, name_or_id, MAX_NAME_LENGTH)
        if not is_entity_id(name_or_id):
            found = await self._store.named(principal.tenant, [namespace], name_or_id)
        else:
            found = await self._store.find(principal.tenant, [name_or_id])
        return next((each for each in found if each.namespace == namespace), None)

    def _alias(self, namespace: str, name: str) -> Entity:
        now = self._clock.now()
        id_ = entity_id(namespace, name)
        return Entity(id_, namespace, name, type_of(name), now, by_hand=True)


def _writable(principal: Principal, namespace: str | None) -> str:
    where = namespace or principal.own_namespace
    check_may_write_to(principal, where)
    return where
