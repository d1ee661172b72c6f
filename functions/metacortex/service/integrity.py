"""Verification: whether what a tenant holds is what was written, and the root that stands for it.

It reads everything once, and keeps of each entry its leaf and of each memory what its entries come
to. What then seems altered is looked at again by itself, so that no write meanwhile is accused.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from metacortex.domain.client import Principal
from metacortex.domain.errors import Conflict, Forbidden
from metacortex.domain.memory import Memory
from metacortex.domain.merkle import Subtrees
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
    compared,
    consistent,
)
from metacortex.knowledge_ports import IntegrityStore
from metacortex.ports import MemoryStore
from metacortex.service.permissions import check_may_see, known

roots = logging.getLogger("metacortex.roots")

NOT_ALL = (
    "One root covers all namespaces of the tenant, and this client may not read them all; use one"
    " whose namespaces are *"
)
NO_LEAF = (
    "The memory is no leaf of this tree: it was written later, or by a version that made none of it"
)

REWRITTEN = (
    "The record is no more the one that this export began with: something of it was rewritten; ask"
    " verify_integrity, and export again without cursor"
)


@dataclass(slots=True)
class Leaves:
    """The leaves of the record of truth as it is read, and where those are that are asked for."""

    wanted: Collection[str] = ()
    """Ids of memories."""
    hashes: list[bytes] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def take(self, page: Sequence[Recorded]) -> None:
        """Add entries in their order."""
        for recorded in page:
            if recorded.subject_id in self.wanted and recorded.memory_sha256 is not None:
                self.places.setdefault(recorded.subject_id, len(self.hashes))
            self.hashes += recorded.leaves


@dataclass(slots=True)
class Checked:
    """What was read of the record of truth, and what the entries of each memory come to."""

    leaves: Leaves
    histories: dict[str, History] = field(default_factory=dict)
    entries: int = 0
    memories: int = 0
    rootless: int = 0

    def take(self, page: Sequence[Recorded]) -> None:
        """Add entries in their order."""
        self.leaves.take(page)
        for recorded in page:
            history = self.histories.get(recorded.subject_id, NO_HISTORY)
            self.histories[recorded.subject_id] = history.followed_by(recorded)
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
        checked = Checked(Leaves([memory.id] if memory else ()))
        subtrees = await self._read(principal.tenant, checked.take, checked.leaves)
        tree = Tree.of(subtrees, asked.size)
        # Off the loop: a root without a size may be that of any beginning.
        comparison = await asyncio.to_thread(compared, subtrees, asked)
        inclusion = None
        if memory is not None:
            inclusion = proved(subtrees, tree, memory, checked.leaves.places)
        consistency = consistent(subtrees, tree, asked)
        found, more = await self._altered(principal.tenant, checked)
        return Verified(
            memories=checked.memories,
            entries=checked.entries,
            rootless=checked.rootless,
            altered=found,
            more=more,
            tree=tree,
            missing_leaves=max(0, (asked.size or 0) - tree.size),
            comparison=comparison,
            inclusion=inclusion,
            consistency=consistency,
        )

    async def rooted(
        self, principal: Principal, memories: Sequence[Memory], tree: Tree | None = None
    ) -> tuple[Tree, dict[str, Inclusion]]:
        """Return the tree of all that the tenant holds now, or an earlier one if it is given, and
        the proofs of those memories that are leaves of it, by id. An earlier tree is only read for
        proofs.

        Raises:
            Forbidden: the principal may not read all of the tenant.
            Conflict: the record does not begin with that tree any more.
        """
        self.check_reads_all(principal)
        if tree is not None and not memories:
            return tree, {}
        leaves = Leaves({memory.id for memory in memories})
        subtrees = await self._read(principal.tenant, leaves.take, leaves)
        if tree is None:
            tree = Tree.of(subtrees)
        elif tree != Tree.of(subtrees, tree.size):
            raise Conflict(REWRITTEN)
        there = [each for each in memories if leaves.places.get(each.id, tree.size) < tree.size]
        return tree, {each.id: proved(subtrees, tree, each, leaves.places) for each in there}

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

    async def _read(
        self, tenant: str, take: Callable[[Sequence[Recorded]], None], leaves: Leaves
    ) -> Subtrees:
        """Read the record of truth, and let the log keep its root. All that goes through very much
        is done off the loop.
        """
        async for page in self._record.entries(tenant):
            await asyncio.to_thread(take, page)
        subtrees = await asyncio.to_thread(Subtrees.of, leaves.hashes)
        root = subtrees.root(subtrees.size)
        roots.info("Root of tenant %s: %s of %d leaves", tenant, root.hex(), subtrees.size)
        return subtrees

    async def _altered(self, tenant: str, checked: Checked) -> tuple[tuple[Altered, ...], bool]:
        """Return what was altered, and whether that is not all of it."""
        suspects: list[str] = []
        async for page in self._record.kept(tenant):
            suspects += await asyncio.to_thread(checked.compare, page)
        suspects += await asyncio.to_thread(checked.gone)
        found: list[Altered] = []
        for memory_id in suspects:
            if len(found) == MOST_NAMED:
                return tuple(found), True
            kept, entries = await self._record.examine(tenant, memory_id)
            if one := altered(memory_id, kept, history_of(entries)):
                found.append(one)
        return tuple(found), False


def proved(subtrees: Subtrees, tree: Tree, memory: Memory, places: Mapping[str, int]) -> Inclusion:
    """Return the proof that a memory is a leaf of a tree, at the place that was read of it.

    Raises:
        Conflict: it is none.
    """
    place = places.get(memory.id)
    if place is None or place >= tree.size:
        raise Conflict(NO_LEAF)
    proof = subtrees.inclusion_proof(place, tree.size)
    return Inclusion(memory.id, memory.sha256, place, proof)
