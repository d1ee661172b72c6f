"""Writing findings: with the Changes of facts that resolve them or take that back, in one commit.

It holds the heads of the timelines, so that nobody states a fact there meanwhile, and the facts
that are named as replacements, so that none of them is forgotten.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.changes import is_recorded, put_held
from metacortex.adapters.firestore.documents import timeline_key
from metacortex.adapters.firestore.failures import CONTENDED, TAKEN, TRIES
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.lookup import Record, get_records
from metacortex.adapters.firestore.superseding import Obsolete, put_obsolete, within
from metacortex.adapters.firestore.timelines import get_head, put_head, read_timeline
from metacortex.adapters.firestore.together import together
from metacortex.adapters.firestore.writes import MOST_WRITES
from metacortex.domain.errors import Unavailable
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.findings import Finding
from metacortex.domain.knowledge.resolving import as_settled, begun, check_alone, replacements_of
from metacortex.domain.lifecycle import Change, ChangeKind

if TYPE_CHECKING:
    from metacortex.adapters.firestore.timelines import Head


FACTS_FIELD = "fact_ids"
"""Both facts of a finding, by which it is found when one of them is forgotten."""


@dataclass(slots=True)
class Wanted:
    """What is to be kept, and whether a commit of it was tried whose answer may be lost."""

    findings: Sequence[Finding]
    changes: Sequence[Change]
    tried: bool = False


async def keep(tenant: Tenant, wanted: Wanted) -> Sequence[Obsolete]:
    """Write findings and Changes, as `FindingStore.keep` tells, and return the facts that have
    moved with those of their windows that are left to move.
    """
    facts = [change.subject_id for change in wanted.changes]
    for _ in range(TRIES):
        records = await get_records(tenant, [*facts, *replacements_of(wanted.changes)])
        if wanted.tried and wanted.changes and await is_recorded(tenant, wanted.changes[0]):
            return _moving(wanted, records)
        heads = await _heads(tenant, [records[id_] for id_ in facts if id_ in records])
        # The heads are read before what they hold.
        records = await get_records(tenant, [*facts, *replacements_of(wanted.changes)])
        await _check(tenant, wanted.changes, records)
        moving = _moving(wanted, records)
        wanted.tried = True
        try:
            await _commit(tenant, wanted, moving, records, heads)
        except TAKEN:
            continue
        return moving
    raise Unavailable(CONTENDED)


async def _heads(tenant: Tenant, records: Sequence[Record]) -> "Sequence[Head]":
    keys = dict.fromkeys(timeline_key(Fact(record.memory).timeline) for record in records)
    return await together(get_head(tenant, key) for key in keys)


async def _check(tenant: Tenant, changes: Sequence[Change], records: Mapping[str, Record]) -> None:
    known = {id_: record.memory for id_, record in records.items()}
    for change in changes:
        fact = as_settled(change, known)
        if change.kind is ChangeKind.REOPENED:
            timeline = await read_timeline(tenant, begun(fact))
            check_alone(fact, [Fact(record.memory) for record in timeline.values()])


def _moving(wanted: Wanted, records: Mapping[str, Record]) -> Sequence[Obsolete]:
    """Return the facts with their Changes, and what of their windows one commit has room for beside
    the heads, what is held and the findings.
    """
    room = MOST_WRITES - 2 * len(wanted.changes) - len(wanted.findings)
    there = [change for change in wanted.changes if change.subject_id in records]
    return within(room, [(records[change.subject_id], change) for change in there])


async def _commit(
    tenant: Tenant,
    wanted: Wanted,
    moving: Sequence[Obsolete],
    records: Mapping[str, Record],
    heads: "Sequence[Head]",
) -> None:
    batch = tenant.client.batch()
    for head in heads:
        put_head(batch, tenant, head)
    for id_ in replacements_of(wanted.changes):
        put_held(batch, tenant, records[id_])
    for each in moving:
        put_obsolete(batch, tenant, each)
    for finding in wanted.findings:
        about = {FACTS_FIELD: [finding.kept_id, finding.given_up_id]}
        batch.set(tenant.findings.document(finding.id), {**finding.as_json(), **about})
    await batch.commit(retry=None)


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
