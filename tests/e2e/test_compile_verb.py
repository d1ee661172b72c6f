"""`metacortex compile`, with the model that comes with the program."""

import pytest

from tests.command_line import CommandLine
from tests.e2e.notes import CAKE, SESSIONS

pytestmark = pytest.mark.e2e


def test_a_question_is_answered_in_one_text(command_line: CommandLine) -> None:
    auth = command_line("remember", SESSIONS, "--topic", "auth").out.strip()
    command_line("remember", CAKE)
    told = command_line("compile", "How long do sessions of the shop last?", "--topic", "auth")
    assert told.out.splitlines()[2:5] == ["```", SESSIONS, "```"]
    assert auth in told.out
    assert told.err.endswith(" of 1200 by o200k_base\n")
    asked = ("sessions of the shop", "--format", "json", "--max-chars", "900", "--kind", "note")
    items = command_line("compile", *asked)
    assert auth in [item["id"] for item in items.json()]
    assert items.err.endswith(" of 900 by characters\n")
    whole = command_line("compile", *asked, "--json").json()
    assert whole["items"] == items.json()


def test_what_cannot_be_compiled_is_said(command_line: CommandLine) -> None:
    both = command_line("compile", "x", "--max-tokens", "500", "--max-chars", "500")
    assert (both.status, both.err) == (1, "Provide either max_tokens or max_chars, not both\n")
    wrong = command_line("compile", "x", "--format", "xml")
    assert wrong.status == 2
    assert "must be one of" in wrong.err
    superseded = command_line("compile", "sessions", "--superseded", "--session", "s1")
    assert superseded.out == "Nothing near enough is stored.\n"
