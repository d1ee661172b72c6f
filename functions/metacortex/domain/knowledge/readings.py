"""Readings: what the value of a fact says, taken apart so that two of them can be compared.

Words as stems, negations, quantities, dates and versions each by their own measure. `JWT_HS256`,
`us-east-1` and an address are names, whatever digits they have.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from metacortex.domain.knowledge import value_tables
from metacortex.domain.knowledge.dated import Dated, dates_in
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.quantities import (
    QUANTITY,
    UNITS,
    Quantity,
    agree,
    measured_in,
    quantity_of,
    with_digits,
    with_minutes,
)
from metacortex.domain.knowledge.vocabulary import Asked, Vocabulary
from metacortex.domain.knowledge.written_fractions import with_plain, with_vulgar
from metacortex.domain.words.folding import folded, plain
from metacortex.domain.words.stemming import stem
from metacortex.domain.words.telling_words import NEGATIONS

Version = tuple[int, ...]

LONGEST = 500
"""Of a longer value its beginning is compared."""
_LONGEST_ABBREVIATION = 20
"""A longer word is not looked at as one: how much there is to try grows with its letters."""

_NAME = (
    r"(?<![\w.:-])[^\W\d_][\w-]*(?:[-_]\w+|\d\w*)+|\d+(?:\.\d+){3}(?:[:/]\d+)?|\w+://\S+|\S+@\S+"
)
_VERSION = (
    r"(?<![\w.])(?!\d\d?\.\d\d?\.(?:19|20)\d\d|\d{1,3}(?:\.\d{3})+(?!\w))"
    r"v?\d+(?:\.\d+){2}(?![\w.]\w*)|(?<![\w.])v\d+(?:\.\d+)*(?!\w)"
)
_DOTTED = r"(?<![\w.])\d+(?:\.\d+)*(?!\w)"
_WORD = re.compile(r"[^\W_]+(?:\+\+|#)?")
_YES, _NO = (
    {folded(word) for word in table.split()} for table in (value_tables.YES, value_tables.NO)
)
_SILENT = frozenset(stem(folded(word)) for word in value_tables.SILENT.split())
_FRENCH = frozenset(("pas", "plus"))


@dataclass(frozen=True, slots=True)
class Reading:
    """A value, taken apart."""

    words: tuple[str, ...]
    negated: bool = False
    amounts: tuple[Quantity, ...] = ()
    dates: tuple[Dated, ...] = ()
    versions: tuple[Version, ...] = ()

    @property
    def written(self) -> str:
        """The words without what stands between: `read-only` is `readonly`, ä is ae."""
        return re.sub("(?<=[aou])e", "", "".join(self.words))

    @property
    def figures(self) -> tuple[int, int, int]:
        """How many quantities, dates and versions it has."""
        return len(self.amounts), len(self.dates), len(self.versions)

    @property
    def size(self) -> int:
        """How many words and figures it has."""
        return len(self.words) + sum(self.figures)

    @property
    def is_amount(self) -> bool:
        """Whether it is a quantity and nothing else."""
        return self.size == 1 == len(self.amounts)


def name_reading(fact: Fact, vocabulary: Vocabulary) -> Reading:
    """Return what the object of a fact is called: a name denies nothing and counts nothing."""
    called = plain(fact.details.object[:LONGEST]).casefold()
    return Reading(_stems(_WORD.findall(_separated(called)), vocabulary))


def reading_of(fact: Fact, asked: Asked, vocabulary: Vocabulary, *, dated: bool) -> Reading:
    """Return what a fact states of its subject; `dated` reads bare years as dates."""
    text = plain(with_vulgar(fact.details.object[:LONGEST])).casefold()
    text = _without_contractions(with_digits(text))
    whole = folded(text.strip(" .!"))
    if whole in _YES or whole in _NO:
        return Reading((), negated=whole in _NO)
    versions, text = _taken(_VERSION, text)
    names, text = _taken(_NAME, text)
    dates, text = dates_in(text, with_years=dated)
    if "version" in asked.words or "release" in asked.words:
        more, text = _taken(_DOTTED, text)
        versions += more
    amounts, text = _amounts(text, asked)
    words = [*_WORD.findall(_separated(text)), *_words_of_names(names)]
    plain_words = [word for word in words if folded(word) not in NEGATIONS]
    negations = len(words) - len(plain_words)
    if negations:
        plain_words = [word for word in plain_words if word not in _FRENCH]
    told = tuple(word for word in _stems(plain_words, vocabulary) if word not in asked.stems)
    return Reading(
        told,
        negations % 2 == 1,
        amounts,
        dates,
        tuple(tuple(int(part) for part in each.lstrip("v").split(".")) for each in versions),
    )


def same_words(one: Reading, other: Reading) -> bool:
    """Whether two values say the same but for figures and negations."""
    if one.written == other.written or set(one.words) == set(other.words):
        return True
    return _abbreviates(one.words, other.words) or _abbreviates(other.words, one.words)


def amounts_differ(one: Reading, other: Reading) -> bool:
    """Whether quantities or versions of two values cannot be the same."""
    amounts = zip(one.amounts, other.amounts, strict=False)
    versions = zip(one.versions, other.versions, strict=False)
    return any(agree(a, b) is False for a, b in amounts) or any(
        a[: len(b)] != b[: len(a)] for a, b in versions
    )


def dates_differ(one: Reading, other: Reading) -> bool:
    """Whether dates of two values cannot be the same."""
    pairs = zip(one.dates, other.dates, strict=False)
    return any(a.sort == b.sort and not a.meets(b) for a, b in pairs)


def refines(finer: Reading, other: Reading) -> bool:
    """Whether a value says what the other one does, and perhaps more."""
    has_words = set(other.words) <= set(finer.words) or finer.written == other.written
    figures = zip(other.figures, finer.figures, strict=True)
    return has_words and all(some <= more for some, more in figures)


def _abbreviates(short: Sequence[str], words: Sequence[str]) -> bool:
    """Whether one word is made of the beginnings of several: `aws`, `jsonl`."""
    if len(short) != 1 or not 1 < len(words) <= len(short[0]) <= _LONGEST_ABBREVIATION:
        return False
    return _begins_each(short[0], words)


def _begins_each(letters: str, words: Sequence[str]) -> bool:
    ends = {0}
    for word in words:
        ends = {
            end + length
            for end in ends
            for length in range(1, min(len(letters) - end, len(word)) + 1)
            if letters.startswith(word[:length], end)
        }
    return len(letters) in ends


def _amounts(text: str, asked: Asked) -> tuple[tuple[Quantity, ...], str]:
    """Return the quantities of a text, and the text without them."""
    unit = next((word for word in sorted(asked.words) if len(word) > 1 and word in UNITS), "")
    found: list[Quantity] = []

    def replaced(match: re.Match[str]) -> str:
        quantity, is_unit = quantity_of(match)
        found.append(measured_in(quantity, unit))
        return " " if is_unit else f" {match['unit'] or ''} "

    text = re.sub(QUANTITY, replaced, with_minutes(with_plain(text)))
    return tuple(found), text


def _taken(pattern: str, text: str) -> tuple[list[str], str]:
    found = [match[0] for match in re.finditer(pattern, text)]
    return found, re.sub(pattern, " ", text)


def _words_of_names(names: Sequence[str]) -> list[str]:
    return [word for name in names for word in _WORD.findall(_separated(name))]


def _without_contractions(text: str) -> str:
    text = re.sub(r"\bcannot\b", "can not", text)
    text = re.sub(r"(\w)n't\b", r"\1 not", text)
    text = re.sub(r"\bn'", "ne ", text)
    return re.sub(r"\bnon-?(?=[^\W\d_]{4})", "not ", text)


def _separated(text: str) -> str:
    return re.sub(r"[_/'-]+", " ", text)


def _stems(words: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    stems = [stem(folded(word)) for word in words]
    telling = [each for each in stems if each not in _SILENT] or stems
    return tuple(vocabulary.synonyms.get(each, each) for each in telling)
