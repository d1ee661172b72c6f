"""Writing memories: each in one commit, whose preconditions hold what was read before it.

A piece of work may be run anew after its commit has arrived, so each finds its own traces.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from metacortex.adapters.firestore.documents import (
    Document,
    dump_change,
    dump_embedding,
    dump_memory,
    timestamp,
)
from metacortex.adapters.firestore.failures import CONTENDED, TAKEN, TRIES
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.lookup import Written, get_record, get_written
from metacortex.adapters.firestore.superseding import Obsolete, obsolete, put_obsolete
from metacortex.adapters.firestore.vectors import add_vector
from metacortex.adapters.firestore.windows import (
    TOGETHER,
    Numbered,
    batches,
    delete_windows,
    put_windows,
    set_windows,
)
from metacortex.domain.errors import CallerError, Unavailable
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import Change
from metacortex.domain.memory import Memory
from metacortex.ports import Embedding

MOST_WRITES = 500
"""What one commit may hold."""


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A memory to store, with its vectors, the fields of its terms, the Change that makes it, its
    fingerprint and the ids of what it supersedes.
    """

    memory: Memory
    embedding: Embedding
    terms: Document
    change: Change
    fingerprint: Fingerprint
    superseding: Sequence[str]


@dataclass(frozen=True, slots=True)
class Added:
    """What the store holds of a write, whether it is new, and what it has superseded."""

    memory: Memory
    created: bool
    superseded: Sequence[Obsolete] = ()


async def add(tenant: Tenant, new: NewRecord) -> Added:
    """Store a memory as `MemoryStore.add` tells.

    Windows beyond those of the commit are stored before it: no search shows a window whose memory
    is not there. Those of what is superseded that did not fit in are left to move.
    """
    first, *others = batches(new.embedding)
    for batch in others:
        await set_windows(tenant, new.memory, new.embedding, batch)
    try:
        added = await _add(tenant, new, first)
    except CallerError:
        await take_back(tenant, new.memory.id, new.embedding)
        raise
    if not added.created:
        await take_back(tenant, new.memory.id, new.embedding)
    return added


async def replace_embedding(tenant: Tenant, memory_id: str, embedding: Embedding) -> bool:
    """Replace the vectors of a memory, as `MemoryStore.replace_embedding` tells.

    A supersession in between is seen by the precondition, and the windows are written anew as it
    has left the record.
    """
    for attempt in range(TRIES):
        record = await get_record(tenant, memory_id)
        if record is None:
            if attempt:
                # Forgotten after its windows were written anew.
                await delete_windows(tenant, memory_id, 1, len(embedding.vectors))
            return False
        for batch in batches(embedding):
            await set_windows(tenant, record.memory, embedding, batch)
        unchanged = tenant.client.write_option(last_update_time=record.snapshot.update_time)
        try:
            await record.snapshot.reference.update(dump_embedding(embedding), unchanged, retry=None)
        except TAKEN:
            continue
        await delete_windows(tenant, memory_id, len(embedding.vectors), record.windows)
        return True
    raise Unavailable(CONTENDED)


async def take_back(tenant: Tenant, memory_id: str, embedding: Embedding) -> None:
    """Delete the windows that were stored before the commit of a memory that did not come to it."""
    await delete_windows(tenant, memory_id, TOGETHER, len(embedding.vectors))


async def _add(tenant: Tenant, new: NewRecord, first: Numbered) -> Added:
    memory = new.memory
    written: Written | None = None
    superseded: Sequence[Obsolete] = ()
    for _ in range(TRIES):
        try:
            superseded = await _obsolete(tenant, new, len(first))
            await _commit(tenant, new, first, superseded, written)
        except (*TAKEN, CallerError) as refused:
            # By another write, perhaps an equal one, or by an earlier attempt of this one.
            written = await get_written(tenant, new.fingerprint.digest)
            if written and written.memory and written.memory.id == memory.id:
                return Added(written.memory, True, superseded)
            if written and written.memory and written.equals(new.fingerprint, memory.branch_state):
                return Added(written.memory, False)
            if isinstance(refused, CallerError):
                raise
        else:
            return Added(memory, True, superseded)
    raise Unavailable(CONTENDED)


async def _obsolete(tenant: Tenant, new: NewRecord, windows: int) -> Sequence[Obsolete]:
    if not new.superseding:
        return ()
    # The fingerprint, the record and its Change stand in the commit too.
    return await obsolete(tenant, new.superseding, new.change, MOST_WRITES - windows - 3)


async def _commit(
    tenant: Tenant,
    new: NewRecord,
    first: Numbered,
    superseded: Sequence[Obsolete],
    held: Written | None,
) -> None:
    memory, fingerprint = new.memory, new.fingerprint
    batch = tenant.client.batch()
    place = tenant.fingerprint(fingerprint.digest)
    document = {
        "memory_id": memory.id,
        "first_written_at": memory.recorded_at,
        # Beyond the window in which an equal write is a duplicate it is of no use.
        "expires_at": timestamp(2 * memory.recorded_at - fingerprint.since),
    }
    if held is None:
        batch.create(place, document)
    else:
        unchanged = tenant.client.write_option(last_update_time=held.snapshot.update_time)
        batch.update(place, document, option=unchanged)
    batch.create(tenant.memory(memory.id), dump_memory(memory, new.embedding, new.terms))
    add_vector(batch, new.embedding.vectors[0])
    batch.create(tenant.changes.document(new.change.sha256), dump_change(new.change))
    put_windows(batch, tenant, memory, new.embedding.space, first)
    for each in superseded:
        put_obsolete(batch, tenant, each)
    await batch.commit(retry=None)
