"""Which known names are like another: what is proposed as perhaps the same, and never taken for it.

Codes that are not the same are never alike, whatever spellings and vectors say: of QXRT and QXRS,
JIRA-1234 and JIRA-1235, TLS 1.2 and TLS 1.3 each is another thing.

Spellings are compared by the standard library's `difflib`: a store hands over no more than a few
hundred names that have letters in common, for which no further package is worth its place.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from metacortex.domain.knowledge.entity import Entity, EntityType, folded_name
from metacortex.domain.knowledge.fact import spoken
from metacortex.domain.knowledge.naming import beginning_of, type_of
from metacortex.domain.ranking import nearness

LIKE = 0.85
"""How much two spellings of one name have in common at least, and how near their
meanings are, where texts that have nothing in common are at 0.
"""
MOST_KEYS = 30
"""How many keys are looked for at once."""
MOST_COMPARED = 300
"""How many names are compared with one."""
_GRAM = 3
_NUMBER = re.compile(r"\d+")
_PATH = re.compile(r".*[/\\]")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_KEY = 64


class Stage(StrEnum):
    """What tells that two names are alike."""

    EXACT = "exact"
    """They are the same, or one is an alias of the other."""
    FUZZY = "fuzzy"
    """Their spelling."""
    EMBEDDING = "embedding"
    """Their meaning."""


@dataclass(frozen=True, slots=True)
class Described:
    """A name, and texts that speak of what it stands for: what a judge is shown of each of two."""

    name: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """An entity, and the cosine of its name's vector with another."""

    entity: Entity
    cosine: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """An entity that may be meant, and how alike the names are, up to 1."""

    entity: Entity
    score: float
    stage: Stage = Stage.FUZZY


def beginning_key(word: str) -> str:
    """Return the key under which names that begin with this folded word are found, and perhaps
    others whose first word is as long.
    """
    return f"={word[:_LONGEST_KEY]}"


def likeness_keys(name: str) -> list[str]:
    """Return the keys that names which are like this one, or hold it, are found under."""
    bare = _bare(name)
    grams = (bare[at : at + _GRAM] for at in range(max(1, len(bare) - _GRAM + 1)))
    return [f"~{gram}" for gram in dict.fromkeys(grams) if gram]


def keys_of(name: str) -> tuple[str, ...]:
    """Return all keys that a name is found under."""
    beginning = beginning_of(name)
    first = [beginning_key(beginning)] if beginning else []
    return (*first, *likeness_keys(name))


def proposals(
    name: str, known: Iterable[Entity], near: Iterable[Near] = (), unrelated: float = 0.0
) -> list[Proposal]:
    """Return the entities that a name may mean: its `doubles`, and those whose names hold it as
    whole words; the most alike first, but not those of this very name.
    """
    known = [*known]
    return _in_order(name, [*doubles(name, known, near, unrelated), *_holding(name, known)])


def doubles(
    name: str, known: Iterable[Entity], near: Iterable[Near], unrelated: float
) -> list[Proposal]:
    """Return the entities that may be the same as one of a new name, each once, the most alike
    first: by their spelling, of those that are known, and by their meaning, of those that are near,
    in a space where texts that have nothing in common have the cosine `unrelated`.
    """
    of_meaning = (
        Proposal(each.entity, round(score, 3), Stage.EMBEDDING)
        for each in near
        if (score := nearness(each.cosine, unrelated)) >= LIKE
        and not are_two_codes(name, each.entity.name)
    )
    return _in_order(name, [*_spelled_alike(name, known), *of_meaning])


def are_two_codes(name: str, other: str) -> bool:
    """Whether two names differ where no two names of one thing do: in a number, in a last word of
    one letter, in the name of a file, or in any letter where both are written in capitals, or one
    of them and as long.
    """
    bare, other_bare = _bare(name), _bare(other)
    if bare == other_bare:
        return False
    if _NUMBER.findall(folded_name(name)) != _NUMBER.findall(folded_name(other)):
        return True
    letters = {_last_letter(name), _last_letter(other)}
    if len(letters) > 1 and "" not in letters:
        return True
    if type_of(name) is type_of(other) is EntityType.FILE:
        return _PATH.sub("", folded_name(name)) != _PATH.sub("", folded_name(other))
    codes = [_is_code(name), _is_code(other)]
    return all(codes) or (any(codes) and len(bare) == len(other_bare))


def _last_letter(name: str) -> str:
    """Return the last word of a name where that is one letter, as of backend_a and CustomerA."""
    *_, last = _words(name).split() or [""]
    return last if len(last) == 1 else ""


def _is_code(name: str) -> bool:
    return name.isupper() and len(name.split()) == 1


def _in_order(name: str, found: Iterable[Proposal]) -> list[Proposal]:
    """Return what was found, each entity once, by the first stage that did, with the best score of
    that; but those of the name itself.
    """
    told: dict[str, Proposal] = {}
    for each in found:
        if folded_name(each.entity.name) == folded_name(name):
            continue
        earlier = told.setdefault(each.entity.id, each)
        if each.stage is earlier.stage and each.score > earlier.score:
            told[each.entity.id] = each
    return sorted(told.values(), key=lambda each: (-each.score, each.entity.id))


def _holding(name: str, known: Iterable[Entity]) -> Iterator[Proposal]:
    words, matcher = _words(name), _matcher(name)
    for entity in known:
        if words in _words(entity.name):
            matcher.set_seq1(_bare(entity.name))
            yield Proposal(entity, round(matcher.ratio(), 3))


def _spelled_alike(name: str, known: Iterable[Entity]) -> Iterator[Proposal]:
    matcher = _matcher(name)
    for entity in known:
        matcher.set_seq1(_bare(entity.name))
        # The bounds are quick, and most names are beyond them.
        if matcher.real_quick_ratio() < LIKE or matcher.quick_ratio() < LIKE:
            continue
        if (score := matcher.ratio()) >= LIKE and not are_two_codes(name, entity.name):
            yield Proposal(entity, round(score, 3))


def _matcher(name: str) -> "SequenceMatcher[str]":
    return SequenceMatcher(None, "", _bare(name), autojunk=False)


def _words(name: str) -> str:
    """Return the words of a name between spaces: `auth_service` has two, and `Cal` is none of
    `Calico`.
    """
    return f" {' '.join(_WORD.findall(folded_name(spoken(name))))} "


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, folded_name(name)))
