"""The scanner for live secrets: the shapes of tokens, key blocks and web tokens in one answer."""

from collections.abc import Iterator

from metacortex.adapters.local.key_blocks import key_blocks
from metacortex.adapters.local.secret_shapes import shapes
from metacortex.adapters.local.web_tokens import web_tokens
from metacortex.domain.redaction import Secret


class LibrarySecretScanner:
    """Finds secrets by their shape, never by how random they look: commit ids and UUIDs stay."""

    def scan(self, text: str) -> tuple[Secret, ...]:
        """Return the whole span of every secret in `text`, in order of their starts.

        Spans of different kinds may overlap, as a token in the place of a URL's password does.
        """
        return tuple(sorted(_secrets(text), key=lambda secret: (secret.start, -secret.end)))


def _secrets(text: str) -> Iterator[Secret]:
    for start, end in key_blocks(text):
        yield Secret("private-key", start, end)
    for start, end in web_tokens(text):
        yield Secret("jwt", start, end)
    for shape in shapes():
        for start, end in shape.spans(text):
            yield Secret(shape.kind, start, end)
