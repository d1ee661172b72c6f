"""Filters of a tool as options: `--where kind=episode`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of a tool by its name, and a value as it was typed."""

    name: str
    value: str


def _filter(text: str) -> Filter:
    name, _, value = text.partition("=")
    if not (name.strip() and value.strip()):
        raise typer.BadParameter("it must be NAME=VALUE, such as kind=episode")
    return Filter(name.strip(), value)


Where: TypeAlias = Annotated[
    list[Filter] | None,
    typer.Option(
        parser=_filter,
        metavar="NAME=VALUE",
        help="A filter of the tool, such as kind=episode or created_after=2026-08;"
        " may be repeated, for tags also by its name.",
    ),
]


def filters_given(where: Iterable[Filter] | None) -> dict[str, object]:
    """Return the arguments that filters come to: a list where a name was repeated."""
    values: dict[str, list[str]] = {}
    for each in where or ():
        values.setdefault(each.name, []).append(each.value)
    return {name: each[0] if len(each) == 1 else each for name, each in values.items()}
