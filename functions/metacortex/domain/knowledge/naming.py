"""Names in texts: how a text is cut into words, what in it is a name by the way it is written, and
where a known name stands in it.

A name is found as whole words only: *scale* does not mention Cal, and *Cal-9* is one word. What is
written together by dots, slashes or colons is one word and each of its parts another: a text that
says `PaymentLedger.close` mentions PaymentLedger. Where names overlap the longest counts: of *Ana
Lopez* only Ana Lopez is mentioned, not Ana.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from metacortex.domain.knowledge.entity import Entity, EntityType, folded_name
from metacortex.domain.redaction import MARK
from metacortex.domain.words.folding import plain
from metacortex.domain.words.stop_words import STOP_WORDS

MOST_READ = 50_000
"""How many characters of a text are looked through."""
MOST_FOUND = 32
"""How many names, that nobody has given, one text brings in."""
MOST_BEGINNINGS = 300
"""How many of its words are looked for as the beginnings of known names."""

_WORD = re.compile(r"\w+(?:[-\u2010.'/\\:@]+\w+)*(?:(?<=[A-Za-z])(?:\+\+|#))?|[.,;:!?(){}\[\]\"]")
_PARTS = re.compile(r"[.'/\\:@]+")
_LONGEST_CODE = 40
"""Longer words without underscores are keys or encoded bytes rather than names."""
_SNAKE = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+")
_CAMEL = re.compile(r"[A-Za-z][A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*")
_ACRONYM = re.compile(r"[A-Z][A-Z0-9]{1,9}")
_TICKET = re.compile(r"[A-Z]{2,10}-\d{1,7}")
_FILE = re.compile(
    r"(?:[\w.-]+[/\\])*[\w.-]*\w\."
    r"(?:c|cc|cpp|cs|css|go|h|html|java|js|json|jsx|kt|md|php|py|rb|rs|sh|sql|swift|toml|ts|tsx"
    r"|txt|xml|ya?ml)"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text as it is written, and folded as names are; or a mark between words, which
    no name reaches across that has none there.
    """

    written: str
    folded: str

    @property
    def is_mark(self) -> bool:
        """Whether it is no word."""
        return len(self.written) == 1 and not (self.written.isalnum() or self.written == "_")

    @property
    def parts(self) -> list[str]:
        """What it is written together of, each by itself; nothing where it is of one part."""
        if self.written.isalnum():
            return []
        parts = [part for part in _PARTS.split(self.written) if part.strip("_")]
        return parts if len(parts) > 1 else []


def words_of(text: str) -> list[Word]:
    """Return the words of the beginning of a text, in order."""
    readable = MARK.sub(" . ", plain(text[:MOST_READ]))
    return [
        Word(written, written.casefold())
        for found in _WORD.findall(readable)
        if (written := _without_possessive(found))
    ]


def beginning_of(name: str) -> str:
    """Return the first word of a name, folded, that is no common word, or its first where all are;
    nothing where it has none.
    """
    words = [word.folded for word in words_of(name) if not word.is_mark]
    return next((word for word in words if word not in STOP_WORDS), words[0] if words else "")


def beginnings(words: Iterable[Word]) -> list[str]:
    """Return what known names may begin with that a text mentions, each once, in order; of a very
    long text, of its first words.
    """
    found: dict[str, None] = {}
    for word in words:
        if word.is_mark:
            continue
        for written in (word.written, *word.parts):
            folded = written.casefold()
            # A name such as IT begins like a common word, which is not looked for in every text.
            if folded not in STOP_WORDS or written[:1].isupper():
                found[folded] = None
    return [*found][:MOST_BEGINNINGS]


def names_in(words: Sequence[Word]) -> dict[str, EntityType]:
    """Return the names in a text that are known by how they are written, each as it is written
    first, in order: identifiers, files and acronyms.
    """
    found: dict[str, tuple[str, EntityType]] = {}
    shouted = _is_shouted(words)
    for word in words:
        # Most are, and no name is known by that.
        if word.written.isalpha() and word.written.islower():
            continue
        for name, type_ in _names_of(word, shouted):
            if len(found) < MOST_FOUND:
                found.setdefault(folded_name(name), (name, type_))
    return dict(found.values())


def mentioned(words: Sequence[Word], known: Iterable[Entity]) -> list[str]:
    """Return the ids of the known entities that a text mentions, in order of their first places."""
    by_words = {_words_of_name(each.name): each for each in known}
    longest = max(map(len, by_words), default=0)
    found: dict[str, None] = {}
    at = 0
    while at < len(words):
        name = _longest_at(words, at, by_words, longest)
        if name is None:
            found |= dict.fromkeys(_of_parts(words[at], by_words))
            at += 1
        else:
            found[by_words[name].id] = None
            at += len(name)
    return [*found]


def _words_of_name(name: str) -> tuple[str, ...]:
    words = words_of(name)
    while words and words[-1].is_mark:
        words.pop()
    while words and words[0].is_mark:
        words.pop(0)
    return tuple(word.folded for word in words)


def _longest_at(
    words: Sequence[Word], at: int, by_words: Mapping[tuple[str, ...], Entity], longest: int
) -> tuple[str, ...] | None:
    for length in range(min(longest, len(words) - at), 0, -1):
        there = words[at : at + length]
        name = tuple(word.folded for word in there)
        entity = by_words.get(name)
        if entity is not None and not _is_common(there, entity):
            return name
    return None


def _of_parts(word: Word, by_words: Mapping[tuple[str, ...], Entity]) -> Iterator[str]:
    for part in word.parts:
        entity = by_words.get((part.casefold(),))
        if entity is not None and not _is_common([Word(part, part.casefold())], entity):
            yield entity.id


def _is_common(there: Sequence[Word], entity: Entity) -> bool:
    """Whether what stands there is a common word rather than a name that is spelled like one."""
    (word, *more) = there
    return not more and word.folded in STOP_WORDS and word.written != plain(entity.name).strip()


def _names_of(word: Word, shouted: bool) -> Iterator[tuple[str, EntityType]]:
    written = word.written
    if "://" in written or "@" in written:
        return
    if _FILE.fullmatch(written):
        yield written, EntityType.FILE
        return
    for part in word.parts or [written]:
        if (type_ := _type_of(part, shouted)) is not None:
            yield part, type_


def type_of(name: str) -> EntityType:
    """Return what the way in which a name is written tells of what it names."""
    written = plain(name).strip()
    if _FILE.fullmatch(written):
        return EntityType.FILE
    return _type_of(written, shouted=False) or EntityType.NAME


def _type_of(written: str, shouted: bool) -> EntityType | None:
    if _SNAKE.fullmatch(written) and len(written) <= 2 * _LONGEST_CODE:
        return EntityType.IDENTIFIER
    if len(written) > _LONGEST_CODE:
        return None
    if _TICKET.fullmatch(written) or _CAMEL.fullmatch(written):
        return EntityType.IDENTIFIER
    if _ACRONYM.fullmatch(written) and not shouted and _has_letters(written):
        return EntityType.ACRONYM
    return None


def _has_letters(written: str) -> bool:
    letters = sum(character.isalpha() for character in written)
    return letters >= 2 and written.casefold() not in STOP_WORDS


def _is_shouted(words: Sequence[Word]) -> bool:
    """Whether a text is written in capitals, where these tell nothing."""
    letters = [word.written for word in words if word.written.isalpha() and len(word.written) > 1]
    return len(letters) > 4 and 2 * sum(map(str.isupper, letters)) > len(letters)


def _without_possessive(word: str) -> str:
    return word[:-2] if word[-2:] in ("'s", "'S") else word
