"""What remains of a memory that was forgotten: that it was, and what its text can be recognized
by, to whom the store's own key is known and to nobody else.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from hmac import digest as mac
from typing import TypeAlias

from metacortex.domain.integrity import digest
from metacortex.domain.lifecycle import FORGOTTEN, Change, ChangeKind
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds

_HASH = "sha256"
_VERSION = "metacortex tombstone 1"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """The last entry of a memory in the record of truth, kept for ever. It holds no content.

    It binds imports alone: the same text, saved anew, is a new memory.
    """

    subject_id: str
    text_mac: str
    recorded_at: Milliseconds
    client: str

    @property
    def sha256(self) -> str:
        """Digest of the entry in its canonical form."""
        return digest(
            {
                "v": 1,
                "kind": ChangeKind.FORGOTTEN.value,
                "subject_id": self.subject_id,
                "text_mac": self.text_mac,
                "recorded_at": self.recorded_at,
                "client": self.client,
            }
        )


Entry: TypeAlias = Change | Tombstone
"""What the record of truth holds."""

Mark: TypeAlias = int
"""A point in the order of a store's commits; to whom else it is only a number."""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Who forgets, when, and the key under which texts are recognized."""

    key: bytes
    client: str
    at: Milliseconds
    mark: Mark | None = None
    """Only what has stayed as it was at this point; None: whatever has become of it."""

    def tombstone(self, memory: Memory) -> Tombstone:
        """Return what remains of a memory."""
        return Tombstone(memory.id, text_mac(self.key, memory.content), self.at, self.client)


def has_moved(later: Iterable[Entry]) -> bool:
    """Whether what was recorded of a memory after a mark makes it another than it was there: it
    was saved, or its state has changed. That its replacement was forgotten changes nothing of it.
    """
    return any(
        isinstance(entry, Change) and entry.after.superseded_by != FORGOTTEN for entry in later
    )


def tombstone_key(secret: bytes, tenant: str) -> bytes:
    """Return the key of a tenant's tombstones: equal texts of two tenants differ."""
    return mac(secret, json.dumps([_VERSION, tenant]).encode(), _HASH)


def text_mac(key: bytes, text: str) -> str:
    """Return what a text is recognized by under this key."""
    return mac(key, sha256(text.encode()).digest(), _HASH).hex()
