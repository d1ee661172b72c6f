"""Merkle trees: the known tree of Certificate Transparency, and the laws of RFC 6962 and 9162."""

from collections.abc import Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.merkle import (
    EMPTY_ROOT,
    Subtrees,
    is_consistent,
    is_included,
    leaf_hash,
)

# The tree that implementations of Certificate Transparency are tested on.
ENTRIES = [
    bytes.fromhex(entry)
    for entry in (
        *("", "00", "10", "2021", "3031", "40414243"),
        *("5051525354555657", "606162636465666768696a6b6c6d6e6f"),
    )
]
LEAVES = [leaf_hash(entry) for entry in ENTRIES]
KNOWN = Subtrees.of(LEAVES)
ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
TREES = st.lists(st.binary(min_size=1, max_size=4), min_size=1, max_size=40).map(
    lambda entries: [leaf_hash(entry) for entry in entries]
)


def by_definition(leaves: Sequence[bytes]) -> bytes:
    """Return the root as RFC 6962 defines it."""
    if len(leaves) <= 1:
        return leaves[0] if leaves else EMPTY_ROOT
    split = max(2**n for n in range(8) if 2**n < len(leaves))
    return sha256(b"\x01" + by_definition(leaves[:split]) + by_definition(leaves[split:])).digest()


@pytest.mark.parametrize("size", range(9))
def test_the_roots_of_the_known_tree_are_known(size: int) -> None:
    assert KNOWN.root(size).hex() == ROOTS[size]


@pytest.mark.parametrize(
    ("index", "size", "proof"),
    [
        (0, 1, ()),
        (
            *(0, 8),
            (
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ),
        ),
        (
            *(5, 8),
            (
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ),
        ),
        (2, 3, ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",)),
    ],
)
def test_the_inclusion_proofs_of_the_known_tree_are_known(
    index: int, size: int, proof: Sequence[str]
) -> None:
    assert [each.hex() for each in KNOWN.inclusion_proof(index, size)] == [*proof]


@pytest.mark.parametrize(
    ("first", "size", "proof"),
    [
        (1, 1, ()),
        (
            *(1, 8),
            (
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ),
        ),
        (
            *(6, 8),
            (
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ),
        ),
        (
            *(2, 5),
            (
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ),
        ),
    ],
)
def test_the_consistency_proofs_of_the_known_tree_are_known(
    first: int, size: int, proof: Sequence[str]
) -> None:
    assert [each.hex() for each in KNOWN.consistency_proof(first, size)] == [*proof]


@given(TREES)
def test_the_root_of_every_beginning_is_the_one_that_the_definition_gives(
    leaves: list[bytes],
) -> None:
    tree = Subtrees.of(leaves)
    for size in range(len(leaves) + 1):
        assert tree.root(size) == by_definition(leaves[:size])


@given(TREES, st.data())
def test_a_root_is_found_with_the_beginning_that_has_it(
    leaves: list[bytes], data: st.DataObject
) -> None:
    tree = Subtrees.of(leaves)
    size = data.draw(st.integers(0, len(leaves)))
    assert tree.size_with(by_definition(leaves[:size])) == size
    assert tree.size_with(by_definition([*leaves, leaf_hash(b"later")])) is None


def test_of_no_leaves_there_is_one_root() -> None:
    tree = Subtrees.of([])
    assert (tree.size, tree.root(0), tree.size_with(EMPTY_ROOT)) == (0, EMPTY_ROOT, 0)


@given(TREES, st.data())
def test_a_proof_shows_its_own_leaf_at_its_own_place_and_nothing_else(
    leaves: list[bytes], data: st.DataObject
) -> None:
    tree = Subtrees.of(leaves)
    size = data.draw(st.integers(1, len(leaves)))
    index, root = data.draw(st.integers(0, size - 1)), tree.root(size)
    proof = tree.inclusion_proof(index, size)
    assert is_included(leaves[index], index, size, proof, root)
    assert not is_included(leaf_hash(b"another"), index, size, proof, root)
    assert not is_included(leaves[index], index, size, proof, EMPTY_ROOT)
    assert not is_included(leaves[index], index, size, (*proof, root), root)
    assert not is_included(leaves[index], size, size, proof, root)
    for n in range(len(proof)):
        without = (*proof[:n], *proof[n + 1 :])
        assert not is_included(leaves[index], index, size, without, root)
        bent = (*proof[:n], leaf_hash(proof[n]), *proof[n + 1 :])
        assert not is_included(leaves[index], index, size, bent, root)


@given(TREES, st.data())
def test_a_tree_is_consistent_with_every_beginning_of_it_and_with_no_other(
    leaves: list[bytes], data: st.DataObject
) -> None:
    tree = Subtrees.of(leaves)
    size = data.draw(st.integers(1, len(leaves)))
    first, root = data.draw(st.integers(0, size)), tree.root(size)
    first_root, proof = tree.root(first), tree.consistency_proof(first, size)
    assert is_consistent(first, first_root, size, root, proof)
    assert not is_consistent(first, leaf_hash(b"another"), size, root, proof)
    assert first == 0 or not is_consistent(first, first_root, size, leaf_hash(b"x"), proof)
    assert not is_consistent(first, first_root, size, root, (*proof, root))
    assert not is_consistent(size + 1, root, size, root, ())
    for n in range(len(proof)):
        without = (*proof[:n], *proof[n + 1 :])
        assert not is_consistent(first, first_root, size, root, without)
        bent = (*proof[:n], leaf_hash(proof[n]), *proof[n + 1 :])
        assert not is_consistent(first, first_root, size, root, bent)


@pytest.mark.parametrize("size", range(1, 18))
def test_every_proof_of_every_small_tree_leads_to_its_root(size: int) -> None:
    leaves = [leaf_hash(str(number).encode()) for number in range(17)]
    tree = Subtrees.of(leaves)
    root = tree.root(size)
    for index in range(size):
        proof = tree.inclusion_proof(index, size)
        assert is_included(leaves[index], index, size, proof, root)
    for first in range(size + 1):
        proof = tree.consistency_proof(first, size)
        assert is_consistent(first, tree.root(first), size, root, proof)


@given(TREES, st.data())
def test_no_altered_leaf_leaves_the_root_as_it_was(
    leaves: list[bytes], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(leaves) - 1))
    altered = [*leaves[:index], leaf_hash(b"another"), *leaves[index + 1 :]]
    root = root_of(leaves)
    assert root_of(altered) != root
    assert root_of([*leaves[:index], *leaves[index + 1 :]]) != root
    assert root_of([*leaves, leaves[index]]) != root


def root_of(leaves: Sequence[bytes]) -> bytes:
    return Subtrees.of(leaves).root(len(leaves))
