"""Remember, fetch, deprecate and promote."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from metacortex.domain.client import Principal
from metacortex.domain.details import Kind
from metacortex.domain.errors import Forbidden, InvalidInput, NotFound
from metacortex.domain.identity import Fingerprint, fingerprint_of
from metacortex.domain.lifecycle import (
    NO_REPLACEMENT,
    NOTHING_TO_SUPERSEDE,
    BranchState,
)
from metacortex.domain.memory import Memory, NewMemory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.resemblance import Similar
from metacortex.ports import Clock, MemoryStore, Moved
from metacortex.service.embedding import TextEmbedding
from metacortex.service.flights import Flights
from metacortex.service.intake import Intake, namespace_of
from metacortex.service.mentions import Mentions
from metacortex.service.permissions import (
    UNKNOWN,
    check_may_change,
    check_may_see,
    check_may_write,
    check_may_write_to,
    check_same_namespace,
    known,
)
from metacortex.service.proposing import Proposed
from metacortex.service.resemblances import Resemblances
from metacortex.service.resolution import Resolution

_TWO_NAMESPACES = "A document can only be superseded by one of its own namespace"


@dataclass(frozen=True, slots=True)
class Remembered:
    """The stored memory, whether this call made it, the kinds of secrets that were taken out of
    what was given, the memories that one that was made resembles, and what the names may stand for
    that an episode brought in.
    """

    memory: Memory
    created: bool
    redacted: tuple[str, ...] = ()
    similar: tuple[Similar, ...] = ()
    proposals: tuple[Proposed, ...] = ()


class MemoryService:
    """What a principal may do with the memories of its tenant."""

    def __init__(
        self,
        store: MemoryStore,
        mentions: Mentions,
        resolution: Resolution,
        embedding: TextEmbedding,
        intake: Intake,
        clock: Clock,
        idempotency_window: Milliseconds,
    ) -> None:
        self._store = store
        self._mentions = mentions
        self._resolution = resolution
        self._embedding = embedding
        self._intake = intake
        self._clock = clock
        self._window = idempotency_window
        self._flights = Flights()
        self._resemblances = Resemblances(store, embedding)

    async def remember(self, principal: Principal, new: NewMemory) -> Remembered:
        """Store what the caller asks to remember, or return the stored memory that an equal write
        made. What it supersedes is deprecated in the same step; what it resembles is only named.

        Raises:
            Forbidden: the profile may not write this state, or that of what is past already, or not
                replace memories, or one that is to be replaced is in a namespace that it only
                reads.
            NotFound: one that is to be replaced is unknown to the principal.
            Conflict: one that is to be replaced has another replacement.
            InvalidInput: the text holds a live secret and the profile refuses them; or one that is
                to be replaced is in another namespace.
            Unavailable: the image could not be described, the text not embedded, or the memory not
                stored; of what the store did not answer are kept at most its new names, as
                entities that no answer shows, or, where the sentence says so, all of it may be.
        """
        check_may_write(principal, new.branch_state)
        check_may_write_to(principal, namespace_of(principal, new))
        if new.supersedes and not principal.may_replace:
            raise Forbidden("supersedes is not allowed for this client; leave it out")
        as_it_stands = self._as_it_stands(principal, new)
        return await self._write(principal, as_it_stands, to_check=new.supersedes)

    async def write(self, principal: Principal, new: NewMemory) -> Remembered:
        """Store a memory as `remember` does, where it is known that the principal may write it and
        change what it supersedes.
        """
        return await self._write(principal, new)

    async def _write(
        self, principal: Principal, new: NewMemory, to_check: Sequence[str] = ()
    ) -> Remembered:
        """Store a memory; whether the principal may change what is `to_check` matters only where no
        equal write has done so already, since it may be forgotten by now.
        """
        new = await self._intake.without_secrets(principal, new)
        digest = fingerprint_of(new, namespace_of(principal, new))
        async with self._flights.alone((principal.tenant, digest)):
            fingerprint = Fingerprint(digest, self._clock.now() - self._window)
            stored = await self._store.find_written(principal.tenant, fingerprint, new.branch_state)
            if stored is not None:
                return Remembered(stored, created=False, redacted=new.redacted)
            for memory_id in to_check:
                replaced = await self._changeable(principal, memory_id, NOTHING_TO_SUPERSEDE)
                check_same_namespace(
                    replaced.namespace, namespace_of(principal, new), _TWO_NAMESPACES
                )
            memory = await self._intake.memory_of(principal, new)
            memory, mentioned, embedding = await asyncio.gather(
                self._intake.counted(memory),
                self._mentions.of(principal, memory, new.labels.entities),
                self._embedding.of_memory(memory),
            )
            memory = replace(memory, entities=mentioned.ids)
            async with (
                self._mentions.stored(principal.tenant, mentioned) as names,
                self._resemblances.sought(
                    principal, memory, embedding, besides=new.supersedes
                ) as sought,
            ):
                stored, created = await self._store.add(
                    principal.tenant,
                    memory,
                    embedding,
                    memory.creation(principal.client_id),
                    fingerprint,
                    new.supersedes,
                )
                similar = await sought if created else ()
        named = names if created and memory.kind is Kind.EPISODE else ()
        proposals = await self._resolution.proposed(principal, named, memory.entities, memory.text)
        return Remembered(stored, created, new.redacted, similar, proposals)

    async def fetch(self, principal: Principal, memory_id: str) -> Memory:
        """Return one memory.

        Raises:
            NotFound: there is none with this id that the principal may know of.
            Forbidden: the profile may not see its state.
        """
        memory = await self._known(principal, memory_id)
        check_may_see(principal, memory.branch_state)
        return memory

    async def deprecate(self, principal: Principal, memory_id: str, replacement_id: str) -> Moved:
        """Take a memory out of active search and name its replacement. Nothing is deleted.

        Raises:
            InvalidInput: both ids are equal, or the memories are in different namespaces.
            NotFound: one of them is unknown to the principal.
            Forbidden: the memory is in a namespace that the profile only reads.
            Conflict: see `metacortex.domain.lifecycle.supersession`.
        """
        if memory_id == replacement_id:
            raise InvalidInput("A document cannot supersede itself")
        memory = await self._changeable(principal, memory_id)
        replacement = await self._known(principal, replacement_id, NO_REPLACEMENT)
        check_same_namespace(memory.namespace, replacement.namespace, _TWO_NAMESPACES)
        superseded = await self._store.supersede(
            principal.tenant, memory_id, replacement_id, principal.client_id, self._clock.now()
        )
        if superseded is None:
            raise NotFound(UNKNOWN)
        return superseded

    async def promote(self, principal: Principal, memory_id: str, state: BranchState) -> Moved:
        """Move a draft on: it becomes canonical, or counts as taken up into another memory.

        Raises:
            Forbidden: the profile may not write this state, or only reads the memory's namespace.
            NotFound: the id is unknown to the principal.
            InvalidInput, Conflict: see `metacortex.domain.lifecycle.promotion`.
        """
        check_may_write(principal, state)
        await self._changeable(principal, memory_id)
        promoted = await self._store.promote(
            principal.tenant, memory_id, state, principal.client_id, self._clock.now()
        )
        if promoted is None:
            raise NotFound(UNKNOWN)
        return promoted

    def _as_it_stands(self, principal: Principal, new: NewMemory) -> NewMemory:
        """Return what is past already as deprecated: the state follows the valid time."""
        end = new.labels.valid_until
        if end is None or end.at > self._clock.now():
            return new
        if BranchState.DEPRECATED not in principal.write_states:
            raise Forbidden(
                "What has ended already is kept as deprecated, which is not allowed for this"
                " client; leave valid_until out and say in the text until when it was true"
            )
        return replace(new, branch_state=BranchState.DEPRECATED)

    async def _changeable(
        self, principal: Principal, memory_id: str, unknown: str = UNKNOWN
    ) -> Memory:
        memory = await self._known(principal, memory_id, unknown)
        check_may_change(principal, memory.namespace)
        return memory

    async def _known(self, principal: Principal, memory_id: str, unknown: str = UNKNOWN) -> Memory:
        return known(principal, await self._store.get(principal.tenant, memory_id), unknown)
