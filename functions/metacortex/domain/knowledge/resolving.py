"""Resolving: which Changes of facts settle a contradiction and take that back, and when neither may
be done any more.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from metacortex.domain.errors import Conflict
from metacortex.domain.knowledge.contradictions import Contradiction
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.placing import closing
from metacortex.domain.lifecycle import FORGOTTEN, Change, ChangeKind, Standing
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds, Moment

NO_ALIASES: Mapping[str, Sequence[str]] = MappingProxyType({})
"""That no subject has another name."""


def resolvable(contradictions: Iterable[Contradiction]) -> Iterator[Contradiction]:
    """Yield those that are to be resolved, in order, so that no fact gives way twice and none that
    gave way is kept before another.
    """
    gone: set[str] = set()
    for each in contradictions:
        if gone.isdisjoint((each.kept.id, each.given_up.id)):
            gone.add(each.given_up.id)
            yield each


def resolving(contradiction: Contradiction, client: str, at: Milliseconds) -> Change:
    """Return the Change by which one fact gives way to the other: it ends where that one starts, or
    where that was recorded if no start is known. Of what starts later itself nothing is left.
    """
    kept, given_up = contradiction.kept, contradiction.given_up
    end = kept.memory.valid_from or Moment(kept.memory.recorded_at)
    start = given_up.memory.valid_from
    if start is not None and start.at > end.at:
        end = start
    change = closing(given_up, end, kept.id, client, at)
    return replace(change, cause=contradiction.id)


def reopening(change: Change, standing: Standing, client: str, at: Milliseconds) -> Change:
    """Return the inverse of a Change.

    Raises:
        Conflict: the memory has changed since.
    """
    if change.before is None or standing != change.after:
        raise Conflict(
            f"Fact '{change.subject_id}' has changed since; it stays as it is; state it anew"
            " if it is true"
        )
    return Change(
        ChangeKind.REOPENED,
        change.subject_id,
        standing,
        change.before,
        at,
        client,
        cause=change.cause,
    )


def moved_on(memory_id: str) -> str:
    """Return what is said where a fact is not any more as it was compared."""
    return f"Fact '{memory_id}' has changed meanwhile; nothing was done; audit again"


def replaced_by(change: Change) -> str | None:
    """Return the id of the fact that was kept in place of the one that a Change opens again."""
    return None if change.before is None else change.before.superseded_by


def replacements_of(changes: Iterable[Change]) -> tuple[str, ...]:
    """Return the ids of what the facts of Changes are superseded by from then on, each once."""
    named = (change.after.superseded_by for change in changes)
    return tuple(dict.fromkeys(id_ for id_ in named if id_ is not None and id_ != FORGOTTEN))


def as_left_by(change: Change, known: Mapping[str, Memory]) -> Fact:
    """Return a fact as a Change leaves it, from what is known of it and of its replacement.

    Raises:
        Conflict: it does not stand as it does before the Change, or one of them is gone.
    """
    memory = known.get(change.subject_id)
    if memory is None or memory.standing != change.before:
        raise Conflict(moved_on(change.subject_id))
    for id_ in replacements_of((change,)):
        if id_ not in known:
            raise Conflict(moved_on(id_))
    return Fact(memory.after(change))


def begun(fact: Fact) -> Fact:
    """Return a fact that is to hold again with a start in any case: without one it holds from the
    beginning, whenever it was recorded, and all of its timeline has a say.
    """
    return Fact(replace(fact.memory, valid_from=Moment(fact.starts)))


def check_alone(fact: Fact, timeline: Iterable[Fact], kept: str | None) -> None:
    """Check that a fact, as it is to stand, does not overlap others of its timeline where only one
    value is true at a time, but for the same under other names, and for the one that was kept in
    its place: under two names of one thing they stood side by side.

    Raises:
        Conflict: it does.
    """
    for other in timeline:
        both_singular = fact.details.singular and other.details.singular
        if other.id in (fact.id, kept) or not both_singular or fact.is_empty or other.is_empty:
            continue
        if not fact.agrees_with(other) and fact.starts < other.ends and other.starts < fact.ends:
            raise Conflict(
                f"Fact '{fact.id}' cannot hold again: only one value may at a time, and"
                f" '{other.id}' was stated since; end that one first"
            )
