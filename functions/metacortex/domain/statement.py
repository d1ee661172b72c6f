"""What a statement is made of: its words, and which of them are numbers, dates, versions, names or
negations.

It errs on the side of plain words: a text is not asked which language it is in.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from metacortex.domain.words.folding import folded, plain
from metacortex.domain.words.scripts import APART
from metacortex.domain.words.stemming import stem
from metacortex.domain.words.stop_words import STOP_WORDS
from metacortex.domain.words.telling_words import (
    BEFORE_NAMES_IN_GERMAN,
    BEFORE_VERSIONS,
    BEFORE_YEARS,
    DATE_JOINTS,
    DAYS,
    GERMAN,
    MONTHS,
    NEGATIONS,
    NUMBERS,
    UNSURE_MONTHS,
)
from metacortex.domain.words.written_numbers import number_terms


class MarkKind(Enum):
    """What a word is to a statement."""

    WORD = auto()
    OPENING = auto()
    """The capitalised first word of a sentence: a name or not."""
    NUMBER = auto()
    DATE = auto()
    NEGATION = auto()
    NAME = auto()
    VERSION = auto()


@dataclass(frozen=True, slots=True)
class Mark:
    """A word of a statement, in the form in which it is compared."""

    kind: MarkKind
    value: str

    @property
    def key(self) -> tuple[MarkKind, str]:
        """What equal words share: one that opens a sentence equals one within it."""
        is_word = self.kind in (MarkKind.OPENING, MarkKind.NAME)
        return MarkKind.WORD if is_word else self.kind, self.value


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    opens: bool
    """Whether it is the first of a sentence."""

    @property
    def folded(self) -> str:
        return folded(self.text)

    @property
    def is_number(self) -> bool:
        return self.text[:1].isdigit()


_Pieces = Sequence[_Piece]

_NEGATION = Mark(MarkKind.NEGATION, "not")
"""One is like another: who says that it never rains says, too, that it does not."""

_SIGNS = re.escape(".,;:!?\"'()[]{}…–—-·•¿¡«»„“”‘`´、。，！？：；「」『』（）")  # noqa: RUF001
# The sign and the point of a number belong to it.
_AROUND = re.compile(rf"^(?:(?![-.]\d)[{_SIGNS}])+|[{_SIGNS}]+$")
_BREAKS = re.compile(r"[\s、。，！？：；「」『』（）]+")  # noqa: RUF001
_SENTENCE_ENDS = re.compile(r"(?<=[.!?:…])\s+|\n+|(?<=[。！？])")  # noqa: RUF001

_NUMBER = re.compile(r"[-+\u2212]?[.\d][\d.,']*(?:[^\W\d_]{1,3}|%|°[CF]?)?")
_TIME = re.compile(r"\d{1,2}(?:[:h]\d\d)?(?::\d\d)?(?:am|pm|h)|\d{1,2}[:h]\d\d(?::\d\d)?", re.I)
_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(r"\d+(?:st|nd|rd|th)?")
_VERSION = re.compile(r"v\d[\w.+-]*|\d+(?:\.\d+){2,}[\w.+-]*|\d+(?:\.\d+)+[-+]?[a-z]+\d*", re.I)
_DOTTED = re.compile(r"\d+(?:\.\d+)+")
_IDENTIFIER = re.compile(
    r".*(?:[^\W_]_[^\W_]|[^\W\d_A-Z][A-Z]|[^\W\d_][-.]?\d|\d[^\W\d_]+\d|\w[/\\@]\w|\w\.[^\W\d]).*"
)
_MEASURES_OF_TIME = re.compile("[年月日号號時时点點分월일년시분]|uhr$", re.I)
_DATES_UNSPACED = re.compile(
    "(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜|[월화수목금토일]요일"
    "|今天|明天|昨天|今日|明日|昨日|오늘|내일|어제"
)
_NEGATIONS_UNSPACED = re.compile("不|没|沒|未|无|無|ません|(?<![少危汚切])ない|なかった|않|없|아니")


def plain_words(text: str) -> list[str]:
    """Return the words of a text without case, and without what ends or brackets a sentence."""
    return [word for piece in _BREAKS.split(plain(text).casefold()) if (word := _bare(piece))]


def marks_of(text: str) -> list[Mark]:
    """Return the words of a statement, in order."""
    pieces = [*_pieces(plain(text))]
    with_names, in_german = not text.isupper(), any(piece.folded in GERMAN for piece in pieces)
    marks: list[Mark] = []
    for at, piece in enumerate(pieces):
        before, after = pieces[max(0, at - 2) : at][::-1], pieces[at + 1 : at + 3]
        if APART.fullmatch(piece.text):
            marks += _unspaced(piece.text)
        elif mark := _telling(piece, before, after):
            marks.append(mark)
        else:
            kind = _kind_of(piece, before, in_german=in_german) if with_names else MarkKind.WORD
            marks.append(Mark(kind, stem(piece.folded)))
    return marks


def _pieces(text: str) -> Iterator[_Piece]:
    for sentence in _SENTENCE_ENDS.split(text):
        parts = (part for piece in _BREAKS.split(sentence) for part in APART.split(piece))
        words = (word for part in parts for word in _without_elisions(_bare(part)))
        for at, word in enumerate(words):
            yield _Piece(word, opens=at == 0)


def _bare(piece: str) -> str:
    return _AROUND.sub("", piece)


def _without_elisions(word: str) -> Iterator[str]:
    """Part a negation from the word that it is contracted with, and a name from its 's."""
    low = word.casefold()
    parts = [word.removesuffix("'s")]
    if low.endswith("n't"):
        parts = [word[:-3], "not"]
    elif low.startswith("n'"):
        parts = ["ne", word[2:]]
    yield from filter(None, parts)


def _telling(piece: _Piece, before: _Pieces, after: _Pieces) -> Mark | None:
    """Return a word that is a number, date, version or negation, what stands beside it being given
    nearest first; else None.
    """
    word = piece.folded
    if word in DAYS:
        return Mark(MarkKind.DATE, DAYS[word])
    if word in MONTHS and (word not in UNSURE_MONTHS or _is_beside_a_number(before, after)):
        return Mark(MarkKind.DATE, f"month {MONTHS[word]}")
    if word in NUMBERS:
        return Mark(MarkKind.NUMBER, NUMBERS[word])
    if word in NEGATIONS and not (word == "no" and _begins_with_a_number(after)):
        return _NEGATION
    return _numeral(piece, before, after) if any(map(str.isdigit, word)) else None


def _numeral(piece: _Piece, before: _Pieces, after: _Pieces) -> Mark | None:
    terms = number_terms(piece.text)
    value = terms[0] if terms else piece.folded
    # Only a date has a term with a hyphen.
    if any("-" in term for term in terms) or _is_of_a_date(piece.text, before, after):
        return Mark(MarkKind.DATE, value)
    if _is_version(piece.text, before):
        return Mark(MarkKind.VERSION, value)
    return Mark(MarkKind.NUMBER, value) if _NUMBER.fullmatch(piece.text) else None


def _is_of_a_date(text: str, before: _Pieces, after: _Pieces) -> bool:
    if _TIME.fullmatch(text) or (after and _MEASURES_OF_TIME.match(after[0].text)):
        return True
    if not _DAY.fullmatch(text):
        return False
    if _has_month(before) or _has_month(after):
        return True
    return bool(_YEAR.fullmatch(text) and before and before[0].folded in BEFORE_YEARS)


def _has_month(nearest_first: _Pieces) -> bool:
    """Whether a month stands beside, or behind a word such as `of` or a day."""
    for piece in nearest_first:
        if piece.folded in MONTHS:
            return True
        if piece.folded not in DATE_JOINTS and not piece.is_number:
            return False
    return False


def _is_version(text: str, before: _Pieces) -> bool:
    if _VERSION.fullmatch(text):
        return True
    if not before or not text.replace(".", "").isdigit():
        return False
    of_a_name = before[0].text[:1].isupper() and not before[0].opens
    return before[0].folded in BEFORE_VERSIONS or bool(of_a_name and _DOTTED.fullmatch(text))


def _is_beside_a_number(before: _Pieces, after: _Pieces) -> bool:
    return _begins_with_a_number(before) or _begins_with_a_number(after)


def _begins_with_a_number(pieces: _Pieces) -> bool:
    return bool(pieces) and pieces[0].is_number


def _kind_of(piece: _Piece, before: _Pieces, *, in_german: bool) -> MarkKind:
    if _IDENTIFIER.fullmatch(piece.text):
        return MarkKind.NAME
    if not piece.text[:1].isupper() or piece.folded in STOP_WORDS:
        return MarkKind.WORD
    if piece.opens:
        return MarkKind.OPENING
    # Every German noun has a capital.
    is_noun = in_german and before[0].folded not in BEFORE_NAMES_IN_GERMAN
    return MarkKind.WORD if is_noun else MarkKind.NAME


def _unspaced(run: str) -> Iterator[Mark]:
    """Yield the marks of a run of a script without spaces: what tells nothing letter by letter."""
    if run in NEGATIONS:
        yield _NEGATION
        return
    yield from (Mark(MarkKind.DATE, found) for found in _DATES_UNSPACED.findall(run))
    run, negations = _NEGATIONS_UNSPACED.subn("", _DATES_UNSPACED.sub("", run))
    yield from (_NEGATION for _ in range(negations))
    yield from (Mark(MarkKind.WORD, letter) for letter in run)
