"""What held at a moment: the facts and the episodes of it, by what they are recognized, and what
changed between two.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from metacortex.domain.integrity import digest
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.memory import Memory
from metacortex.domain.moment import moment_json

Told = TypeVar("Told", Fact, Memory)


@dataclass(frozen=True, slots=True)
class Held:
    """What held at a moment: facts by subject and predicate, and the newest episodes first."""

    facts: tuple[Fact, ...] = ()
    episodes: tuple[Memory, ...] = ()

    @property
    def hash(self) -> str:
        """What it is recognized by, in whatever order it comes.

        It is the SHA-256 of the RFC 8785 form of `{"v": 2, "facts": […], "episodes": […]}`. Both
        list for each of them, sorted by digest and id, `{"sha256", "valid_from", "valid_until"}`:
        bounds as they are stored, null where there is none. So it changes with what is told and
        with how long that is known to hold, and with nothing else.
        """
        facts = _listed(fact.memory for fact in self.facts)
        return digest({"v": 2, "facts": facts, "episodes": _listed(self.episodes)})


def _listed(memories: Iterable[Memory]) -> list[JSON]:
    return [
        {
            "sha256": memory.sha256,
            "valid_from": moment_json(memory.valid_from),
            "valid_until": moment_json(memory.valid_until),
        }
        for memory in sorted(memories, key=lambda memory: (memory.sha256, memory.id))
    ]


@dataclass(frozen=True, slots=True)
class Replaced:
    """A value that gave way to another of the same singular subject and predicate."""

    before: Fact
    after: Fact


@dataclass(frozen=True, slots=True)
class Passage:
    """What became of what held between two moments."""

    began: tuple[Fact, ...]
    ended: tuple[Fact, ...]
    changed: tuple[Replaced, ...]
    episodes_began: tuple[Memory, ...] = ()
    episodes_ended: tuple[Memory, ...] = ()


def passage(before: Held, after: Held) -> Passage:
    """Return what holds of `after` and not of `before`, and the other way round, each in the order
    in which it came; what is one value of a singular fact in place of another has `changed`. A
    value that was stated under another name of the subject is known by what it names in its place.
    """
    ended, began = _only(before.facts, after.facts), _only(after.facts, before.facts)
    singular = [fact for fact in began if fact.details.singular]
    following = {fact.timeline: fact for fact in singular}
    named = {(fact.id, fact.details.predicate): fact for fact in singular}
    changed = tuple(
        Replaced(fact, successor)
        for fact in ended
        if fact.details.singular
        and (
            successor := following.get(fact.timeline)
            or named.get((fact.memory.superseded_by or "", fact.details.predicate))
        )
    )
    replaced = {fact.id for pair in changed for fact in (pair.before, pair.after)}
    return Passage(
        tuple(fact for fact in began if fact.id not in replaced),
        tuple(fact for fact in ended if fact.id not in replaced),
        changed,
        _only(after.episodes, before.episodes),
        _only(before.episodes, after.episodes),
    )


def _only(these: Sequence[Told], others: Sequence[Told]) -> tuple[Told, ...]:
    """Return those that are not among the others."""
    elsewhere = {each.id for each in others}
    return tuple(each for each in these if each.id not in elsewhere)
