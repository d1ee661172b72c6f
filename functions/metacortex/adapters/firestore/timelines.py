"""The timelines of facts: what is read of one before a fact is written, and what holds that nobody
else has written there meanwhile.

Beside its facts a timeline has a head: a document that every write to it and every forgetting
changes, so that of two at once the later is refused and looks again. It holds the
moment of that, and goes with the last fact; whoever read that there was none has then overlooked
nothing that is still there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from google.cloud.firestore_v1 import SERVER_TIMESTAMP
from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import MEMORY_FIELDS, timeline_key
from metacortex.adapters.firestore.layout import END_FIELD, TIMELINE_FIELD, Tenant
from metacortex.adapters.firestore.lookup import Record, record_of
from metacortex.adapters.firestore.together import together
from metacortex.adapters.firestore.upkeep import count_of
from metacortex.domain.details import FactDetails
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.joining import past_of_each
from metacortex.domain.knowledge.placing import no_say_before
from metacortex.domain.moment import Milliseconds

if TYPE_CHECKING:
    from google.cloud.firestore_v1._helpers import WriteOption
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
    from google.cloud.firestore_v1.async_query import AsyncQuery
    from google.cloud.firestore_v1.base_document import DocumentSnapshot

    Head = DocumentSnapshot[Any]


_NO_END = FieldFilter(END_FIELD, "==", None)


async def get_head(tenant: Tenant, key: str) -> "Head":
    """Return the head of a timeline as it is, be it there or not."""
    return await tenant.timelines.document(key).get([], retry=None)


def put_head(batch: "AsyncWriteBatch", tenant: Tenant, head: "Head") -> None:
    """Let a batch change a head, if nothing has changed it since it was read."""
    document = {"committed_at": SERVER_TIMESTAMP}
    if head.exists:
        batch.update(head.reference, document, option=_unchanged(tenant, head))
    else:
        batch.create(head.reference, document)


def keys_of(newcomer: Fact, aliases: Sequence[str]) -> list[str]:
    """Return the keys of the timelines that a fact stands in, its own first."""
    namespace, subject, predicate = newcomer.timeline
    return [timeline_key((namespace, each, predicate)) for each in (subject, *aliases)]


async def get_heads(tenant: Tenant, newcomer: Fact, aliases: Sequence[str]) -> Sequence["Head"]:
    """Return what is to be held where a fact is written: the head of its timeline, those that are
    there of the timelines of its subject's other names, and the first of all by its key. So of two
    that write the first facts of two names at once, the later is refused too.
    """
    keys = keys_of(newcomer, aliases)
    held = {keys[0], min(keys)}
    heads = await together(get_head(tenant, key) for key in keys)
    return [head for head in heads if head.exists or head.id in held]


async def read_timeline(
    tenant: Tenant, newcomer: Fact, aliases: Sequence[str] = ()
) -> Mapping[str, Record]:
    """Return the facts of the timeline that have a say in what becomes of a new one, by their ids:
    those without an end, and those whose end is late enough; and, where its subject has aliases,
    the last of those that are joined with them.
    """
    keys = keys_of(newcomer, aliases)
    is_open = await _found(_inside(tenant, key).where(filter=_NO_END) for key in keys)
    since = no_say_before(newcomer, is_any_open=bool(is_open))
    queries = [_by_end(tenant, key, ">", since) for key in keys]
    if aliases:
        most = past_of_each(len(keys))
        queries += (_by_end(tenant, key, "<=", since).limit(most) for key in keys)
    return await _found(queries) | is_open


async def whole_timeline(
    tenant: Tenant, timelines: Sequence[tuple[str, str, str]]
) -> tuple[Fact, ...]:
    """Return all facts of the timelines of one subject, by id: of as many as one query takes."""
    among = FieldFilter(TIMELINE_FIELD, "in", [*map(timeline_key, timelines)])
    found = await _records(tenant.memories.where(filter=among).select(MEMORY_FIELDS))
    return tuple(Fact(found[id_].memory) for id_ in sorted(found))


async def put_left(batch: "AsyncWriteBatch", tenant: Tenant, leaving: Mapping[str, Record]) -> None:
    """Let a batch that deletes memories change the heads of their timelines too, and delete those
    of which nothing is left.
    """
    counts = Counter(
        timeline_key(Fact(record.memory).timeline)
        for record in leaving.values()
        if isinstance(record.memory.details, FactDetails)
    )
    for head in await together(get_head(tenant, key) for key in counts):
        most = counts[head.id]
        if await count_of(_inside(tenant, head.id).limit(most + 1)) > most:
            put_head(batch, tenant, head)
        elif head.exists:
            batch.delete(head.reference, _unchanged(tenant, head))


def _unchanged(tenant: Tenant, head: "Head") -> "WriteOption":
    return tenant.client.write_option(last_update_time=head.update_time)


def _inside(tenant: Tenant, key: str) -> "AsyncQuery":
    return tenant.memories.where(filter=FieldFilter(TIMELINE_FIELD, "==", key))


def _by_end(tenant: Tenant, key: str, comparison: str, end: Milliseconds) -> "AsyncQuery":
    when = FieldFilter(END_FIELD, comparison, end)
    return _inside(tenant, key).where(filter=when).order_by(END_FIELD, direction="DESCENDING")


async def _found(queries: Iterable["AsyncQuery"]) -> dict[str, Record]:
    """Return what several queries find."""
    found = await together(_records(query.select(MEMORY_FIELDS)) for query in queries)
    return {id_: record for records in found for id_, record in records.items()}


async def _records(query: "AsyncQuery") -> dict[str, Record]:
    found = [record_of(snapshot) async for snapshot in query.stream(retry=None)]
    return {record.memory.id: record for record in found}
