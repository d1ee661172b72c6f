"""The timelines of facts: what is read of one before a fact is written, and what holds that nobody
else has written there meanwhile.

Beside its facts a timeline has a head: a document that every write to it changes, so that of two
writes at once the later is refused and looks again, and neither overlooks what the other adds. It
holds the digest of the last Change, which tells nothing. With the last fact it goes; whoever read
that there was none has then overlooked nothing that is still there.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import MEMORY_FIELDS, timeline_key
from metacortex.adapters.firestore.layout import END_FIELD, TIMELINE_FIELD, Tenant
from metacortex.adapters.firestore.lookup import Record, record_of
from metacortex.adapters.firestore.together import together
from metacortex.adapters.firestore.upkeep import count_of
from metacortex.domain.details import FactDetails
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.placing import no_say_before
from metacortex.domain.lifecycle import Change

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
    from google.cloud.firestore_v1.async_query import AsyncQuery
    from google.cloud.firestore_v1.base_document import DocumentSnapshot

    Head = DocumentSnapshot[Any]


async def get_head(tenant: Tenant, key: str) -> "Head":
    """Return the head of a timeline as it is, be it there or not."""
    return await tenant.timelines.document(key).get([], retry=None)


def put_head(batch: "AsyncWriteBatch", tenant: Tenant, head: "Head", change: Change) -> None:
    """Let a batch change a head, if nothing has since it was read."""
    document = {"last_change": change.sha256}
    if head.exists:
        unchanged = tenant.client.write_option(last_update_time=head.update_time)
        batch.update(head.reference, document, option=unchanged)
    else:
        batch.create(head.reference, document)


async def read_timeline(tenant: Tenant, newcomer: Fact) -> Mapping[str, Record]:
    """Return all facts of the timeline that have a say in what becomes of a new one, by their ids:
    those without an end, and those whose end is late enough.
    """
    inside = _inside(tenant, timeline_key(newcomer)).select(MEMORY_FIELDS)
    is_open = await _records(inside.where(filter=FieldFilter(END_FIELD, "==", None)))
    since = no_say_before(newcomer, is_any_open=bool(is_open))
    return await _records(inside.where(filter=FieldFilter(END_FIELD, ">", since))) | is_open


async def put_emptied(
    batch: "AsyncWriteBatch", tenant: Tenant, leaving: Mapping[str, Record]
) -> None:
    """Let a batch that deletes memories delete the heads of those timelines of which then nothing
    is left.
    """
    counts: dict[str, int] = defaultdict(int)
    for record in leaving.values():
        if isinstance(record.memory.details, FactDetails):
            counts[timeline_key(Fact(record.memory))] += 1
    for head in await together(get_head(tenant, key) for key in counts):
        most = counts[head.id]
        left = await count_of(_inside(tenant, head.id).limit(most + 1))
        if head.exists and left <= most:
            unchanged = tenant.client.write_option(last_update_time=head.update_time)
            batch.delete(head.reference, unchanged)


def _inside(tenant: Tenant, key: str) -> "AsyncQuery":
    return tenant.memories.where(filter=FieldFilter(TIMELINE_FIELD, "==", key))


async def _records(query: "AsyncQuery") -> dict[str, Record]:
    found = [record_of(snapshot) async for snapshot in query.stream(retry=None)]
    return {record.memory.id: record for record in found}
