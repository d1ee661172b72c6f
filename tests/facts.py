"""Valid facts to vary in a test, and a timeline kept as the law says."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, pairwise

from hypothesis import strategies as st

from metacortex.domain.details import FactDetails, Kind
from metacortex.domain.errors import Conflict
from metacortex.domain.identity import immutable_digest
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.placing import Placed, as_known, place
from metacortex.domain.lifecycle import Change
from metacortex.domain.moment import Milliseconds, Moment
from tests.samples import NOW, a_memory

DAY = 86_400_000
CLIENT = "claude"


def a_fact(
    id_: str = "f1",
    value: str = "espresso",
    start: Milliseconds | None = None,
    end: Milliseconds | None = None,
    *,
    at: Milliseconds = NOW,
    singular: bool = True,
    subject: str = "noor",
    predicate: str = "drinks",
    object_id: str | None = None,
    namespace: str = "default",
    superseded_by: str | None = None,
) -> Fact:
    """Return what Noor drinks, as it is recorded `at` a moment."""
    memory = a_memory(
        id_,
        kind=Kind.FACT,
        namespace=namespace,
        content=f"{subject} {predicate} {value}",
        details=FactDetails(
            subject, subject.title(), predicate, value, object_id=object_id, singular=singular
        ),
        entities=(subject,) if object_id is None else (subject, object_id),
        valid_from=None if start is None else Moment(start),
        valid_until=None if end is None else Moment(end),
        superseded_by=superseded_by,
        created_at=at,
        updated_at=at,
        recorded_at=at,
    )
    return Fact(replace(memory, sha256=immutable_digest(memory)))


class Timeline:
    """The facts of a timeline with all their Changes, as a store keeps them."""

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self.facts: dict[str, Fact] = {}
        self.changes: list[Change] = []
        for fact in facts:
            self.write(fact)

    def write(self, fact: Fact) -> Placed:
        """Write a fact and apply what that changes."""
        placed = place(fact, self.facts.values(), CLIENT)
        if placed.created:
            self.facts[placed.fact.id] = placed.fact
        for change in placed.changes:
            self.changes.append(change)
            memory = self.facts[change.subject_id].memory
            self.facts[change.subject_id] = Fact(memory.after(change))
        return placed

    def changes_of(self, fact_id: str) -> tuple[Change, ...]:
        """Return the Changes of a fact."""
        return tuple(change for change in self.changes if change.subject_id == fact_id)

    def held(self, at: Milliseconds) -> list[str]:
        """Return what was true at a moment."""
        return sorted(each.details.object for each in self.facts.values() if each.holds_at(at))

    def known(self, known_at: Milliseconds) -> list[Fact]:
        """Return the facts as they were known to be."""
        known = (
            as_known(fact.memory, self.changes_of(id_), known_at)
            for id_, fact in self.facts.items()
        )
        return [Fact(memory) for memory in known if memory]


def overlapping(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    """Return the neighbours among facts of which one begins before the other has ended."""
    held = sorted((fact for fact in facts if not fact.is_empty), key=lambda fact: fact.starts)
    return [(one.id, other.id) for one, other in pairwise(held) if one.ends > other.starts]


def clashing(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    """Return the pairs of singular facts that hold at one moment, of which a start is known, and
    which do not state the same under two names.
    """
    held = [fact for fact in facts if fact.details.singular and not fact.is_empty]
    return [
        (one.id, other.id)
        for one, other in combinations(held, 2)
        if one.starts < other.ends and other.starts < one.ends
        if not one.agrees_with(other)
        if one.memory.valid_from or other.memory.valid_from
    ]


ALWAYS = st.just(True)
moments = st.none() | st.integers(-4, 8).map(lambda day: NOW + day * DAY)


@st.composite
def histories(
    draw: st.DrawFn, most: int = 7, singular: st.SearchStrategy[bool] = ALWAYS
) -> Sequence[Fact]:
    """Draw what was written to one timeline, and not refused, in the order of recording."""
    facts, timeline = [], Timeline()
    for n in range(draw(st.integers(1, most))):
        start, end = draw(moments), draw(moments)
        if start is not None and end is not None and end <= start:
            end = None
        value = draw(st.sampled_from("abc"))
        at, one = NOW + n * DAY, draw(singular)
        fact = a_fact(f"f{n}", value, start, end, at=at, singular=one)
        with suppress(Conflict):
            timeline.write(fact)
            facts.append(fact)
    return facts
