"""Writing findings: with the Changes of facts that resolve them or take that back, in one commit.

It holds the findings as they were when that was decided, the heads of the timelines, so that nobody
states a fact there meanwhile, and the facts that are named as replacements, so that none of them is
forgotten.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.changes import is_recorded, put_held
from metacortex.adapters.firestore.documents import timeline_key
from metacortex.adapters.firestore.failures import CONTENDED, TAKEN, TRIES
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.lookup import Record, get_records
from metacortex.adapters.firestore.superseding import Obsolete, put_obsolete, within
from metacortex.adapters.firestore.timelines import get_head, keys_of, put_head, read_timeline
from metacortex.adapters.firestore.together import together
from metacortex.adapters.firestore.writes import MOST_WRITES
from metacortex.domain.errors import Unavailable
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.findings import (
    Finding,
    Revision,
    check_as_decided,
    read_finding,
)
from metacortex.domain.knowledge.resolving import (
    as_left_by,
    begun,
    check_alone,
    replaced_by,
    replacements_of,
)
from metacortex.domain.lifecycle import Change, ChangeKind

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
    from google.cloud.firestore_v1.base_document import DocumentSnapshot

    from metacortex.adapters.firestore.timelines import Head


FACTS_FIELD = "fact_ids"
"""Both facts of a finding, by which it is found when one of them is forgotten."""


async def keep(
    tenant: Tenant,
    revisions: Sequence[Revision],
    changes: Sequence[Change],
    aliases: Mapping[str, Sequence[str]],
) -> Sequence[Obsolete]:
    """Write findings and Changes, as `FindingStore.keep` tells, and return the facts that have
    moved with those of their windows that are left to move.
    """
    for _ in range(TRIES):
        moving = await _keep(tenant, revisions, changes, aliases)
        if moving is not None:
            return moving
    raise Unavailable(CONTENDED)


async def _keep(
    tenant: Tenant,
    revisions: Sequence[Revision],
    changes: Sequence[Change],
    aliases: Mapping[str, Sequence[str]],
) -> Sequence[Obsolete] | None:
    """Try it once; return None where something has changed since it was read."""
    if not changes:
        batch = tenant.client.batch()
        await _put_findings(batch, tenant, revisions)
        return () if await _is_committed(batch) else None
    facts = [change.subject_id for change in changes]
    asked = [*facts, *replacements_of(changes)]
    records = await get_records(tenant, asked)
    room = MOST_WRITES - 2 * len(changes) - len(revisions)
    if await is_recorded(tenant, changes[0]):
        # An earlier attempt has arrived whose answer was lost.
        return _moving(room, changes, records)
    heads = await _heads(tenant, [records[id_] for id_ in facts if id_ in records], aliases)
    # The heads are read before what they hold.
    records = await get_records(tenant, asked)
    await _check(tenant, changes, records, aliases)
    moving = _moving(room, changes, records)
    batch = tenant.client.batch()
    for head in heads:
        put_head(batch, tenant, head)
    for id_ in replacements_of(changes):
        put_held(batch, tenant, records[id_])
    for each in moving:
        put_obsolete(batch, tenant, each)
    await _put_findings(batch, tenant, revisions)
    return moving if await _is_committed(batch) else None


async def _is_committed(batch: "AsyncWriteBatch") -> bool:
    try:
        await batch.commit(retry=None)
    except TAKEN:
        return False
    return True


async def _heads(
    tenant: Tenant, records: Sequence[Record], aliases: Mapping[str, Sequence[str]]
) -> "Sequence[Head]":
    """Return the heads of the timelines of facts, and those that are there of the timelines of
    their subjects' aliases.
    """
    facts = [Fact(record.memory) for record in records]
    own = {timeline_key(fact.timeline) for fact in facts}
    keys = [keys_of(fact, aliases.get(fact.details.subject_id, ())) for fact in facts]
    named = dict.fromkeys(chain.from_iterable(keys))
    heads = await together(get_head(tenant, key) for key in named)
    return [head for head in heads if head.exists or head.id in own]


async def _check(
    tenant: Tenant,
    changes: Sequence[Change],
    records: Mapping[str, Record],
    aliases: Mapping[str, Sequence[str]],
) -> None:
    known = {id_: record.memory for id_, record in records.items()}
    for change in changes:
        fact = as_left_by(change, known)
        if change.kind is ChangeKind.REOPENED:
            others = aliases.get(fact.details.subject_id, ())
            timeline = await read_timeline(tenant, begun(fact), others)
            facts = [Fact(record.memory) for record in timeline.values()]
            check_alone(fact, facts, replaced_by(change))


def _moving(
    room: int, changes: Sequence[Change], records: Mapping[str, Record]
) -> Sequence[Obsolete]:
    """Return the facts with their Changes, and those of their windows that one commit has room
    for.
    """
    there = [change for change in changes if change.subject_id in records]
    return within(room, [(records[change.subject_id], change) for change in there])


async def _put_findings(
    batch: "AsyncWriteBatch", tenant: Tenant, revisions: Sequence[Revision]
) -> None:
    """Let a batch write findings, if nothing has changed them since they are read here. What has
    become already what it is to become, by an attempt whose answer was lost, is left as it is.
    """
    places = [tenant.findings.document(each.after.id) for each in revisions]
    stored = {each.id: each async for each in tenant.client.get_all(places, retry=None)}
    for each in revisions:
        snapshot = stored[each.after.id]
        known = read_finding(snapshot.to_dict() or {}) if snapshot.exists else None
        check_as_decided(each, known)
        if known != each.after:
            _put_finding(batch, tenant, each.after, snapshot)


def _put_finding(
    batch: "AsyncWriteBatch", tenant: Tenant, finding: Finding, stored: "DocumentSnapshot[Any]"
) -> None:
    document = {**finding.as_json(), FACTS_FIELD: [finding.kept_id, finding.given_up_id]}
    if stored.exists:
        unchanged = tenant.client.write_option(last_update_time=stored.update_time)
        batch.update(stored.reference, document, option=unchanged)
    else:
        batch.create(stored.reference, document)


async def delete_findings(tenant: Tenant, fact_ids: Sequence[str]) -> None:
    """Delete the findings about facts that are about to be forgotten, as many as one query takes.

    Where those are not forgotten after all, the next audit finds anew what is left of it.
    """
    if not fact_ids:
        return
    about = FieldFilter(FACTS_FIELD, "array_contains_any", fact_ids)
    query = tenant.findings.where(filter=about).select([])
    found = [snapshot.reference async for snapshot in query.stream(retry=None)]
    for start in range(0, len(found), MOST_WRITES):
        batch = tenant.client.batch()
        for place in found[start : start + MOST_WRITES]:
            batch.delete(place)
        await batch.commit(retry=None)
