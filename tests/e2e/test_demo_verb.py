"""`metacortex demo`, with the model that comes with the program."""

from pathlib import Path

import pytest

from metacortex.commands.story import BUDGET, STORY
from tests.command_line import CommandLine

pytestmark = pytest.mark.e2e


def test_the_story_is_told_and_asked_about(command_line: CommandLine) -> None:
    told = command_line("demo")
    assert told.status == 0
    # A root is logged to be kept elsewhere; of what is gone there is none to keep.
    assert told.err == ""
    for session in STORY:
        assert f"{session.day}  {session.episode['title']}" in told.out
    assert "no more: auth_service token_format JWT HS256" in told.out
    assert "Kept: 5 episodes and 9 facts, 2 of them past." in told.out
    then = told.out.partition("What was true of auth_service on 2026-02-01")[2]
    assert "\n            auth_service token_format JWT HS256\n" in then
    assert "since 2026-04-20: auth_service token_format PASETO v4.public\n" in then
    compiled = told.out.partition("Compiled into")[2]
    assert "Whoever changes the payment_ledger keeps both." in compiled
    assert "PASETO" in compiled
    assert "JWT" not in compiled
    assert "Checked 14 memories and 17 changes by their digests." in compiled
    assert "Merkle root of " in compiled
    audit = compiled.partition("Left out:")[2]
    assert "10 s" in audit
    assert "30 s" in audit


def test_what_is_told_stays_under_its_budget_and_says_the_same_each_time(
    command_line: CommandLine,
) -> None:
    first, second = (command_line("demo", "--json").json() for _ in range(2))
    assert first["compiled"]["used"] <= first["compiled"]["max_tokens"] == BUDGET
    assert [len(session["superseded"]) for session in first["sessions"]] == [0, 0, 0, 2, 0]
    titles = [[each["title"] for each in told["sessions"]] for told in (first, second)]
    assert titles[0] == titles[1]


def test_nothing_of_it_is_kept(command_line: CommandLine) -> None:
    command_line("demo")
    assert not command_line.data_dir.exists()


def test_what_is_kept_can_be_asked_and_verified_afterwards(
    command_line: CommandLine, tmp_path: Path
) -> None:
    folder = tmp_path / "demo"
    told = command_line("demo", "--keep", str(folder))
    assert f"told to a memory that is kept in '{folder}'." in told.out
    assert [("Root of" in line) for line in told.err.splitlines()] == [True, False]
    assert f"--data-dir {folder} search " in told.err
    assert not command_line.data_dir.exists()
    kept = CommandLine(folder)
    root = told.out.split()[-1]
    assert kept("verify-integrity", "--root", root).status == 0
    assert kept("stats", "--json").json()["kinds"] == {"episode": 5, "fact": 9}
    again = command_line("demo", "--keep", str(folder))
    assert (again.status, again.err) == (
        1,
        f"'{folder}' is there already; --keep takes a folder that is not\n",
    )


def test_what_cannot_be_embedded_is_said(command_line: CommandLine) -> None:
    told = command_line(
        "demo",
        METACORTEX_EMBEDDER="openai",
        METACORTEX_EMBEDDING_URL="http://127.0.0.1:9",
        METACORTEX_EMBEDDING_MODEL="none",
        METACORTEX_EMBEDDING_DIMENSIONS="8",
    )
    # The log says before it that new names have no vectors.
    *_, last = told.err.splitlines()
    assert (told.status, "Traceback" in told.err) == (1, False)
    assert "cannot be reached" in last
