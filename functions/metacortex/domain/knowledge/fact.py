"""A fact: one statement about an entity, with the interval in which it is true in the world."""

import re
from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum

from metacortex.domain.details import FactDetails
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.words.folding import plain

IMPORTANCES = {"vital": 1.0, "supplementary": 0.5}
"""Importance in words (seed 001)."""
CONFIDENCES = {"low": 0.3, "medium": 0.6, "high": 0.9}
"""Confidence in words."""

BEGINNING = -(2**62)
"""What stands for a start that is not known: before every other."""
OPEN = 2**62
"""What stands for an end that is not known: after every other."""


_JOINTS = re.compile(r"[_-]+|(?<=[a-z0-9])(?=[A-Z])")


class Currency(StrEnum):
    """How a fact stands to a moment."""

    CURRENT = "current"
    FUTURE = "future"
    """It holds from a later moment on."""
    ENDED = "ended"
    SUPERSEDED = "superseded"
    """It has ended, and another took its place."""
    CORRECTED = "corrected"
    """It never held."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A memory of kind fact, read as a statement.

    Raises:
        ValueError: the memory is of another kind.
    """

    memory: Memory

    def __post_init__(self) -> None:
        if not isinstance(self.memory.details, FactDetails):
            raise ValueError(f"a {self.memory.kind} is no fact")

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.memory.id

    @property
    def details(self) -> FactDetails:
        """What is stated."""
        assert isinstance(self.memory.details, FactDetails)
        return self.memory.details

    @property
    def timeline(self) -> tuple[str, str, str]:
        """Namespace, subject and predicate: what facts share that can follow one another."""
        return self.memory.namespace, self.details.subject_id, self.details.predicate

    @property
    def starts(self) -> Milliseconds:
        """The first moment at which it holds, or `BEGINNING`."""
        return self.memory.valid_from.at if self.memory.valid_from else BEGINNING

    @property
    def ends(self) -> Milliseconds:
        """The first moment at which it holds no more, or `OPEN`."""
        return self.memory.valid_until.at if self.memory.valid_until else OPEN

    @property
    def is_empty(self) -> bool:
        """Whether it was corrected: it never held."""
        return self.ends <= self.starts

    def states_same_as(self, other: "Fact", one_object: Set[str] = frozenset()) -> bool:
        """Whether two facts of a timeline state the same. `one_object` are the ids of one entity,
        which is one value under each.
        """
        ours, theirs = self.details, other.details
        if ours.object_id is None or theirs.object_id is None:
            return ours.object_id == theirs.object_id and ours.object == theirs.object
        return (
            ours.object_id == theirs.object_id or {ours.object_id, theirs.object_id} <= one_object
        )

    def agrees_with(self, other: "Fact", one_object: Set[str] = frozenset()) -> bool:
        """Whether two facts about one thing state the same under different names of it: then both
        may hold at one moment, however singular they are.
        """
        return self.timeline != other.timeline and self.states_same_as(other, one_object)

    def holds_at(self, at: Milliseconds) -> bool:
        """Whether it is true at a moment: start included, end excluded."""
        return self.starts <= at < self.ends

    def currency_at(self, at: Milliseconds) -> Currency:
        """How it stands to a moment, by its interval alone."""
        if self.is_empty:
            return Currency.CORRECTED
        if at < self.starts:
            return Currency.FUTURE
        if at < self.ends:
            return Currency.CURRENT
        return Currency.SUPERSEDED if self.memory.superseded_by else Currency.ENDED


def in_time(fact: Fact) -> tuple[Milliseconds, Milliseconds, str]:
    """Return what facts are ordered by: when they start, then when they were recorded."""
    return fact.starts, fact.memory.recorded_at, fact.id


def sentence_of(subject: str, predicate: str, value: str) -> str:
    """Return the sentence of a statement, which is what is searched and shown: `auth service:
    signing algorithm is Ed25519` is said as `auth_service signing_algorithm Ed25519`.
    """
    return f"{subject} {predicate} {value}"


def one_spelling(predicate: str) -> str:
    """Return a predicate in the one spelling in which it is kept: `Signing Algorithm`,
    `signing-algorithm` and `signingAlgorithm` are `signing_algorithm`. Else two spellings would be
    two timelines, and what one of them says would stay true beside what the other says later.
    """
    return "_".join(spoken(plain(predicate)).lower().split()) or predicate


def spoken(predicate: str) -> str:
    """Return a predicate as the words that it is made of, by which meaning is found:
    `signing_algorithm` and `signingAlgorithm` are a signing algorithm.
    """
    return _JOINTS.sub(" ", predicate).strip()
