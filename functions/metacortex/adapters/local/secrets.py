"""The scanner for live secrets: the shapes of tokens, key blocks and web tokens in one answer."""

from collections.abc import Iterable, Iterator

from metacortex.adapters.local.key_blocks import key_blocks
from metacortex.adapters.local.secret_shapes import shapes
from metacortex.adapters.local.web_tokens import web_tokens
from metacortex.domain.redaction import Secret

_PASSES = 4
_GAP = "<"
"""Stands for what was found already: no secret reaches across it."""


class LibrarySecretScanner:
    """Finds secrets by their shape, never by how random they look: commit ids and UUIDs stay."""

    def scan(self, text: str) -> tuple[Secret, ...]:
        """Return the whole span of every secret in `text`, in order of their starts.

        Spans of different kinds may overlap, as a token in the place of a URL's password does.
        """
        secrets: list[Secret] = []
        # Of two that are glued together the first may hide the second: once it is gone, look again.
        for _ in range(_PASSES):
            # Most writes leave their title and their session empty.
            found = [*_secrets(text)] if text else []
            if not found:
                break
            secrets += found
            text = _without(text, found)
        return tuple(sorted(secrets, key=lambda secret: (secret.start, -secret.end)))


def _secrets(text: str) -> Iterator[Secret]:
    for start, end in key_blocks(text):
        yield Secret("private-key", start, end)
    for start, end in web_tokens(text):
        yield Secret("jwt", start, end)
    for shape in shapes():
        for start, end in shape.spans(text):
            yield Secret(shape.kind, start, end)


def _without(text: str, secrets: Iterable[Secret]) -> str:
    """Return a text of the same length, with a gap where each secret was."""
    parts: list[str] = []
    done = 0
    for secret in sorted(secrets, key=lambda secret: secret.start):
        start, end = max(secret.start, done), max(secret.end, done)
        parts += [text[done:start], _GAP * (end - start)]
        done = end
    return "".join([*parts, text[done:]])
