"""Light stemming: a word without the endings that say no more than how it stands in its sentence.

No language is asked for or guessed. Words in Latin letters lose English endings and the plurals of
Romance and German nouns that no English word has; those in Cyrillic, Arabic and Devanagari letters
lose their commonest endings or the article. What is cut is cut from a query as well, so a stem need
not be a word; it must only be rare that two unrelated words share one.
"""

# ruff: noqa: RUF001 - Cyrillic letters that look like Latin ones

import re

from metacortex.domain.words.irregular import IRREGULAR

_SHORT = 3
"""Words up to here are left alone."""

_VOWELS = frozenset("aeiouy")
_OPEN = re.compile("[^aeiou][aeiouy][^aeiouwxy]|[aeiou][^aeiouwxy]")
"""What is left of `hoping` and `using`, and lacks the e that `hope` and `use` have."""

_PLURALS = {
    "ungen": "ung",
    "heiten": "heit",
    "keiten": "keit",
    "schaften": "schaft",
    "ionen": "ion",
    "aeten": "aet",
    "coes": "cao",
}
_DERIVED = ("ation", "ment", "ness", "ful", "ion", "ly")

_CYRILLIC = re.compile(
    "(?<=[\u0400-\u04ff]{3})(?:"
    "ами|ями|ого|его|ому|ему|ыми|ими|ость|ости|остью|иями|иях|ией|ием|"
    "ов|ев|ей|ам|ям|ах|ях|ом|ем|ой|ый|ий|ая|яя|ое|ее|ые|ие|ую|юю|ых|их|ым|им|ию|ия|"
    "[аеиоуыьэюяйії])$"
)
_DEVANAGARI = re.compile("(?<=[\u0900-\u097f]{2})(?:\u093f\u092f)?[\u093e-\u094c][\u0900-\u0902]?$")
_ARTICLE = re.compile("^[\u0648\u0641\u0628\u0643]?\u0627\u0644(?=[\u0621-\u064a]{3})")


def stem(word: str) -> str:
    """Return the stem of a folded word; of what is no plain word, all of it."""
    if len(word) <= _SHORT:
        return IRREGULAR.get(word, word)
    if word.isascii():
        return _latin(word) if word.isalpha() else word
    if "\u0400" <= word[0] <= "\u04ff":
        return _CYRILLIC.sub("", word)
    if "\u0900" <= word[0] <= "\u097f":
        return _DEVANAGARI.sub("", word)
    return _ARTICLE.sub("", word)


def _latin(word: str) -> str:
    singular = _without_plural(IRREGULAR.get(word, word))
    plain = _without_e(_without_tense(IRREGULAR.get(singular, singular)))
    for ending in _DERIVED:
        if plain.endswith(ending) and len(plain) - len(ending) > _SHORT:
            plain = plain.removesuffix(ending)
            break
    plain = _without_e(plain)
    return plain[:-1] + "i" if len(plain) > _SHORT and plain[-1] == "y" else plain


def _without_plural(word: str) -> str:
    if len(word) <= _SHORT:
        return word
    for plural, singular in _PLURALS.items():
        if word.endswith(plural):
            return word.removesuffix(plural) + singular
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "zes", "ches", "shes")) and len(word) > 4:
        return word[:-2] if word[-3] != "s" or word[-4] == "s" else word[:-1]
    return word if word.endswith(("ss", "us", "is")) else word.removesuffix("s")


def _without_tense(word: str) -> str:
    if len(word) <= 4 or word.endswith("eed"):
        return word
    if word.endswith("ied"):
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) > 1 and not _VOWELS.isdisjoint(root):
            return _closed(root)
    return word


def _closed(root: str) -> str:
    """Undo what an ending did to its word: a doubled letter goes, a lost e returns."""
    if len(root) > 2 and root[-1] == root[-2] and root[-1] not in "lszeo":
        return root[:-1]
    return root + "e" if _OPEN.fullmatch(root) else root


def _without_e(word: str) -> str:
    return word[:-1] if len(word) > 4 and word[-1] == "e" else word
