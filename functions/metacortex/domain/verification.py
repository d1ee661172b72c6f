"""What a caller asks of a verification, and what it shows: that nothing contradicts itself, and,
beside a root that was kept elsewhere, that nothing was rewritten since.
"""

import re
from dataclasses import dataclass

from metacortex.domain.errors import InvalidInput
from metacortex.domain.merkle import Subtrees, is_consistent
from metacortex.domain.tampering import Altered

MOST_LEAVES = 1_000_000_000
MOST_NAMED = 100
"""Of how many memories it is told what was altered."""
_ROOT = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Verification:
    """What a caller asks: a root to compare with, the size of the tree that is spoken of, a memory
    whose place in it is to be proved, and an earlier tree that it is to go on from.

    Raises:
        InvalidInput: a root is none, or parts of it do not go together.
    """

    root: str | None = None
    size: int | None = None
    """None: all leaves, and the root that of any beginning of them."""
    memory_id: str | None = None
    first_root: str | None = None
    first_size: int | None = None

    def __post_init__(self) -> None:
        for name, root in (("root", self.root), ("first_root", self.first_root)):
            if root is not None and not _ROOT.fullmatch(root):
                raise InvalidInput(f"{name} must be 64 characters of 0-9 a-f")
        if self.first_root is not None and self.first_size is None:
            raise InvalidInput("first_root needs first_size, the number of leaves that it was of")


@dataclass(frozen=True, slots=True)
class Tree:
    """How many leaves are spoken of, and their root."""

    size: int
    root: bytes

    @classmethod
    def of(cls, record: Subtrees, size: int | None = None) -> "Tree":
        """Return the tree of the first `size` leaves of a record, or of as many as there are."""
        some = record.size if size is None else min(size, record.size)
        return cls(some, record.root(some))


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many of the leaves have the root that was given; None where they do not."""

    size: int | None


@dataclass(frozen=True, slots=True)
class Inclusion:
    """The proof that a memory is a leaf of a tree."""

    memory_id: str
    sha256: str
    index: int
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Consistency:
    """The proof that a tree goes on from an earlier one, and whether the root that was given for
    that is its root; None where none was given.
    """

    first_size: int
    proof: tuple[bytes, ...]
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Verified:
    """What a verification has shown."""

    memories: int
    entries: int
    rootless: int
    """How many of the memories are no leaves, since an earlier version wrote them."""
    altered: tuple[Altered, ...]
    more: bool
    """Whether more was altered than is named."""
    tree: Tree
    missing_leaves: int
    """How many leaves the record has less than it was said to have had."""
    comparison: Comparison | None
    """What became of the root that was given; None where none was."""
    inclusion: Inclusion | None
    consistency: Consistency | None

    @property
    def matches(self) -> bool | None:
        """Whether the record begins with what the given root was of; None where none was given."""
        return None if self.comparison is None else self.comparison.size is not None

    @property
    def holds(self) -> bool:
        """Whether nothing was found that is not as it should be."""
        agrees = self.consistency is None or self.consistency.holds is not False
        is_whole = not self.missing_leaves
        return not self.altered and is_whole and self.matches is not False and agrees

    @property
    def conclusion(self) -> str:
        """What follows from it, and what does not."""
        is_earlier = self.consistency is not None and self.consistency.holds
        if self.altered:
            return (
                "What is named was altered beside the program. What else was rewritten so that it "
                "fits together again shows only against a root that was kept elsewhere."
            )
        if self.missing_leaves:
            return (
                "Nothing contradicts itself, but the record has fewer leaves than the given size: "
                "something of it was taken out, or it is another record."
            )
        if not self.holds:
            return (
                "Nothing contradicts itself, but the record is not the one that the given root was "
                "of: something of it was rewritten, taken out or put in."
            )
        if self.comparison is not None and self.comparison.size == 0 and not is_earlier:
            return (
                "The given root is that of an empty record, with which every record begins: it "
                "shows nothing. Keep the present root with its size elsewhere instead."
            )
        if self.matches or is_earlier:
            return (
                "The record begins with exactly what the given root was of. That is proved by the "
                "root as far as it was really kept elsewhere; what came later is as it was written "
                "last."
            )
        return (
            "Nothing contradicts itself. That the record was not rewritten as a whole is not shown "
            "by this: keep the root with its size elsewhere, and give it the next time."
        )


def compared(record: Subtrees, asked: Verification) -> Comparison | None:
    """Return which tree has the root that is asked of: that of the size beside it, or any. None
    where there is no root to compare with.
    """
    if asked.root is None:
        return None
    root, size = bytes.fromhex(asked.root), asked.size
    if size is None:
        return Comparison(record.size_with(root))
    return Comparison(size if size <= record.size and record.root(size) == root else None)


def consistent(record: Subtrees, tree: Tree, asked: Verification) -> Consistency | None:
    """Return the proof that a tree of the record goes on from its first leaves, None where none are
    named.

    Raises:
        InvalidInput: it has fewer, and no root was given, which would tell that some are gone.
    """
    first, earlier = asked.first_size, asked.first_root
    if first is None:
        return None
    if first > tree.size and earlier is None:
        raise InvalidInput(f"first_size must be at most {tree.size}, the size of the tree")
    proof = record.consistency_proof(first, tree.size)
    if earlier is None:
        return Consistency(first, proof, None)
    holds = is_consistent(first, bytes.fromhex(earlier), tree.size, tree.root, proof)
    return Consistency(first, proof, holds)
