"""What the services need of a store that keeps knowledge, in their own words.

As with the ports of `metacortex.ports`, one contract suite in `tests/contract` defines each and
runs on every adapter, the tenant comes first, and nothing depends on what another tenant holds.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from metacortex.domain.forgetting import Entry
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.placing import Placed
from metacortex.domain.memory import Memory
from metacortex.ports import Embedding


class FactStore(Protocol):
    """Facts, which are memories, found by what they are about.

    `namespaces` are whole names; None: all of the tenant's.
    """

    async def add_fact(
        self, tenant: str, memory: Memory, embedding: Embedding, client: str
    ) -> Placed:
        """Write a fact into its timeline as `metacortex.domain.knowledge.placing.place` decides, in
        one step: the fact, its vectors, and all Changes, or nothing.

        Of any number of concurrent writes to one timeline each sees those before it.
        """

    async def facts_about(
        self, tenant: str, namespaces: Sequence[str] | None, entity_ids: Sequence[str]
    ) -> tuple[Fact, ...]:
        """Return the facts, in whatever state, whose subject or object is one of these entities, by
        id.
        """

    async def drawn_from(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Fact, ...]:
        """Return the facts, in whatever state and namespace, of whose sources one is one of these
        memories, by id.
        """

    async def facts(
        self, tenant: str, namespaces: Sequence[str] | None, limit: int
    ) -> tuple[Fact, ...]:
        """Return the facts of the tenant, in whatever state, the newest first, at most `limit`."""

    async def changes_of(
        self, tenant: str, memory_ids: Sequence[str]
    ) -> Mapping[str, tuple[Entry, ...]]:
        """Return the Changes of each of these memories, oldest first; what is unknown has none."""
