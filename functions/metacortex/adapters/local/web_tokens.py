"""JSON web tokens: three or more parts between dots, of which the first is a JSON object."""

import binascii
import re
from collections.abc import Iterator
from itertools import pairwise

_PART = r"[A-Za-z0-9_=-]"
# It begins where a part begins and takes all that follow, so no part is read three times.
_PARTS = re.compile(rf"(?<!{_PART}){_PART}++(?:\.{_PART}++){{2,}}+[A-Za-z0-9+/_=-]*+")
_OBJECT = "eyJ"
"""How base64 writes the beginning of a JSON object."""


def web_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each token, in order; what is glued to its end belongs to it."""
    for found in _PARTS.finditer(text):
        start = _start(found[0])
        if start is not None:
            yield found.start() + start, found.end()


def _start(run: str) -> int | None:
    place = 0
    parts = run.split(".")
    for part, second in pairwise(parts[:-1]):
        begin = part.find(_OBJECT)
        if begin >= 0 and _is_header(part[begin:], second):
            return place + begin
        place += len(part) + 1
    return None


def _is_header(part: str, second: str) -> bool:
    whole = part[: min(len(part), 16) // 4 * 4]
    try:
        return len(whole) > 4 and (
            second.startswith(_OBJECT) or binascii.a2b_base64(whole).isascii()
        )
    except binascii.Error:
        return False
