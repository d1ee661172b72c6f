"""Proposing: which known names are like one, by their spelling and by their meaning."""

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

from metacortex.domain.client import Principal
from metacortex.domain.errors import MetaCortexError, Unavailable
from metacortex.domain.knowledge.entity import (
    MAX_NAME_LENGTH,
    Entity,
    EntityType,
    is_entity_id,
)
from metacortex.domain.knowledge.likeness import Near, Stage, doubles, proposals
from metacortex.domain.knowledge.new_fact import check_line
from metacortex.domain.vector import Vector
from metacortex.knowledge_ports import EntityStore, NameIndex
from metacortex.service.embedding import TextEmbedding
from metacortex.service.entities import EntityService, Known, exactly
from metacortex.service.filters import namespaces_read
from metacortex.service.names import NewName

logger = logging.getLogger(__name__)

PATIENCE = 2.0
"""Seconds. What takes longer to find is not proposed."""
MOST_NAMES = 8
"""Of how many new names of one write it is told what they may stand for."""
MOST_EACH = 3
"""How many entities are proposed for each."""
NEAREST = 6
"""How many names are compared by their meaning; one that is new is among them."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The entities of a name, and those that may be meant."""

    entities: tuple[Known, ...]
    proposals: tuple[Known, ...]


@dataclass(frozen=True, slots=True)
class Proposed:
    """An entity that a write made, one that it may be the same as, and the id of what it was merged
    into, if it was: that one, or what that was merged into meanwhile.
    """

    entity: Entity
    known: Known
    merged_into: str | None = None

    @property
    def merged(self) -> bool:
        """Whether it was merged."""
        return self.merged_into is not None


class Proposing:
    """Looks for names among what a principal may know."""

    def __init__(
        self,
        store: EntityStore,
        index: NameIndex,
        entities: EntityService,
        embedding: TextEmbedding,
    ) -> None:
        self._store = store
        self._index = index
        self._entities = entities
        self._embedding = embedding

    async def proposed(
        self, principal: Principal, new: Sequence[NewName], besides: Collection[str]
    ) -> tuple[Proposed, ...]:
        """Return what new names may stand for, of what the principal may know, but not the entities
        in `besides`: who names two things at once tells them apart.

        Of a name it comes to nothing where the store or the model fails or takes its time.
        """
        new = [each for each in new if principal.may_read(each.entity.namespace)][:MOST_NAMES]
        found = await asyncio.gather(*(self._in_time(principal, each, besides) for each in new))
        return tuple(chain.from_iterable(found))

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
        exact, spelled, near = await asyncio.gather(
            self._entities.of_name(tenant, namespaces, query),
            self._store.resembling(tenant, namespaces, query),
            self._meant(tenant, namespaces, query),
        )
        like = proposals(query, spelled, near, await self._unrelated(near))
        # Each costs a count of its mentions, and those that turn out to be unknown to the principal
        # leave room for others.
        alike = [*map(exactly, exact), *like[: 4 * limit]]
        known = await self._entities.known(principal, alike, type_)
        entities = tuple(each for each in known if each.stage is Stage.EXACT)
        others = tuple(each for each in known if each.stage is not Stage.EXACT)
        return Searched(entities[:limit], others[:limit])

    async def _in_time(
        self, principal: Principal, new: NewName, besides: Collection[str]
    ) -> Sequence[Proposed]:
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._proposed(principal, new, besides)
        except TimeoutError:
            logger.info("What a new name may stand for was not told: it took too long")
        except MetaCortexError as fault:
            logger.warning("What a new name may stand for was not told: %s", fault.sentence)
        return ()

    async def _proposed(
        self, principal: Principal, new: NewName, besides: Collection[str]
    ) -> list[Proposed]:
        name, namespaces = new.entity.name, [new.entity.namespace]
        spelled, near = await asyncio.gather(
            self._store.resembling(principal.tenant, namespaces, name),
            self._near(principal.tenant, namespaces, new.vector),
        )
        like = doubles(name, spelled, near, await self._unrelated(near))[: 4 * MOST_EACH]
        apart = {new.entity.id, *besides}
        return [
            Proposed(new.entity, known)
            for known in await self._entities.known(principal, like)
            if apart.isdisjoint(known.family.ids)
        ][:MOST_EACH]

    async def _meant(
        self, tenant: str, namespaces: Sequence[str] | None, query: str
    ) -> tuple[Near, ...]:
        """Return the names that are nearest to what is asked for; none where it is an id, or the
        model or the index of vectors does not answer.
        """
        if is_entity_id(query):
            return ()
        try:
            (vector,) = (await self._embedding.of_names([query])).vectors
            await self._embedding.unrelated()
            return await self._near(tenant, namespaces, vector)
        except Unavailable as fault:
            logger.warning("Names were not looked for by their meaning: %s", fault.sentence)
            return ()

    async def _near(
        self, tenant: str, namespaces: Sequence[str] | None, vector: "Vector | None"
    ) -> tuple[Near, ...]:
        if vector is None:
            return ()
        return await self._index.near(tenant, namespaces, self._embedding.space, vector, NEAREST)

    async def _unrelated(self, near: Sequence[Near]) -> float:
        """Return what cosines are compared with, where there are any."""
        return await self._embedding.unrelated() if near else 0.0
