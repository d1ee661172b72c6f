"""`metacortex forget`, with the model that comes with the program."""

import pytest

from tests.command_line import CommandLine
from tests.e2e.notes import CAKE, SESSIONS

pytestmark = pytest.mark.e2e


def test_memories_are_forgotten_by_id_and_by_what_they_are_about(
    command_line: CommandLine,
) -> None:
    cake = command_line("remember", CAKE).out.strip()
    auth = command_line("remember", SESSIONS, "--topic", "auth").out.strip()
    gone = command_line("forget", cake)
    assert (gone.status, gone.err) == (0, "1 memories were forgotten\n")
    told = command_line("forget", "--topic", "auth")
    memory_id, confirmation = told.out.split()
    assert memory_id == auth
    assert told.err.startswith("1 memories would be forgotten for good\n")
    confirmed = command_line("forget", "--topic", "auth", "--confirmation", confirmation)
    assert confirmed.err == "1 memories were forgotten\n"
    assert command_line("stats").out.splitlines() == ["0 memories"]
    assert command_line("forget", "--all").err == "0 memories would be forgotten for good\n"
    assert command_line("forget").status == 1
