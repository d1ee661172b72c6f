"""What was altered of what a store holds: memories and Changes against their digests, and memories
against their Changes.

Whoever can write to the store can also write fitting digests. That shows against a root that was
kept elsewhere: the leaves of the tree are the digests, in order of arrival, first that of a memory,
then that of the Change that made it. Leaves stay when a memory is forgotten.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import reduce

from metacortex.domain.forgetting import Entry
from metacortex.domain.identity import immutable_digest
from metacortex.domain.lifecycle import Change, ChangeKind, Standing
from metacortex.domain.memory import Memory
from metacortex.domain.merkle import leaf_hash


class Check(StrEnum):
    """What is not as it was written, or does not fit together."""

    UNREADABLE = "unreadable"
    """What is stored is no memory, or no entry."""
    MEMORY_HASH = "memory_hash"
    """A field of the memory, or its digest."""
    CHANGE_HASH = "change_hash"
    """A field of one of its entries, or its digest."""
    CREATION = "creation"
    """The memory is not the one that its first Change made, or has none."""
    HISTORY = "history"
    """Its entries do not follow one another: one is gone, came in, or stands in another place."""
    PROJECTION = "projection"
    """State, replacement or end are not what its last Change made them."""
    MISSING = "missing"
    """The memory is gone, and nobody has forgotten it."""
    FORGOTTEN = "forgotten"
    """It was forgotten, and is there."""


CHECK_NAMES = tuple(check.value for check in Check)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry of the record of truth as it is stored; `entry` is None where it is none."""

    subject_id: str
    sha256: str
    memory_sha256: str | None
    entry: Entry | None

    @property
    def leaves(self) -> tuple[bytes, ...]:
        """The hashes of its leaves. Each holds a digest, as its 64 characters."""
        made = () if self.memory_sha256 is None else (self.memory_sha256,)
        return tuple(leaf_hash(digest.encode()) for digest in (*made, self.sha256))

    @property
    def faults(self) -> tuple[Check, ...]:
        """What is wrong with it by itself."""
        entry = self.entry
        if entry is None:
            return (Check.UNREADABLE,)
        return () if _gives(self.sha256, lambda: entry.sha256) else (Check.CHANGE_HASH,)


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory as it is stored, with the version of its digest; `memory` is None where it is
    none.
    """

    id: str
    sha256: str
    version: int
    memory: Memory | None


@dataclass(frozen=True, slots=True)
class History:
    """What the entries of one memory come to, as far as they were read."""

    standing: Standing | None = None
    memory_sha256: str | None = None
    is_whole: bool = True
    is_forgotten: bool = False
    is_of_entity: bool = False
    """Whether it is that of an entity, which no Change has made."""
    faults: tuple[Check, ...] = ()

    def followed_by(self, recorded: Recorded) -> "History":
        """Return it with one entry more."""
        entry, faults = recorded.entry, self.faults + recorded.faults
        if entry is None:
            return replace(self, faults=faults)
        if not isinstance(entry, Change):
            # What a reset leaves are tombstones alone.
            return replace(self, is_forgotten=True, faults=faults)
        is_of_entity = entry.kind is ChangeKind.MERGED
        begins = self.standing is None and is_of_entity
        follows = begins or (entry.before == self.standing and not self.is_forgotten)
        return History(
            standing=entry.after,
            memory_sha256=self.memory_sha256 or recorded.memory_sha256,
            is_whole=self.is_whole and follows,
            is_forgotten=self.is_forgotten,
            is_of_entity=is_of_entity,
            faults=faults,
        )


NO_HISTORY = History()


def history_of(entries: Iterable[Recorded]) -> History:
    """Return what the entries of one memory come to, oldest first."""
    return reduce(History.followed_by, entries, NO_HISTORY)


@dataclass(frozen=True, slots=True)
class Altered:
    """A memory of which something was altered, and what."""

    memory_id: str
    checks: tuple[Check, ...]


def altered(memory_id: str, kept: Kept | None, history: History) -> Altered | None:
    """Return what was altered of a memory and its entries, None where all fits together."""
    faults = _of_missing(history) if kept is None else _of_kept(kept, history)
    found = {*history.faults, *faults}
    return Altered(memory_id, tuple(check for check in Check if check in found)) if found else None


def _of_missing(history: History) -> Iterator[Check]:
    if not (history.standing is None or history.is_forgotten or history.is_of_entity):
        yield Check.MISSING
    if not history.is_whole:
        yield Check.HISTORY


def _of_kept(kept: Kept, history: History) -> Iterator[Check]:
    memory = kept.memory
    if memory is None:
        yield Check.UNREADABLE
    elif not _gives(kept.sha256, lambda: immutable_digest(memory, kept.version)):
        yield Check.MEMORY_HASH
    if history.standing is None or history.memory_sha256 not in (None, kept.sha256):
        yield Check.CREATION
    if history.is_forgotten:
        yield Check.FORGOTTEN
    if not history.is_whole:
        yield Check.HISTORY
    if memory is not None and history.standing not in (None, memory.standing):
        yield Check.PROJECTION


def _gives(sha256: str, digest: Callable[[], str]) -> bool:
    """Whether what is stored has this digest; some numbers have none."""
    try:
        return digest() == sha256
    except ValueError:
        return False
