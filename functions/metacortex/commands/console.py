"""What the command line prints: results on standard output, everything else on standard error."""

import json
import sys

from metacortex.domain.json import JSON

_KEPT = "\n\t"


def print_json(value: JSON) -> None:
    """Print one JSON object on one line of standard output."""
    # Escaped where the terminal or pipe could not take a character as it is.
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    print(json.dumps(value, ensure_ascii=plain, separators=(",", ":")), flush=True)


def print_text(text: str) -> None:
    """Print a text of somebody's: as it is into a file or pipe, harmless on a terminal."""
    # A stored text may hold sequences that a terminal would obey.
    if sys.stdout.isatty():
        text = "".join(
            character
            if character.isprintable() or character in _KEPT
            else f"\\x{ord(character):02x}"
            for character in text
        )
    print(text, flush=True)


def note(sentence: str) -> None:
    """Tell the person at the terminal something that is no result."""
    print(sentence, file=sys.stderr, flush=True)
