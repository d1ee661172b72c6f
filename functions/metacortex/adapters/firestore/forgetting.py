"""Forgetting in Firestore: each commit takes some memories away whole, with their fingerprints,
and leaves a tombstone of each.

What does not fit into a commit goes before it, so that the record, by which a memory is found, is
the last to go: where the work was cut off, to do it again finishes.

Before it is looked up what a memory has superseded, its record tells that it is leaving. A
supersession by it that read it before is refused from then on; one that reads it later takes that
back, which refuses the forgetting.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import (
    STANDING_FIELDS,
    dump_change,
    dump_tombstone,
    load_entry,
    load_standing,
)
from metacortex.adapters.firestore.entity_leaving import keep_mentioned, put_unmentioned
from metacortex.adapters.firestore.failures import NOT_YET_APPLIED, TAKEN, TRIES_ON_A_TIMELINE
from metacortex.adapters.firestore.finding_writes import delete_findings
from metacortex.adapters.firestore.layout import (
    LEAVING_FIELD,
    REPLACEMENT_FIELD,
    Tenant,
)
from metacortex.adapters.firestore.lookup import PIECE, Record, get_records
from metacortex.adapters.firestore.timelines import put_left
from metacortex.adapters.firestore.upkeep import count_of
from metacortex.adapters.firestore.use import put_unused
from metacortex.adapters.firestore.windows import TOGETHER, delete_windows, first_windows
from metacortex.domain.details import Kind
from metacortex.domain.errors import Unavailable
from metacortex.domain.forgetting import Entry, Forgetting, Mark, has_moved
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.lifecycle import FORGOTTEN, ChangeKind, orphaning

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
    from google.cloud.firestore_v1.base_document import DocumentSnapshot

COMMITS = 20
"""Whose time the work has for as many memories as one query takes."""
_LARGEST = 300
_MOST_ORPHANS = 90
"""How many writes of memories, and of what they have superseded, one commit holds; of the latter
each takes two.
"""
_CONTENDED = (
    "The memory store did not answer: others kept changing the same memories; some may be"
    " forgotten and others not; try again"
)


@dataclass(frozen=True, slots=True)
class Leaving:
    """Memories that are to be forgotten. What commits have deleted is noted in `gone`."""

    memory_ids: Sequence[str]
    how: Forgetting
    gone: set[str]
    doubtful: dict[str, str] = field(default_factory=dict)
    """What a commit was to delete whose answer is not there: ids, each with its tombstone."""


async def mark(tenant: Tenant) -> Mark:
    """Return the moment of a read, as `MemoryStore.mark` tells: the store gives it, by the same
    clock as the moments of its commits.
    """
    # Any document would do; this one is not there.
    return nanoseconds((await tenant.memory("-").get(retry=None)).read_time)


async def forget(tenant: Tenant, leaving: Leaving) -> None:
    """Forget memories, as `MemoryStore.forget` tells."""
    await _settle(tenant, leaving)
    refusals, left = 0, leaving.memory_ids
    while left and (records := await _unmoved(tenant, left, leaving.how.mark)):
        some = _fitting(records)
        try:
            gone = await _forget(tenant, some, leaving)
            left = [id_ for id_ in records if id_ not in gone]
        except TAKEN as error:
            refusals += 1
            if refusals == TRIES_ON_A_TIMELINE:
                raise Unavailable(_CONTENDED) from error


async def is_forgotten(tenant: Tenant, memory_id: str, text_mac: str) -> bool:
    """Whether there is a tombstone, as `MemoryStore.is_forgotten` tells."""
    forgotten = tenant.changes.where(
        filter=FieldFilter("kind", "==", ChangeKind.FORGOTTEN.value)
    ).limit(1)
    return any(
        [
            await count_of(forgotten.where(filter=FieldFilter(field, "==", value)))
            for field, value in (("subject_id", memory_id), ("text_mac", text_mac))
        ]
    )


async def _settle(tenant: Tenant, leaving: Leaving) -> None:
    """Count what has gone by a commit whose answer was lost: its tombstones are there."""
    if leaving.doubtful:
        places = [tenant.changes.document(name) for name in leaving.doubtful.values()]
        there = tenant.client.get_all(places, ["subject_id"], retry=None)
        leaving.gone.update(
            [snapshot.get("subject_id") async for snapshot in there if snapshot.exists]
        )
        leaving.doubtful.clear()


async def _unmoved(
    tenant: Tenant, memory_ids: Sequence[str], since: Mark | None
) -> Mapping[str, Record]:
    """Return the records that are there and, where there is a mark, have not moved since.

    A record may be written without a move, so the Changes of what was written decide. What moves
    after they are read is refused by the precondition of the commit.
    """
    records = await get_records(tenant, memory_ids)
    if since is None:
        return records
    written = [
        id_ for id_, record in records.items() if nanoseconds(record.snapshot.update_time) > since
    ]
    later = await _later(tenant, written, since) if written else {}
    return {id_: record for id_, record in records.items() if not has_moved(later.get(id_, ()))}


async def _later(
    tenant: Tenant, memory_ids: Sequence[str], since: Mark
) -> Mapping[str, Sequence[Entry]]:
    """Return what was recorded of these memories after a mark."""
    later: dict[str, list[Entry]] = defaultdict(list)
    recorded = tenant.changes.where(filter=FieldFilter("subject_id", "in", memory_ids))
    async for snapshot in recorded.stream(retry=None):
        if nanoseconds(snapshot.create_time) > since:
            later[snapshot.get("subject_id")].append(load_entry(snapshot.to_dict() or {}))
    return later


def nanoseconds(moment: Any) -> int:
    """Return a moment that the store has given, as it is counted exactly."""
    exact: int = moment.timestamp_pb().ToNanoseconds()
    return exact


def _fitting(records: Mapping[str, Record]) -> dict[str, Record]:
    """Return as many as one commit holds, at least one."""
    some: dict[str, Record] = {}
    room = _LARGEST
    for id_, record in records.items():
        # The record, its tombstone, its fingerprint, its use and the head of its timeline.
        room -= 5 + len(first_windows(record.windows)) + len(record.memory.entities)
        if some and room < 0:
            break
        some[id_] = record
    return some


async def _forget(tenant: Tenant, some: Mapping[str, Record], leaving: Leaving) -> Collection[str]:
    """Forget so many, or at least what else must go before, and return which are gone."""
    how = leaving.how
    announced = await _announce(tenant, some)
    for id_, record in some.items():
        await delete_windows(tenant, id_, TOGETHER, record.windows)
    facts = [id_ for id_, record in some.items() if record.memory.kind is Kind.FACT]
    await delete_findings(tenant, facts)
    orphans = await _orphans(tenant, some)
    batch = tenant.client.batch()
    for orphan in orphans[:_MOST_ORPHANS]:
        _put_orphan(batch, tenant, orphan, how)
    gone = some if len(orphans) <= _MOST_ORPHANS else {}
    unmentioned: Sequence[Entity] = ()
    if gone:
        unmentioned = await _put_leaving(batch, tenant, gone, announced, how)
        leaving.doubtful.update(
            {id_: how.tombstone(record.memory).sha256 for id_, record in gone.items()}
        )
    try:
        await batch.commit(retry=None)
    except (*TAKEN, *NOT_YET_APPLIED):
        leaving.doubtful.clear()
        raise
    leaving.doubtful.clear()
    leaving.gone.update(gone)
    await keep_mentioned(tenant, unmentioned)
    return gone


async def _announce(tenant: Tenant, some: Mapping[str, Record]) -> Mapping[str, datetime]:
    """Let each record tell that it is leaving, and return their update times since then."""
    batch = tenant.client.batch()
    for record in some.values():
        unchanged = tenant.client.write_option(last_update_time=record.snapshot.update_time)
        batch.update(record.snapshot.reference, {LEAVING_FIELD: True}, option=unchanged)
    results = await batch.commit(retry=None)
    return {id_: result.update_time for id_, result in zip(some, results, strict=True)}


async def _orphans(tenant: Tenant, some: Mapping[str, Record]) -> "list[DocumentSnapshot[Any]]":
    """Return what these memories have superseded and is not leaving with them."""
    named = tenant.memories.where(filter=FieldFilter(REPLACEMENT_FIELD, "in", [*some]))
    standing = named.select(STANDING_FIELDS).limit(_MOST_ORPHANS + PIECE + 1)
    found = [snapshot async for snapshot in standing.stream(retry=None)]
    return [snapshot for snapshot in found if snapshot.id not in some]


def _put_orphan(
    batch: "AsyncWriteBatch", tenant: Tenant, orphan: "DocumentSnapshot[Any]", how: Forgetting
) -> None:
    standing = load_standing(orphan.to_dict() or {})
    change = orphaning(orphan.id, standing, how.client, how.at)
    unchanged = tenant.client.write_option(last_update_time=orphan.update_time)
    batch.update(orphan.reference, {REPLACEMENT_FIELD: FORGOTTEN}, option=unchanged)
    batch.create(tenant.changes.document(change.sha256), dump_change(change))


async def _put_leaving(
    batch: "AsyncWriteBatch",
    tenant: Tenant,
    some: Mapping[str, Record],
    announced: Mapping[str, datetime],
    how: Forgetting,
) -> Sequence[Entity]:
    """Delete these with all that belongs to them, and return the entities that go with them."""
    option = tenant.client.write_option
    for id_, record in some.items():
        tombstone = how.tombstone(record.memory)
        batch.create(tenant.changes.document(tombstone.sha256), dump_tombstone(tombstone))
        batch.delete(record.snapshot.reference, option(last_update_time=announced[id_]))
        for n in first_windows(record.windows):
            batch.delete(tenant.window(id_, n))
    put_unused(batch, tenant, some)
    await put_left(batch, tenant, some)
    unmentioned = await put_unmentioned(batch, tenant, [each.memory for each in some.values()])
    written = tenant.fingerprints.where(filter=FieldFilter("memory_id", "in", [*some])).select([])
    async for snapshot in written.stream(retry=None):
        batch.delete(snapshot.reference, option(last_update_time=snapshot.update_time))
    return unmentioned
