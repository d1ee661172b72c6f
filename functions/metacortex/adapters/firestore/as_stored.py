"""Changes and memories in Firestore as they are stored, whether or not they can be read as such."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import MEMORY_FIELDS, load_entry, load_memory
from metacortex.adapters.firestore.failures import TRIES
from metacortex.adapters.firestore.forgetting import nanoseconds
from metacortex.adapters.firestore.layout import ARRIVAL_FIELD, Tenant, is_memory_id
from metacortex.domain.tampering import Kept, Recorded

if TYPE_CHECKING:
    from google.cloud.firestore_v1.base_document import DocumentSnapshot

T = TypeVar("T")

TOGETHER = 300
"""How many documents are read at a time."""


@dataclass(frozen=True, slots=True, order=True)
class Arrived:
    """An entry, and when its commit was made; of one commit the names of documents decide."""

    at: int
    name: str
    recorded: Recorded


async def recorded_after(
    tenant: Tenant, last: "DocumentSnapshot[Any] | None"
) -> "Sequence[DocumentSnapshot[Any]]":
    """Return the Changes whose requests were taken in next, in this order."""
    ordered = tenant.changes.order_by(ARRIVAL_FIELD).limit(TOGETHER)
    query = ordered if last is None else ordered.start_after(last)
    return [snapshot async for snapshot in query.stream(retry=None)]


def arrived(snapshot: "DocumentSnapshot[Any]") -> Arrived:
    """Return the entry that a document holds."""
    return Arrived(nanoseconds(snapshot.create_time), snapshot.id, _recorded(snapshot))


def taken_in(snapshot: "DocumentSnapshot[Any]") -> int:
    """Return when the request was taken in that made a Change, 0 where what says so is no time."""
    moment = snapshot.get(ARRIVAL_FIELD)
    return nanoseconds(moment) if isinstance(moment, datetime) else 0


async def kept_after(tenant: Tenant, last: str) -> Sequence[Kept]:
    """Return the memories whose ids follow, in their order."""
    ordered = tenant.memories.order_by("__name__").select(MEMORY_FIELDS).limit(TOGETHER)
    query = ordered.start_after({"__name__": tenant.memory(last)}) if last else ordered
    return [_kept(snapshot) async for snapshot in query.stream(retry=None)]


async def examine(tenant: Tenant, memory_id: str) -> tuple[Kept | None, Sequence[Recorded]]:
    """Return a memory with its entries, as `IntegrityStore.examine` tells."""
    if not is_memory_id(memory_id):
        return None, ()
    place = tenant.memory(memory_id)
    before = await place.get(MEMORY_FIELDS, retry=None)
    found: list[Arrived] = []
    for _ in range(TRIES):
        own = tenant.changes.where(filter=FieldFilter("subject_id", "==", memory_id))
        found = sorted([arrived(snapshot) async for snapshot in own.stream(retry=None)])
        after = await place.get(MEMORY_FIELDS, retry=None)
        if after.update_time == before.update_time:
            break
        before = after
    return _kept(before) if before.exists else None, [each.recorded for each in found]


def _recorded(snapshot: "DocumentSnapshot[Any]") -> Recorded:
    stored = snapshot.to_dict() or {}
    made = stored.get("memory_sha256")
    # Without it, the order of the others does not know of this one.
    has_arrived = isinstance(stored.get(ARRIVAL_FIELD), datetime)
    return Recorded(
        str(stored.get("subject_id")),
        str(stored.get("sha256")),
        None if made is None else str(made),
        _readable(lambda: load_entry(stored)) if has_arrived else None,
    )


def _kept(snapshot: "DocumentSnapshot[Any]") -> Kept:
    stored: Mapping[str, Any] = snapshot.to_dict() or {}
    return Kept(
        snapshot.id,
        str(stored.get("sha256")),
        stored.get("sha256_version", 0),
        _readable(lambda: load_memory(snapshot.id, stored)),
    )


def _readable(load: Callable[[], T]) -> T | None:
    """Return what a document holds, or None where it holds no such thing: any field may be
    anything.
    """
    try:
        return load()
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError, zlib.error):
        return None
