"""Vocabulary: which words exclude each other, and which predicates ask for the same, as looked up.

A tenant adds to the documented tables by facts of its own, which hold, are seen and are taken back
as any fact: `uses_store predicate_alias_of uses_database`, `crimson antonym_of teal`,
`pg synonym_of postgresql`, `ships_to is_multi_valued yes` (or `no`, for one value at a time).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product

from metacortex.domain.knowledge import predicate_tables, value_tables
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.words.folding import folded, plain
from metacortex.domain.words.stemming import stem
from metacortex.domain.words.telling_words import NEGATIONS

ALIAS_OF, ANTONYM_OF, SYNONYM_OF, IS_MULTI_VALUED = TELLING = (
    "predicate_alias_of",
    "antonym_of",
    "synonym_of",
    "is_multi_valued",
)
"""The predicates by which a tenant adds to the tables."""

Words = tuple[str, ...]
"""Words as stems, in order."""

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_FEW = ("ss", "us", "is")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The tables, words as stems."""

    antonyms: frozenset[tuple[str, str]]
    synonyms: Mapping[str, str]
    aliases: Mapping[Words, Words]
    """From the words of a predicate to those that stand for all of its group."""
    denials: Mapping[Words, Words]
    """From the words of a predicate to those of the one that it denies."""
    many: frozenset[Words]
    single: frozenset[Words] = field(default=frozenset())
    """Those of which a tenant has said so."""

    def exclude(self, one: str, other: str) -> bool:
        """Whether two stems are opposites, by the tables or by how one begins."""
        if (_ungendered(one), _ungendered(other)) in self.antonyms:
            return True
        shorter, longer = sorted((one, other), key=len)
        beginning = longer.removesuffix(shorter)
        is_opposite = longer != beginning and beginning in value_tables.OPPOSITE_BEGINNINGS
        return is_opposite and len(shorter) > 3


@dataclass(frozen=True, slots=True)
class Asked:
    """What a predicate asks for."""

    key: Words
    """Equal for predicates that ask for the same."""
    negated: bool
    """Whether it says that what follows is not so."""
    is_many: bool
    """Whether several values may be true at a time."""
    is_plural: bool
    """Whether it is a plural, which names many or tells how many they are."""
    names_dates: bool
    words: frozenset[str]
    stems: frozenset[str]


@cache
def documented() -> Vocabulary:
    """Return the tables of the product."""
    synonyms = {
        stem_of(word): stem_of(row[0]) for row in _rows(value_tables.SYNONYMS) for word in row
    }
    pairs = (row.split("|") for row in value_tables.ANTONYMS.strip().splitlines())
    antonyms = {
        (_ungendered(synonyms.get(one, one)), _ungendered(synonyms.get(other, other)))
        for left, right in pairs
        for one, other in product(map(stem_of, left.split()), map(stem_of, right.split()))
    }
    denials = (row.split(">") for row in predicate_tables.NEGATED_PREDICATES.strip().splitlines())
    return Vocabulary(
        antonyms=frozenset(antonyms | {(other, one) for one, other in antonyms}),
        synonyms=synonyms,
        aliases=_aliases(),
        denials={
            tuple(map(stem, parts_of(name))): key_of(said.strip())
            for names, said in denials
            for name in names.split()
        },
        many=frozenset(map(_telling, predicate_tables.MANY_VALUED.split())),
    )


def _aliases() -> dict[Words, Words]:
    aliases: dict[Words, Words] = {}
    for row in _rows(predicate_tables.PREDICATE_ALIASES):
        keys = [key_of(name) for name in row]
        first = aliases.get(keys[0], keys[0])
        for key in keys:
            aliases.setdefault(key, first)
    return aliases


def extended(vocabulary: Vocabulary, facts: Iterable[Fact]) -> Vocabulary:
    """Return the tables with what a tenant has told of its own words."""
    told = [(fact.details.predicate, fact.details.subject, fact.details.object) for fact in facts]
    if not told:
        return vocabulary
    opposites = {
        (_ungendered(stem_of(a)), _ungendered(stem_of(b)))
        for how, a, b in told
        if how == ANTONYM_OF
    }
    synonyms = {stem_of(a): stem_of(b) for how, a, b in told if how == SYNONYM_OF}
    aliases = {
        key_of(a): vocabulary.aliases.get(key_of(b), key_of(b))
        for how, a, b in told
        if how == ALIAS_OF
    }
    counted = [(_telling(a), folded(b)) for how, a, b in told if how == IS_MULTI_VALUED]
    no = {"no", *value_tables.NO.split()}
    single = {key for key, answer in counted if answer in no}
    return Vocabulary(
        antonyms=vocabulary.antonyms | opposites | {(b, a) for a, b in opposites},
        synonyms={**vocabulary.synonyms, **synonyms},
        aliases={**vocabulary.aliases, **aliases},
        denials=vocabulary.denials,
        many=(vocabulary.many | {key for key, _ in counted}) - single,
        single=vocabulary.single | single,
    )


def asked_by(predicate: str, vocabulary: Vocabulary) -> Asked:
    """Return what a predicate asks for."""
    words = parts_of(predicate)
    stems, bare = tuple(map(stem, words)), key_of(predicate)
    if stems in vocabulary.denials:
        key, negated = vocabulary.denials[stems], True
    else:
        key, negations = (
            vocabulary.denials.get(bare, bare),
            [*filter(NEGATIONS.__contains__, words)],
        )
        negated = (len(negations) % 2 == 1) != (bare in vocabulary.denials)
    return Asked(
        key=vocabulary.aliases.get(key, key),
        negated=negated,
        is_many=_is_many(predicate, vocabulary),
        is_plural=_is_plural(predicate, vocabulary),
        names_dates=not _stems(predicate_tables.DATED).isdisjoint(stems),
        words=frozenset(words),
        stems=frozenset(stems),
    )


def key_of(predicate: str) -> Words:
    """Return what predicates share that only tell who and by whom, or with words that say nothing:
    `owner`, `has_owner`, `owned_by`.
    """
    words = [*_telling(predicate)]
    if words[-1:] == ["by"]:
        del words[-1]
    return tuple(map(_without_agent, words))


def _telling(predicate: str) -> Words:
    """Return the words of a predicate that say what it asks for."""
    stems = tuple(stem(word) for word in parts_of(predicate) if word not in NEGATIONS)
    telling = tuple(_SHORT.get(each, each) for each in stems if each not in _silent())
    return telling or stems


def parts_of(name: str) -> list[str]:
    """Return the words of an identifier or text, folded: `usesDatabase` has two."""
    return [folded(part) for part in _PARTS.findall(plain(name))]


def stem_of(word: str) -> str:
    """Return the stem of a word as it is written."""
    return stem(folded(plain(word).strip()))


def _without_agent(word: str) -> str:
    """Return the stem of who does something as that of what is done: `conductor`, `conducted`."""
    return word[:-2] if len(word) > 5 and word.endswith(("er", "or")) else word


def _ungendered(word: str) -> str:
    """Return a stem without the last letter by which Romance languages and German inflect."""
    return word[:-1] if len(word) > 4 and word[-1] in "aoes" else word


_SHORT = {"db": "databas", "lang": "languag", "addr": "addres", "repo": "repository"} | {
    "auth": "authenticat",
    "config": "configur",
    "env": "environ",
    "max": "maximum",
    "min": "minimum",
    "num": "number",
}
"""What predicates shorten, as stems."""


def _is_many(predicate: str, vocabulary: Vocabulary) -> bool:
    if _telling(predicate) in vocabulary.many:
        return True
    if key_of(predicate) in vocabulary.aliases or _telling(predicate) in vocabulary.single:
        return False
    words = parts_of(predicate)
    verbs = _words(predicate_tables.VERBS_OF_MANY)
    before = _words(predicate_tables.BEFORE_MANY)
    return not (before.isdisjoint(words[-1:]) and verbs.isdisjoint(words[:1]))


def _is_plural(predicate: str, vocabulary: Vocabulary) -> bool:
    words = parts_of(predicate)
    if not words or not _words(predicate_tables.COUNTED).isdisjoint(words):
        return False
    last = words[-1]
    if last in _words(predicate_tables.SINGULAR_IN_S) or last.endswith(_FEW):
        return False
    # The plural of a predicate that has one value is one that has many.
    is_listed = "_".join(words) in _words(predicate_tables.PREDICATE_ALIASES)
    is_said = is_listed or _telling(predicate) in vocabulary.single
    return last.endswith("s") and len(last) > 3 and not is_said


def _rows(table: str) -> Iterator[list[str]]:
    return (row.split() for row in table.strip().splitlines())


@cache
def _words(table: str) -> frozenset[str]:
    return frozenset(map(folded, table.split()))


@cache
def _stems(table: str) -> frozenset[str]:
    return frozenset(map(stem, _words(table)))


def _silent() -> frozenset[str]:
    return _stems(value_tables.SILENT)
