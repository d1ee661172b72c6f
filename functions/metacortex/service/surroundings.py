"""Reading the graph around entities, a hop at a time, as far as a principal may see it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from metacortex.domain.client import Principal
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.family import Family
from metacortex.domain.knowledge.graph import Direction, Graph, Names, next_to
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import MemoryFilter, passes
from metacortex.knowledge_ports import FactStore
from metacortex.ports import Clock
from metacortex.service.entities import EntityService
from metacortex.service.filters import renewed

MOST_FOLLOWED = 60
"""Of how many entities, at one distance, the facts are read."""
MOST_ABOUT = 1_000
"""How many facts in one state are read at one distance."""


@dataclass(frozen=True, slots=True)
class View:
    """Which facts are seen: those that pass any of these filters, with one of these predicates if
    any is named.
    """

    wheres: Sequence[MemoryFilter]
    predicates: frozenset[str] = frozenset()
    beside: tuple[BranchState, ...] = ()
    """Further states in which facts of the first entities are read, seen or not."""
    taken: Milliseconds | None = None
    """What the filters take for the present; None: they stay as they are."""

    @property
    def states(self) -> tuple[BranchState, ...]:
        """The states that facts are seen in."""
        return tuple(dict.fromkeys(where.branch_state for where in self.wheres))

    @property
    def unseen(self) -> tuple[BranchState, ...]:
        """The further states, without those that facts are seen in."""
        return tuple(state for state in self.beside if state not in self.states)

    @property
    def namespaces(self) -> tuple[str, ...] | None:
        """The namespaces that are looked in; None: all of the tenant's."""
        return self.wheres[0].namespaces

    def renewed(self, now: Milliseconds) -> "View":
        """Return it with the present as it is now."""
        if self.taken is None:
            return self
        return replace(self, wheres=renewed(self.wheres, self.taken, now), taken=now)

    def sees(self, fact: Fact) -> bool:
        """Whether a fact is seen."""
        is_asked = not self.predicates or fact.details.predicate in self.predicates
        return is_asked and self.admits(fact.memory)

    def admits(self, memory: Memory) -> bool:
        """Whether a memory passes any of the filters."""
        return any(passes(memory, where) for where in self.wheres)


@dataclass(frozen=True, slots=True)
class Way:
    """How the graph is walked: so many facts in a row, in this direction, until `to` comes in
    reach; at each distance the facts of at most so many entities are read.
    """

    hops: int
    direction: Direction = Direction.BOTH
    to: str | None = None
    most: int = MOST_FOLLOWED
    named: bool = True
    """Whether it is asked what the entities at the last distance stand for."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The part of the graph that was read, and all that was read of what the first entities are
    about, seen or not. Of the present, `view` is as of when the last of it was read.

    `incomplete`: there was more at one distance than is followed or read.
    """

    graph: Graph
    own: tuple[Fact, ...]
    view: View
    incomplete: bool


@dataclass(slots=True)
class _Known:
    """The entities that were met so far: what each id stands for, and what that is called and made
    of.
    """

    survivors: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    ids: dict[str, Sequence[str]] = field(default_factory=dict)

    def learn(self, families: Iterable[Family]) -> None:
        """Note what ids stand for."""
        for family in families:
            self.survivors |= dict.fromkeys(family.ids, family.entity.id)
            self.names[family.entity.id] = family.named.name
            self.ids[family.entity.id] = family.ids


class Surveyor:
    """Reads the graph of a tenant, merges of entities followed."""

    def __init__(self, facts: FactStore, entities: EntityService, clock: Clock) -> None:
        self._facts = facts
        self._entities = entities
        self._clock = clock

    async def around(
        self, principal: Principal, view: View, start: Sequence[Family], way: Way
    ) -> Surroundings:
        """Return the facts of the entities that lie fewer than so many facts away from some, those
        included.

        That is one reading of facts for each hop, and one of the entities that it meets. Of more
        than are followed at one distance the most closely linked are.
        """
        known, seen = _Known(), dict[str, Fact]()
        known.learn(start)
        graph, own, incomplete = Graph(()), tuple[Fact, ...](), False
        front = [family.entity.id for family in start]
        met = set(front)
        for hop in range(way.hops):
            asked = [id_ for one in front for id_ in known.ids.get(one, (one,))]
            found, is_cut = await self._about(
                principal.tenant, view, asked, () if hop else view.unseen
            )
            view = view.renewed(self._clock.now())
            incomplete |= is_cut
            own = own if hop else found
            seen |= {fact.id: fact for fact in found if view.sees(fact)}
            if way.named or hop < way.hops - 1:
                await self._learn(principal, known, seen.values())
            graph = Graph(seen.values(), Names(known.survivors, known.names))
            following = [one for one in next_to(graph, front, way.direction) if one not in met]
            met.update(following)
            if way.to in following or not following:
                break
            front = following[: way.most]
            incomplete |= len(following) > way.most and hop < way.hops - 1
        return Surroundings(graph, own, view, incomplete)

    async def _about(
        self, tenant: str, view: View, asked: Sequence[str], unseen: Sequence[BranchState]
    ) -> tuple[tuple[Fact, ...], bool]:
        """Return the facts about some entities, and whether there are more than are read.

        Each state that is seen is read by itself, so that what is over takes no place of what
        holds; one after the other, since what is deprecated meanwhile is then in one or in both. It
        is as the first of them tells, which does not know yet what took its place.
        """
        found: dict[str, Fact] = {}
        is_cut = False
        for states in (*((state,) for state in view.states), *([unseen] if unseen else [])):
            some = await self._facts.facts_about(
                tenant, view.namespaces, asked, states, MOST_ABOUT + 1
            )
            is_cut |= len(some) > MOST_ABOUT
            found = {fact.id: fact for fact in some[:MOST_ABOUT]} | found
        return tuple(found.values()), is_cut

    async def _learn(self, principal: Principal, known: _Known, facts: Iterable[Fact]) -> None:
        named = (fact.details for fact in facts)
        met = {id_ for each in named for id_ in (each.subject_id, each.object_id) if id_}
        if new := sorted(met - known.survivors.keys()):
            found = await self._entities.resolved(principal.tenant, new)
            known.learn(await self._entities.seen(principal, found))
