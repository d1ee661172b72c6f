"""What the unit tests share."""

from pathlib import Path

import pytest

from tests.command_line import CommandLine


@pytest.fixture
def command_line(tmp_path: Path) -> CommandLine:
    """The command line, on a data directory that is not there yet."""
    return CommandLine(tmp_path / "memory")
