"""Merging entities, and telling them apart again."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.errors import Conflict, NotFound
from metacortex.domain.knowledge.entity import (
    MAX_NAME_LENGTH,
    Entity,
    entity_id,
    id_called,
    is_entity_id,
)
from metacortex.domain.knowledge.merging import merger, separation
from metacortex.domain.knowledge.naming import type_of
from metacortex.domain.knowledge.new_fact import check_line
from metacortex.domain.lifecycle import Change
from metacortex.knowledge_ports import EntityStore
from metacortex.ports import Clock
from metacortex.service.entities import EntityService, Known
from metacortex.service.intake import Intake
from metacortex.service.names import Names
from metacortex.service.permissions import check_may_write_to, unknown_by

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
        self,
        store: EntityStore,
        entities: EntityService,
        names: Names,
        intake: Intake,
        clock: Clock,
    ) -> None:
        self._store = store
        self._entities = entities
        self._names = names
        self._intake = intake
        self._clock = clock

    async def merge(
        self,
        principal: Principal,
        name: str,
        into: str,
        namespace: str | None,
        cause: str | None = None,
    ) -> Merged:
        """Let an entity stand for another from now on, and record why where another than the
        principal decided it. A name that is unknown becomes an alias.

        Raises:
            NotFound: one is called by an id, or `into` by a name, that its namespace does not hold.
            InvalidInput: both are one, or one of them is no name, or a live secret.
            Conflict: it is merged into another one, or there would be too many aliases.
            Forbidden: the profile only reads the namespace.
        """
        where = _writable(principal, namespace)
        check_line("from", name, MAX_NAME_LENGTH)
        check_line("into", into, MAX_NAME_LENGTH)
        await self._intake.check_name(principal, "from", name)

        async with AsyncExitStack() as made:

            async def due() -> tuple[Entity, Change | None]:
                entity, other = await self._find(principal.tenant, where, name, into)
                if other is None:
                    raise NotFound(unknown_by("into"))
                survivor = await self._entities.survivor(principal.tenant, other)
                entity = entity or await self._new_alias(principal.tenant, where, name, made)
                now = self._clock.now()
                return entity, merger(entity, survivor, principal.client_id, now, cause)

            return await self._applied(principal, due)

    async def undo(
        self, principal: Principal, name: str, namespace: str | None, into: str | None = None
    ) -> Merged:
        """Let an entity that was merged stand for itself again, with all that was merged into it;
        where `into` is given, only if it was merged into the entity of that id.

        Raises:
            NotFound: the namespace holds no such entity.
            Forbidden: the profile only reads the namespace.
        """
        where = _writable(principal, namespace)
        check_line("from", name, MAX_NAME_LENGTH)

        async def due() -> tuple[Entity, Change | None]:
            (entity,) = await self._find(principal.tenant, where, name)
            if entity is None:
                raise NotFound(unknown_by("from"))
            if into not in (None, entity.merged_with):
                return entity, None
            return entity, separation(entity, principal.client_id, self._clock.now())

        return await self._applied(principal, due)

    async def _applied(
        self, principal: Principal, due: Callable[[], Awaitable[tuple[Entity, Change | None]]]
    ) -> Merged:
        """Make the Change that is due, decided anew where others were faster."""
        for _ in range(_TRIES):
            entity, change = await due()
            if change is None or await self._store.merge(principal.tenant, change):
                known = await self._entities.told(principal, entity.id)
                return Merged(entity, known, change is not None)
        raise Conflict("Others keep changing these entities; try again")

    async def _find(self, tenant: str, namespace: str, *called: str) -> list[Entity | None]:
        """Return the entities of these very names or ids, whether or not they are merged, and None
        for each that the namespace does not hold.
        """
        ids = [id_called(namespace, each) for each in called]
        found = {each.id: each for each in await self._store.find(tenant, ids)}
        here = (found.get(id_) for id_ in ids)
        return [each if each and each.namespace == namespace else None for each in here]

    async def _new_alias(
        self, tenant: str, namespace: str, name: str, made: AsyncExitStack
    ) -> Entity:
        if is_entity_id(name):
            raise NotFound(unknown_by("from"))
        id_, now = entity_id(namespace, name), self._clock.now()
        alias = Entity(id_, namespace, name, type_of(name), now, by_hand=True)
        names = await self._names.embedded([alias])
        await made.enter_async_context(self._names.stored(tenant, [alias], names))
        return alias


def _writable(principal: Principal, namespace: str | None) -> str:
    where = namespace or principal.own_namespace
    check_may_write_to(principal, where)
    return where
