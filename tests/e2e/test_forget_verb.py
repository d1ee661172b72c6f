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
    assert (gone.status, gone.err) == (0, "Forgotten for good: 1 memory\n")
    told = command_line("forget", "--topic", "auth")
    memory_id, confirmation = told.out.split()
    assert memory_id == auth
    assert told.err.startswith("This would forget 1 memory for good\n")
    confirmed = command_line("forget", "--topic", "auth", "--confirmation", confirmation)
    assert confirmed.err == "Forgotten for good: 1 memory\n"
    assert command_line("stats").out.splitlines() == ["0 memories"]
    assert command_line("forget", "--all").err == "This would forget 0 memories for good\n"


def test_a_preview_says_which_ids_it_shows(command_line: CommandLine) -> None:
    for day in range(1, 12):
        command_line("remember", f"Rain on 2026-03-{day:02}.", "--topic", "rain")
    for what in (("--all",), ("--where", "filter_topic=rain")):
        told = command_line("forget", *what)
        assert told.err.startswith(
            "This would forget 11 memories for good; these are the ids of the newest 10\n"
        )
        assert len(told.out.split()) == 11


def test_a_preview_says_how_many_facts_would_go_too(command_line: CommandLine) -> None:
    episode = command_line("record-episode", "Zed", CAKE, "--topic", "zed").out.strip()
    command_line("upsert-fact", "zed", "flavour", "lemon", "--source", episode)
    told = command_line("forget", "--topic", "zed")
    assert told.err.startswith(
        "This would forget 1 memory for good, and with that 1 fact that was drawn from it\n"
    )
    command_line("upsert-fact", "zed", "tin", "round", "--source", episode)
    told = command_line("forget", "--topic", "zed")
    assert "and with that 2 facts that were drawn from it\n" in told.err
    confirmation = told.out.split()[-1]
    gone = command_line("forget", "--topic", "zed", "--confirmation", confirmation)
    assert gone.err == "Forgotten for good: 3 memories\n"


@pytest.mark.parametrize("given", [(), ("--all", "--topic", "auth"), ("an-id", "--all")])
def test_what_to_forget_is_said_in_one_way(command_line: CommandLine, given: tuple[str]) -> None:
    ended = command_line("forget", *given)
    assert ended.status == 1
    assert ended.err.startswith("Say what to forget: the IDs of memories, or options such as")
