"""The terms of a memory as its record holds them: eight bytes of the digest of each in a list, by
which Firestore finds the record; the same again with how often each comes, in one piece, by which
the process scores it; and how many there are in all.

Reading the text again instead would spare the second: of the longest texts that takes seconds.
"""

import asyncio
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from metacortex.adapters.firestore.layout import (
    COUNTS_FIELD,
    LENGTH_FIELD,
    TERM_SPACE_FIELD,
    TERMS_FIELD,
)
from metacortex.domain.words.terms import TERM_SPACE, terms_of

MOST_TERMS = 5_000
"""How many different terms a memory is found by. Of more, those with the most letters are kept, for
the longer a word the rarer it is; among equals, those that the text repeats least.
"""
MOST_TIMES = 65_535
_KEY = 8
_LONG = 20_000
"""Texts beyond this many characters are read off the loop, so that nobody waits for them."""
_SPACE = TERM_SPACE.encode()


@dataclass(frozen=True, slots=True)
class Held:
    """How often a record holds each term that was asked for, and how many terms it has in all."""

    counts: Mapping[str, int]
    length: int


NOTHING_HELD = Held({}, 0)


@lru_cache(65_536)
def term_key(term: str) -> bytes:
    """Return what stands for a term in a record. Terms of other versions have other keys."""
    return blake2b(term.encode("utf-8", "replace"), digest_size=_KEY, person=_SPACE).digest()


def dump_terms(text: str) -> dict[str, Any]:
    """Return the fields of a record that its words are found and scored by."""
    terms = terms_of(text)
    counts = _kept(Counter(terms))
    keys = [*map(term_key, counts)]
    return {
        TERMS_FIELD: keys,
        COUNTS_FIELD: b"".join(keys) + _packed(min(n, MOST_TIMES) for n in counts.values()),
        LENGTH_FIELD: len(terms),
        TERM_SPACE_FIELD: TERM_SPACE,
    }


async def read_terms(text: str) -> dict[str, Any]:
    """Do what `dump_terms` does, without holding up others."""
    return await asyncio.to_thread(dump_terms, text) if len(text) > _LONG else dump_terms(text)


def held_terms(stored: Mapping[str, Any], asked: Iterable[str]) -> Held:
    """Return what a record holds of the terms that are asked for: nothing, where its own are of
    another version.
    """
    if stored.get(TERM_SPACE_FIELD) != TERM_SPACE:
        return NOTHING_HELD
    packed: bytes = stored[COUNTS_FIELD]
    size = len(packed) // (_KEY + 2)
    keys, counts = packed[: size * _KEY], _unpacked(packed[size * _KEY :])
    places = ((term, _place(keys, term_key(term))) for term in asked)
    return Held(
        {term: counts[place] for term, place in places if place is not None},
        stored[LENGTH_FIELD],
    )


def _kept(counts: Mapping[str, int]) -> Mapping[str, int]:
    if len(counts) <= MOST_TERMS:
        return counts
    rarest = sorted(counts, key=lambda term: (-len(term.encode()), counts[term]))
    return {term: counts[term] for term in rarest[:MOST_TERMS]}


def _place(keys: bytes, key: bytes) -> int | None:
    at = keys.find(key)
    while at >= 0 and at % _KEY:
        at = keys.find(key, at + 1)
    return at // _KEY if at >= 0 else None


def _packed(counts: Iterable[int]) -> bytes:
    numbers = array("H", counts)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _unpacked(packed: bytes) -> "array[int]":
    numbers = array("H", packed)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
