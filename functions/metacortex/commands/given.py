"""Texts as they are given: in the command itself, or on standard input."""

import sys

from metacortex.domain.errors import InvalidInput


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
