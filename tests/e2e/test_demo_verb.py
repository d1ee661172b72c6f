"""`metacortex demo`, with the model that comes with the program."""

import pytest

from metacortex.commands.story import BUDGET, STORY
from tests.command_line import CommandLine

pytestmark = pytest.mark.e2e


def test_the_story_is_told_and_asked_about(command_line: CommandLine) -> None:
    told = command_line("demo")
    assert told.status == 0
    # A verified root is logged, so that it is kept elsewhere.
    assert [("Root of" in line) for line in told.err.splitlines()] == [True]
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


def test_what_cannot_be_embedded_is_said(command_line: CommandLine) -> None:
    told = command_line(
        "demo",
        METACORTEX_EMBEDDER="openai",
        METACORTEX_EMBEDDING_URL="http://127.0.0.1:9",
        METACORTEX_EMBEDDING_MODEL="none",
        METACORTEX_EMBEDDING_DIMENSIONS="8",
    )
    assert (told.status, told.err.count("\n")) == (1, 1)
    assert "cannot be reached" in told.err
