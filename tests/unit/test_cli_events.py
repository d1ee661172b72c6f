"""Events from the command line: listed, filtered and followed."""

from typing import Any

import pytest

from tests.command_line import CommandLine


@pytest.fixture
def observed(command_line: CommandLine) -> CommandLine:
    """A command line that has left three events of failed calls, one of them of another tool."""
    command_line("fetch", "first")
    command_line("deprecate", "second", "--by", "other")
    command_line("fetch", "third", "--tenant", "acme")
    command_line("fetch", "fourth")
    return command_line


def asked_for(lines: list[Any]) -> list[str]:
    """Return the ids that the calls asked for."""
    return [line["request"]["document_id"] for line in lines]


def test_every_command_leaves_one_event_of_client_cli(observed: CommandLine) -> None:
    lines = observed("events", "--json").lines()
    assert asked_for(lines) == ["first", "second", "fourth"]
    assert {line["client_id"] for line in lines} == {"cli"}
    assert {line["error"]["name"] for line in lines} == {"not_found"}


def test_another_tenant_has_its_own(observed: CommandLine) -> None:
    assert asked_for(observed("events", "--json", "--tenant", "acme").lines()) == ["third"]


def test_a_limit_keeps_the_newest(observed: CommandLine) -> None:
    assert asked_for(observed("events", "--json", "--limit", "1").lines()) == ["fourth"]


ALL = ["first", "second", "fourth"]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (["--tool", "deprecate_context"], ["second"]),
        (["--status", "success"], []),
        (["--status", "error", "--type", "tool_call", "--client", "cli"], ALL),
        (["--type", "request"], []),
        (["--client", "nobody"], []),
        (["--since", "1h"], ALL),
        (["--since", "2000-01-01"], ALL),
        (["--since", "2000-01-01T00:00:00+02:00"], ALL),
        (["--since", "9000-01-01T00:00:00Z"], []),
    ],
)
def test_filters_narrow_the_list(
    observed: CommandLine, filters: list[str], found: list[str]
) -> None:
    assert asked_for(observed("events", "--json", *filters).lines()) == found


@pytest.mark.parametrize("since", ["yesterday", "2x", "h", "-1h", "2000-13-01"])
def test_a_time_that_cannot_be_read_is_wrong_usage(command_line: CommandLine, since: str) -> None:
    ended = command_line("events", "--since", since)
    assert ended.status == 2
    assert "2026-03-14T12:00:00Z" in ended.err


def test_people_read_one_line_for_each(observed: CommandLine) -> None:
    lines = observed("events").out.splitlines()
    assert len(lines) == 3
    assert lines[0].endswith("Document not found")
    assert " cli " in lines[0]
    assert " fetch_context " in lines[0]


def test_no_events_are_told_to_people_only(command_line: CommandLine) -> None:
    assert command_line("events").err == "No events\n"
    ended = command_line("events", "--json")
    assert (ended.status, ended.out, ended.err) == (0, "", "")
