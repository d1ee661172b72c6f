"""What several verbs are given alike: moments and namespaces, texts in the command or on standard
input, and what stands for a number.
"""

import sys
from typing import Annotated

import typer

from metacortex.domain.errors import InvalidInput

AsOf = Annotated[
    str | None, typer.Option(help="What was true at this moment, such as 2026-08; else now.")
]
ValidFrom = Annotated[
    str | None, typer.Option(metavar="DATE", help="Since when it is true, such as 2026-08.")
]
ValidUntil = Annotated[
    str | None, typer.Option(metavar="DATE", help="Until when it is true, such as 2026-08-31.")
]
NamespaceToWrite = Annotated[str | None, typer.Option(help="The namespace to write to.")]


def text_given(text: str) -> str:
    """Return a text, or for `-` what stands on standard input.

    Raises:
        InvalidInput: that is no text, or it says nothing.
    """
    if text == "-":
        try:
            text = sys.stdin.read()
        except UnicodeDecodeError as error:
            raise InvalidInput("Standard input is not UTF-8 text") from error
    if not text.strip():
        raise InvalidInput("The text to keep must not be empty")
    return text


def number_or_word(text: str | None) -> float | str | None:
    """Return a number as one, and what may be a word for one as it is."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
