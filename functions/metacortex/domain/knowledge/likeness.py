"""Which known names are like another: what is proposed as perhaps the same, and never taken for it.

Spellings are compared by the standard library's `difflib`: a store hands over no more than a few
hundred names that have letters in common, for which no further package is worth its place.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from metacortex.domain.knowledge.entity import Entity, folded_name
from metacortex.domain.knowledge.fact import spoken
from metacortex.domain.knowledge.naming import beginning_of

LIKE = 0.85
"""How much two spellings have in common of one name, at least."""
MOST_KEYS = 30
"""How many keys are looked for at once."""
MOST_COMPARED = 300
"""How many names are compared with one."""
_GRAM = 3
_WORD = re.compile(r"[^\W_]+")
_LONGEST_KEY = 64


@dataclass(frozen=True, slots=True)
class Proposal:
    """An entity that may be meant, and how alike the names are, up to 1."""

    entity: Entity
    score: float


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


def proposals(name: str, known: Iterable[Entity]) -> list[Proposal]:
    """Return the entities whose names are spelled like this one, or hold it as whole words, the
    most alike first, but not those of this very name.
    """
    folded, found = folded_name(name), [*_alike(name, known)]
    others = [each for each in found if folded_name(each.entity.name) != folded]
    return sorted(others, key=lambda each: (-each.score, each.entity.id))


def _alike(name: str, known: Iterable[Entity]) -> Iterator[Proposal]:
    bare, words = _bare(name), _words(name)
    matcher = SequenceMatcher(None, "", bare, autojunk=False)
    for entity in known:
        other = _bare(entity.name)
        matcher.set_seq1(other)
        if words in _words(entity.name):
            yield Proposal(entity, round(matcher.ratio(), 3))
            continue
        # The bounds are quick, and most names are beyond them.
        if matcher.real_quick_ratio() < LIKE or matcher.quick_ratio() < LIKE:
            continue
        if (score := matcher.ratio()) >= LIKE:
            yield Proposal(entity, round(score, 3))


def _words(name: str) -> str:
    """Return the words of a name between spaces: `auth_service` has two, and `Cal` is none of
    `Calico`.
    """
    return f" {' '.join(_WORD.findall(folded_name(spoken(name))))} "


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, folded_name(name)))
