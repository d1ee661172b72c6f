"""Writing facts: each in one commit, as of every memory, with what it ends in its timeline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metacortex.adapters.firestore.changes import put_held
from metacortex.adapters.firestore.documents import (
    Document,
    dump_change,
    dump_memory,
)
from metacortex.adapters.firestore.failures import CONTENDED, TAKEN, TRIES_ON_A_TIMELINE
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.lookup import Record, get_records
from metacortex.adapters.firestore.superseding import Obsolete, put_obsolete, within
from metacortex.adapters.firestore.timelines import get_heads, put_head, read_timeline
from metacortex.adapters.firestore.vectors import add_vector
from metacortex.adapters.firestore.windows import Numbered, batches, put_windows, set_windows
from metacortex.adapters.firestore.writes import MOST_WRITES, take_back
from metacortex.domain.errors import CallerError, NotFound, TooLarge, Unavailable
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.new_fact import NO_SOURCE
from metacortex.domain.knowledge.placing import Check, Placed, place
from metacortex.ports import Embedding

if TYPE_CHECKING:
    from metacortex.adapters.firestore.timelines import Head

MOST_ENDED = 130
"""How many facts one write may end. Each takes two of the writes of a commit, and one that is only
named in their place takes one, beside the further windows of the new fact, of which a commit holds
199, and the heads of at most 30 timelines.
"""
_TOO_MANY = (
    f"More than {MOST_ENDED} facts of this subject and predicate would end at once; end some of"
    " them first"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a fact, and what that ended."""

    placed: Placed
    ended: Sequence[Obsolete] = ()


@dataclass(frozen=True, slots=True)
class FactWrite:
    """A fact that a client writes, with its vectors and the fields of its terms."""

    fact: Fact
    embedding: Embedding
    terms: Document
    client: str
    aliases: Sequence[str]
    object_aliases: Sequence[str]
    check: Check
    tried: dict[str, Outcome] = field(default_factory=dict)
    """What commits were to come to, by the digests of their first Changes."""


async def add_fact(tenant: Tenant, new: FactWrite) -> Outcome:
    """Write a fact, as `FactStore.add_fact` tells; windows as those of any memory are written.

    Raises:
        TooLarge: it would end more facts than a commit holds.
    """
    first, *others = batches(new.embedding)
    for batch in others:
        await set_windows(tenant, new.fact.memory, new.embedding, batch)
    try:
        outcome = await _add(tenant, new, first)
    except CallerError:
        await take_back(tenant, new.fact.id, new.embedding)
        raise
    if outcome.placed.fact.id != new.fact.id:
        await take_back(tenant, new.fact.id, new.embedding)
    return outcome


async def _add(tenant: Tenant, new: FactWrite, first: Numbered) -> Outcome:
    for _ in range(TRIES_ON_A_TIMELINE):
        heads = await get_heads(tenant, new.fact, new.aliases)
        records = await read_timeline(tenant, new.fact, new.aliases)
        # Looked for last: what arrives after this is refused, since the head has changed.
        if (arrived := await _arrived(tenant, new)) is not None:
            return arrived
        sources = await get_records(tenant, new.fact.memory.sources)
        if any(id_ not in sources for id_ in new.fact.memory.sources):
            raise NotFound(NO_SOURCE)
        facts = [Fact(record.memory) for record in records.values()]
        placed = place(new.fact, facts, new.client, new.object_aliases)
        new.check(placed)
        if not placed.changes:
            return Outcome(placed)
        named = _named(placed, records)
        drawn = (source for id_, source in sources.items() if id_ not in records)
        held = [*named, *(drawn if placed.created else ())]
        outcome = _outcome(placed, records, len(named), len(first) + len(heads) + len(held))
        new.tried[placed.changes[0].sha256] = outcome
        try:
            await _commit(tenant, new, first, outcome, heads, held)
        except TAKEN:
            continue
        return outcome
    raise Unavailable(CONTENDED)


async def _arrived(tenant: Tenant, new: FactWrite) -> Outcome | None:
    """Return what an earlier attempt has come to whose answer was lost."""
    if not new.tried:
        return None
    places = [tenant.changes.document(name) for name in new.tried]
    there = [each async for each in tenant.client.get_all(places, [], retry=None) if each.exists]
    return new.tried[there[0].id] if there else None


def _named(placed: Placed, records: Mapping[str, Record]) -> Sequence[Record]:
    """Return what the new fact and what ends name in their place, and does not change itself."""
    standings = (placed.fact.memory.standing, *(each.after for each in placed.changes))
    names = dict.fromkeys(each.superseded_by for each in standings if each.superseded_by)
    changed = {each.subject_id for each in placed.changes}
    return [records[id_] for id_ in names if id_ in records and id_ not in changed]


def _outcome(placed: Placed, records: Mapping[str, Record], named: int, beside: int) -> Outcome:
    changes = placed.changes[1:] if placed.created else placed.changes
    if 2 * len(changes) + named > 2 * MOST_ENDED + 1:
        raise TooLarge(_TOO_MANY)
    # The record and its Change stand in the commit beside windows, heads and what is held.
    room = MOST_WRITES - beside - 2
    return Outcome(placed, within(room, [(records[each.subject_id], each) for each in changes]))


async def _commit(
    tenant: Tenant,
    new: FactWrite,
    first: Numbered,
    outcome: Outcome,
    heads: Sequence["Head"],
    held: Sequence[Record],
) -> None:
    batch, placed = tenant.client.batch(), outcome.placed
    for head in heads:
        put_head(batch, tenant, head)
    if placed.created:
        memory = placed.fact.memory
        batch.create(tenant.memory(memory.id), dump_memory(memory, new.embedding, new.terms))
        add_vector(batch, new.embedding.vectors[0])
        batch.create(
            tenant.changes.document(placed.changes[0].sha256), dump_change(placed.changes[0])
        )
        put_windows(batch, tenant, memory, new.embedding.space, first)
    for other in held:
        put_held(batch, tenant, other)
    for each in outcome.ended:
        put_obsolete(batch, tenant, each)
    await batch.commit(retry=None)
