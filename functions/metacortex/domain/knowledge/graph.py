"""The graph that facts make: entities, and the facts between them.

A fact whose object is an entity is an edge from its subject to that; one with a value hangs on its
subject. There is no second table of edges. All that is found here comes in one order whatever order
the facts came in, and ends where there are cycles.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from metacortex.domain.knowledge.fact import Fact


class Direction(StrEnum):
    """Which way a fact is followed: from its subject, to its subject, or either."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


DIRECTION_NAMES = tuple(each.value for each in Direction)


@dataclass(frozen=True, slots=True)
class Step:
    """An entity that was reached: by how many facts at the least and, where that is any, by which
    one and from where.
    """

    entity_id: str
    hops: int = 0
    by: Fact | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """What is known of entities beside facts: which one an id stands for where several were merged,
    and what each is called.
    """

    survivors: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


NO_NAMES = Names()


class Graph:
    """Facts by the entities that they are about."""

    def __init__(self, facts: Iterable[Fact], known: Names = NO_NAMES) -> None:
        self._survivors = known.survivors
        self._facts: dict[str, list[Fact]] = {}
        self._names = dict(known.names)
        by_id = {fact.id: fact for fact in facts}
        for fact in sorted(by_id.values(), key=_order):
            for entity_id, name in _ends(fact):
                own = self._survivor(entity_id)
                self._names.setdefault(own, name)
                about = self._facts.setdefault(own, [])
                # A fact about itself is one.
                if fact not in about[-1:]:
                    about.append(fact)

    def name(self, entity_id: str) -> str | None:
        """Return what an entity is called: where that is not known, by the first recorded fact.
        None where none speaks of it.
        """
        return self._names.get(entity_id)

    def about(self, entity_id: str) -> Sequence[Fact]:
        """Return the facts that an entity is subject or object of, first recorded first."""
        return self._facts.get(entity_id, ())

    def ends(self, fact: Fact) -> tuple[str, ...]:
        """Return the entities that a fact is about: its subject and, where that is one, its
        object.
        """
        return tuple(dict.fromkeys(self._survivor(entity_id) for entity_id, _ in _ends(fact)))

    def edges(self, entity_id: str, direction: Direction) -> Iterator[tuple[str, Fact]]:
        """Yield the entities next to one, with the fact that leads there."""
        for fact in self.about(entity_id):
            for other in self.ends(fact):
                if other != entity_id and self._leads(fact, entity_id, direction):
                    yield other, fact

    def among(self, entity_ids: Iterable[str]) -> tuple[Fact, ...]:
        """Return the facts between these entities, first recorded first."""
        wanted = frozenset(entity_ids)
        between = {
            fact.id: fact
            for entity_id in wanted
            for fact in self.about(entity_id)
            if fact.details.object_id is not None and wanted.issuperset(self.ends(fact))
        }
        return tuple(sorted(between.values(), key=_order))

    def _survivor(self, entity_id: str) -> str:
        return self._survivors.get(entity_id, entity_id)

    def _leads(self, fact: Fact, entity_id: str, direction: Direction) -> bool:
        is_subject = self._survivor(fact.details.subject_id) == entity_id
        return direction is Direction.BOTH or is_subject == (direction is Direction.OUT)


def walk(graph: Graph, start: str, max_hops: int, direction: Direction) -> tuple[Step, ...]:
    """Return every entity within so many facts of one, itself first: the nearest first, of equals
    by name and id.
    """
    reached = {start: Step(start)}
    front = [reached[start]]
    for hops in range(1, max_hops + 1):
        following: dict[str, Step] = {}
        for step in front:
            for other, fact in graph.edges(step.entity_id, direction):
                if other not in reached:
                    following.setdefault(other, Step(other, hops, fact, step.entity_id))
        front = sorted(following.values(), key=lambda one: _by_name(graph, one))
        reached |= {step.entity_id: step for step in front}
    return tuple(reached.values())


def next_to(graph: Graph, entity_ids: Iterable[str], direction: Direction) -> list[str]:
    """Return what is next to some entities, the most closely linked first: what has the most of
    their facts, each counted as the share that it is of its entity's; of equals by name and id.
    """
    closeness: defaultdict[str, float] = defaultdict(float)
    for entity_id in sorted(entity_ids):
        for other, _ in graph.edges(entity_id, direction):
            closeness[other] += 1 / len(graph.about(entity_id))
    return sorted(closeness, key=lambda one: (-closeness[one], graph.name(one) or "", one))


def shortest_path(steps: Sequence[Step], to: str) -> tuple[Step, ...]:
    """Return how a walk came to an entity, its start first; nothing where it did not."""
    step_by_id = {step.entity_id: step for step in steps}
    path = []
    at: str | None = to
    while at is not None and at in step_by_id:
        path.append(step_by_id[at])
        at = step_by_id[at].origin
    return tuple(reversed(path))


def _order(fact: Fact) -> tuple[int, str]:
    return fact.memory.recorded_at, fact.id


def _ends(fact: Fact) -> Iterator[tuple[str, str]]:
    """Yield the ids of the entities that a fact is about, with what it calls them."""
    details = fact.details
    yield details.subject_id, details.subject
    if details.object_id is not None:
        yield details.object_id, details.object


def _by_name(graph: Graph, step: Step) -> tuple[str, str]:
    return graph.name(step.entity_id) or "", step.entity_id
