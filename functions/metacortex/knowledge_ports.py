"""What the services need of a store that keeps knowledge, in their own words.

As with the ports of `metacortex.ports`, one contract suite in `tests/contract` defines each and
runs on every adapter, the tenant comes first, and nothing depends on what another tenant holds.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import Protocol, TypeVar

from metacortex.domain.forgetting import Entry
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.findings import Finding, FindingStatus, Revision
from metacortex.domain.knowledge.likeness import Near
from metacortex.domain.knowledge.placing import Check, Placed, accept
from metacortex.domain.knowledge.resolving import NO_ALIASES
from metacortex.domain.lifecycle import BranchState, Change
from metacortex.domain.memory import Memory
from metacortex.domain.search import MemoryFilter
from metacortex.domain.tampering import Kept, Recorded
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import Embedding

T = TypeVar("T")


class Together(Protocol):
    """Does several readings of the stores of an engine together."""

    async def __call__(self, work: Callable[[], Coroutine[object, object, T]]) -> T:
        """Return what `work` returns, which awaits nothing but readings of the engine's stores, one
        after another. Where the engine can, all of them are of one moment.
        """


class FactStore(Protocol):
    """Facts, which are memories, found by what they are about.

    `namespaces` are whole names; None: all of the tenant's.
    """

    async def add_fact(
        self,
        tenant: str,
        memory: Memory,
        embedding: Embedding,
        client: str,
        aliases: Sequence[str] = (),
        object_aliases: Sequence[str] = (),
        check: Check = accept,
    ) -> Placed:
        """Write a fact into its timeline as `metacortex.domain.knowledge.placing.place` decides, in
        one step: the fact, its vectors, and all Changes, or nothing.

        `aliases` are the other ids under which its subject is known, at most
        `metacortex.domain.knowledge.merging.MOST_ALIASES`: facts about these stand in its timeline
        too. `object_aliases` are those of its object, which is one value under all of them. Of any
        number of concurrent writes to one timeline each sees those before it. `check`
        is shown what would be done before anything is; what it raises leaves all as it was.

        Raises:
            NotFound: what it was drawn from (`Memory.sources`) is not there in that step.
            Conflict: as `place` does.
            TooLarge: it would end more facts than the engine does in one step.
        """

    async def facts_about(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        entity_ids: Sequence[str],
        states: Sequence[BranchState] = tuple(BranchState),
        limit: int | None = None,
    ) -> tuple[Fact, ...]:
        """Return the facts in these states whose subject or object is one of these entities, by id;
        of more than `limit`, if it is given, the first.
        """

    async def timeline(
        self, tenant: str, namespace: str, subject_ids: Sequence[str], predicate: str
    ) -> tuple[Fact, ...]:
        """Return the facts of one timeline, in whatever state, by id: those that tell this of a
        subject under any of its ids, at most one more than `merging.MOST_ALIASES`.
        """

    async def drawn_from(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Fact, ...]:
        """Return the facts, in whatever state and namespace, of whose sources one is one of these
        memories, by id.
        """

    async def facts(
        self, tenant: str, namespaces: Sequence[str] | None, limit: int
    ) -> tuple[Fact, ...]:
        """Return the facts of the tenant, in whatever state, the newest first, at most `limit`."""

    async def episodes(
        self, tenant: str, namespaces: Sequence[str] | None, limit: int
    ) -> tuple[Memory, ...]:
        """Return the episodes, from which facts are learned, as `facts` does facts."""

    async def changes_of(
        self, tenant: str, memory_ids: Sequence[str]
    ) -> Mapping[str, tuple[Entry, ...]]:
        """Return the Changes of each of these memories, oldest first; what is unknown has none."""


class EntityStore(Protocol):
    """Entities by their ids and names, what they are merged into, and how many memories mention
    them.

    What memories mention stands in themselves (`Memory.entities`). A store counts it, and what
    forgets memories (`MemoryStore.forget`) takes along those entities that nothing mentions any
    more, that are not by hand, and that stand in no merge.
    """

    async def put(
        self, tenant: str, entities: Sequence[Entity], names: Embedding | None = None
    ) -> tuple[str, ...]:
        """Store those of whose ids the tenant holds none, and return their ids; the others stay as
        they are.

        `names` holds the vectors of all their names, in order; without, they get none.
        """

    async def drop(self, tenant: str, entity_ids: Sequence[str]) -> None:
        """Delete those of these that no memory mentions and that stand in no merge, by hand or
        not: whoever put them takes them back.
        """

    async def find(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        """Return the entities of these ids that are there, by id. Any strings may be asked for."""

    async def named(
        self, tenant: str, namespaces: Sequence[str] | None, name: str
    ) -> tuple[Entity, ...]:
        """Return those of this name, as `folded_name` compares names, by id: one of a namespace at
        most.
        """

    async def beginning(
        self, tenant: str, namespaces: Sequence[str] | None, words: Sequence[str]
    ) -> tuple[Entity, ...]:
        """Return those whose names begin with one of these folded words, common words aside, by id.

        It is asked beside every write, so it must cost little: of more than
        `likeness.MOST_COMPARED` for each `likeness.MOST_KEYS` words, in each namespace that is
        named or in all, some may be left out.
        """

    async def resembling(
        self, tenant: str, namespaces: Sequence[str] | None, name: str
    ) -> tuple[Entity, ...]:
        """Return those that have at least one of the first `likeness.MOST_KEYS` keys of a name in
        common with it, by id; of more than `likeness.MOST_COMPARED`, in each namespace that is
        named or in all, so many.
        """

    async def merged_into(self, tenant: str, entity_ids: Sequence[str]) -> tuple[Entity, ...]:
        """Return those that were merged into one of these, without those of which they are made up
        in turn, by id.
        """

    async def merged(self, tenant: str) -> tuple[Entity, ...]:
        """Return all that were merged into others, by id."""

    async def mentions(
        self, tenant: str, families: Mapping[str, Sequence[str]], states: Sequence[BranchState]
    ) -> Mapping[str, int]:
        """Return, under the name of each family of ids, how many memories in these states mention
        any of them.
        """

    async def mentioning(
        self, tenant: str, entity_ids: Sequence[str], where: MemoryFilter, limit: int
    ) -> tuple[Memory, ...]:
        """Return the newest `limit` memories that mention any of these entities and pass `where`,
        the last created first. Of very many that mention them, an engine may look at a few hundred.
        """

    async def link(self, tenant: str, memory_id: str, entity_ids: Sequence[str]) -> bool:
        """Let a memory list these in place of what it lists, or return False if there is no such
        memory.
        """

    async def merge(self, tenant: str, change: Change) -> bool:
        """Let an entity be merged as a Change tells, or be one by itself again, and record the
        Change; in one step.

        Return False, and do nothing, where what the Change found is there no more: the entity
        stands otherwise than before it, or what it is to be merged into is not there or is itself
        merged. What another is merged into is not forgotten, however soon that follows.

        Raises:
            Conflict: together they would have more aliases than `merging.MOST_ALIASES`.
        """


class NameIndex(Protocol):
    """The vectors of the names of entities, by which names are found that mean the same.

    An entity has at most one. Vectors of different spaces are never compared.
    """

    async def near(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        space: EmbeddingSpace,
        vector: Vector,
        limit: int,
    ) -> tuple[Near, ...]:
        """Return the `limit` entities of these namespaces whose names are nearest to a vector, the
        nearest first, of those that have a vector in this space.
        """

    async def outside(
        self, space: EmbeddingSpace, after: tuple[str, str], limit: int
    ) -> tuple[tuple[str, Entity], ...]:
        """Return up to `limit` entities without a vector in this space, each with its tenant, by
        tenant and id, from beyond `after`.
        """

    async def count_outside(self, space: EmbeddingSpace) -> int:
        """Return how many these are, over all tenants."""

    async def replace(self, tenant: str, entity_ids: Sequence[str], names: Embedding) -> None:
        """Give entities the vectors of their names, in order, in place of what they have. Those
        that are gone stay so.
        """


class IntegrityStore(Protocol):
    """The record of truth and the memories as they are stored, for whoever checks them: what cannot
    be read as what it should be is no fault, but told.
    """

    def entries(self, tenant: str) -> AsyncIterator[Sequence[Recorded]]:
        """Yield all entries of the record of truth in order of arrival, page by page: those that
        are committed when the first page is asked for, and none that come later.

        What comes later stands behind all that was ever yielded.
        """

    def kept(self, tenant: str) -> AsyncIterator[Sequence[Kept]]:
        """Yield all memories, page by page. What is written meanwhile may be among them or not, as
        it was before or after.
        """

    async def examine(self, tenant: str, memory_id: str) -> tuple[Kept | None, Sequence[Recorded]]:
        """Return a memory and its entries, oldest first, as they are at one moment."""


class FindingStore(Protocol):
    """Contradictions among facts as they were found, and what became of them.

    One whose facts are not both there any more need not be.
    """

    async def keep(
        self,
        tenant: str,
        revisions: Sequence[Revision],
        changes: Sequence[Change] = (),
        aliases: Mapping[str, Sequence[str]] = NO_ALIASES,
    ) -> None:
        """Let findings become what was decided, and apply Changes of facts, all in one step, or
        nothing. At most `findings.MOST_RESOLVED` Changes, each of another fact. `aliases` are, by
        the ids of subjects, those of their other names, in whose timelines they stand too.

        Raises:
            Conflict: a finding is not what it was when that was decided; a fact does not stand as
                its Change says that it did before, it or what supersedes it is gone, or one that is
                opened again would overlap another of its timeline.
        """

    async def findings(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        status: FindingStatus,
        limit: int | None = None,
    ) -> tuple[Finding, ...]:
        """Return findings of these whole namespaces, None: of all, in a status: those that changed
        last first, of equals by id, at most `limit`, None: all.
        """

    async def named(self, tenant: str, ids: Sequence[str]) -> tuple[Finding, ...]:
        """Return the findings of these ids, and those that steps of these ids resolved, by id."""
