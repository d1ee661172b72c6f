"""What the services need from the outside, in their own words: stores, a clock, and traces. An
adapter answers each port. What they need of models stands in `metacortex.model_ports`.

One contract suite in `tests/contract` defines each port and runs on every adapter. Every method of
a store takes the tenant first, and nothing that it does or returns depends on what another tenant
holds. An adapter translates its library's errors: a store that does not answer is `Unavailable`,
one that cannot be used as it is `StoreUnusable`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from metacortex.domain.client import ClientProfile
from metacortex.domain.event import Event, EventFilter
from metacortex.domain.forgetting import Entry, Forgetting, Mark
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import BranchState, Change
from metacortex.domain.listing import Page, Place
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.question import Found, Question
from metacortex.domain.search import Match, MemoryFilter
from metacortex.domain.stats import MemoryStats, Reach
from metacortex.domain.use import Use, Used
from metacortex.domain.vector import EmbeddingSpace, Vector


class Clock(Protocol):
    """The time of day."""

    def now(self) -> Milliseconds:
        """Return the present moment."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """The vectors of one text, one for each of its windows in order, and the space that they live
    in.
    """

    space: EmbeddingSpace
    vectors: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of a memory that was to change its state: the memory as it is now, the state it
    was in, and the Change, None if there was none.
    """

    memory: Memory
    previous_state: BranchState
    change: Change | None


class MemoryStore(Protocol):
    """Memories with their vectors, fingerprints and Changes.

    What a call has returned is durable, whole, and seen by every later call of any process.
    """

    async def add(
        self,
        tenant: str,
        memory: Memory,
        embedding: Embedding,
        change: Change,
        fingerprint: Fingerprint,
        superseding: Sequence[str] = (),
    ) -> tuple[Memory, bool]:
        """Store a memory, its vectors and the Change that made it, in one step; return it with
        True.

        In the same step it supersedes others, as `supersede` does by the client of its Change at
        its `recorded_at`: all of them, or nothing is stored.

        If the tenant holds an equal write, as `find_written` tells, store nothing and return that
        one with False. Otherwise the fingerprint points to the new memory from now on, first
        written at its `recorded_at`.

        Raises:
            NotFound: the tenant does not hold all that it is to supersede.
            Conflict: some of that has another replacement.
        """

    async def find_written(
        self, tenant: str, fingerprint: Fingerprint, state: BranchState
    ) -> Memory | None:
        """Return the memory first written under this fingerprint at or after its `since`, while it
        is still in `state`.
        """

    async def get(self, tenant: str, memory_id: str) -> Memory | None:
        """Return a memory, or None. Any string may be asked for."""

    async def find(self, tenant: str, question: Question, where: MemoryFilter, limit: int) -> Found:
        """Return the `limit` best matches among the memories that pass `where`, best first.

        How relevant a memory is, `metacortex.domain.ranking` decides, from its best window, from
        its terms, and from what its neighbours in the session lend it. A memory counts once.
        Vectors and terms of other spaces than the question's and the present one are not seen.
        Where vectors alone cannot be asked, terms answer, and what is found says so.
        """

    async def list(self, tenant: str, where: MemoryFilter, after: Place | None, limit: int) -> Page:
        """Return the first `limit` memories that pass `where`, or those that follow a place, as
        `metacortex.domain.listing` orders them.

        Each page begins where the one before it ended. Whatever else is written meanwhile, every
        memory that passes during all of it stands on exactly one page.
        """

    async def nearest(
        self, tenant: str, embedding: Embedding, where: MemoryFilter, limit: int
    ) -> tuple[Match, ...]:
        """Return the `limit` memories that pass `where` and whose first vectors are nearest to the
        first of an embedding, nearest first, with their cosines for scores.

        It is asked beside every write, so it must cost little: of each namespace an engine may look
        at the `limit` nearest alone, of which valid time may shut some out, and of a tenant that it
        would have to read whole it returns none. Any of equals may stand first.
        """

    async def supersede(
        self, tenant: str, memory_id: str, replacement_id: str, client: str, at: Milliseconds
    ) -> Moved | None:
        """Deprecate a memory in favour of another as `lifecycle.supersession` decides, in one
        transaction.

        Returns None if the id is unknown. `updated_at` becomes `at`, and nothing else of the memory
        changes.

        Raises:
            NotFound: there is no such replacement.
            InvalidInput, Conflict: as `lifecycle.supersession` does.
        """

    async def promote(
        self, tenant: str, memory_id: str, state: BranchState, client: str, at: Milliseconds
    ) -> Moved | None:
        """Move a draft on as `lifecycle.promotion` decides, in one transaction.

        Returns None if the id is unknown. `updated_at` becomes `at`, and nothing else of the memory
        changes.

        Raises:
            InvalidInput, Conflict: as `lifecycle.promotion` does.
        """

    async def mark(self, tenant: str) -> Mark:
        """Return a mark behind all of the tenant that has been committed and before all that will
        be.
        """

    async def forget(
        self, tenant: str, memory_ids: Sequence[str], how: Forgetting
    ) -> tuple[str, ...]:
        """Delete memories with their vectors, terms and fingerprints; return the ids of those that
        this call has deleted, sorted.

        Where a mark is given, what has moved since, as `domain.forgetting.has_moved` tells, is not
        touched: in the very step in which it would go.

        To the Changes of each, which stay, a tombstone is added. What they have superseded names
        `lifecycle.FORGOTTEN` in their place, by a Change of its own, and is not updated otherwise.
        Entities that only they have mentioned go too, as `knowledge_ports.EntityStore` tells. Each
        is forgotten in one step; where the call fails, some may be and others not, and to
        repeat it finishes.
        """

    async def is_forgotten(self, tenant: str, memory_id: str, text_mac: str) -> bool:
        """Return whether a memory of this id was forgotten, or one with a text of this MAC."""

    async def changes(self, tenant: str, memory_id: str) -> tuple[Entry, ...]:
        """Return the Changes of a memory, oldest first, and its tombstone."""

    async def spaces(self) -> Mapping[EmbeddingSpace, int]:
        """Return how many memories, of all tenants, live in each embedding space."""

    async def outside(
        self, space: EmbeddingSpace, after: tuple[str, str], limit: int
    ) -> tuple[tuple[str, Memory], ...]:
        """Return tenants with memories that have no vector in `space`, ordered by (tenant, id),
        from beyond `after`.
        """

    async def replace_embedding(self, tenant: str, memory_id: str, embedding: Embedding) -> bool:
        """Replace the vectors of a memory, of whatever space, or return False if there is no such
        memory.
        """

    async def count_unindexed(self) -> int:
        """Return how many memories, of all tenants, no words find: an earlier version wrote them,
        without terms or with those of another `metacortex.domain.words.terms.TERM_SPACE`.
        """

    async def unindexed(self, after: tuple[str, str], limit: int) -> tuple[tuple[str, str], ...]:
        """Return tenants with the ids of such memories, in order, from beyond `after`."""

    async def replace_terms(self, tenant: str, memory_id: str) -> bool:
        """Give a memory the present terms of its text, which searches see at once, or return False
        if there is no such memory.
        """

    async def count(self, tenant: str) -> int:
        """Return how many memories the tenant holds."""

    async def stats(self, tenant: str, reach: Reach) -> MemoryStats:
        """Return how many memories the tenant holds of each sort, of those within reach."""

    async def secret(self, offered: bytes) -> bytes:
        """Return the secret of the whole store: what was first offered to it, by whatever process.

        It stays when a tenant is reset. No log, event, answer or export holds it.
        """

    async def purge(self, fingerprints_before: Milliseconds) -> None:
        """Forget fingerprints that were first written before this moment."""

    async def reset(self, tenant: str) -> int:
        """Delete all that the tenant has stored but its tombstones, events and clients, and return
        how many memories it was.
        """


class EventLog(Protocol):
    """What was observed, of each tenant."""

    async def record(self, tenant: str, event: Event) -> None:
        """Store one event."""

    async def list(self, tenant: str, where: EventFilter, limit: int) -> tuple[Event, ...]:
        """Return the newest `limit` events that pass `where`, oldest first; events of one moment in
        order of arrival.
        """

    async def purge(self, expired_at: Milliseconds) -> int:
        """Delete the events of all tenants that have expired by this moment, and return how many
        there were.
        """


class UseLog(Protocol):
    """How often memories came back in answers. What deletes a memory deletes its use too."""

    async def add(self, tenant: str, uses: Mapping[str, Use]) -> None:
        """Add the uses of memories, by their ids, to what is known of them; those of memories that
        are not there are never shown.

        What fails may be lost, and is never counted twice.
        """

    async def most_used(self, tenant: str, reach: Reach, limit: int) -> tuple[Used, ...]:
        """Return the `limit` most used memories within reach, the most used first, of equals those
        that were used last; where there are very many, those of the few hundred most used.
        """


class ClientRegistry(Protocol):
    """Client profiles kept in the store, beside those that the environment names."""

    async def get(self, client_id: str) -> ClientProfile | None:
        """Return one profile, or None. Any string may be asked for."""

    async def list(self) -> tuple[ClientProfile, ...]:
        """Return all profiles, by id."""

    async def add(self, profile: ClientProfile) -> bool:
        """Store a new profile, or return False if its id is taken."""

    async def replace(self, before: ClientProfile, after: ClientProfile) -> bool:
        """Let a stored profile become another of its id; return False if it is not, or not any
        more, what it was before. One that is so already counts as done.
        """

    async def remove(self, client_id: str) -> bool:
        """Delete a profile, or return False if there is none."""


class Tracing(Protocol):
    """Follows tool calls for a collector of traces."""

    def begin(self) -> Callable[[Event], Awaitable[None]]:
        """Follow the tool call that this task makes from now on.

        What is returned ends that, as the event tells. Neither fails, and what a collector that
        does not answer can delay is bounded.
        """

    async def aclose(self) -> None:
        """Send what is pending, if the collector is there."""
