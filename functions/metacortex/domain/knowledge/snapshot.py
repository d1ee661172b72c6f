"""What held at a moment: the facts of it, by what they are recognized, and what changed between
two.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metacortex.domain.integrity import digest
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.moment import moment_json


def snapshot_hash(facts: Iterable[Fact]) -> str:
    """Return what a set of facts is recognized by, in whatever order they come.

    It is the SHA-256 of the RFC 8785 form of `{"v": 1, "facts": […]}`, which lists for each fact,
    sorted by its digest and its id, `{"sha256", "valid_from", "valid_until"}`: bounds as they are
    stored, null where there is none. So it changes with what is stated and with how long it is
    known to hold, and with nothing else.
    """
    ordered = sorted(facts, key=lambda fact: (fact.memory.sha256, fact.id))
    listed: list[JSON] = [
        {
            "sha256": fact.memory.sha256,
            "valid_from": moment_json(fact.memory.valid_from),
            "valid_until": moment_json(fact.memory.valid_until),
        }
        for fact in ordered
    ]
    return digest({"v": 1, "facts": listed})


@dataclass(frozen=True, slots=True)
class Replaced:
    """A value that gave way to another of the same singular subject and predicate."""

    before: Fact
    after: Fact


@dataclass(frozen=True, slots=True)
class Passage:
    """What became of the facts between two moments."""

    began: tuple[Fact, ...]
    ended: tuple[Fact, ...]
    changed: tuple[Replaced, ...]


def passage(before: Sequence[Fact], after: Sequence[Fact]) -> Passage:
    """Return what holds of `after` and not of `before`, and the other way round, each in the order
    in which it came; what is one value of a singular fact in place of another has `changed`.
    """
    earlier, later = ({fact.id for fact in facts} for facts in (before, after))
    ended = [fact for fact in before if fact.id not in later]
    began = [fact for fact in after if fact.id not in earlier]
    successor = {fact.timeline: fact for fact in began if fact.details.singular}
    changed = tuple(
        Replaced(fact, successor[fact.timeline])
        for fact in ended
        if fact.details.singular and fact.timeline in successor
    )
    replaced = {fact.id for pair in changed for fact in (pair.before, pair.after)}
    return Passage(
        tuple(fact for fact in began if fact.id not in replaced),
        tuple(fact for fact in ended if fact.id not in replaced),
        changed,
    )
