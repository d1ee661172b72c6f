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
        if begin >= 0 and (second.startswith(_OBJECT) or _opens_an_object(part[begin:])):
            return place + begin
        place += len(part) + 1
    return None


def _opens_an_object(part: str) -> bool:
    try:
        return binascii.a2b_base64(part[:12].ljust(12, "=")).isascii()
    except binascii.Error:
        return False
