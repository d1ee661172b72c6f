"""Reading what is known: of an entity, and along the graph."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace

from metacortex.domain.client import Principal
from metacortex.domain.knowledge.asked import AskedEntity, Traversal
from metacortex.domain.knowledge.fact import Fact, one_spelling
from metacortex.domain.knowledge.graph import Direction, Graph, Step, shortest_path, walk
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import Filters
from metacortex.knowledge_ports import FactStore
from metacortex.ports import Clock
from metacortex.service.entities import EntityService, Known
from metacortex.service.filters import of_one_moment
from metacortex.service.permissions import UNKNOWN_ENTITY, check_superseded, unknown_by
from metacortex.service.surroundings import Surroundings, Surveyor, View, Way

MOST_ACTIVE = 50
MOST_HISTORY = 100
MOST_NEAR = 50
MOST_EPISODES = 20


@dataclass(frozen=True, slots=True)
class Traversed:
    """The entities that were reached, the nearest first, with the facts that lead there; of a path,
    its steps in order.

    `left_out` counts the entities beyond the limit. `incomplete`: there may be more, since not all
    that was met was followed.
    """

    at: Milliseconds
    graph: Graph
    steps: tuple[Step, ...]
    facts: tuple[Fact, ...] = ()
    left_out: int = 0
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class EntityView:
    """An entity at a moment: what holds of it, what does not, what mentions it and what is near it.

    The counts are of all that there is, unless `near` is incomplete; `history` is None where it was
    not asked for.
    """

    entity: Known
    active: tuple[Fact, ...]
    active_count: int
    history: tuple[Fact, ...] | None
    history_count: int
    episodes: tuple[Memory, ...]
    near: Traversed


class KnowledgeService:
    """What a principal may read of the graph of its tenant."""

    def __init__(self, facts: FactStore, entities: EntityService, clock: Clock) -> None:
        self._entities = entities
        self._graph = Surveyor(facts, entities, clock)
        self._clock = clock

    async def entity(self, principal: Principal, asked: AskedEntity) -> EntityView:
        """Return what is known of an entity.

        What holds has its places whatever the history is.

        Raises:
            NotFound: the principal knows of no such entity.
            Forbidden: the past or the superseded are asked for, and the profile may not see them.
        """
        now = self._clock.now()
        view = _view(principal, Filters(valid_at=asked.as_of, namespace=asked.namespace), now)
        if asked.include_superseded:
            check_superseded(principal)
            view = replace(view, beside=principal.filter_states)
        known = await self._called(principal, view, asked.entity)
        start, way = known.family, Way(max(1, asked.max_hops))
        read, episodes = await asyncio.gather(
            self._graph.around(principal, view, [start], way),
            self._entities.episodes(principal.tenant, start, view.wheres, MOST_EPISODES),
        )
        at = read.view.wheres[0].valid_at or now
        active = [fact for fact in read.own if read.view.sees(fact)]
        past = [fact for fact in read.own if not read.view.sees(fact)]
        return EntityView(
            known,
            _newest(active, MOST_ACTIVE),
            len(active),
            _newest(past, MOST_HISTORY) if asked.include_superseded else None,
            len(past) if asked.include_superseded else 0,
            episodes,
            _reached(read, start.entity.id, asked.max_hops, Direction.BOTH, MOST_NEAR, at),
        )

    async def traverse(self, principal: Principal, asked: Traversal) -> Traversed:
        """Return where the facts lead from an entity; of a path that does not exist, no step.

        Raises:
            NotFound: the principal knows of no such entity, at the start or at the end.
            Forbidden: the past is asked for, and the profile may not see it.
        """
        now = self._clock.now()
        filters = Filters(valid_at=asked.as_of, namespace=asked.namespace)
        view = _view(principal, filters, now, asked.predicates)
        hops = asked.hops
        unknown = UNKNOWN_ENTITY if asked.to is None else unknown_by("entity")
        start = (await self._called(principal, view, asked.entity, unknown)).family
        end = None
        if asked.to is not None:
            called = await self._called(principal, view, asked.to, unknown_by("to"))
            end = called.family.entity.id
        way = Way(hops, asked.direction, end)
        read = await self._graph.around(principal, view, [start], way)
        at = read.view.wheres[0].valid_at or now
        if end is None:
            return _reached(read, start.entity.id, hops, asked.direction, asked.limit, at)
        steps = shortest_path(walk(read.graph, start.entity.id, hops, asked.direction), end)
        facts = tuple(step.by for step in steps if step.by is not None)
        return Traversed(at, read.graph, steps, facts, incomplete=read.incomplete and not steps)

    async def _called(
        self, principal: Principal, view: View, name_or_id: str, unknown: str = UNKNOWN_ENTITY
    ) -> Known:
        return await self._entities.called(principal, view.namespaces, name_or_id, unknown)


def _view(
    principal: Principal,
    filters: Filters,
    now: Milliseconds,
    predicates: Iterable[str] = (),
) -> View:
    wheres = of_one_moment(principal, filters, now)
    return View(wheres, frozenset(map(one_spelling, predicates)), taken=now)


def _reached(
    read: Surroundings,
    start: str,
    hops: int,
    direction: Direction,
    limit: int,
    at: Milliseconds,
) -> Traversed:
    steps = walk(read.graph, start, hops, direction)[1:]
    shown = steps[:limit]
    facts = read.graph.among([start, *(step.entity_id for step in shown)]) if shown else ()
    left_out = len(steps) - len(shown)
    return Traversed(at, read.graph, shown, facts, left_out, read.incomplete)


def _newest(facts: Iterable[Fact], limit: int) -> tuple[Fact, ...]:
    """Return the facts that began last; of equals, those recorded last."""
    ordered = sorted(facts, key=lambda fact: (-fact.starts, -fact.memory.recorded_at, fact.id))
    return tuple(ordered[:limit])
