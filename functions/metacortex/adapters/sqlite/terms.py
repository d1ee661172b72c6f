"""The terms of a memory as they are stored: 64 bits of the digest of each, and how often it comes.

Nothing here needs numpy, which only searches load.
"""

import asyncio
import sys
from array import array
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from metacortex.domain.words.terms import TERM_SPACE, terms_of

MOST_TERMS = 65_535
"""How many different terms one memory is found by, those that come most often."""
MOST_TIMES = 65_535
CELL = 8 + 2
"""How many bytes a stored term takes."""
_LONG = 20_000
"""Texts beyond this many characters are read off the loop, so that nobody waits for them."""


DumpedTerms = tuple[str, bytes, int]
"""The version of the terms of a text, the terms, and how many it has in all."""


async def dump_text(text: str) -> DumpedTerms:
    """Return the terms of a text as they are stored."""
    if len(text) > _LONG:
        return await asyncio.to_thread(_dump, text)
    return _dump(text)


@lru_cache(65_536)
def digest_of(term: str) -> int:
    """Return the 64 bits that stand for a term."""
    digest = blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def dump_terms(terms: Sequence[str]) -> bytes:
    """Return terms as they are stored: their digests, and then how often each comes, both with the
    lowest byte first.
    """
    counted = Counter(terms).most_common(MOST_TERMS)
    digests = array("Q", [digest_of(term) for term, _ in counted])
    counts = array("H", [min(count, MOST_TIMES) for _, count in counted])
    if sys.byteorder == "big":
        digests.byteswap()
        counts.byteswap()
    return digests.tobytes() + counts.tobytes()


def _dump(text: str) -> DumpedTerms:
    terms = terms_of(text)
    return TERM_SPACE, dump_terms(terms), len(terms)
