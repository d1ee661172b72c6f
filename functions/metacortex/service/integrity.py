"""Verification: whether what a tenant holds is what was written, and the root that stands for it.

It reads everything once, and keeps of each entry its leaf and of each memory what its entries come
to. What then seems altered is looked at again by itself, so that no write meanwhile is accused.
"""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from metacortex.domain.client import Principal
from metacortex.domain.errors import Conflict, Forbidden
from metacortex.domain.memory import Memory
from metacortex.domain.merkle import root_of
from metacortex.domain.tampering import (
    NO_HISTORY,
    Altered,
    History,
    Kept,
    Recorded,
    altered,
    history_of,
)
from metacortex.domain.verification import (
    MOST_NAMED,
    Inclusion,
    Tree,
    Verification,
    Verified,
    consistent,
    included,
)
from metacortex.knowledge_ports import IntegrityStore
from metacortex.ports import MemoryStore
from metacortex.service.permissions import check_may_see, known

logger = logging.getLogger(__name__)

NOT_ALL = (
    "One root covers all namespaces of the tenant, and this client may not read them all; use one"
    " whose namespaces are *"
)
NO_LEAF = (
    "The memory is no leaf of this tree: it was written later, or by a version that made none of it"
)


@dataclass(slots=True)
class Record:
    """What was read of the record of truth."""

    wanted: Collection[str] = ()
    """Memories whose leaves are asked for."""
    leaves: list[bytes] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    """The indexes of the leaves that are asked for."""
    histories: dict[str, History] = field(default_factory=dict)
    entries: int = 0
    memories: int = 0
    rootless: int = 0

    def take(self, page: Sequence[Recorded]) -> None:
        """Add entries in their order."""
        for recorded in page:
            subject = recorded.subject_id
            if subject in self.wanted and recorded.memory_sha256 is not None:
                self.places.setdefault(subject, len(self.leaves))
            self.leaves += recorded.leaves
            history = self.histories.get(subject, NO_HISTORY)
            self.histories[subject] = history.followed_by(recorded)
        self.entries += len(page)

    def compare(self, page: Sequence[Kept]) -> list[str]:
        """Return which memories do not fit their entries, and leave no history of any of them."""
        self.memories += len(page)
        suspects = []
        for kept in page:
            history = self.histories.pop(kept.id, NO_HISTORY)
            self.rootless += history.memory_sha256 is None
            if altered(kept.id, kept, history):
                suspects.append(kept.id)
        return suspects

    def gone(self) -> list[str]:
        """Return of which memories there are only entries, and should be more."""
        return [id_ for id_, history in self.histories.items() if altered(id_, None, history)]


class IntegrityService:
    """What a principal may verify of what its tenant holds."""

    def __init__(self, record: IntegrityStore, store: MemoryStore) -> None:
        self._record = record
        self._store = store

    async def verify(self, principal: Principal, asked: Verification) -> Verified:
        """Check every memory and every entry, and return what was altered, the root, and the proofs
        that are asked for.

        Raises:
            Forbidden: the principal may not read all of the tenant, or not the memory's state.
            NotFound: there is no such memory.
            Conflict: the memory is no leaf of the tree.
            InvalidInput: there is no such earlier tree.
        """
        self.check_reads_all(principal)
        memory = await self._asked(principal, asked.memory_id)
        record = await self._read(principal.tenant, [memory.id] if memory else ())
        tree = Tree.grown_to(asked.size, record.leaves)
        inclusion = None if memory is None else proved(tree, memory, record.places)
        consistency = consistent(tree, asked)
        found, more = await self._altered(principal.tenant, record)
        return Verified(
            memories=record.memories,
            entries=record.entries,
            rootless=record.rootless,
            altered=found,
            more=more,
            tree=tree,
            matches=tree.matches(asked),
            inclusion=inclusion,
            consistency=consistency,
        )

    async def rooted(
        self, principal: Principal, memories: Sequence[Memory]
    ) -> tuple[Tree, dict[str, Inclusion]]:
        """Return the tree of all that the tenant holds now, and the proofs of those memories that
        are leaves of it, by id.

        Raises:
            Forbidden: the principal may not read all of the tenant.
        """
        self.check_reads_all(principal)
        record = await self._read(principal.tenant, {memory.id for memory in memories})
        tree = await asyncio.to_thread(Tree.grown_to, None, record.leaves)
        leaves = [memory for memory in memories if memory.id in record.places]
        return tree, {each.id: proved(tree, each, record.places) for each in leaves}

    def check_reads_all(self, principal: Principal) -> None:
        """Check that the principal may read all that a root stands for.

        Raises:
            Forbidden: it may not.
        """
        if not principal.reads_all:
            raise Forbidden(NOT_ALL)

    async def _asked(self, principal: Principal, memory_id: str | None) -> Memory | None:
        if memory_id is None:
            return None
        memory = known(principal, await self._store.get(principal.tenant, memory_id))
        check_may_see(principal, memory.branch_state)
        return memory

    async def _read(self, tenant: str, wanted: Collection[str]) -> Record:
        """Read the record of truth, and let the log keep its root."""
        record = Record(wanted)
        async for page in self._record.entries(tenant):
            # Off the loop, as all that goes through very much.
            await asyncio.to_thread(record.take, page)
        root = await asyncio.to_thread(root_of, record.leaves)
        logger.info("Root of tenant %s: %s of %d leaves", tenant, root.hex(), len(record.leaves))
        return record

    async def _altered(self, tenant: str, record: Record) -> tuple[tuple[Altered, ...], bool]:
        """Return what was altered, and whether that is not all of it."""
        suspects: list[str] = []
        async for page in self._record.kept(tenant):
            suspects += await asyncio.to_thread(record.compare, page)
        suspects += await asyncio.to_thread(record.gone)
        found: list[Altered] = []
        for memory_id in suspects:
            if len(found) == MOST_NAMED:
                return tuple(found), True
            kept, entries = await self._record.examine(tenant, memory_id)
            if one := altered(memory_id, kept, history_of(entries)):
                found.append(one)
        return tuple(found), False


def proved(tree: Tree, memory: Memory, places: Mapping[str, int]) -> Inclusion:
    """Return the proof that a memory is a leaf of a tree, at the place that was read of it.

    Raises:
        Conflict: it is none.
    """
    place = places.get(memory.id)
    if place is None or place >= tree.size:
        raise Conflict(NO_LEAF)
    return included(tree, memory.id, memory.sha256, place)
