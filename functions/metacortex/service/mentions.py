"""What a memory that is being written mentions: its links to entities, found without any model."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.knowledge.entity import Entity, entity_id, is_entity_id
from metacortex.domain.knowledge.likeness import MOST_COMPARED
from metacortex.domain.knowledge.naming import (
    MOST_BEGINNINGS,
    Word,
    beginning_of,
    beginnings,
    mentioned,
    names_in,
    type_of,
    words_of,
)
from metacortex.domain.memory import Memory
from metacortex.knowledge_ports import EntityStore
from metacortex.ports import Embedding
from metacortex.service.entities import EntityService
from metacortex.service.names import Names, NewName

MOST_MENTIONS = 64
"""How many entities one memory lists. What was given comes first, then the order of the text."""


@dataclass(frozen=True, slots=True)
class Mentioned:
    """The ids of what a memory mentions, and the entities of names that are not known yet, with the
    vectors of these, if they got any.
    """

    ids: tuple[str, ...]
    missing: Sequence[Entity]
    names: Embedding | None


class Mentions:
    """Links memories to the entities that they mention, and makes entities of new names."""

    def __init__(self, store: EntityStore, entities: EntityService, names: Names) -> None:
        self._store = store
        self._entities = entities
        self._names = names

    async def of(
        self, principal: Principal, memory: Memory, names_or_ids: Sequence[str]
    ) -> Mentioned:
        """Return what a memory mentions: what was given with it by id or by name, names that are
        known by how they are written, and known names that its text holds.

        Raises:
            NotFound: its namespace holds no entity of an id that is given of which the principal
                may know.
            Unavailable: the store did not answer.
        """
        called = await asyncio.gather(
            *(
                self._meant(principal, memory.namespace, each)
                for each in names_or_ids
                if is_entity_id(each)
            )
        )
        names = [each for each in names_or_ids if not is_entity_id(each)]
        ids, missing = await self._read(principal.tenant, memory, called, names)
        return Mentioned(ids, missing, await self._names.embedded(missing))

    def stored(
        self, tenant: str, mentioned: Mentioned
    ) -> AbstractAsyncContextManager[tuple[NewName, ...]]:
        """Store entities of new names for a block that writes the memory that mentions them, as
        `Names.stored` does.
        """
        return self._names.stored(tenant, mentioned.missing, mentioned.names)

    async def link(self, tenant: str, memory: Memory) -> None:
        """Let a stored memory list what it mentions beside what it lists already. It takes no
        model: of new names entities are stored without vectors.

        Raises:
            Unavailable: the store did not answer.
        """
        mentioned, missing = await self._read(tenant, memory, (), ())
        if missing:
            await self._names.store_bare(tenant, missing)
        ids = tuple(dict.fromkeys((*memory.entities, *mentioned)))
        if ids != memory.entities:
            await self._store.link(tenant, memory.id, ids)

    async def _meant(self, principal: Principal, namespace: str, id_: str) -> str:
        entity = await self._entities.of_id(principal.tenant, namespace, id_)
        return (await self._entities.meant(principal, entity)).id

    async def _read(
        self, tenant: str, memory: Memory, called: Sequence[str], names: Sequence[str]
    ) -> tuple[tuple[str, ...], Sequence[Entity]]:
        """Return the ids of what a memory mentions, and the entities that may not be there yet."""
        # Off the loop: a long text takes longer than other callers should wait.
        found = await asyncio.to_thread(_read, memory, names)
        space, first = (memory.namespace,), found.beginnings
        known = await self._store.beginning(tenant, space, first) if first else ()
        there = {*called, *(entity.id for entity in known)}
        of_text = await asyncio.to_thread(mentioned, found.words, known) if known else []
        ids = [*dict.fromkeys((*called, *found.named, *of_text))][:MOST_MENTIONS]
        missing = [id_ for id_ in ids if id_ in found.named and id_ not in there]
        if missing and len(known) >= MOST_COMPARED:
            # So many begin alike that some of these may be among those that were left out.
            there.update(each.id for each in await self._store.find(tenant, missing))
        return tuple(ids), [found.named[id_] for id_ in missing if id_ not in there]


@dataclass(frozen=True, slots=True)
class _Found:
    """What a text says by itself: its words, the entities that are named, by their ids, and what
    known names may begin with that it mentions.
    """

    words: Sequence[Word]
    named: Mapping[str, Entity]
    beginnings: Sequence[str]


def _read(memory: Memory, names: Sequence[str]) -> _Found:
    words = words_of(memory.text)
    named: dict[str, Entity] = {}
    given = [(name, type_of(name)) for name in names if beginning_of(name)]
    for name, type_ in (*given, *names_in(words).items()):
        id_ = entity_id(memory.namespace, name)
        entity = Entity(id_, memory.namespace, name, type_, memory.recorded_at)
        named.setdefault(id_, entity)
    of_names = (beginning_of(entity.name) for entity in named.values())
    first = dict.fromkeys((*filter(None, of_names), *beginnings(words)))
    return _Found(words, named, [*first][:MOST_BEGINNINGS])
