"""The terms of a memory as its record holds them: eight bytes of the digest of each, so that any
number of long ones fits, and how many there are in all.

How often each comes is not stored: who scores a record reads its text again.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from metacortex.adapters.firestore.documents import Document
from metacortex.adapters.firestore.layout import LENGTH_FIELD, TERMS_FIELD
from metacortex.domain.terms import TERM_SPACE, terms_of

MOST_TERMS = 5_000
"""How many different terms a memory is found by. Of more, those with the most letters are kept, for
the longer a word the rarer it is; among equals, those that the text repeats least.
"""
_LONG = 20_000
"""Texts beyond this many characters are read off the loop, so that nobody waits for them."""
_SPACE = TERM_SPACE.encode()


@dataclass(frozen=True, slots=True)
class Held:
    """How often a text holds each of the terms that were asked for, and how many it has in all."""

    counts: Mapping[str, int]
    length: int


def term_key(term: str) -> bytes:
    """Return what stands for a term in a record. Terms of other versions have other keys."""
    return blake2b(term.encode("utf-8", "replace"), digest_size=8, person=_SPACE).digest()


def dump_terms(text: str) -> Document:
    """Return the fields of a record that its words are found by."""
    terms = terms_of(text)
    return {
        TERMS_FIELD: [term_key(term) for term in _kept(Counter(terms))],
        LENGTH_FIELD: len(terms),
        "term_space": TERM_SPACE,
    }


async def read_terms(text: str) -> Document:
    """Do what `dump_terms` does, without holding up others."""
    return await asyncio.to_thread(dump_terms, text) if len(text) > _LONG else dump_terms(text)


async def count_terms(texts: Mapping[str, str], asked: Collection[str]) -> Mapping[str, Held]:
    """Return what each text, by its key, holds of the terms that are asked for."""

    def count() -> Mapping[str, Held]:
        return {key: _held(text, frozenset(asked)) for key, text in texts.items()}

    long = sum(map(len, texts.values())) > _LONG
    return await asyncio.to_thread(count) if long else count()


def _kept(counts: Mapping[str, int]) -> list[str]:
    if len(counts) <= MOST_TERMS:
        return [*counts]
    return sorted(counts, key=lambda term: (-len(term.encode()), counts[term]))[:MOST_TERMS]


def _held(text: str, asked: frozenset[str]) -> Held:
    terms = terms_of(text)
    return Held(Counter(term for term in terms if term in asked), len(terms))
