"""`metacortex stats`, with the model that comes with the program."""

import pytest

from tests.command_line import CommandLine
from tests.e2e.notes import CAKE, SESSIONS

pytestmark = pytest.mark.e2e


def test_what_is_kept_is_counted(command_line: CommandLine) -> None:
    command_line("remember", SESSIONS, "--topic", "auth")
    command_line("remember", CAKE, "--draft")
    told = command_line("stats")
    assert told.out.splitlines()[:5] == [
        "2 memories",
        "       1  state active",
        "       1  state wip",
        "       2  kind note",
        "       2  namespace default",
    ]
    assert told.err.startswith(f"{len((SESSIONS + CAKE).encode())} bytes of text, ")
    counted = command_line("stats", "--json").json()
    assert counted["topics"] == [
        {"topic": "auth", "memories": 1},
        {"topic": "general", "memories": 1},
    ]


def test_what_was_used_most_says_of_what_it_is_the_number(command_line: CommandLine) -> None:
    cake = command_line("remember", CAKE).out.strip()
    for _ in range(2):
        command_line("fetch", cake)
    (used,) = [line for line in command_line("stats").out.splitlines() if cake in line]
    assert used.startswith(f"       2  times used  {cake}  ")
