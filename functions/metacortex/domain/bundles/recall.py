"""Citations: how what this memory returns names its sources, and how they are recognized when the
text is saved again.
"""

import re
from collections.abc import Iterator

from metacortex.domain.memory import Memory

SHOWN_OF_DIGEST = 8
MOST_CITATIONS = 100
"""A text is read up to so many different citations."""

# Both are tolerant of a citation that stands in JSON, or in JSON within JSON.
_DIGEST = re.compile(r"sha256[\\\"':, ]{1,24}([0-9a-f]{8})(?![0-9a-z])")
_ID_BEFORE = re.compile(r"([A-Za-z0-9_-]{1,128})[\\\"':, ]{1,24}$")
_LOOK_BACK = 128 + 24


def short_digest(memory: Memory) -> str:
    """Return as much of a memory's digest as a citation shows."""
    return memory.sha256[:SHOWN_OF_DIGEST]


def citation(memory: Memory) -> str:
    """Return the id and the digest of a memory, as a text shows them."""
    return f"{memory.id} sha256:{short_digest(memory)}"


def cited(text: str) -> dict[str, str]:
    """Return the digest, as far as it is shown, that a text cites each id with."""
    found: dict[str, str] = {}
    for memory_id, digest in _citations(text):
        if len(found) == MOST_CITATIONS:
            break
        found.setdefault(memory_id, digest)
    return found


def _citations(text: str) -> Iterator[tuple[str, str]]:
    for digest in _DIGEST.finditer(text):
        before = text[max(0, digest.start() - _LOOK_BACK) : digest.start()]
        if named := _ID_BEFORE.search(before):
            yield named[1], digest[1]
