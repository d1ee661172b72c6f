"""Resolution: what a name stands for, in four stages: the same name or alias, one that is spelled
like it, one that means the same, a new one. Only the first decides; what the next two find is
proposed, and a judge, where there is one, may have it merged.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from metacortex.domain.client import Principal
from metacortex.domain.errors import MetaCortexError, Unavailable
from metacortex.domain.knowledge.entity import Entity, entity_id
from metacortex.domain.knowledge.naming import type_of
from metacortex.ports import Clock, Embedding
from metacortex.service.entities import EntityService
from metacortex.service.judging import Judging
from metacortex.service.names import Names, NewName
from metacortex.service.permissions import unknown_by
from metacortex.service.proposing import Proposed, Proposing

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Met:
    """The entities that names call, in their order, whether or not they are merged; and those of
    them whose names are new, which are not stored yet.
    """

    entities: tuple[Entity, ...]
    new: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """The entities that names call, in their order, and what is proposed for new ones."""

    entities: tuple[Entity, ...]
    proposals: tuple[Proposed, ...]


class Resolution:
    """Resolves names for a principal; `judging` is None where no judge is configured."""

    def __init__(
        self,
        entities: EntityService,
        names: Names,
        proposing: Proposing,
        judging: Judging | None,
        clock: Clock,
    ) -> None:
        self._entities = entities
        self._names = names
        self._proposing = proposing
        self._judging = judging
        self._clock = clock

    async def met(self, principal: Principal, namespace: str, called: Mapping[str, str]) -> Met:
        """Return the entities that are called by names or ids in a namespace, by the arguments that
        they were given in.

        Raises:
            NotFound: the namespace holds no entity of one of the ids.
            InvalidInput: one is no name.
            Unavailable: the store did not answer.
        """
        met = await asyncio.gather(
            *(
                self._entities.met(principal, namespace, name_or_id, unknown_by(argument))
                for argument, name_or_id in called.items()
            )
        )
        new: dict[str, Entity] = {}
        entities: list[Entity] = []
        for name, entity in zip(called.values(), met, strict=True):
            if entity is None:
                entity = self._made(namespace, name)
                entity = new.setdefault(entity.id, entity)
            entities.append(entity)
        return Met(tuple(entities), tuple(new.values()))

    @asynccontextmanager
    async def resolved(
        self, principal: Principal, met: Met, names: Embedding, about: str
    ) -> AsyncIterator[Resolved]:
        """Give a block that writes what was met. Those of new names are stored, with these vectors,
        as `Names.stored` does; what is only like them is proposed. `about` is what is said of them.

        Where the block fails or is called off, what the judge merged is undone: nobody was told.

        Raises:
            Unavailable: the store did not answer.
        """
        async with self._names.stored(principal.tenant, met.new, names) as new:
            besides = {entity.id for entity in met.entities}
            proposed = await self.proposed(principal, new, besides, about)
            try:
                yield Resolved(met.entities, proposed)
            except (MetaCortexError, asyncio.CancelledError):
                if self._judging is not None:
                    await self._judging.undo(principal, proposed)
                raise

    async def proposed(
        self,
        principal: Principal,
        new: Sequence[NewName],
        besides: Collection[str],
        about: str,
    ) -> tuple[Proposed, ...]:
        """Return what new names may stand for, as `Proposing` tells, and what of it was merged, as
        `Judging` tells. Whatever fails, the write goes on.
        """
        proposed = await self._proposing.proposed(principal, new, besides)
        if self._judging is None or not proposed:
            return proposed
        return await self._judging.judged(principal, proposed, about)

    async def keep(self, tenant: str, resolved: Resolved) -> None:
        """Store again what is gone of entities that a memory mentions by now: another may have been
        forgotten meanwhile that was the last to mention them. Whatever fails, the memory is stored.
        """
        try:
            await self._keep(tenant, resolved)
        except Unavailable as fault:
            logger.warning("What a memory mentions may be gone: %s", fault.sentence)

    async def _keep(self, tenant: str, resolved: Resolved) -> None:
        found = await self._entities.there(tenant, [each.id for each in resolved.entities])
        gone = {each.id: each for each in resolved.entities if each.id not in found}
        if gone:
            # What stands in a merge is not forgotten.
            alone = [replace(each, merged_with=None) for each in gone.values()]
            await self._names.store_bare(tenant, alone)

    def _made(self, namespace: str, name: str) -> Entity:
        id_ = entity_id(namespace, name)
        return Entity(id_, namespace, name, type_of(name), self._clock.now())
