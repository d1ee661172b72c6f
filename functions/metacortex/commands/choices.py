"""Options that take one of a few words."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

import typer

Choice = TypeVar("Choice", bound=StrEnum)


def one_of(kind: type[Choice]) -> Callable[[str], Choice]:
    """Return what reads an option as one of these, and tells all of them where it is none."""

    def read(text: str) -> Choice:
        if text not in tuple(kind):
            raise typer.BadParameter(f"must be one of {words(kind)}")
        return kind(text)

    return read


def words(kind: type[StrEnum]) -> str:
    """Return the words to choose from as they are listed in a sentence."""
    return ", ".join(kind)
