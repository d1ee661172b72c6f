"""What comes to mind with a query: facts that are linked to the entities that it names."""

from collections.abc import Sequence

from metacortex.domain.client import Principal
from metacortex.domain.details import Kind
from metacortex.domain.knowledge.activation import STEPS, Activated, activated
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import MemoryFilter
from metacortex.knowledge_ports import FactStore, Together
from metacortex.ports import Clock
from metacortex.service.entities import EntityService
from metacortex.service.surroundings import Surveyor, View, Way

MOST_SPREAD = 5
"""How many of the entities next to those that were named, the most closely linked, pass on what
reaches them: what is shared with more fades."""


class Associations:
    """Spreads activation from the entities that a query names, over the facts of a tenant."""

    def __init__(
        self, facts: FactStore, entities: EntityService, clock: Clock, together: Together
    ) -> None:
        self._together = together
        self._graph = Surveyor(facts, entities, clock)
        self._entities = entities

    async def of(
        self,
        principal: Principal,
        query: str,
        wheres: Sequence[MemoryFilter],
        taken: Milliseconds,
    ) -> tuple[Activated, ...]:
        """Return the facts that come to mind most, of those that pass any of these filters, which
        take `taken` for the present.

        Names are looked up where facts are asked for at all, and facts are read where the query
        holds a known name, as whole words.
        """
        view = View(wheres, taken=taken)
        if wheres[0].kinds and Kind.FACT not in wheres[0].kinds:
            return ()
        return await self._together(lambda: self._read(principal, query, view))

    async def _read(self, principal: Principal, query: str, view: View) -> tuple[Activated, ...]:
        named = await self._entities.named_in(principal, view.namespaces, query)
        if not named:
            return ()
        read = await self._graph.around(
            principal, view, named, Way(STEPS, most=MOST_SPREAD, named=False)
        )
        return activated(read.graph, [family.entity.id for family in named])
