"""Where a new fact belongs in its timeline, and what that changes of the others.

The laws (`docs/knowledge.md` draws them). A timeline is what is known of one namespace, subject and
predicate. Facts hold in `[valid_from, valid_until)`.

- A singular fact closes what holds at its start: that ends there, superseded by it.
- It ends itself where the next singular fact starts, superseded by that one: old news gets its
  place in history and leaves the present alone.
- Of two singular facts with one start the later recorded is a correction: the earlier becomes an
  empty interval.
- A singular fact without a start, where another is known, starts when it is recorded; one that has
  ended by then keeps its unknown start, before all that have one.
- A statement whose interval a fact of the same statement covers already is a duplicate, if both
  were made under one name. Under another name of the same thing it is a fact of its own, so that
  each name keeps what was said by it; the two agree, and neither ends the other.
- A statement that only adds an end to the same one that holds and has none closes it, under every
  name.
- Facts that are not singular stand beside each other. A singular statement of one that is there
  ends those beside it.
- What was stated under several names of one thing is joined before all of this
  (`metacortex.domain.knowledge.joining`).
- An object that is an entity is one value under all of its names.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from metacortex.domain.errors import Conflict
from metacortex.domain.identity import immutable_digest
from metacortex.domain.knowledge.fact import BEGINNING, Fact, in_time
from metacortex.domain.knowledge.joining import cuts
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds, Moment


@dataclass(frozen=True, slots=True)
class Placed:
    """What becomes of a fact that is to be written.

    Either `fact` is new, and `changes` begin with the one that makes it; or it is one that was
    there already and says the same. What else changes is what ends, each fact once.
    """

    fact: Fact
    created: bool
    changes: tuple[Change, ...]


Check: TypeAlias = Callable[[Placed], None]
"""Raises an error for what is not to be done."""


def accept(_placed: Placed) -> None:
    """Refuse nothing."""


def place(
    newcomer: Fact, timeline: Iterable[Fact], client: str, object_aliases: Iterable[str] = ()
) -> Placed:
    """Return what becomes of `newcomer`, written at its `recorded_at`, among the facts of its
    timeline, in whatever order those come. `object_aliases` are the other ids under which its
    object is known.

    A store calls this inside the transaction that applies the Changes.

    Raises:
        Conflict: both it and another that holds before it ends have no known start.
    """
    at, object_id = newcomer.memory.recorded_at, newcomer.details.object_id
    one_object = frozenset([object_id, *object_aliases]) if object_id else frozenset[str]()
    known = {fact.id: fact for fact in timeline if not fact.is_empty}
    joined = {
        cut.fact.id: closing(cut.fact, cut.end, cut.in_favour_of.id, client, at)
        for cut in cuts(known.values(), one_object)
    }
    placed = _placed(newcomer, [*_after(known, joined)], client, one_object)
    # What is joined and then ended by the newcomer has changed once, from how it stood.
    further = {
        change.subject_id: replace(change, before=known[change.subject_id].memory.standing)
        for change in placed.changes
        if change.before is not None
    }
    made = (change for change in placed.changes if change.before is None)
    return replace(placed, changes=(*made, *(joined | further).values()))


def _after(known: Mapping[str, Fact], changes: Mapping[str, Change]) -> Iterator[Fact]:
    """Yield the facts as Changes leave them, but for those of which nothing is left."""
    for id_, fact in known.items():
        left = Fact(fact.memory.after(changes[id_])) if id_ in changes else fact
        if not left.is_empty:
            yield left


def _placed(newcomer: Fact, timeline: Iterable[Fact], client: str, one_object: Set[str]) -> Placed:
    at = newcomer.memory.recorded_at
    others = sorted(timeline, key=in_time)
    alike = [each for each in others if newcomer.states_same_as(each, one_object)]
    own = [each for each in alike if each.timeline == newcomer.timeline]
    rivals = [each for each in others if not newcomer.agrees_with(each, one_object)]
    ended = _ended(newcomer, alike, client, at)
    if same := next(_told_already(newcomer, own, at), None):
        if newcomer.memory.valid_until is not None:
            return Placed(Fact(same.memory.after(ended[same.id])), False, (*ended.values(),))
        return _repeated(same, newcomer, rivals, client)
    if same := _known_to_its_end(newcomer, own, at):
        return Placed(same, False, ())
    newcomer = _since(newcomer, [fact for fact in alike if fact.id in ended])
    if newcomer.details.singular:
        newcomer = _started(newcomer, others, at)
        newcomer = _cut(newcomer, rivals)
        _check_undated(newcomer, rivals)
    if same := _covering(newcomer, own):
        return _repeated(same, newcomer, rivals, client)
    newcomer = _as_it_stands(newcomer, at)
    made = newcomer.memory.creation(client)
    closed = _closed(newcomer, rivals, client, at) if newcomer.details.singular else ()
    return Placed(newcomer, True, (made, *ended.values(), *closed))


def no_say_before(newcomer: Fact, *, is_any_open: bool) -> Milliseconds:
    """Return a moment: what has ended by then has no say in what becomes of `newcomer`. Much may
    have ended in a long timeline, and most news is of the present.

    `is_any_open` says whether a fact of the timeline has no end.
    """
    starts = newcomer.starts
    if newcomer.memory.valid_from is None and newcomer.details.singular and is_any_open:
        starts = newcomer.memory.recorded_at
    # What would end before it starts is an interval of which nothing else is said.
    return starts if starts < newcomer.ends else BEGINNING


def _told_already(newcomer: Fact, alike: Iterable[Fact], at: Milliseconds) -> Iterator[Fact]:
    """Yield the facts that the newcomer repeats, or ends: of those alike the ones that hold with no
    end, where no other start was given. What ended before it starts is not meant.
    """
    start = newcomer.memory.valid_from
    for fact in alike:
        if newcomer.ends <= fact.starts:
            continue
        is_meant = fact.holds_at(at) if start is None else fact.memory.valid_from == start
        if is_meant and fact.memory.valid_until is None:
            yield fact


def _ended(
    newcomer: Fact, alike: Iterable[Fact], client: str, at: Milliseconds
) -> Mapping[str, Change]:
    """Return the Changes by which what the newcomer states ends, under every name, by the ids of
    the facts. A value that has ended for a thing has ended whatever the thing is called.
    """
    end = newcomer.memory.valid_until
    if end is None:
        return {}
    meant = _told_already(newcomer, alike, at)
    return {fact.id: closing(fact, end, None, client, at) for fact in meant}


def _repeated(fact: Fact, newcomer: Fact, rivals: Iterable[Fact], client: str) -> Placed:
    """Return a fact that the newcomer repeats. Was it one of several values, and is said to be the
    only one, the others end.
    """
    at = newcomer.memory.recorded_at
    changes: Iterable[Change] = ()
    if newcomer.details.singular and not fact.details.singular:
        beside = (other for other in rivals if other.id != fact.id)
        start = newcomer.memory.valid_from or Moment(at)
        changes = _ends_at(start, fact, beside, client, at)
    return Placed(fact, False, tuple(changes))


def _known_to_its_end(newcomer: Fact, own: Iterable[Fact], at: Milliseconds) -> Fact | None:
    """Return the one of its own that holds until past news without a start ends."""
    if newcomer.memory.valid_from is not None or newcomer.ends > at:
        return None
    return next((each for each in own if each.holds_at(newcomer.ends - 1)), None)


def _since(newcomer: Fact, ended: Sequence[Fact]) -> Fact:
    """Return it with the start of what it ends under other names, if no other was given: of what
    began and ended there only the end is news.
    """
    first = min(ended, key=in_time, default=newcomer)
    if newcomer.memory.valid_from is not None or first.memory.valid_from is None:
        return newcomer
    return _from(newcomer, first.memory.valid_from)


def _started(newcomer: Fact, others: Sequence[Fact], at: Milliseconds) -> Fact:
    """Return it with a start where one is needed: that of an only fact, and of what has ended
    already, may stay unknown.
    """
    if newcomer.memory.valid_from is not None or not others or newcomer.ends <= at:
        return newcomer
    return _from(newcomer, Moment(at))


def _from(newcomer: Fact, start: Moment) -> Fact:
    started = replace(newcomer.memory, valid_from=start)
    return Fact(replace(started, sha256=immutable_digest(started)))


def _cut(newcomer: Fact, rivals: Iterable[Fact]) -> Fact:
    """Return it ended where the next singular fact starts."""
    later = (each for each in rivals if each.details.singular and each.starts > newcomer.starts)
    following = next(later, None)
    if following is None or following.starts >= newcomer.ends:
        return newcomer
    end = following.memory.valid_from
    return Fact(replace(newcomer.memory, valid_until=end, superseded_by=following.id))


def _check_undated(newcomer: Fact, rivals: Iterable[Fact]) -> None:
    if newcomer.memory.valid_from is not None:
        return
    for fact in rivals:
        if fact.details.singular and fact.memory.valid_from is None:
            raise Conflict(
                f"Since when fact '{fact.id}' is true is not known either; say with valid_from"
                " since when this one was"
            )


def _covering(newcomer: Fact, own: Iterable[Fact]) -> Fact | None:
    for fact in own:
        if fact.starts <= newcomer.starts and newcomer.ends <= fact.ends:
            return fact
    return None


def _as_it_stands(newcomer: Fact, at: Milliseconds) -> Fact:
    """Return it deprecated if it is past already: the state follows the interval."""
    state = BranchState.DEPRECATED if newcomer.ends <= at else newcomer.memory.branch_state
    return Fact(replace(newcomer.memory, branch_state=state))


def _closed(
    newcomer: Fact, rivals: Iterable[Fact], client: str, at: Milliseconds
) -> Iterable[Change]:
    """Return the Changes of what holds where the newcomer starts."""
    start = newcomer.memory.valid_from
    return () if start is None else _ends_at(start, newcomer, rivals, client, at)


def _ends_at(
    start: Moment, fact: Fact, rivals: Iterable[Fact], client: str, at: Milliseconds
) -> Iterator[Change]:
    """Yield the Changes by which a fact takes the place of what holds at a moment."""
    for other in rivals:
        if other.holds_at(start.at):
            yield closing(other, start, fact.id, client, at)


def closing(
    fact: Fact, end: Moment, replacement_id: str | None, client: str, at: Milliseconds
) -> Change:
    """Return the Change by which a fact ends: a correction where nothing is left of it."""
    before = fact.memory.standing
    state = BranchState.DEPRECATED if end.at <= at else before.branch_state
    if end.at <= fact.starts:
        kind = ChangeKind.CORRECTED
    else:
        kind = ChangeKind.CLOSED if replacement_id is None else ChangeKind.SUPERSEDED
    after = Standing(state, replacement_id or before.superseded_by, end)
    return Change(kind, fact.id, before, after, at, client)


def as_known(memory: Memory, changes: Iterable[Change], known_at: Milliseconds) -> Memory | None:
    """Return a memory as it was known to be at a moment, or None where it was not known yet.

    `changes` are its own, in the order in which they were recorded.
    """
    if memory.recorded_at > known_at:
        return None
    known = memory
    for change in changes:
        if change.recorded_at <= known_at:
            known = memory.after(change)
    return known
