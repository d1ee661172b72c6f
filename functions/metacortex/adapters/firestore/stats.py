"""Counting the memories of a tenant. Firestore counts what equals a value and groups nothing, so
topics and, where all are counted, namespaces are told of the newest memories, which are read.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from google.cloud.firestore_v1.async_query import AsyncQuery

from metacortex.adapters.firestore.documents import space_of
from metacortex.adapters.firestore.layout import (
    ORDER_FIELD,
    STATE_FIELD,
    TERM_SPACE_FIELD,
    Pushed,
    Tenant,
)
from metacortex.adapters.firestore.queries import pushed_into
from metacortex.adapters.firestore.together import together
from metacortex.adapters.firestore.upkeep import count_of, space_names
from metacortex.domain.details import Kind
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.stats import MOST_TOPICS, MemoryStats, Reach, most_common
from metacortex.domain.vector import EmbeddingSpace
from metacortex.domain.words.terms import TERM_SPACE

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_collection import AsyncCollectionReference

MOST_READ = 1_000
"""How many memories of each part are read for their topics and namespaces."""
_BYTES_OF_NUMBER = 8


async def stats_of(tenant: Tenant, reach: Reach) -> MemoryStats:
    """Return the numbers, as `MemoryStore.stats` tells.

    What is written meanwhile may be counted in some of them and not in others.
    """
    memories = _Counted(tenant.memories, _parts(reach))
    states = await memories.of_each(STATE_FIELD, reach.states)
    kinds = await memories.of_each("kind", tuple(Kind))
    indexed = await memories.of(TERM_SPACE_FIELD, TERM_SPACE)
    labels, all_read = await memories.newest_labels()
    topics = Counter(topic for _, topic in labels)
    namespaces = Counter(namespace for namespace, _ in labels)
    if reach.namespaces is not None:
        namespaces = await memories.of_each("namespace", reach.namespaces)
    spaces, numbers = await _spaces(tenant, memories)
    return MemoryStats(
        {BranchState(name): count for name, count in states.items()},
        {Kind(name): count for name, count in kinds.items()},
        most_common(namespaces),
        most_common(topics, MOST_TOPICS),
        spaces,
        max(0, states.total() - indexed),
        None,
        numbers * _BYTES_OF_NUMBER,
        () if all_read else ("namespaces", "topics")[reach.namespaces is not None :],
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """The documents of a collection that meet one of the parts."""

    collection: "AsyncCollectionReference"
    parts: Sequence[Pushed]

    async def of(self, field: str, value: str) -> int:
        """Return how many of them have this value."""
        asked = [
            (*part, (field, value)) for part in self.parts if dict(part).get(field, value) == value
        ]
        query = AsyncQuery(self.collection)
        return sum(await together(count_of(pushed_into(query, part)) for part in asked))

    async def of_each(self, field: str, values: Iterable[str]) -> "Counter[str]":
        """Return how many of them have each of these values, where any has."""
        names = [*dict.fromkeys(values)]
        return +Counter(
            dict(zip(names, await together(self.of(field, name) for name in names), strict=True))
        )

    async def newest_labels(self) -> tuple[list[tuple[str, str]], bool]:
        """Return the namespaces and topics of the newest, and whether these are all."""
        answers = await together(self._newest(part) for part in self.parts)
        return [each for answer in answers for each in answer], all(
            len(answer) < MOST_READ for answer in answers
        )

    async def _newest(self, part: Pushed) -> list[tuple[str, str]]:
        passing = pushed_into(AsyncQuery(self.collection), part)
        newest = passing.order_by(ORDER_FIELD, direction="DESCENDING").select(
            ["namespace", "topic"]
        )
        return [
            (snapshot.get("namespace"), snapshot.get("topic"))
            async for snapshot in newest.limit(MOST_READ).stream(retry=None)
        ]


def _parts(reach: Reach) -> list[Pushed]:
    """Return what is counted as equalities, of which no memory meets two."""
    parts: list[Pushed] = [()]
    if reach.namespaces is not None:
        parts = [(("namespace", name),) for name in dict.fromkeys(reach.namespaces)]
    if set(reach.states) == set(BranchState):
        return parts
    return [
        (*part, (STATE_FIELD, state)) for part in parts for state in dict.fromkeys(reach.states)
    ]


async def _spaces(tenant: Tenant, memories: _Counted) -> tuple[dict[EmbeddingSpace, int], int]:
    """Return how many memories live in each space, and how many numbers all their vectors have."""
    names = await space_names(AsyncQuery(tenant.memories))
    records = await memories.of_each("space", names)
    windows = await _Counted(tenant.windows, memories.parts).of_each("space", names)
    spaces = {space_of(name): count for name, count in records.items()}
    numbers = sum(space_of(name).dimension * count for name, count in (records + windows).items())
    return spaces, numbers
