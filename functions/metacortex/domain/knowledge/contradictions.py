"""Contradictions: pairs of facts that cannot both hold, and which of the two would give way.

Two facts contradict each other only if they speak of one subject in one namespace, under whichever
of its names, and hold at one common moment. Six kinds are told:

- `negation`: one denies what the other says, in its value or in its predicate.
- `antonym`: the values are opposites.
- `number`, `date`: figures that cannot be the same, whatever the unit or precision.
- `predicate_alias`: two predicates that ask for the same have different values.
- `multi_value`: a predicate that has one value at a time has several, and none was superseded.

A value that only says more than the other is none, and of predicates that have several values at a
time only a denial is. Severity: `high` where the values exclude each other as they are worded (the
first four kinds), `medium` where both may be meant; one step lower where one of the two is held
with less than `UNSURE` confidence.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from itertools import combinations

from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.readings import (
    Reading,
    amounts_differ,
    dates_differ,
    name_reading,
    reading_of,
    refines,
    same_words,
)
from metacortex.domain.knowledge.vocabulary import (
    TELLING,
    Asked,
    Vocabulary,
    asked_by,
    documented,
    extended,
)
from metacortex.domain.moment import Milliseconds

MOST_COMPARED = 200
"""Of more facts that answer one question the newest are compared."""
LONG = 6
"""From so many words on a value is a text: it can be denied, but two of them may well be true."""
_MOST_OPPOSED = 3
"""Opposites are told where no more words than so many differ."""
UNSURE = 0.5
SURER = 0.1
"""By so much more confidence a fact is kept before a newer one."""


class ContradictionKind(StrEnum):
    """How two facts contradict each other."""

    NEGATION = "negation"
    ANTONYM = "antonym"
    NUMBER = "number"
    DATE = "date"
    PREDICATE_ALIAS = "predicate_alias"
    MULTI_VALUE = "multi_value"


class Severity(StrEnum):
    """How bad it is, the worst first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


_SEVERITIES = tuple(Severity)
_WHY = {
    ContradictionKind.NEGATION: "one denies what the other says",
    ContradictionKind.ANTONYM: "the values are opposites",
    ContradictionKind.NUMBER: "the figures cannot be the same",
    ContradictionKind.DATE: "the dates cannot be the same",
    ContradictionKind.PREDICATE_ALIAS: "both predicates ask for the same",
    ContradictionKind.MULTI_VALUE: "one value at a time is expected",
}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two facts that cannot both hold: the one that would stay, and the one that would give way."""

    kind: ContradictionKind
    severity: Severity
    kept: Fact
    given_up: Fact

    @property
    def id(self) -> str:
        """The same for the same two facts, whenever they are compared."""
        ids = "\0".join(sorted((self.kept.id, self.given_up.id)))
        return f"con_{sha256(ids.encode()).hexdigest()[:32]}"

    @property
    def sentence(self) -> str:
        """What is wrong, in words that only the two facts lend."""
        one, other = (fact.memory.content for fact in (self.given_up, self.kept))
        return f"'{one}' and '{other}': {_WHY[self.kind]}."

    @property
    def reason(self) -> str:
        """Why the one would give way."""
        if _is_surer(self.kept, self.given_up):
            return "less certain"
        return "older"


def vocabulary_of(facts: Iterable[Fact]) -> Vocabulary:
    """Return the documented tables with what these facts add to them."""
    return extended(documented(), [fact for fact in facts if fact.details.predicate in TELLING])


def contradictions(
    facts: Iterable[Fact], vocabulary: Vocabulary, survivors: Mapping[str, str]
) -> tuple[Contradiction, ...]:
    """Return the contradictions among facts, the worst first, of equals by namespace, subject and
    id. `survivors` tell what entities stand for that were merged into others.
    """
    asked = {fact.details.predicate: asked_by(fact.details.predicate, vocabulary) for fact in facts}
    groups: dict[tuple[str, str, tuple[str, ...]], list[Fact]] = defaultdict(list)
    for fact in facts:
        if not fact.is_empty and fact.details.predicate not in TELLING:
            id_ = fact.details.subject_id
            key = fact.memory.namespace, survivors.get(id_, id_), asked[fact.details.predicate].key
            groups[key].append(fact)
    compared = (group for group in groups.values() if len(group) > 1)
    found = [each for group in compared for each in _within(group, asked, vocabulary, survivors)]
    return tuple(sorted(found, key=_order))


def _order(found: Contradiction) -> tuple[int, str, str, str]:
    memory, details = found.kept.memory, found.kept.details
    return _SEVERITIES.index(found.severity), memory.namespace, details.subject_id, found.id


def _within(
    group: Sequence[Fact],
    asked: Mapping[str, Asked],
    vocabulary: Vocabulary,
    survivors: Mapping[str, str],
) -> Iterator[Contradiction]:
    newest = sorted(group, key=_age, reverse=True)[:MOST_COMPARED]
    read = [_Read.of(fact, asked[fact.details.predicate], vocabulary, survivors) for fact in newest]
    for one, other in combinations(read, 2):
        are_at_once = one.fact.starts < other.fact.ends and other.fact.starts < one.fact.ends
        if are_at_once and (kind := _Pair(one, other, vocabulary).kind):
            kept, given_up = kept_first(one.fact, other.fact)
            yield Contradiction(kind, _severity(kind, kept, given_up), kept, given_up)


def kept_first(one: Fact, other: Fact) -> tuple[Fact, Fact]:
    """Return two facts, first the one that would stay: the clearly surer, else the newer, by when
    it began to hold, then by when it was recorded.
    """
    newer, older = sorted((one, other), key=_age, reverse=True)
    return (older, newer) if _is_surer(older, newer) else (newer, older)


def _age(fact: Fact) -> tuple[Milliseconds, Milliseconds, str]:
    return fact.starts, fact.memory.recorded_at, fact.id


def _is_surer(one: Fact, other: Fact) -> bool:
    sure, less = one.details.confidence, other.details.confidence
    return sure is not None and less is not None and sure - less >= SURER


def _severity(kind: ContradictionKind, one: Fact, other: Fact) -> Severity:
    step = 1 if kind in (ContradictionKind.PREDICATE_ALIAS, ContradictionKind.MULTI_VALUE) else 0
    confidences = (fact.details.confidence for fact in (one, other))
    if any(each is not None and each < UNSURE for each in confidences):
        step += 1
    return _SEVERITIES[step]


@dataclass(frozen=True, slots=True)
class _Read:
    """A fact with all readings of its value."""

    fact: Fact
    asked: Asked
    object_id: str | None
    named: Reading
    undated: Reading
    dated: Reading

    @classmethod
    def of(
        cls, fact: Fact, asked: Asked, vocabulary: Vocabulary, survivors: Mapping[str, str]
    ) -> "_Read":
        id_ = fact.details.object_id
        object_id = None if id_ is None else survivors.get(id_, id_)
        undated, dated = (
            reading_of(fact, asked, vocabulary, dated=dated) for dated in (False, True)
        )
        return cls(fact, asked, object_id, name_reading(fact, vocabulary), undated, dated)


@dataclass(frozen=True, slots=True)
class _Pair:
    one: _Read
    other: _Read
    vocabulary: Vocabulary

    @property
    def kind(self) -> ContradictionKind | None:
        """How they contradict each other, if they do."""
        left, right = self._readings()
        denial = self.one.asked.negated != self.other.asked.negated
        if self._is_same(left, right):
            negated = (left.negated != right.negated) != denial
            return ContradictionKind.NEGATION if negated else None
        if denial or left.negated or right.negated:
            return ContradictionKind.NEGATION if _is_none_of(left, right) else None
        return None if self._may_be_many(left, right) else self._difference(left, right)

    def _difference(self, left: Reading, right: Reading) -> ContradictionKind | None:
        if self._are_opposite(left, right):
            return ContradictionKind.ANTONYM
        if refines(left, right) or refines(right, left):
            if dates_differ(left, right):
                return ContradictionKind.DATE
            return ContradictionKind.NUMBER if amounts_differ(left, right) else None
        if max(left.size, right.size) >= LONG:
            return None
        if self.one.fact.details.predicate != self.other.fact.details.predicate:
            return ContradictionKind.PREDICATE_ALIAS
        return ContradictionKind.MULTI_VALUE

    def _readings(self) -> tuple[Reading, Reading]:
        one, other = self.one, self.other
        if self._ids != {None}:
            return one.named, other.named
        dates = one.asked.names_dates or other.asked.names_dates
        if dates or bool(one.undated.dates) != bool(other.undated.dates):
            return one.dated, other.dated
        return one.undated, other.undated

    def _is_same(self, left: Reading, right: Reading) -> bool:
        if None not in self._ids:
            return len(self._ids) == 1
        return (
            same_words(left, right)
            and left.figures == right.figures
            and not amounts_differ(left, right)
            and not dates_differ(left, right)
        )

    @property
    def _ids(self) -> set[str | None]:
        return {self.one.object_id, self.other.object_id}

    def _are_opposite(self, left: Reading, right: Reading) -> bool:
        ours, theirs = set(left.words) - set(right.words), set(right.words) - set(left.words)
        if len(ours) + len(theirs) > _MOST_OPPOSED:
            return False
        return any(self.vocabulary.exclude(a, b) for a in ours for b in theirs)

    def _may_be_many(self, left: Reading, right: Reading) -> bool:
        are_counts = left.is_amount and right.is_amount
        return all(
            each.asked.is_many or (each.asked.is_plural and not are_counts)
            for each in (self.one, self.other)
        )


def _is_none_of(left: Reading, right: Reading) -> bool:
    """Whether one says that there is nothing, and the other that there is something."""
    nothing, something = (left, right) if left.negated else (right, left)
    return nothing.negated and not (nothing.size or something.negated) and something.size > 0
