"""Facts: what a principal states and asks of the truth that its tenant keeps."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import uuid4

from metacortex.domain.client import Principal
from metacortex.domain.details import FactDetails, Kind
from metacortex.domain.errors import NotFound
from metacortex.domain.forgetting import Entry
from metacortex.domain.identity import immutable_digest
from metacortex.domain.knowledge.entity import Entity, is_entity_id
from metacortex.domain.knowledge.fact import (
    Currency,
    Fact,
    in_time,
    one_spelling,
    sentence_of,
    spoken,
)
from metacortex.domain.knowledge.new_fact import NO_SOURCE, NewFact
from metacortex.domain.knowledge.placing import Placed
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import DEFAULT_TOPIC, Author, Memory, Modality
from metacortex.knowledge_ports import FactStore
from metacortex.ports import Clock, MemoryStore
from metacortex.service.embedding import TextEmbedding
from metacortex.service.entities import EntityService
from metacortex.service.intake import Intake, new_salt
from metacortex.service.permissions import (
    check_may_see,
    check_may_write,
    check_may_write_to,
    check_same_namespace,
    known,
    unknown_by,
)
from metacortex.service.resolution import Resolution
from metacortex.service.upserted import Upserted, WriteStatus, status_of, upserted_of

UNKNOWN_FACT = "Fact not found"
_TWO_NAMESPACES = "A fact can only be drawn from a memory of its own namespace"


@dataclass(frozen=True, slots=True)
class Named:
    """An entity as a fact speaks of it: its id, and what it is called there."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Told:
    """A fact in the history of its timeline, and all that was recorded of it."""

    fact: Fact
    currency: Currency
    changes: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class FactContext:
    """A fact with what it speaks of, what it was learned from and what stands beside it in time."""

    told: Told
    entities: tuple[Named, ...]
    sources: tuple[Memory, ...]
    history: tuple[Told, ...]


class FactService:
    """What a principal may do with the facts of its tenant."""

    def __init__(
        self,
        store: MemoryStore,
        facts: FactStore,
        entities: EntityService,
        resolution: Resolution,
        embedding: TextEmbedding,
        intake: Intake,
        clock: Clock,
    ) -> None:
        self._store = store
        self._facts = facts
        self._entities = entities
        self._resolution = resolution
        self._embedding = embedding
        self._intake = intake
        self._clock = clock

    async def upsert(self, principal: Principal, new: NewFact) -> Upserted:
        """Write a fact into its timeline, as `metacortex.domain.knowledge.placing` tells. Of one
        that the store did not answer are kept at most its new names, as entities that no answer
        shows.

        Raises:
            Forbidden: the profile may not write active memories, or not to this namespace, or not
                see the fact that it repeats.
            NotFound: the source episode, or an entity that is named by id, is unknown to it.
            InvalidInput: a name holds a live secret, or any text does and the profile refuses them;
                or the source is in another namespace.
            Unavailable: the text was not embedded or not stored.
        """
        namespace = new.namespace or principal.own_namespace
        check_may_write(principal, BranchState.ACTIVE)
        check_may_write_to(principal, namespace)
        new = await self._without_secrets(principal, new)
        await self._check_source(principal, namespace, new.source_episode_id)
        called = {"subject_id": new.subject} | ({"object_id": new.entity} if new.entity else {})
        met = await self._resolution.met(principal, namespace, called)
        subject, *objects = await asyncio.gather(
            *(
                self._called(principal, entity, *given)
                for entity, given in zip(met.entities, called.items(), strict=True)
            )
        )
        memory = self._memory_of(principal, new, namespace, subject, objects)
        memory, (embedding, names) = await asyncio.gather(
            self._intake.counted(memory),
            self._embedding.of_fact(memory, [each.name for each in met.new]),
        )
        async with self._resolution.resolved(principal, met, names, memory.text) as resolved:
            # Read last: models take their time, in which others may merge what is spoken of.
            aliases = await self._entities.other_names(principal.tenant, memory.entities)
            placed = await self._facts.add_fact(
                principal.tenant,
                memory,
                embedding,
                principal.client_id,
                aliases.get(subject.id, ()),
                [id_ for each in objects for id_ in aliases.get(each.id, ())],
                partial(_check_told, principal),
            )
        await self._resolution.keep(principal.tenant, resolved)
        return upserted_of(placed, new.redacted, resolved.proposals)

    async def context(self, principal: Principal, fact_id: str) -> FactContext:
        """Return a fact with its entities, its sources and its history: all facts of its timeline,
        by their starts. Those that do not hold now are left out where the profile may not see
        what is deprecated.

        Raises:
            NotFound: the principal knows no fact of this id.
            Forbidden: the profile may not see its state.
        """
        found = await self._store.get(principal.tenant, fact_id)
        memory = known(principal, found, UNKNOWN_FACT)
        if memory.kind is not Kind.FACT:
            raise NotFound(UNKNOWN_FACT)
        check_may_see(principal, memory.branch_state)
        fact = Fact(memory)
        subjects = await self._names_of(principal, fact.details.subject_id)
        known_facts, sources = await asyncio.gather(
            self._facts.timeline(
                principal.tenant, memory.namespace, subjects, fact.details.predicate
            ),
            self._sources(principal, memory),
        )
        # As it stands beside the others: it may have been replaced since it was read alone.
        fact = {each.id: each for each in (fact, *known_facts)}[fact.id]
        check_may_see(principal, fact.memory.branch_state)
        now = self._clock.now()
        timeline = [each for each in known_facts if principal.sees_past or each.holds_at(now)]
        changes = await self._facts.changes_of(
            principal.tenant, [fact.id, *(each.id for each in timeline)]
        )
        history = [
            Told(each, each.currency_at(now), changes[each.id])
            for each in sorted(timeline, key=in_time)
        ]
        told = Told(fact, fact.currency_at(now), changes[fact.id])
        return FactContext(told, _entities(fact.details), sources, tuple(history))

    async def _check_source(
        self, principal: Principal, namespace: str, source_id: str | None
    ) -> None:
        """Check that what a fact of a namespace is drawn from, if anything, can be named there."""
        if source_id is not None:
            found = await self._store.get(principal.tenant, source_id)
            source = known(principal, found, NO_SOURCE)
            check_same_namespace(namespace, source.namespace, _TWO_NAMESPACES)

    async def _without_secrets(self, principal: Principal, new: NewFact) -> NewFact:
        names = [("subject_id", new.subject), ("predicate", new.predicate)]
        object_ = [("object_id", new.entity)] if new.entity else []
        given = (new.value or "", new.category or "")
        (value, category), kinds = await self._intake.cleared(principal, given, [*names, *object_])
        if not kinds:
            return new
        return replace(
            new,
            value=None if new.value is None else value,
            category=category or None,
            redacted=kinds,
        )

    def _memory_of(
        self,
        principal: Principal,
        new: NewFact,
        namespace: str,
        subject: Named,
        objects: Sequence[Named],
    ) -> Memory:
        entity = objects[0] if objects else None
        value = entity.name if entity else new.value or ""
        now = self._clock.now()
        predicate = one_spelling(new.predicate)
        sentence = sentence_of(subject.name, predicate, value)
        said = sentence_of(subject.name, spoken(predicate), value)
        memory = Memory(
            id=uuid4().hex,
            namespace=namespace,
            kind=Kind.FACT,
            content=sentence,
            topic=DEFAULT_TOPIC,
            branch_state=BranchState.ACTIVE,
            modality=Modality.TEXT,
            created_at=now,
            updated_at=now,
            recorded_at=now,
            written_by=Author(principal.client_id),
            details=FactDetails(
                subject_id=subject.id,
                subject=subject.name,
                predicate=predicate,
                object=value,
                object_id=entity.id if entity else None,
                singular=new.singular,
                confidence=new.confidence,
                category=new.category,
                source_episode_id=new.source_episode_id,
            ),
            retrieval_text=None if said == sentence else said,
            importance=new.importance,
            entities=tuple(dict.fromkeys(each.id for each in (subject, entity) if each)),
            valid_from=new.valid_from,
            valid_until=new.valid_until,
            salt=new_salt(),
            sources=() if new.source_episode_id is None else (new.source_episode_id,),
        )
        return replace(memory, sha256=immutable_digest(memory))

    async def _called(
        self, principal: Principal, entity: Entity, argument: str, called: str
    ) -> Named:
        """Return an entity as it is called here: by its own name, or by its id."""
        if not is_entity_id(called):
            return Named(entity.id, called)
        meant = await self._entities.meant(principal, entity, unknown_by(argument))
        return Named(meant.id, meant.name)

    async def _names_of(self, principal: Principal, entity: str) -> Sequence[str]:
        """Return the ids under which an entity is known, the one that it stands for first."""
        families = await self._entities.resolved(principal.tenant, [entity])
        return families[0].ids if families else (entity,)

    async def _sources(self, principal: Principal, memory: Memory) -> tuple[Memory, ...]:
        found = await asyncio.gather(
            *(self._store.get(principal.tenant, id_) for id_ in memory.sources)
        )
        return tuple(
            each
            for each in found
            if each is not None
            and principal.may_read(each.namespace)
            and each.branch_state in principal.filter_states
        )


def _check_told(principal: Principal, placed: Placed) -> None:
    """Check that the principal may see what it repeats."""
    if status_of(placed) is WriteStatus.DUPLICATE:
        check_may_see(principal, placed.fact.memory.branch_state)


def _entities(details: FactDetails) -> tuple[Named, ...]:
    subject = Named(details.subject_id, details.subject)
    if details.object_id is None:
        return (subject,)
    return (subject, Named(details.object_id, details.object))
