"""Changes of what a memory's state is: each in one commit, with the memory and its first windows.

As every write, the work may be run anew after its commit has arrived, and finds its own trace.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from metacortex.adapters.firestore.documents import dump_change
from metacortex.adapters.firestore.failures import CONTENDED
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.lookup import Record, get_record
from metacortex.adapters.firestore.windows import first_windows, moved
from metacortex.adapters.firestore.writes import TAKEN, TRIES
from metacortex.domain.errors import Unavailable
from metacortex.domain.lifecycle import BranchState, Change, Standing, promotion, supersession
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.ports import Moved


@dataclass(frozen=True, slots=True)
class Decision:
    """The Change that is due, None where there is none; and a record whose own must not change
    meanwhile.
    """

    change: Change | None
    held: Record | None = None


Decide: TypeAlias = Callable[[Tenant, Memory], Awaitable[Decision | None]]
"""Decides over a memory as it was read; None where something that it needs is not there."""


@dataclass(slots=True)
class Move:
    """That a memory is to change its state, and the Change that was last tried for it."""

    memory_id: str
    decide: Decide
    tried: Change | None = None


def supersession_by(replacement_id: str, client: str, at: Milliseconds) -> Decide:
    """Decide as `MemoryStore.supersede` tells.

    A replacement once named never changes, so a circle could only close at the last of the
    successors: that one is held.
    """

    async def decide(tenant: Tenant, memory: Memory) -> Decision | None:
        replacement = await get_record(tenant, replacement_id)
        if replacement is None:
            return None
        chain = await _chain(tenant, replacement)
        successors = [record.memory.id for record in chain[1:]]
        change = supersession(memory.id, _standing(memory), replacement_id, successors, client, at)
        return Decision(change, chain[-1])

    return decide


def promotion_to(state: BranchState, client: str, at: Milliseconds) -> Decide:
    """Decide as `MemoryStore.promote` tells."""

    async def decide(_: Tenant, memory: Memory) -> Decision:
        return Decision(promotion(memory.id, _standing(memory), state, client, at))

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
        if (change := wanted.tried) is not None and await _is_recorded(tenant, change):
            return _moved(record.memory, change), record.windows
        decision = await wanted.decide(tenant, record.memory)
        if decision is None:
            return None
        if decision.change is None:
            return Moved(record.memory, record.memory.branch_state, None), record.windows
        wanted.tried = decision.change
        try:
            await _apply(tenant, record, decision.change, decision.held)
        except TAKEN:
            continue
        return _moved(record.memory, decision.change), record.windows
    raise Unavailable(CONTENDED)


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


def _standing(memory: Memory) -> Standing:
    return Standing(memory.branch_state, memory.superseded_by)


async def _is_recorded(tenant: Tenant, change: Change) -> bool:
    return bool((await tenant.changes.document(change.sha256).get([], retry=None)).exists)


async def _apply(tenant: Tenant, record: Record, change: Change, held: Record | None) -> None:
    option, batch = tenant.client.write_option, tenant.client.batch()
    batch.update(
        record.snapshot.reference,
        {**change.after.as_json(), "updated_at": change.recorded_at},
        option=option(last_update_time=record.snapshot.update_time),
    )
    if held is not None:
        # It writes what is there, to hold that it is still there.
        batch.update(
            held.snapshot.reference,
            {"superseded_by": held.memory.superseded_by},
            option=option(last_update_time=held.snapshot.update_time),
        )
    batch.create(tenant.changes.document(change.sha256), dump_change(change))
    for n in first_windows(record.windows):
        batch.update(tenant.window(record.memory.id, n), moved(change.after.branch_state))
    await batch.commit(retry=None)


def _moved(memory: Memory, change: Change) -> Moved:
    after = change.after
    now = replace(
        memory,
        branch_state=after.branch_state,
        superseded_by=after.superseded_by,
        updated_at=change.recorded_at,
    )
    return Moved(now, change.before.branch_state if change.before else memory.branch_state, change)
