"""Merkle trees as RFC 6962 and RFC 9162 hash them: one root stands for a list in its order, and
short proofs show that an entry is in it, or that a list goes on where an earlier one ended.

A tree is made of the hashes of its leaves, as `leaf_hash` makes them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256

# Of a leaf and of a node no two hash the same, whatever they hold.
_LEAF = b"\x00"
_NODE = b"\x01"

EMPTY_ROOT = sha256().digest()


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf that holds this entry."""
    return sha256(_LEAF + entry).digest()


@dataclass(frozen=True, slots=True)
class Subtrees:
    """A list of leaves, with the hashes of all full subtrees in it: by its height, those of two
    leaves, of four, and so on.

    The root of any beginning of the list, or a proof in it, then takes few hashes more.
    """

    levels: tuple[Sequence[bytes], ...]

    @classmethod
    def of(cls, leaves: Sequence[bytes]) -> "Subtrees":
        """Return the subtrees of these leaves: as many hashes as there are leaves."""
        levels = [leaves]
        while len(levels[-1]) > 1:
            below = levels[-1]
            # A last one that has no other beside it is in no full subtree.
            levels.append([*map(_node, below[::2], below[1::2])])
        return cls(tuple(levels))

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return len(self.levels[0])

    def root(self, size: int) -> bytes:
        """Return the root of the tree of the first `size` leaves."""
        return self._root(0, size)

    def size_with(self, root: bytes) -> int | None:
        """Return how many of the leaves have this root, the most of them looked at first; None if
        no beginning of the list has it.
        """
        sizes = range(self.size, -1, -1)
        return next((size for size in sizes if self.root(size) == root), None)

    def inclusion_proof(self, index: int, size: int) -> tuple[bytes, ...]:
        """Return the hashes that lead from the leaf at `index`, counted from 0, to the root of the
        first `size` leaves.
        """
        return self._inclusion(index, 0, size)

    def consistency_proof(self, first: int, size: int) -> tuple[bytes, ...]:
        """Return the hashes that show that the tree of the `first` leaves is the beginning of that
        of `size`. That needs none where either is empty or both are the same.
        """
        return self._consistency(first, 0, size, known=True) if 0 < first < size else ()

    def _root(self, start: int, stop: int) -> bytes:
        """Return the root of the leaves from `start` to `stop`, where a tree is split."""
        size = stop - start
        full = [
            level[(stop >> height) - 1]
            for height, level in enumerate(self.levels)
            if size >> height & 1
        ]
        return reduce(lambda right, left: _node(left, right), full) if full else EMPTY_ROOT

    def _inclusion(self, index: int, start: int, stop: int) -> tuple[bytes, ...]:
        if stop - start <= 1:
            return ()
        middle = _split(start, stop)
        if index < middle:
            return (*self._inclusion(index, start, middle), self._root(middle, stop))
        return (*self._inclusion(index, middle, stop), self._root(start, middle))

    def _consistency(self, first: int, start: int, stop: int, *, known: bool) -> tuple[bytes, ...]:
        """Return the proof within a subtree; `known` is whether its root is that of the earlier
        tree, which the verifier has.
        """
        if first == stop:
            return () if known else (self._root(start, stop),)
        middle = _split(start, stop)
        if first <= middle:
            proof = self._consistency(first, start, middle, known=known)
            return (*proof, self._root(middle, stop))
        proof = self._consistency(first, middle, stop, known=False)
        return (*proof, self._root(start, middle))


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether a proof shows that a leaf stands at `index` of the tree with this size and root."""
    if not 0 <= index < size:
        return False
    node, place, last = leaf, index, size - 1
    for other in proof:
        if last == 0:
            return False
        if place & 1 or place == last:
            node = _node(other, node)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            node = _node(node, other)
        place, last = place >> 1, last >> 1
    return last == 0 and node == root


def is_consistent(
    first: int, first_root: bytes, size: int, root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether a proof shows that a tree goes on where that of the `first` leaves ended."""
    if first == 0:
        return first_root == EMPTY_ROOT and not proof
    if first >= size:
        return first == size and first_root == root and not proof
    hashes = [*proof]
    if first & (first - 1) == 0:
        # A full tree is itself a node of the later one.
        hashes.insert(0, first_root)
    return bool(hashes) and _leads_to(hashes, first, first_root, size, root)


def _leads_to(
    hashes: Sequence[bytes], first: int, first_root: bytes, size: int, root: bytes
) -> bool:
    place, last = first - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    earlier = later = hashes[0]
    for other in hashes[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            earlier, later = _node(other, earlier), _node(other, later)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            later = _node(later, other)
        place, last = place >> 1, last >> 1
    return last == 0 and earlier == first_root and later == root


def _split(start: int, stop: int) -> int:
    """Return where the two or more leaves between are split: after the largest power of two of them
    that is not all.
    """
    return start + (1 << (stop - start - 1).bit_length() - 1)


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE + left + right).digest()
