"""Text as it is shown and as it may be stored."""

import re

from metacortex.domain.errors import InvalidInput

_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""Code points that embed, override or isolate a direction of writing."""
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Controls, directions, and what has no width or no ink: names that differ by these alone look like
one. What joins or varies the letters of a word (U+200C, U+200D, variation selectors) is needed.
"""


def check_unicode(name: str, text: str) -> None:
    """Hold a text to be one that UTF-8 can say.

    Raises:
        InvalidInput: it holds half a surrogate pair; the sentence calls the text `name`.
    """
    if not is_unicode(text):
        raise InvalidInput(f"{name} is not valid Unicode text")


def check_label(name: str, text: str | None, most: int) -> None:
    """Hold a label, where there is one, to be Unicode text of at most `most` characters.

    Raises:
        InvalidInput: it is not; the sentence calls it `name`.
    """
    if text is None:
        return
    check_unicode(name, text)
    if len(text) > most:
        raise InvalidInput(f"{name} must be at most {most} characters")


def check_list(name: str, members: tuple[str, ...], most: int, length: int, noun: str) -> None:
    """Hold a list to `most` members, each a label of at most `length` characters.

    Raises:
        InvalidInput: it is not; the sentence calls the list `name` and its members `noun`.
    """
    for member in members:
        check_label(name, member, length)
    if len(members) > most:
        raise InvalidInput(f"{name} must hold at most {most} {noun}")


def check_seen(name: str, text: str) -> None:
    """Hold a name that a caller made up to what can be seen, on one line.

    Raises:
        InvalidInput: it is not; the sentence calls it `name`.
    """
    if _UNSEEN.search(text):
        raise InvalidInput(f"{name} must be one line without control or invisible characters")


def is_unicode(text: str) -> bool:
    """Whether UTF-8 can say this text: half of a surrogate pair it cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def printable(text: str, length: int) -> str:
    """Return the first `length` code points of a name that a caller made up, on one line, with `?`
    for what UTF-8 cannot say and without what turns the direction of the text behind it.
    """
    plain = text[:length]
    if not plain.isascii():
        plain = plain.encode("utf-8", "replace").decode().translate(_TURNING)
    return " ".join(plain.split())


def excerpt(text: str, limit: int) -> str:
    """Return `text` with every run of white space as one space, cut to `limit` code points with
    `...` at its end.
    """
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 3] + "..."
