"""Time travel: what held at a moment, as it was known at one, and what changed between two."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.dates.period import Period
from metacortex.domain.errors import InvalidInput
from metacortex.domain.knowledge.asked import TimeTravel
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.placing import as_known
from metacortex.domain.knowledge.snapshot import Passage, passage, snapshot_hash
from metacortex.domain.lifecycle import Change
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import Filters
from metacortex.knowledge_ports import FactStore
from metacortex.ports import Clock
from metacortex.service.entities import EntityService
from metacortex.service.filters import admitted
from metacortex.service.surroundings import View

MOST_READ = 2_000
"""How many facts, the newest, a moment is told from."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What held at a moment: all of it, by subject and predicate, and what it is recognized by.

    `later` and `passage`: what held at the moment that it is compared with, and what became of the
    facts between the two. `incomplete`: there are more facts than were read.
    """

    at: Milliseconds
    known_at: Milliseconds | None
    facts: tuple[Fact, ...]
    later: "Snapshot | None" = None
    passage: Passage | None = None
    incomplete: bool = False

    @property
    def hash(self) -> str:
        """What it is recognized by."""
        return snapshot_hash(self.facts)

    @property
    def entity_count(self) -> int:
        """Of how many names its facts speak: those that were merged count each."""
        details = (fact.details for fact in self.facts)
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
        found = await self._read(principal, asked, views[0].namespaces)
        read = found[:MOST_READ]
        facts = read if known_at is None else await self._known(principal.tenant, read, known_at)
        incomplete = len(found) > MOST_READ
        held, *later = [_snapshot(view, facts, known_at, incomplete) for view in views]
        if not later:
            return held
        became = passage(held.facts, later[0].facts)
        return Snapshot(held.at, known_at, held.facts, later[0], became, incomplete)

    async def _read(
        self, principal: Principal, asked: TimeTravel, namespaces: Sequence[str] | None
    ) -> tuple[Fact, ...]:
        if asked.entity is None:
            return await self._facts.facts(principal.tenant, namespaces, MOST_READ + 1)
        known = await self._entities.called(principal, namespaces, asked.entity)
        return await self._facts.facts_about(
            principal.tenant, namespaces, known.family.ids, limit=MOST_READ + 1
        )

    async def _known(
        self, tenant: str, facts: Sequence[Fact], known_at: Milliseconds
    ) -> tuple[Fact, ...]:
        """Return the facts as they were known to be. Changes are read of those that have changed
        since.
        """
        recorded = [fact for fact in facts if fact.memory.recorded_at <= known_at]
        moved = [fact.id for fact in recorded if fact.memory.updated_at > known_at]
        changes = await self._facts.changes_of(tenant, moved) if moved else {}
        known = (
            as_known(
                fact.memory,
                (each for each in changes.get(fact.id, ()) if isinstance(each, Change)),
                known_at,
            )
            for fact in recorded
        )
        return tuple(Fact(memory) for memory in known if memory is not None)


def _view(
    principal: Principal,
    asked: TimeTravel,
    period: Period | None,
    now: Milliseconds,
    known_at: Milliseconds | None,
) -> View:
    filters = Filters(valid_at=period, namespace=asked.namespace)
    return View(admitted(principal, filters, now, known_at))


def _check_order(views: Sequence[View]) -> None:
    moments = [view.wheres[0].valid_at or 0 for view in views]
    if moments[1:] and moments[1] <= moments[0]:
        raise InvalidInput("compare_to must be later than as_of")


def _snapshot(
    view: View, facts: Iterable[Fact], known_at: Milliseconds | None, incomplete: bool
) -> Snapshot:
    held = sorted(filter(view.sees, facts), key=_order)
    at = view.wheres[0].valid_at
    assert at is not None
    return Snapshot(at, known_at, tuple(held), incomplete=incomplete)


def _order(fact: Fact) -> tuple[str, str, str, int, str]:
    details = fact.details
    return fact.memory.namespace, details.subject, details.predicate, -fact.starts, fact.id
