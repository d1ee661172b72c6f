"""Time travel: what held at a moment, as it was known at one, and what changed between two."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from metacortex.domain.client import Principal
from metacortex.domain.dates.period import Period
from metacortex.domain.details import Kind
from metacortex.domain.errors import InvalidInput
from metacortex.domain.knowledge.asked import TimeTravel
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.placing import as_known
from metacortex.domain.knowledge.snapshot import Held, Passage, passage
from metacortex.domain.lifecycle import BranchState, Change
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import Filters, MemoryFilter
from metacortex.knowledge_ports import FactStore
from metacortex.ports import Clock
from metacortex.service.entities import EntityService
from metacortex.service.filters import of_one_moment
from metacortex.service.surroundings import View

MOST_FACTS = 2_000
"""How many facts, the newest, a moment is told from."""
MOST_EPISODES = 1_000
"""How many episodes."""
MOST_MENTIONING = 200
"""How many episodes where they are those that mention an entity."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What held at a moment: all of it.

    `later` and `passage`: what held at the moment that it is compared with, and what became of it
    between the two. `incomplete`: there is more than was read.
    """

    at: Milliseconds
    known_at: Milliseconds | None
    held: Held
    later: "Snapshot | None" = None
    passage: Passage | None = None
    incomplete: bool = False

    @property
    def entity_count(self) -> int:
        """Of how many names its facts speak: those that were merged count each."""
        details = (fact.details for fact in self.held.facts)
        ends = {id_ for each in details for id_ in (each.subject_id, each.object_id)}
        return len(ends - {None})


class SnapshotService:
    """What a principal may know of other moments."""

    def __init__(self, facts: FactStore, entities: EntityService, clock: Clock) -> None:
        self._facts = facts
        self._entities = entities
        self._clock = clock

    async def at(self, principal: Principal, asked: TimeTravel) -> Snapshot:
        """Return what held at a moment, and how that became what held at another.

        Raises:
            NotFound: the principal knows of no such entity.
            Forbidden: the past is asked for, and the profile may not see it.
            InvalidInput: it is compared with what is not later.
        """
        now = self._clock.now()
        known_at = None if asked.known_at is None else min(asked.known_at.as_of(now), now)
        periods = (asked.as_of, *([asked.compare_to] if asked.compare_to else []))
        views = [_view(principal, asked, period, now, known_at) for period in periods]
        _check_order(views)
        read, incomplete = await self._read(principal, asked, views[0].namespaces)
        if known_at is not None:
            read = await self._known(principal.tenant, read, known_at)
        present = self._clock.now()
        views = [view.renewed(present) for view in views]
        first, *later = [
            Snapshot(view.wheres[0].valid_at or now, known_at, _held(view, read)) for view in views
        ]
        first = replace(first, incomplete=incomplete)
        if not later:
            return first
        return replace(first, later=later[0], passage=passage(first.held, later[0].held))

    async def _read(
        self, principal: Principal, asked: TimeTravel, namespaces: tuple[str, ...] | None
    ) -> tuple[Sequence[Memory], bool]:
        """Return the facts and episodes that are asked for, whenever they hold, and whether there
        are more.
        """
        tenant, most_episodes = principal.tenant, MOST_EPISODES
        if asked.entity is None:
            reading = (
                self._facts.facts(tenant, namespaces, MOST_FACTS + 1),
                self._facts.episodes(tenant, namespaces, MOST_EPISODES + 1),
            )
        else:
            called = await self._entities.called(principal, namespaces, asked.entity)
            family, most_episodes = called.family, MOST_MENTIONING
            whenever = [MemoryFilter(namespaces, state, None) for state in BranchState]
            reading = (
                self._facts.facts_about(tenant, namespaces, family.ids, limit=MOST_FACTS + 1),
                self._entities.episodes(tenant, family, whenever, MOST_MENTIONING + 1),
            )
        facts, episodes = await asyncio.gather(*reading)
        memories = [fact.memory for fact in facts[:MOST_FACTS]]
        is_cut = len(facts) > MOST_FACTS or len(episodes) > most_episodes
        return [*memories, *episodes[:most_episodes]], is_cut

    async def _known(
        self, tenant: str, memories: Sequence[Memory], known_at: Milliseconds
    ) -> Sequence[Memory]:
        """Return memories as they were known to be. Changes are read of those that have changed
        since.
        """
        recorded = [memory for memory in memories if memory.recorded_at <= known_at]
        moved = [memory.id for memory in recorded if memory.updated_at > known_at]
        changes = await self._facts.changes_of(tenant, moved) if moved else {}
        known = (
            as_known(
                memory,
                (each for each in changes.get(memory.id, ()) if isinstance(each, Change)),
                known_at,
            )
            for memory in recorded
        )
        return [memory for memory in known if memory is not None]


def _view(
    principal: Principal,
    asked: TimeTravel,
    period: Period | None,
    now: Milliseconds,
    known_at: Milliseconds | None,
) -> View:
    filters = Filters(valid_at=period, namespace=asked.namespace)
    return View(of_one_moment(principal, filters, now, known_at), taken=now)


def _check_order(views: Sequence[View]) -> None:
    moments = [view.wheres[0].valid_at or 0 for view in views]
    if moments[1:] and moments[1] <= moments[0]:
        raise InvalidInput("compare_to must be later than as_of")


def _held(view: View, memories: Iterable[Memory]) -> Held:
    there = [memory for memory in memories if view.admits(memory)]
    facts = [Fact(memory) for memory in there if memory.kind is Kind.FACT]
    episodes = tuple(memory for memory in there if memory.kind is Kind.EPISODE)
    return Held(tuple(sorted(facts, key=_order)), episodes)


def _order(fact: Fact) -> tuple[str, str, str, int, str]:
    details = fact.details
    return fact.memory.namespace, details.subject, details.predicate, -fact.starts, fact.id
