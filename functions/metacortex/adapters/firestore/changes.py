"""Changes of what a memory's state is: each in one commit, with the memory and its first windows.

As every write, the work may be run anew after its commit has arrived, and finds its own trace.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from google.cloud.firestore_v1 import DELETE_FIELD

from metacortex.adapters.firestore.documents import dump_change, dump_standing
from metacortex.adapters.firestore.failures import CONTENDED, TAKEN, TRIES
from metacortex.adapters.firestore.layout import LEAVING_FIELD, Tenant
from metacortex.adapters.firestore.lookup import Record, get_record
from metacortex.adapters.firestore.windows import first_windows, moved
from metacortex.domain.errors import NotFound, Unavailable
from metacortex.domain.lifecycle import NO_REPLACEMENT, BranchState, Change, promotion, supersession
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.ports import Moved

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch


@dataclass(frozen=True, slots=True)
class Decision:
    """The Change that is due, None where there is none; and records whose own must not change
    meanwhile.
    """

    change: Change | None
    held: Sequence[Record] = ()


Decide: TypeAlias = Callable[[Tenant, Memory], Awaitable[Decision]]
"""Decides over a memory as it was read."""


@dataclass(slots=True)
class Move:
    """That a memory is to change its state, and the Change that was last tried for it."""

    memory_id: str
    decide: Decide
    tried: Change | None = None


def supersession_by(replacement_id: str, client: str, at: Milliseconds) -> Decide:
    """Decide as `MemoryStore.supersede` tells.

    The replacement and all its successors are held: neither can a circle close meanwhile, nor is
    what is named forgotten.
    """

    async def decide(tenant: Tenant, memory: Memory) -> Decision:
        replacement = await get_record(tenant, replacement_id)
        if replacement is None:
            raise NotFound(NO_REPLACEMENT)
        chain = await _chain(tenant, replacement)
        successors = [record.memory.id for record in chain[1:]]
        change = supersession(
            *(memory.id, memory.standing, replacement_id, successors, client, at),
            ends=memory.ends_when_superseded,
            valid_from=memory.valid_from,
        )
        return Decision(change, chain)

    return decide


def promotion_to(state: BranchState, client: str, at: Milliseconds) -> Decide:
    """Decide as `MemoryStore.promote` tells."""

    async def decide(_: Tenant, memory: Memory) -> Decision:
        return Decision(promotion(memory.id, memory.standing, state, client, at))

    return decide


async def move(tenant: Tenant, wanted: Move) -> tuple[Moved, int] | None:
    """Change the state of a memory as is decided; with it comes how many windows it has, of which
    only those of one commit have moved along.

    The commit holds only if neither the memory nor what is held has changed since they were read.
    """
    for _ in range(TRIES):
        record = await get_record(tenant, wanted.memory_id)
        if record is None:
            return None
        if (change := wanted.tried) is not None and await is_recorded(tenant, change):
            return _moved(record.memory, change), record.windows
        decision = await wanted.decide(tenant, record.memory)
        if decision.change is None:
            return Moved(record.memory, record.memory.branch_state, None), record.windows
        wanted.tried = decision.change
        try:
            await _apply(tenant, record, decision.change, decision.held)
        except TAKEN:
            continue
        return _moved(record.memory, decision.change), record.windows
    raise Unavailable(CONTENDED)


def put_change(
    batch: "AsyncWriteBatch", tenant: Tenant, record: Record, change: Change, windows: range
) -> None:
    """Let a batch change the state of a memory and of these windows, if nothing has changed it
    since it was read.
    """
    batch.update(
        record.snapshot.reference,
        {**dump_standing(change.after), "updated_at": change.recorded_at},
        option=tenant.client.write_option(last_update_time=record.snapshot.update_time),
    )
    batch.create(tenant.changes.document(change.sha256), dump_change(change))
    for n in windows:
        batch.update(tenant.window(record.memory.id, n), moved(change.after.branch_state))


def put_held(batch: "AsyncWriteBatch", tenant: Tenant, other: Record) -> None:
    """Let a batch hold only if a memory that it names has not changed since it was read."""
    # It changes only what is about to be forgotten, and refuses that. Else the record keeps its
    # update time, so that any number may hold it at once.
    batch.update(
        other.snapshot.reference,
        {LEAVING_FIELD: DELETE_FIELD},
        option=tenant.client.write_option(last_update_time=other.snapshot.update_time),
    )


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


async def is_recorded(tenant: Tenant, change: Change) -> bool:
    """Whether the commit of a Change has arrived."""
    return bool((await tenant.changes.document(change.sha256).get([], retry=None)).exists)


async def _apply(tenant: Tenant, record: Record, change: Change, held: Sequence[Record]) -> None:
    batch = tenant.client.batch()
    put_change(batch, tenant, record, change, first_windows(record.windows))
    for other in held:
        put_held(batch, tenant, other)
    await batch.commit(retry=None)


def _moved(memory: Memory, change: Change) -> Moved:
    previous = change.before.branch_state if change.before else memory.branch_state
    return Moved(memory.after(change), previous, change)
