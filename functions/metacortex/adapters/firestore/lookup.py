"""Reading memories by their ids, and the memory of a fingerprint."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import MEMORY_FIELDS, load_entry, load_memory
from metacortex.adapters.firestore.layout import Tenant, is_memory_id
from metacortex.adapters.firestore.together import together
from metacortex.domain.forgetting import Entry
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory

if TYPE_CHECKING:
    from google.cloud.firestore_v1.base_document import DocumentSnapshot


PIECE = 30
"""How many values one query takes, any of which a field may have."""


@dataclass(frozen=True, slots=True)
class Record:
    """A memory as it was read, and how many windows it has."""

    memory: Memory
    windows: int
    snapshot: "DocumentSnapshot[Any]"


@dataclass(frozen=True, slots=True)
class Written:
    """What a fingerprint points to as it was read; the memory is None where it is gone."""

    memory: Memory | None
    first_written_at: int
    snapshot: "DocumentSnapshot[Any]"

    def equals(self, fingerprint: Fingerprint, state: BranchState) -> bool:
        """Whether a write with this fingerprint, in this state, is the one that was stored."""
        return (
            self.memory is not None
            and self.memory.branch_state is state
            and self.first_written_at >= fingerprint.since
        )


async def get_record(tenant: Tenant, memory_id: str) -> Record | None:
    """Return the record of this id, whatever the id looks like."""
    if not is_memory_id(memory_id):
        return None
    snapshot = await tenant.memory(memory_id).get(MEMORY_FIELDS, retry=None)
    return record_of(snapshot) if snapshot.exists else None


async def get_records(tenant: Tenant, memory_ids: Sequence[str]) -> Mapping[str, Record]:
    """Return those records that are there, by their ids."""
    places = [tenant.memory(id_) for id_ in dict.fromkeys(memory_ids) if is_memory_id(id_)]
    if not places:
        return {}
    return {
        snapshot.id: record_of(snapshot)
        async for snapshot in tenant.client.get_all(places, MEMORY_FIELDS, retry=None)
        if snapshot.exists
    }


async def get_written(tenant: Tenant, digest: str) -> Written | None:
    """Return what a fingerprint points to."""
    snapshot = await tenant.fingerprint(digest).get(retry=None)
    stored = snapshot.to_dict()
    if stored is None:
        return None
    record = await get_record(tenant, stored["memory_id"])
    return Written(record.memory if record else None, stored["first_written_at"], snapshot)


async def get_changes(tenant: Tenant, memory_ids: Sequence[str]) -> Mapping[str, tuple[Entry, ...]]:
    """Return the entries of each of these memories, oldest first. There are few of each, so they
    are ordered here.
    """
    known = [id_ for id_ in dict.fromkeys(memory_ids) if is_memory_id(id_)]
    found = await together(_changes_among(tenant, piece) for piece in pieces(known))
    entries: dict[str, list[Entry]] = {id_: [] for id_ in memory_ids}
    for stored in sorted(chain(*found), key=lambda stored: stored["committed_at"]):
        entries[stored["subject_id"]].append(load_entry(stored))
    return {id_: tuple(of_one) for id_, of_one in entries.items()}


async def _changes_among(tenant: Tenant, memory_ids: Sequence[str]) -> list[dict[str, Any]]:
    query = tenant.changes.where(filter=FieldFilter("subject_id", "in", memory_ids))
    return [snapshot.to_dict() or {} async for snapshot in query.stream(retry=None)]


def pieces(values: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield values, as many at a time as one query takes."""
    for start in range(0, len(values), PIECE):
        yield values[start : start + PIECE]


def record_of(snapshot: "DocumentSnapshot[Any]") -> Record:
    """Return the record that was read with `MEMORY_FIELDS`."""
    stored = snapshot.to_dict() or {}
    return Record(load_memory(snapshot.id, stored), stored["windows"], snapshot)
