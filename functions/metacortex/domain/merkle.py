"""Merkle trees as RFC 6962 and RFC 9162 hash them: one root stands for a list in its order, and
short proofs show that an entry is in it, or that a list goes on where an earlier one ended.

A tree is the list of its leaves' hashes, as `leaf_hash` makes them.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from hashlib import sha256

# Of a leaf and of a node no two hash the same, whatever they hold.
_LEAF = b"\x00"
_NODE = b"\x01"

EMPTY_ROOT = sha256().digest()


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf that holds this entry."""
    return sha256(_LEAF + entry).digest()


def root_of(leaves: Iterable[bytes]) -> bytes:
    """Return the root of a tree; while it reads, it keeps one hash for each level."""
    peaks: list[bytes] = []
    for count, leaf in enumerate(leaves, start=1):
        node = leaf
        # What is full on the left is joined: once for each zero that the count ends with.
        for _ in range((count & -count).bit_length() - 1):
            node = _node(peaks.pop(), node)
        peaks.append(node)
    if not peaks:
        return EMPTY_ROOT
    return reduce(lambda right, left: _node(left, right), reversed(peaks))


def inclusion_proof(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """Return the hashes that lead from the leaf at `index`, counted from 0, to the root."""
    if len(leaves) <= 1:
        return ()
    split = _split(len(leaves))
    left, right = leaves[:split], leaves[split:]
    if index < split:
        return (*inclusion_proof(left, index), root_of(right))
    return (*inclusion_proof(right, index - split), root_of(left))


def consistency_proof(leaves: Sequence[bytes], first: int) -> tuple[bytes, ...]:
    """Return the hashes that show that the tree of the `first` leaves is the beginning of this
    one. That needs none where either is empty or both are the same.
    """
    return _consistency(leaves, first, known=True) if 0 < first < len(leaves) else ()


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


def _consistency(leaves: Sequence[bytes], first: int, *, known: bool) -> tuple[bytes, ...]:
    """Return the proof within a subtree; `known` is whether its root is that of the earlier tree,
    which the verifier has.
    """
    if first == len(leaves):
        return () if known else (root_of(leaves),)
    split = _split(len(leaves))
    left, right = leaves[:split], leaves[split:]
    if first <= split:
        return (*_consistency(left, first, known=known), root_of(right))
    return (*_consistency(right, first - split, known=False), root_of(left))


def _split(size: int) -> int:
    """Return the largest power of two below `size`, which is 2 or more."""
    return 1 << (size - 1).bit_length() - 1


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE + left + right).digest()
