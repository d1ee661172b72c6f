"""A command that a person is told to run can be run as it stands."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from metacortex.commands.typed import typed
from metacortex.engine_settings import DEFAULT_DATA_DIR
from metacortex.version import VERSION
from tests.processes import ROOT


def test_a_data_directory_of_ones_own_is_part_of_the_command(tmp_path: Path) -> None:
    folder = tmp_path / "my memory"
    words = shlex.split(typed({"METACORTEX_DATA_DIR": str(folder)}, "events", "--follow"))
    assert words[-4:] == ["--data-dir", str(folder), "events", "--follow"]


@pytest.mark.parametrize("env", [{}, {"METACORTEX_DATA_DIR": str(DEFAULT_DATA_DIR.expanduser())}])
def test_the_default_data_directory_needs_no_mention(env: dict[str, str]) -> None:
    assert "--data-dir" not in typed(env, "reembed")


def test_the_command_needs_no_search_path() -> None:
    run = subprocess.run(
        shlex.split(typed({}, "--version")),
        env={"PATH": "", "PYTHONPATH": str(ROOT / "functions")},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == f"metacortex {VERSION}\n"


@pytest.mark.parametrize("installed", [True, False])
def test_the_command_of_this_environment_is_named_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    if installed:
        (tmp_path / "metacortex").touch()
    module = [f"{tmp_path}/python", "-m", "metacortex"]
    program = [f"{tmp_path}/metacortex"] if installed else module
    assert shlex.split(typed({}, "doctor")) == [*program, "doctor"]
