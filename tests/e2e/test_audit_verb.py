"""`metacortex audit-contradictions`, with the model that comes with the program."""

import pytest

from tests.command_line import CommandLine

pytestmark = pytest.mark.e2e


def test_an_audit_is_printed_as_markdown_and_as_json(command_line: CommandLine) -> None:
    command_line("remember", "The api is owned by Ana.")
    assert command_line("audit-contradictions").out == "## Contradictions: 0 among 0 facts\n"
    told = command_line("audit-contradictions", "--dry-run", "--json").json()
    assert (told["contradiction_count"], told["dry_run"]) == (0, True)
