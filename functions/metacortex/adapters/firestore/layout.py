"""Where everything stands: the collections of a tenant, the names of documents, and of the fields
that searches go by.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_client import AsyncClient
    from google.cloud.firestore_v1.async_collection import AsyncCollectionReference
    from google.cloud.firestore_v1.async_document import AsyncDocumentReference

WINDOWS = "memory_windows"
CHANGES = "memory_changes"
FINGERPRINTS = "memory_fingerprints"
EVENTS = "memory_events"
USE = "memory_use"
TIMELINES = "fact_timelines"
ENTITIES = "entities"
FINDINGS = "fact_findings"
CLIENTS = "clients"
SECRET = "store/secret"
"""The document of the store's own secret, at the root."""

VECTOR_FIELD = "embedding"
STATE_FIELD = "branch_state"
SPACE_FIELD = "space"
"""The space of that vector."""
ALWAYS_PUSHED = (SPACE_FIELD, STATE_FIELD)
SOMETIMES_PUSHED = ("namespace", "topic")
PUSHED_FIELDS = ALWAYS_PUSHED + SOMETIMES_PUSHED
"""What a search filters by inside the vector index, in the order of the index."""

Pushed: TypeAlias = tuple[tuple[str, str], ...]
"""Fields with the values that they must equal."""

TERMS_FIELD = "terms"
COUNTS_FIELD = "term_counts"
LENGTH_FIELD = "length"
TERM_SPACE_FIELD = "term_space"
SESSION_FIELD = "session_id"
ORDER_FIELD = "created_at"
"""What words and sessions are found by; the pushed fields but the space of vectors stand beside."""

TIMELINE_FIELD = "timeline"
ABOUT_FIELD = "about"
"""Of facts alone: the key of the timeline that one is in, and the entities that it speaks of."""
SOURCES_FIELD = "sources"
KIND_FIELD = "kind"
END_FIELD = "valid_until"

USES_FIELD = "access_counts"
LAST_USES_FIELD = "last_accessed_at"
"""Maps by the ids of memories."""
ARRIVAL_FIELD = "committed_at"
"""When the server took in the request that made a Change."""
REPLACEMENT_FIELD = "superseded_by"
MENTIONS_FIELD = "entities"
"""Of a memory: the ids of what it mentions."""
NAME_KEYS_FIELD = "keys"
"""Of an entity: what its name is found under."""
JOINED_FIELD = "joined_at"
"""Of an entity: when another was last merged into it."""
LEAVING_FIELD = "leaving"
"""There from when a memory is about to be forgotten; naming it as a replacement takes it away."""

_MEMORY_ID = re.compile("(?!__.*__$)[A-Za-z0-9_-]{1,128}")
"""Firestore keeps names between double underscores for itself."""
_PLAIN_KEY = re.compile("[A-Za-z0-9-][A-Za-z0-9._-]{0,199}")


def is_memory_id(text: str) -> bool:
    """Whether a memory can have this id (contract C73)."""
    return _MEMORY_ID.fullmatch(text) is not None


def key_of(text: str) -> str:
    """Return a name that a document can have for any text: the text itself where it can."""
    if _PLAIN_KEY.fullmatch(text):
        return text
    return "~" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Tenant:
    """The collections of one tenant; `memory_collection` is the name of that of the memories."""

    client: "AsyncClient"
    name: str
    memory_collection: str

    @property
    def memories(self) -> "AsyncCollectionReference":
        """The records, each with the vector of its first window."""
        return self._collection(self.memory_collection)

    @property
    def windows(self) -> "AsyncCollectionReference":
        """The further windows of long texts."""
        return self._collection(WINDOWS)

    @property
    def changes(self) -> "AsyncCollectionReference":
        """The Changes, each under its digest."""
        return self._collection(CHANGES)

    @property
    def fingerprints(self) -> "AsyncCollectionReference":
        """The fingerprints of writes."""
        return self._collection(FINGERPRINTS)

    @property
    def use(self) -> "AsyncCollectionReference":
        """How often memories came back, many of them in each document."""
        return self._collection(USE)

    @property
    def timelines(self) -> "AsyncCollectionReference":
        """What is held by whoever writes to a timeline of facts, each under the timeline's key."""
        return self._collection(TIMELINES)

    @property
    def entities(self) -> "AsyncCollectionReference":
        """The entities."""
        return self._collection(ENTITIES)

    def entity(self, entity_id: str) -> "AsyncDocumentReference":
        """Return where an entity is."""
        return self.entities.document(entity_id)

    @property
    def findings(self) -> "AsyncCollectionReference":
        """Contradictions among facts, each under its id."""
        return self._collection(FINDINGS)

    def memory(self, memory_id: str) -> "AsyncDocumentReference":
        """Return where a memory is."""
        return self.memories.document(memory_id)

    def window(self, memory_id: str, n: int) -> "AsyncDocumentReference":
        """Return where the window of a memory is that has the number `n`, 1 or more."""
        return self.windows.document(f"{memory_id}_{n}")

    def fingerprint(self, digest: str) -> "AsyncDocumentReference":
        """Return where a fingerprint is."""
        return self.fingerprints.document(key_of(digest))

    def _collection(self, name: str) -> "AsyncCollectionReference":
        return collection_of(self.client, self.name, name)


def collection_of(client: "AsyncClient", tenant: str, name: str) -> "AsyncCollectionReference":
    """Return one of a tenant's collections."""
    return client.collection("tenants", tenant, name)


def tenant_of(place: "AsyncDocumentReference") -> str:
    """Return the tenant whose document this is."""
    return str(place.path).split("/")[1]
