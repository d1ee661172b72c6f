"""Filters of a tool as options: `--where kind=episode`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from metacortex.domain.errors import InvalidInput
from metacortex.domain.text import printable

_WHEN_LISTED = (
    *("filter_topic", "filter_state", "kind", "tags", "tags_match", "session_id"),
    *("min_importance", "namespace", "client", "created_after", "created_before"),
    *("started_after", "started_before", "valid_at"),
)
# Spelled out, since the help that lists them should not load every tool.
FILTERS: Mapping[str, tuple[str, ...]] = {
    "search_context": (*_WHEN_LISTED, "mode", "min_score"),
    "list_context": _WHEN_LISTED,
    "forget_context": tuple(name for name in _WHEN_LISTED if name != "valid_at"),
}
"""The filters of each tool that `--where` may give."""


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


def _option(tool: str) -> typer.models.OptionInfo:
    help_text = (
        "A filter, such as kind=episode or created_after=2026-08; may be repeated, for tags also"
        f" by its name. NAME is one of {', '.join(FILTERS[tool])}."
    )
    option: typer.models.OptionInfo = typer.Option(
        parser=_filter, metavar="NAME=VALUE", help=help_text
    )
    return option


WhereSearched: TypeAlias = Annotated[list[Filter] | None, _option("search_context")]
WhereListed: TypeAlias = Annotated[list[Filter] | None, _option("list_context")]
WhereForgotten: TypeAlias = Annotated[list[Filter] | None, _option("forget_context")]


def narrowed(
    tool: str, options: Mapping[str, object], where: Iterable[Filter] | None
) -> dict[str, object]:
    """Return the arguments that options and filters come to: a list where a name was repeated.

    Raises:
        InvalidInput: a name is no filter of the tool, or an option gives it already.
    """
    values: dict[str, list[str]] = {}
    for each in where or ():
        values.setdefault(each.name, []).append(each.value)
    for name in values:
        if name not in FILTERS[tool]:
            known = ", ".join(FILTERS[tool])
            raise InvalidInput(f"'{printable(name, 80)}' is no filter; --where takes {known}")
        if options.get(name) is not None:
            raise InvalidInput(
                f"{name} is given by --where and by an option; leave one of them out"
            )
    return {
        **options,
        **{name: each[0] if len(each) == 1 else each for name, each in values.items()},
    }
