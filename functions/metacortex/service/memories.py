"""Remember, search, fetch and deprecate."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from uuid import uuid4

from metacortex.domain.client import Principal, SecretsPolicy
from metacortex.domain.details import Kind
from metacortex.domain.errors import Forbidden, InvalidInput, NotFound, Unavailable
from metacortex.domain.identity import Fingerprint, fingerprint_of, immutable_digest
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.memory import DEFAULT_IMPORTANCE, Author, Memory, NewMemory, listed_refs
from metacortex.domain.moment import Milliseconds
from metacortex.domain.question import Found
from metacortex.domain.redaction import Redacted, redact
from metacortex.domain.search import MemoryFilter, Search
from metacortex.ports import Clock, ImageDescriber, MemoryStore, SecretScanner, Superseded
from metacortex.service.embedding import TextEmbedding
from metacortex.service.questions import question_of
from metacortex.service.recalls import recalled_from


@dataclass(frozen=True, slots=True)
class Remembered:
    """The stored memory, whether this call made it, and the kinds of secrets that were taken out of
    what was given.
    """

    memory: Memory
    created: bool
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Searched:
    """What was found, the state that was searched, and the legs that were missing."""

    found: Found
    branch_state: BranchState
    degraded: tuple[str, ...]


class MemoryService:
    """What a principal may do with the memories of its tenant."""

    def __init__(
        self,
        store: MemoryStore,
        embedding: TextEmbedding,
        describer: ImageDescriber,
        scanner: SecretScanner,
        clock: Clock,
        idempotency_window: Milliseconds,
        search_result_limit: int,
    ) -> None:
        self._store = store
        self._embedding = embedding
        self._describer = describer
        self._scanner = scanner
        self._clock = clock
        self._window = idempotency_window
        self._limit = search_result_limit
        self._flights = _Flights()

    def now(self) -> Milliseconds:
        """Return the present moment, which relative dates are told from."""
        return self._clock.now()

    async def remember(self, principal: Principal, new: NewMemory) -> Remembered:
        """Store what the caller asks to remember, or return the stored memory that an equal write
        made.

        Raises:
            Forbidden: the profile may not write this state.
            InvalidInput: the text holds a live secret and the profile refuses them.
            Unavailable: the image could not be described, the text not embedded, or the memory not
                stored; nothing of it is kept, or, where the sentence says so, all of it may be.
        """
        if new.branch_state not in principal.write_states:
            raise Forbidden(f"branch_state '{new.branch_state}' is not allowed for this client")
        if not principal.may_change(_namespace(principal, new)):
            raise Forbidden(
                f"namespace '{new.labels.namespace}' cannot be written to by this client"
            )
        new = _as_it_stands(await self._without_secrets(principal, new), self._clock.now())
        digest = fingerprint_of(new, _namespace(principal, new))
        async with self._flights.alone((principal.tenant, digest)):
            fingerprint = Fingerprint(digest, self._clock.now() - self._window)
            stored = await self._store.find_written(principal.tenant, fingerprint, new.branch_state)
            if stored is not None:
                return Remembered(stored, created=False, redacted=new.redacted)
            memory = await self._described(principal, new)
            embedding = await self._embedding.of_memory(memory)
            stored, created = await self._store.add(
                principal.tenant,
                memory,
                embedding,
                _creation(memory, principal.client_id),
                fingerprint,
            )
        return Remembered(stored, created, new.redacted)

    async def search(self, principal: Principal, search: Search) -> Searched:
        """Return the memories that answer the query best, by meaning and by words, among those that
        the filters and the principal admit.

        Raises:
            Forbidden: the profile may not see this state.
            Unavailable: the query could not be embedded where only meaning was asked, or the store
                did not answer.
        """
        state = search.branch_state or principal.default_filter_state
        if state not in principal.filter_states:
            raise Forbidden(f"filter_state '{state}' is not allowed for this client")
        now = self._clock.now()
        question, degraded = await question_of(self._embedding, search.query, search.mode, now)
        where = MemoryFilter(
            namespaces=principal.readable_namespaces,
            branch_state=state,
            valid_at=now,
            topic=search.topic,
        )
        found = await self._store.find(
            principal.tenant, question, where, search.limit or self._limit
        )
        return Searched(found, state, degraded)

    async def fetch(self, principal: Principal, memory_id: str) -> Memory:
        """Return one memory.

        Raises:
            NotFound: there is none with this id that the principal may know of.
            Forbidden: the profile may not see its state.
        """
        memory = await self._readable(principal, memory_id)
        if memory is None:
            raise NotFound("Document not found")
        if memory.branch_state not in principal.filter_states:
            raise Forbidden(f"branch_state '{memory.branch_state}' is not allowed for this client")
        return memory

    async def deprecate(
        self, principal: Principal, memory_id: str, replacement_id: str
    ) -> Superseded:
        """Take a memory out of active search and name its replacement. Nothing is deleted.

        Raises:
            InvalidInput: both ids are equal.
            NotFound: one of them is unknown to the principal.
            Forbidden: the memory is in a namespace that the profile only reads.
            Conflict: see `metacortex.domain.lifecycle.supersession`.
        """
        if memory_id == replacement_id:
            raise InvalidInput("A document cannot supersede itself")
        memory = await self._readable(principal, memory_id)
        if memory is None:
            raise NotFound("Document not found")
        if await self._readable(principal, replacement_id) is None:
            raise NotFound("Superseding document not found")
        if not principal.may_change(memory.namespace):
            raise Forbidden(f"namespace '{memory.namespace}' is read-only for this client")
        superseded = await self._store.supersede(
            principal.tenant, memory_id, replacement_id, principal.client_id, self._clock.now()
        )
        if superseded is None:
            raise NotFound("Document not found")
        return superseded

    async def _readable(self, principal: Principal, memory_id: str) -> Memory | None:
        memory = await self._store.get(principal.tenant, memory_id)
        return memory if memory is not None and principal.may_read(memory.namespace) else None

    async def _without_secrets(self, principal: Principal, new: NewMemory) -> NewMemory:
        if principal.secrets is SecretsPolicy.KEEP:
            return new
        # Off the loop: a pasted log of 700 kB takes the scanner longer than other callers should
        # wait.
        labels = new.labels
        given = (
            *(new.content, new.topic, labels.title or "", labels.session_id or ""),
            *(*labels.tags, *new.artifact_refs),
        )
        redacted = await asyncio.to_thread(self._redacted, given)
        kinds = tuple(dict.fromkeys(kind for text in redacted for kind in text.kinds))
        if kinds and principal.secrets is SecretsPolicy.REFUSE:
            raise InvalidInput(
                f"The text holds what looks like a live secret ({', '.join(kinds)}); leave it out"
            )
        if not kinds:
            return new
        content, topic, title, session_id, *others = (text.text for text in redacted)
        tags, refs = others[: len(labels.tags)], others[len(labels.tags) :]
        return replace(
            new,
            content=content,
            topic=topic,
            artifact_refs=listed_refs(refs),
            labels=replace(
                labels,
                tags=tuple(dict.fromkeys(tags)),
                session_id=session_id or None,
                title=title or None,
            ),
            redacted=kinds,
        )

    def _redacted(self, texts: tuple[str, ...]) -> list[Redacted]:
        return [redact(text, self._scanner.scan(text)) for text in texts]

    async def _described(self, principal: Principal, new: NewMemory) -> Memory:
        retrieval_text = None
        content = new.content
        if new.image is not None:
            seen = (await self._describer.describe(new.image, new.topic, new.content)).strip()
            if not seen:
                raise Unavailable("The image model described nothing; nothing was saved")
            description = redact(seen, self._scanner.scan(seen)).text
            retrieval_text = f"{content}\n\n{description}" if content else None
            content = content or description
        if new.labels.title:
            retrieval_text = f"{new.labels.title}\n\n{retrieval_text or content}"
        now, labels = self._clock.now(), new.labels
        memory = Memory(
            id=uuid4().hex,
            namespace=_namespace(principal, new),
            kind=labels.kind or Kind.NOTE,
            content=content,
            topic=new.topic,
            branch_state=new.branch_state,
            modality=new.modality,
            created_at=now,
            updated_at=now,
            recorded_at=now,
            written_by=Author(principal.client_id),
            details=labels.details,
            retrieval_text=retrieval_text,
            artifact_refs=new.artifact_refs,
            tags=labels.tags,
            session_id=labels.session_id,
            importance=DEFAULT_IMPORTANCE if labels.importance is None else labels.importance,
            valid_from=labels.valid_from,
            valid_until=labels.valid_until,
            recalled_from=await recalled_from(self._store, principal, content),
        )
        return replace(memory, sha256=immutable_digest(memory))


def _as_it_stands(new: NewMemory, now: Milliseconds) -> NewMemory:
    """Return what is past already as deprecated: the state follows the valid time."""
    end = new.labels.valid_until
    past = end is not None and end.at <= now
    return replace(new, branch_state=BranchState.DEPRECATED) if past else new


def _namespace(principal: Principal, new: NewMemory) -> str:
    return new.labels.namespace or principal.own_namespace


def _creation(memory: Memory, client: str) -> Change:
    return Change(
        ChangeKind.STATE, memory.id, None, Standing(memory.branch_state), memory.recorded_at, client
    )


class _Flights:
    """Equal writes of this process, one at a time: the first pays for the model, the next find what
    it stored.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def alone(self, key: tuple[str, str]) -> AsyncIterator[None]:
        lock, waiting = self._waiting.get(key, (asyncio.Lock(), 0))
        self._waiting[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._waiting.pop(key)
            if waiting > 1:
                self._waiting[key] = (lock, waiting - 1)
