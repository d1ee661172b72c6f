"""Writing memories: each in one commit, whose preconditions hold what was read before it.

A piece of work may be run anew after its commit has arrived, so each finds its own traces.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from google.api_core.exceptions import AlreadyExists, FailedPrecondition, NotFound

from metacortex.adapters.firestore.documents import (
    Document,
    dump_change,
    dump_embedding,
    dump_memory,
    timestamp,
)
from metacortex.adapters.firestore.failures import CONTENDED
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.lookup import Record, Written, get_record, get_written
from metacortex.adapters.firestore.vectors import add_vector
from metacortex.adapters.firestore.windows import (
    TOGETHER,
    Numbered,
    batches,
    delete_windows,
    first_windows,
    moved,
    put_windows,
    set_windows,
)
from metacortex.domain.errors import Unavailable
from metacortex.domain.identity import Fingerprint
from metacortex.domain.lifecycle import Change, Standing, supersession
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.ports import Embedding, Superseded

TRIES = 10
TAKEN = (AlreadyExists, FailedPrecondition, NotFound)
"""What a commit fails with where what was read before it has changed."""


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A memory to store, with its vectors, the fields of its terms, the Change that makes it and
    its fingerprint.
    """

    memory: Memory
    embedding: Embedding
    terms: Document
    change: Change
    fingerprint: Fingerprint


async def add(tenant: Tenant, new: NewRecord) -> tuple[Memory, bool]:
    """Store a memory as `MemoryStore.add` tells.

    Windows beyond those of the commit are stored before it: no search shows a window whose memory
    is not there.
    """
    memory, count = new.memory, len(new.embedding.vectors)
    first, *others = batches(new.embedding)
    for batch in others:
        await set_windows(tenant, memory, new.embedding, batch)
    written: Written | None = None
    for _ in range(TRIES):
        try:
            await _commit(tenant, new, first, written)
        except TAKEN:
            # By another write, or by an earlier attempt of this one.
            written = await get_written(tenant, new.fingerprint.digest)
        else:
            return memory, True
        if written and written.memory and written.memory.id == memory.id:
            return written.memory, True
        if written and written.memory and written.equals(new.fingerprint, memory.branch_state):
            await delete_windows(tenant, memory.id, TOGETHER, count)
            return written.memory, False
    raise Unavailable(CONTENDED)


@dataclass(slots=True)
class Supersession:
    """That a memory is to be superseded by another, and the Change that was last tried for it."""

    memory_id: str
    replacement_id: str
    client: str
    at: Milliseconds
    tried: Change | None = None


async def supersede(tenant: Tenant, wanted: Supersession) -> tuple[Superseded, int] | None:
    """Deprecate a memory in favour of another, as `MemoryStore.supersede` tells; with it comes how
    many windows it has, of which only those of one commit have moved along.

    The commit holds only if neither the memory nor the last of its replacement's successors has
    changed since they were read. A replacement once named never changes, so a circle could only
    close there.
    """
    for _ in range(TRIES):
        record = await get_record(tenant, wanted.memory_id)
        replacement = await get_record(tenant, wanted.replacement_id)
        if record is None or replacement is None:
            return None
        if (change := wanted.tried) is not None and await _is_recorded(tenant, change):
            return _superseded(record.memory, change), record.windows
        chain = await _chain(tenant, replacement)
        change = _change(record.memory, chain, wanted)
        if change is None:
            return Superseded(record.memory, record.memory.branch_state, None), record.windows
        wanted.tried = change
        try:
            await _apply(tenant, record, chain[-1], change)
        except TAKEN:
            continue
        return _superseded(record.memory, change), record.windows
    raise Unavailable(CONTENDED)


async def replace_embedding(tenant: Tenant, memory_id: str, embedding: Embedding) -> bool:
    """Replace the vectors of a memory, as `MemoryStore.replace_embedding` tells.

    A supersession in between is seen by the precondition, and the windows are written anew as it
    has left the record.
    """
    for _ in range(TRIES):
        record = await get_record(tenant, memory_id)
        if record is None:
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


async def _commit(tenant: Tenant, new: NewRecord, first: Numbered, held: Written | None) -> None:
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
    await batch.commit(retry=None)


async def _chain(tenant: Tenant, record: Record) -> list[Record]:
    """Return a record and those that supersede it, nearest first, each once."""
    chain, seen = [record], {record.memory.id}
    while (successor_id := chain[-1].memory.superseded_by) is not None:
        successor = None if successor_id in seen else await get_record(tenant, successor_id)
        if successor is None:
            break
        chain.append(successor)
        seen.add(successor_id)
    return chain


def _change(memory: Memory, chain: Sequence[Record], wanted: Supersession) -> Change | None:
    standing = Standing(memory.branch_state, memory.superseded_by)
    successors = [record.memory.id for record in chain[1:]]
    return supersession(
        memory.id, standing, wanted.replacement_id, successors, wanted.client, wanted.at
    )


async def _is_recorded(tenant: Tenant, change: Change) -> bool:
    return bool((await tenant.changes.document(change.sha256).get([], retry=None)).exists)


async def _apply(tenant: Tenant, record: Record, last: Record, change: Change) -> None:
    option, batch = tenant.client.write_option, tenant.client.batch()
    batch.update(
        record.snapshot.reference,
        {**change.after.as_json(), "updated_at": change.recorded_at},
        option=option(last_update_time=record.snapshot.update_time),
    )
    # It writes what is there, to hold that it is still there.
    batch.update(
        last.snapshot.reference,
        {"superseded_by": last.memory.superseded_by},
        option=option(last_update_time=last.snapshot.update_time),
    )
    batch.create(tenant.changes.document(change.sha256), dump_change(change))
    for n in first_windows(record.windows):
        batch.update(tenant.window(record.memory.id, n), moved(change.after.branch_state))
    await batch.commit(retry=None)


def _superseded(memory: Memory, change: Change) -> Superseded:
    after = change.after
    deprecated = replace(
        memory,
        branch_state=after.branch_state,
        superseded_by=after.superseded_by,
        updated_at=change.recorded_at,
    )
    previous = change.before.branch_state if change.before else memory.branch_state
    return Superseded(deprecated, previous, change)
