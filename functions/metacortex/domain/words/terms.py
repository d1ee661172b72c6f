"""The terms of a text: what the words leg of a search matches by.

A text is cut at its white space; what stands between is read as a person or a programmer would
look for it. A word gives its stem. What is written together gives its parts and all of it:
`max_tokens`, `maxTokens` and `max-tokens` are one term, and `max` and `tokens` are two more. Paths,
addresses, versions, numbers, dates and codes keep their whole form. Scripts without spaces give
pairs of letters, and an emoji is a word. Nothing is syntax.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from metacortex.domain.words.folding import folded, plain
from metacortex.domain.words.scripts import APART, alone, grams
from metacortex.domain.words.stemming import stem
from metacortex.domain.words.stop_words import STOP_WORDS
from metacortex.domain.words.written_numbers import number_terms

TERM_SPACE = "terms-1"
"""The version of all this. Terms of different versions are never compared."""

LONGEST_TERM = 64
MOST_QUERY_TERMS = 2_000
"""How many different terms of a query have a say, the first ones. Each is held against every
candidate, and a pasted file of a megabyte would have a quarter of a million.
"""

_CACHED = 48
"""Longer pieces are whole sentences of a script without spaces, or data: they do not return."""

_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0"
    "\u0900-\u0963\u0971-\u0dff\u0f71-\u0f84\u0f86-\u0fbc\u135d-\u135f\u1b00-\u1b44"
)
_TOGETHER = re.compile(
    rf"[\w{_MARKS}]+(?:(?:[-.'/\\:@\u2010]+|(?<=\d),(?=\d))[\w{_MARKS}]+)*(?:(?<=[A-Za-z])(?:\+\+|#))?"
)
_PATH = re.compile(r"[/\\:@]+")
_JOINTS = re.compile(r"[-_\u2010]+")
_HUMP = re.compile(r"[^\W\d_A-Z][A-Z]|[A-Z]{2}[a-z]")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_LETTERS_AND_DIGITS = re.compile(r"([^\W\d_]{2,})(\d+)|(?!0[xX])(\d+)([^\W\d_]{2,})")
_ELIDED = {*"ldjnscmt", "qu", "jusqu", "lorsqu", "puisqu", "quelqu", "un", "dell", "nell", "sull"}
_SENTENCE_MARKS = frozenset(".,;:!?\"'()[]{}…–—-_|·•¿¡«»„“”‘`´、。，！？：；「」『』（）")  # noqa: RUF001
_LONGEST_SIGN = 8


def terms_of(text: str) -> list[str]:
    """Return the terms of a text that is stored, in order and with repeats."""
    return [*chain.from_iterable(map(_stored_terms, plain(text).split()))]


def query_terms(text: str) -> list[str]:
    """Return the distinct terms to look for, in order, at most the first `MOST_QUERY_TERMS`; stop
    words only if there is nothing else.
    """
    found = dict[str, None]()
    for term in chain.from_iterable(map(_asked_terms, plain(text).split())):
        found[term] = None
        if len(found) == MOST_QUERY_TERMS:
            break
    return [term for term in found if term not in _STOPS] or [*found]


def _stored_terms(piece: str) -> tuple[str, ...]:
    return _remembered(piece, True) if len(piece) <= _CACHED else _terms(piece, True)


def _asked_terms(piece: str) -> tuple[str, ...]:
    return _remembered(piece, False) if len(piece) <= _CACHED else _terms(piece, False)


def _terms(piece: str, stored: bool) -> tuple[str, ...]:
    if piece.isascii():
        found = [*_terms_with_spaces(piece)]
    else:
        found = []
        for at, part in enumerate(APART.split(piece)):
            if at % 2 == 0:
                found += _terms_with_spaces(part)
            else:
                found += grams(part)
                if stored:
                    found += alone(part)
    return tuple(term[:LONGEST_TERM] for term in found if term) or _sign(piece)


_remembered = lru_cache(16_384)(_terms)


def _sign(piece: str) -> tuple[str, ...]:
    """Operators that stand alone, but not what only ends or brackets a sentence."""
    if len(piece) > _LONGEST_SIGN or not piece.isprintable() or _SENTENCE_MARKS.issuperset(piece):
        return ()
    return (piece,)


def _terms_with_spaces(text: str) -> Iterator[str]:
    for together in _TOGETHER.findall(text):
        if together.isalpha():
            yield from _name(together)
        else:
            yield from _compound(together)


def _compound(text: str) -> Iterator[str]:
    if text.endswith(("++", "#")):
        yield folded(text)
        text = text.rstrip("+#")
    if numbers := number_terms(text):
        yield from numbers
        return
    segments = [segment for segment in _PATH.split(text) if segment.strip("_")]
    if "://" in text:
        segments = [segments[1].removeprefix("www."), *segments[2:]] if segments[1:] else segments
    if len(segments) > 1:
        yield "/".join(map(_joined, segments))
    for segment in segments:
        yield from _segment(segment)


def _segment(text: str) -> Iterator[str]:
    """`snake_case`, `kebab-case`, `a.dotted.name`, or several of these at once."""
    if numbers := number_terms(text):
        yield from numbers
        return
    parts = [part for joint in _JOINTS.split(text) for part in _undotted(joint)]
    if len(parts) > 1:
        yield stem(_joined(text))
    for part in parts:
        if numbers := number_terms(part):
            yield from numbers
        elif len(parts) == 1 or len(part) > 1:
            yield from _name(part)


def _undotted(text: str) -> list[str]:
    return [text] if number_terms(text) else [part for part in text.split(".") if part]


def _joined(text: str) -> str:
    return folded("".join(character for character in text if character.isalnum()))


def _name(text: str) -> Iterator[str]:
    """One word or identifier: all of it, then its humps."""
    name = _without_apostrophes(text) if "'" in text else text
    yield stem(folded(name))
    if _HUMP.search(name):
        parts = _HUMPS.findall(name)
    elif not name.isalpha() and (split := _LETTERS_AND_DIGITS.fullmatch(name)):
        parts = [part for part in split.groups() if part]
    else:
        return
    yield from (stem(folded(part)) for part in parts if len(part) > 1 or part.isdigit())


def _without_apostrophes(text: str) -> str:
    head, _, tail = text.strip("'").rpartition("'")
    if tail.lower() == "s" and head:
        tail = ""
    elif folded(head) in _ELIDED and len(tail) > 1:
        head = ""
    return (head + tail).replace("'", "")


_STOPS = frozenset(map(stem, STOP_WORDS)) | STOP_WORDS
