"""Folding: how two spellings of one word become equal.

Compatibility forms, letter case and the accents of Latin, Greek and Cyrillic letters go, and with
them the vowel points of Hebrew and Arabic, which most people leave out. Marks that make another
letter stay: those of Indic scripts, of kana, and of the Cyrillic letters that are no accented ones.
"""

import re
from unicodedata import normalize

_NO_WIDTH = re.compile(
    "[\u00ad\u034f\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]"
)
"""Joiners, direction marks, variation selectors and soft hyphens: nobody sees or types them."""

_ACCENTS = re.compile(
    # A breve makes another letter of the Cyrillic i and u, as two dots do of the Ukrainian i.
    "(?<![\u0438\u0443])\u0306|(?<!\u0456)\u0308"
    "|[\u0300-\u0305\u0307\u0309-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5"
    "\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]"
)
_LETTERS = str.maketrans(
    {
        "ı": "i",  # noqa: RUF001 - the Turkish i without a dot
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ى": "ي",
        "ی": "ي",
        "ک": "ك",
        "ة": "ه",  # noqa: RUF001 - an Arabic letter
    }
)


def plain(text: str) -> str:
    """Return `text` in compatibility form and in its own letter case, without what has no width."""
    if text.isascii():
        return text
    return _NO_WIDTH.sub("", normalize("NFKC", text)).replace("\u2019", "'").replace("\u200b", " ")


def folded(word: str) -> str:
    """Return a word without case and accents; folding it again changes nothing."""
    if word.isascii():
        return word.lower()
    bare = _ACCENTS.sub("", normalize("NFKD", word.casefold()))
    return normalize("NFKC", bare.casefold().translate(_LETTERS))
