"""What the command line prints: results on standard output, everything else on standard error."""

import json
import os
import sys
from pathlib import Path

from metacortex.domain.json import JSON

_KEPT = "\n\t"


class OutputLost(Exception):
    """Standard output takes no more, as on a full disk; what it says may be shown."""


def print_json(value: JSON) -> None:
    """Print one JSON object on one line of standard output."""
    # Escaped where the terminal or pipe could not take a character as it is.
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    _put(json.dumps(value, ensure_ascii=plain, separators=(",", ":")))


def print_text(text: str) -> None:
    """Print a text of somebody's: as it is into a file or pipe, harmless on a terminal."""
    _put(_harmless(text) if sys.stdout.isatty() else text)


def _harmless(text: str) -> str:
    # A stored text may hold sequences that a terminal would obey.
    return "".join(
        character if character.isprintable() or character in _KEPT else f"\\x{ord(character):02x}"
        for character in text
    )


def _put(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        # Python tries once more when it ends, and would complain in its own way.
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise OutputLost(
            f"Standard output cannot be written ({error.strerror}); nothing more is printed"
        ) from error


def note(sentence: str) -> None:
    """Tell the person at the terminal something that is no result, harmless there."""
    print(_harmless(sentence), file=sys.stderr, flush=True)


def memories(count: int) -> str:
    """Return how many memories as a sentence counts them."""
    return "1 memory" if count == 1 else f"{count} memories"
