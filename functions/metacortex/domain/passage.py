"""Windows: how a text that is longer than a model can read at once is cut for embedding.

Windows follow each other, overlap a little so that a sentence on a border is whole in one of them,
and together cover every character.
"""

from collections.abc import Iterator

_BREAKS = (
    ("\n\n",),
    ("\n",),
    (". ", "? ", "! ", "。", "？", "！"),  # noqa: RUF001 - full stops of CJK text
    ("; ", ", ", "、", "，"),  # noqa: RUF001 - its commas
    (" ",),
)
"""Where a window may end, best first."""


def windows(text: str, size: int, overlap: int) -> Iterator[str]:
    """Yield the windows of `text` in order, each of at most `size` characters; one window where all
    of it fits.

    A window ends at the last good break of its second half, at `size` where there is none, and the
    next begins at most `overlap` characters before that end, at a word. `overlap` is less than half
    of `size`.
    """
    start = 0
    while len(text) - start > size:
        end = _end_of_window(text, start, start + size)
        yield text[start:end]
        start = _start_of_next(text, end - overlap, end)
    yield text[start:]


def _end_of_window(text: str, start: int, limit: int) -> int:
    middle = start + (limit - start + 1) // 2
    for marks in _BREAKS:
        ends = [
            found + len(mark) for mark in marks if (found := text.rfind(mark, middle, limit)) >= 0
        ]
        if ends:
            return max(ends)
    return limit


def _start_of_next(text: str, earliest: int, end: int) -> int:
    word = text.find(" ", earliest, end)
    return word + 1 if word >= 0 else earliest
