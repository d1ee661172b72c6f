"""Blocks that hold a private key: from their first mark to their last.

Where the last mark is missing, as in a text that was cut, what follows is taken as long as it has
the form of a key's lines. Each character is read a bounded number of times.
"""

import re
from collections.abc import Iterator

_MARK = re.compile(
    r"""
    (?:-{2,5}|(?<=--))[ \t]?(?:(?P<begin>BEGIN)|END)[ ]
        (?:[A-Z0-9]{1,12}[ ]){0,4}PRIVATE[ ]KEY(?:[ ]BLOCK)?
        (?:[ \t]?-{2,5}|[A-Za-z0-9]*)
    | (?P<putty>PuTTY-User-Key-File-\d)
    | Private-MAC:[ \t]?[0-9A-Za-z]+
    """,
    re.VERBOSE,
)
_BODY = re.compile(
    r"""
    (?:
        (?:\s|\\[nr])*+
        (?:
            (?:Argon2-[A-Za-z]+|Charset|Comment|DEK-Info|Encryption|Hash|Key-Derivation
              |Private-Lines|Proc-Type|Public-Lines|Subject|Version):[^\r\n\\]*+
            | :[ ]?ssh-[a-z0-9-]++
            | [A-Za-z0-9+/=]{16,}+
        )
    )*+
    # What a line of a key leaves over is shorter, and alone on its line.
    (?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{1,15}+(?=\s*+\Z|[\r\n\\]))?
    """,
    re.VERBOSE,
)


def key_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each block, in order."""
    opened: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        begins = mark["begin"] or mark["putty"]
        if opened:
            yield opened.start(), _end(text, opened, mark.start()) if begins else mark.end()
        opened = mark if begins else None
    if opened:
        yield opened.start(), _end(text, opened, len(text))


def _end(text: str, opened: re.Match[str], limit: int) -> int:
    body = _BODY.match(text, opened.end(), limit)
    return body.end() if body else opened.end()
