"""Taking live secrets out of a text.

A library says where a secret begins; the span that goes is ours, because libraries often report
only a part: a key block goes from its BEGIN to its END, a token to the end of its run, of a URL
only the password.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

MARK = re.compile(r"\[redacted [a-z0-9-]+\]")
"""What stands in a text in the place of a secret."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A span of a text, `start` included and `end` excluded, that has the shape of a live secret of
    this kind.
    """

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and the kinds that were taken out, each once, in order of
    appearance.
    """

    text: str
    kinds: tuple[str, ...] = ()


def redact(text: str, secrets: Iterable[Secret]) -> Redacted:
    """Replace each secret by `[redacted <kind>]`.

    Secrets that overlap go as one, under the kind that begins first.
    """
    parts: list[str] = []
    kinds: dict[str, None] = {}
    done = 0
    for secret in sorted(secrets, key=lambda secret: (secret.start, -secret.end)):
        if secret.start >= done:
            parts += [text[done : secret.start], f"[redacted {secret.kind}]"]
            kinds[secret.kind] = None
        done = max(done, secret.end)
    return Redacted("".join([*parts, text[done:]]), tuple(kinds))
