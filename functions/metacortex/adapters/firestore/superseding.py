"""What a new memory supersedes or ends: moved in the commit that stores it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metacortex.adapters.firestore.changes import put_change
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.lookup import Record, get_records
from metacortex.domain.errors import NotFound
from metacortex.domain.lifecycle import (
    NOTHING_TO_SUPERSEDE,
    BranchState,
    Change,
    supersession,
)

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch


@dataclass(frozen=True, slots=True)
class Obsolete:
    """A memory that a new one supersedes or ends, the Change by which it does, None where it has
    done so already, and those of its windows that move along in the same commit.
    """

    record: Record
    change: Change | None
    together: range

    @property
    def state(self) -> BranchState:
        """The state in which it is left."""
        return (self.change.after if self.change else self.record.memory).branch_state

    @property
    def later(self) -> range:
        """Those of its windows that are left to move."""
        return range(self.together.stop, self.record.windows)


async def obsolete(
    tenant: Tenant, memory_ids: Sequence[str], made: Change, room: int
) -> list[Obsolete]:
    """Return what the memory that `made` makes supersedes, where a commit has `room` for so many
    writes.

    Raises:
        NotFound, Conflict: as `MemoryStore.add` does.
    """
    decided: list[tuple[Record, Change | None]] = []
    records = await get_records(tenant, memory_ids)
    for memory_id in dict.fromkeys(memory_ids):
        if (record := records.get(memory_id)) is None:
            raise NotFound(NOTHING_TO_SUPERSEDE)
        memory = record.memory
        change = supersession(
            *(memory_id, memory.standing, made.subject_id, (), made.client, made.recorded_at),
            ends=memory.ends_when_superseded,
            valid_from=memory.valid_from,
        )
        decided.append((record, change))
    return within(room, decided)


def within(room: int, decided: Sequence[tuple[Record, Change | None]]) -> list[Obsolete]:
    """Return memories and what was decided of each, with the windows for which a commit has room
    beside all of the records and Changes.
    """
    room -= 2 * len(decided)
    found: list[Obsolete] = []
    for record, change in decided:
        together = range(1, max(1, min(record.windows, 1 + room)))
        room -= len(together)
        found.append(Obsolete(record, change, together))
    return found


def put_obsolete(batch: "AsyncWriteBatch", tenant: Tenant, each: Obsolete) -> None:
    """Let a batch change a memory, if nothing has changed it since it was read."""
    if each.change is not None:
        put_change(batch, tenant, each.record, each.change, each.together)
