"""Lists of memories in Firestore: pages of the records that pass what is pushed, checked against
the rest of the filter here.

Each namespace of a profile is a query of its own, and their pages are merged. What does not pass
costs reads, so a call ends after a bounded number of records, and the next one begins there.
"""

from collections.abc import Iterator, Sequence

from metacortex.adapters.firestore.documents import MEMORY_FIELDS, load_memory
from metacortex.adapters.firestore.layout import SESSION_FIELD, Tenant
from metacortex.adapters.firestore.parts import Part
from metacortex.adapters.firestore.queries import may_be_stored, pushed_of
from metacortex.adapters.firestore.together import together
from metacortex.domain.listing import Page, Place
from metacortex.domain.memory import Memory
from metacortex.domain.search import MemoryFilter, passes

FURTHER = (100, 200)
"""How many records, of each namespace, are read on where the first ones do not fill a page."""


async def list_memories(
    tenant: Tenant, where: MemoryFilter, after: Place | None, limit: int
) -> Page:
    """Return a page, as `MemoryStore.list` tells."""
    if not may_be_stored(where):
        return Page((), None)
    parts = [*_parts(tenant, where)]
    found: list[Memory] = []
    # One more than wanted tells whether anything follows.
    for most in (limit + 1, *FURTHER):
        following = await _following(parts, where, after, most)
        found += [memory for memory in following if passes(memory, where)]
        if len(found) > limit:
            page = tuple(found[:limit])
            return Page(page, Place.of(page[-1]))
        if len(following) < most:
            return Page(tuple(found), None)
        after = Place.of(following[-1])
    return Page(tuple(found), after)


async def _following(
    parts: Sequence[Part], where: MemoryFilter, after: Place | None, most: int
) -> list[Memory]:
    """Return the memories that come next, whether or not they pass."""
    since, until = where.created_from, where.created_until
    answers = await together(part.newest(most, after, since, until) for part in parts)
    memories = [load_memory(id_, record) for answer in answers for id_, record in answer]
    return sorted(memories, key=Place.of, reverse=True)[:most]


def _parts(tenant: Tenant, where: MemoryFilter) -> Iterator[Part]:
    # Sessions have an index in order of time, since searches look around in them.
    session = () if where.session_id is None else ((SESSION_FIELD, where.session_id),)
    for pushed in pushed_of(where, None):
        yield Part(tenant, (*pushed, *session), MEMORY_FIELDS)
