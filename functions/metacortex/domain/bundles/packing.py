"""Packing: which of the memories that were found go into a bundle, so that it says the most under
its budget.

Those at least half as relevant as the best come first, then passages of those among them that do
not fit whole, then the rest. Within each step goes next what adds the most for its room; what the
bundle says already adds nothing. What a memory costs was counted when it was written. But the whole
answer is measured as it is sent, so the budget holds whatever the counter is. The order in which
the memories came does not matter.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from itertools import islice

from metacortex.domain.bundles.bundle import Budget, Bundle, Format, Item, LeftOut
from metacortex.domain.bundles.bundle_text import (
    body_as_sent,
    entry_as_sent,
    frame_as_sent,
    rest_as_sent,
)
from metacortex.domain.bundles.excerpts import best_passage
from metacortex.domain.bundles.repetition import Told, Words, without_recalls
from metacortex.domain.memory import Memory
from metacortex.domain.search import Match
from metacortex.domain.words.terms import query_terms

Count = Callable[[Sequence[str]], Sequence[int]]
"""Measures texts in the unit of a budget."""

CLOSE = 0.5
"""The share of the best score from which a memory goes before the rest."""
COST_POWER = 0.25
"""From 0, the most relevant first, to 1, the most relevance per token: which fills a bundle with
crumbs. Measured on conversations, up to here nothing is lost."""
SAMENESS = 0.4
"""What the part of a memory's terms that another item holds takes from its worth."""

MOST_EXCERPTS = 2
LEAST_EXCERPT = 24
"""Room for less is left empty: it would be no passage."""
_NAMED = 3
_MANY = 99
"""More than are ever left out for one reason."""
_CERTAINLY_TOO_LONG = 40
"""No text has so many characters a token; longer ones are not measured whole."""
_SAMPLE = 4_000


@dataclass(frozen=True, slots=True)
class Option:
    """A memory that may go into the bundle whole: its rank, what that costs, and its words."""

    rank: int
    match: Match
    cost: int
    words: Words

    @property
    def item(self) -> Item:
        """The memory whole."""
        return Item(self.match.memory, self.match.memory.content)

    @property
    def promise(self) -> float:
        """What it is worth for its cost as long as nothing of it is told."""
        return float(self.match.score / self.cost**COST_POWER)


@dataclass(slots=True)
class _Packing:
    """What is chosen so far, with what is left of the budget."""

    room: int
    options: list[Option]
    chosen: list[Option] = field(default_factory=list)
    excerpts: dict[int, Item] = field(default_factory=dict)
    """By rank."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What is said of what was chosen: naming all that is missing, before it is measured."""

    bundle: Bundle
    body: str
    """The part of it, as it is sent, that does not change with what is named of the rest."""


def pack(matches: Iterable[Match], query: str, empty: Bundle, count: Count) -> Bundle:
    """Return the bundle `empty` filled with what is worth the most under its budget."""
    ranked = sorted(
        {match.memory.id: match for match in matches}.values(),
        key=lambda match: (-match.score, -match.memory.created_at, match.memory.id),
    )
    originals = without_recalls(ranked)
    recalled = len(ranked) - len(originals)
    frame = replace(empty, left_out=LeftOut(*[_MANY] * 3), used=empty.budget.most)
    kept, options = _measured(originals, frame, count)
    empty = replace(empty, left_out=LeftOut(recalled=recalled))
    packing = _begun(empty, kept, options, count)
    close = [one for one in packing.options if one.match.score >= CLOSE * originals[0].score]
    _fill(packing, close)
    _excerpt(packing, close, query, empty.form, count)
    _fill(packing, packing.options)
    said = _said(packing, empty)
    if _fill_what_was_kept(packing, kept, said, count):
        said = _said(packing, empty)
    while (told := _told(said, count)).used > empty.budget.most:
        _ = packing.chosen.pop() if packing.chosen else packing.excerpts.popitem()
        said = _said(packing, empty)
    return told


def _begun(empty: Bundle, kept: int, options: list[Option], count: Count) -> _Packing:
    """Return the packing before anything is weighed: with the best in it, if only what is kept to
    say what stands around the items would keep it out, and something less from taking its place.
    """
    most = empty.budget.most
    packing = _Packing(most - kept, options)
    if options and packing.room < options[0].cost <= most:
        alone = _Packing(0, options, options[:1])
        if _told(_said(alone, empty), count).used <= most:
            return alone
    return packing


def _measured(ranked: Sequence[Match], frame: Bundle, count: Count) -> tuple[int, list[Option]]:
    """Return what the frame of an answer costs, and what may go into it."""
    costs = [_known_cost(match.memory, frame.budget) for match in ranked]
    unknown = [
        Item(match.memory, match.memory.content if cost is None else "")
        for match, cost in zip(ranked, costs, strict=True)
    ]
    entries = [entry_as_sent(item, frame.form) for item in unknown]
    kept, *rests = count([frame_as_sent(frame), *entries])
    return kept, [
        Option(rank, match, (cost or 0) + rest, Words(match.memory.content))
        for rank, (match, cost, rest) in enumerate(zip(ranked, costs, rests, strict=True))
    ]


def _known_cost(memory: Memory, budget: Budget) -> int | None:
    """Return what the content of a memory costs, as far as that is known without measuring it."""
    counted = memory.token_count
    if counted is not None and counted.counter == budget.counter:
        return counted.tokens
    return budget.most if len(memory.content) > _CERTAINLY_TOO_LONG * budget.most else None


def _fill(packing: _Packing, options: Iterable[Option]) -> None:
    """Choose of `options` what is worth the most for its cost, until nothing more fits.

    What is chosen only lowers what the others are worth. So whatever is still worth the most when
    it is looked at again is the best, and most are never compared with what was chosen.
    """
    taken = packing.excerpts.keys() | {one.rank for one in packing.chosen}
    waiting = [(-one.promise, one.rank, one) for one in options if one.rank not in taken]
    heapify(waiting)
    while waiting:
        _, rank, best = heappop(waiting)
        if best.cost > packing.room:
            continue
        again = (-_worth(packing, best), rank, best)
        if waiting and waiting[0] < again:
            heappush(waiting, again)
        elif not any(one.words.hold(best.words) for one in packing.chosen):
            _choose(packing, best)


def _fill_what_was_kept(packing: _Packing, kept: int, said: _Said, count: Count) -> bool:
    """Choose on in what was kept to say what stands around the items, as far as that, with the
    first id of what is missing, does not need it; and return whether anything was chosen.
    """
    taken = packing.excerpts.keys() | {one.rank for one in packing.chosen}
    room = packing.room + kept
    if not any(one.cost <= room for one in packing.options if one.rank not in taken):
        return False
    chosen, most = [*packing.chosen], said.bundle.budget.most
    with_one = replace(said.bundle, omitted=said.bundle.omitted[:1], used=most)
    packing.room = most - count([said.body + rest_as_sent(with_one)])[0]
    _fill(packing, packing.options)
    return packing.chosen != chosen


def _choose(packing: _Packing, best: Option) -> None:
    """Put a memory in, and take out what stands whole in it."""
    within = [one for one in packing.chosen if best.words.hold(one.words)]
    packing.chosen = [one for one in packing.chosen if one not in within] + [best]
    packing.room += sum(one.cost for one in within) - best.cost


def _worth(packing: _Packing, option: Option) -> float:
    same = max((option.words.share_in(one.words) for one in packing.chosen), default=0.0)
    return (1.0 - SAMENESS * same) * option.promise


def _untold(packing: _Packing, options: Iterable[Option]) -> Iterator[Option]:
    """Yield those of `options` of which the bundle holds nothing, neither whole nor a passage."""
    taken = packing.excerpts.keys() | {one.rank for one in packing.chosen}
    told = Told(one.words for one in packing.chosen)
    return (one for one in options if one.rank not in taken and not told.hold(one.words))


def _excerpt(
    packing: _Packing, close: Sequence[Option], query: str, form: Format, count: Count
) -> None:
    """Choose a passage of those that do not fit whole, the most relevant first."""
    if packing.room < LEAST_EXCERPT:
        return
    too_long = [*islice(_untold(packing, close), MOST_EXCERPTS)]
    for still, option in zip(range(len(too_long), 0, -1), too_long, strict=True):
        room = packing.room // still
        if room < LEAST_EXCERPT:
            return
        cut = _cut(option, room, query_terms(query), form, count)
        if cut is not None:
            packing.excerpts[option.rank], cost = cut
            packing.room -= cost


def _cut(
    option: Option, room: int, terms: Sequence[str], form: Format, count: Count
) -> tuple[Item, int] | None:
    """Return the best passage of a memory that costs at most `room`, and what it costs; or None
    where that is none.
    """
    memory = option.match.memory
    sample = memory.content[:_SAMPLE]
    around, tokens = count([entry_as_sent(Item(memory, "", cut=True), form), sample])
    density = len(sample) / max(1, tokens)
    size = int((room - around) * density)
    while size >= LEAST_EXCERPT * density > 0:
        item = Item(memory, best_passage(memory.content, size, terms), cut=True)
        cost = count([entry_as_sent(item, form)])[0]
        if cost <= room:
            return item, cost
        size = int(size * 0.9 * (room - around) / (cost - around))
    return None


def _said(packing: _Packing, empty: Bundle) -> _Said:
    items = {one.rank: one.item for one in packing.chosen} | packing.excerpts
    missing = {one.rank for one in _untold(packing, packing.options)}
    not_whole = missing | packing.excerpts.keys()
    bundle = replace(
        empty,
        items=tuple(items[rank] for rank in sorted(items)),
        left_out=replace(
            empty.left_out,
            over_budget=len(missing),
            repeated=len(packing.options) - len(items) - len(missing),
        ),
        omitted=tuple(one.match.memory.id for one in packing.options if one.rank in not_whole),
    )
    return _Said(bundle, body_as_sent(bundle))


def _told(said: _Said, count: Count) -> Bundle:
    """Return the bundle with the ids of what is missing as far as there is room, or saying that
    even without them it measures more than its budget: the parts together may be more than their
    sum.
    """
    omitted = said.bundle.omitted
    for named in range(min(_NAMED, len(omitted)), 0, -1):
        told = _sized(replace(said.bundle, omitted=omitted[:named]), said.body, count)
        if told.used <= told.budget.most:
            return told
    return _sized(replace(said.bundle, omitted=()), said.body, count)


def _sized(bundle: Bundle, body: str, count: Count) -> Bundle:
    """Return the bundle saying how much it measures, that number included, or how much beyond its
    budget it would.
    """
    sized, used = bundle, bundle.budget.most
    # It ends: a number of more digits never measures less.
    while sized.used != used <= bundle.budget.most:
        sized = replace(bundle, used=used)
        used = count([body + rest_as_sent(sized)])[0]
    return replace(sized, used=used)
