"""Filters as options of the command line."""

import pytest

from metacortex.commands.filters import FILTERS, Filter, narrowed
from metacortex.domain.errors import InvalidInput
from metacortex.transport.mcp.tools import TOOLS
from tests.command_line import CommandLine

NO_FILTERS = {"query", "limit", "cursor", "explain", "ids", "all", "confirmation"}


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_of_a_tool_can_be_given(name: str) -> None:
    (tool,) = (tool for tool in TOOLS if tool.name == name)
    assert sorted(FILTERS[name]) == sorted(
        argument.name for argument in tool.arguments if argument.name not in NO_FILTERS
    )


def test_a_filter_counts_where_its_option_is_absent() -> None:
    where = [Filter("filter_topic", "auth"), Filter("tags", "a"), Filter("tags", "b")]
    assert narrowed("list_context", {"filter_topic": None, "limit": 3}, where) == {
        "filter_topic": "auth",
        "limit": 3,
        "tags": ["a", "b"],
    }


def test_a_filter_that_an_option_gives_too_is_refused() -> None:
    with pytest.raises(InvalidInput, match="filter_topic is given by --where and by an option"):
        narrowed("search_context", {"filter_topic": "cake"}, [Filter("filter_topic", "auth")])


@pytest.mark.parametrize("name", ["query", "limit", "cursor", "explain", "colour"])
@pytest.mark.parametrize("tool", FILTERS)
def test_what_is_no_filter_is_refused_with_those_that_are(tool: str, name: str) -> None:
    with pytest.raises(InvalidInput) as told:
        narrowed(tool, {name: None}, [Filter(name, "3")])
    assert told.value.sentence.startswith(f"'{name}' is no filter; --where takes filter_topic, ")
    assert all(known in told.value.sentence for known in FILTERS[tool])


@pytest.mark.parametrize(
    ("verb", "tool"),
    [("search", "search_context"), ("list", "list_context"), ("forget", "forget_context")],
)
def test_the_help_of_a_verb_lists_the_filters(
    command_line: CommandLine, verb: str, tool: str
) -> None:
    told = command_line(verb, "--help").out
    assert [name for name in FILTERS[tool] if name not in told] == []
