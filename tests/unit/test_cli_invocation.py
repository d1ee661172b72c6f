"""How a command ends: its status, and what it says where."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from metacortex.commands.console import note, print_text
from metacortex.commands.invocation import Invocation
from metacortex.version import VERSION
from tests.command_line import CommandLine, run_process
from tests.processes import START_SECONDS, variables

FULL = Path("/dev/full")
SECRET = "the text of a memory"


async def fail() -> None:
    """Fail as no command should."""
    raise LookupError(SECRET)


async def stop() -> None:
    """End as Ctrl-C does."""
    raise KeyboardInterrupt


def test_the_version_is_told(command_line: CommandLine) -> None:
    ended = command_line("--version")
    assert (ended.status, ended.out) == (0, f"metacortex {VERSION}\n")


def test_without_a_command_the_help_is_shown(command_line: CommandLine) -> None:
    ended = command_line()
    assert "Usage: metacortex" in ended.out + ended.err
    assert "serve" in ended.out + ended.err


@pytest.mark.parametrize(
    "arguments",
    [["nothing"], ["fetch"], ["search", "x", "--state", "old"], ["events", "--limit", "0"]],
)
def test_wrong_usage_ends_with_2_and_no_output(
    command_line: CommandLine, arguments: list[str]
) -> None:
    ended = command_line(*arguments)
    assert (ended.status, ended.out) == (2, "")
    assert "Usage: metacortex" in ended.err


def test_a_word_that_is_no_choice_gets_all_of_them(command_line: CommandLine) -> None:
    told = " ".join(command_line("search", "x", "--state", "old").err.replace("│", " ").split())
    assert "'--state': must be one of active, wip, merged, deprecated" in told
    assert "Value error" not in told


def test_a_text_that_is_empty_is_refused_as_a_person_would_say_it(
    command_line: CommandLine,
) -> None:
    ended = command_line("remember", " ")
    assert (ended.status, ended.err) == (1, "The text to keep must not be empty\n")


def test_every_problem_of_the_settings_has_its_line(command_line: CommandLine) -> None:
    ended = command_line("events", SEARCH_RESULT_LIMIT="99", DEFAULT_FILTER_STATE="old")
    assert (ended.status, ended.out) == (1, "")
    assert [line.split()[0] for line in ended.err.splitlines()] == [
        "DEFAULT_FILTER_STATE",
        "SEARCH_RESULT_LIMIT",
    ]


def test_a_failure_in_json_is_one_object_with_its_code(command_line: CommandLine) -> None:
    ended = command_line("fetch", "nothing", "--json")
    assert ended.status == 1
    assert ended.json() == {"error": {"code": "not_found", "message": "Document not found"}}


def test_a_store_that_cannot_be_opened_is_told_to_the_operator(command_line: CommandLine) -> None:
    command_line.data_dir.write_text("a file")
    ended = command_line("fetch", "nothing", "--json")
    assert ended.status == 1
    assert "METACORTEX_DATA_DIR" in ended.json()["error"]["message"]


@pytest.mark.parametrize("verb", [("stats",), ("list",), ("search", "x"), ("events",)])
def test_what_reads_a_folder_that_is_not_there_says_so_and_makes_none(
    command_line: CommandLine, tmp_path: Path, verb: tuple[str]
) -> None:
    wrong = tmp_path / "wrong"
    ended = command_line("--data-dir", str(wrong), *verb)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == f"--data-dir names '{wrong}', and there is no such folder\n"
    assert not wrong.exists()


def test_a_data_directory_on_the_command_line_goes_before_the_setting(
    command_line: CommandLine, tmp_path: Path
) -> None:
    assert command_line("--data-dir", str(tmp_path / "other"), "reset", "--confirm").status == 0
    assert (tmp_path / "other").exists()
    assert not command_line.data_dir.exists()


def test_a_tenant_that_nobody_can_have_is_refused(command_line: CommandLine) -> None:
    ended = command_line("reset", "--confirm", "--tenant", "../x")
    assert ended.status == 1
    assert ended.err.startswith("tenant must be 1 to 64")


@pytest.mark.parametrize("as_json", [True, False])
def test_an_unexpected_failure_says_where_it_is_and_not_what_it_quotes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    invocation = Invocation({"METACORTEX_DATA_DIR": str(tmp_path)}, as_json)
    with pytest.raises(typer.Exit) as ended:
        invocation.run(fail())
    assert ended.value.exit_code == 1
    out, err = capsys.readouterr()
    told = json.loads(out)["error"]["message"] if as_json else err
    assert f"'{tmp_path}/failures.log'" in told
    assert SECRET not in out + err
    kept = (tmp_path / "failures.log").read_text()
    assert kept.startswith("LookupError\n")
    assert kept.rstrip().endswith("in fail")


def test_an_unexpected_failure_is_told_where_nothing_can_be_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit):
        Invocation({"METACORTEX_DATA_DIR": str(tmp_path / "none")}).run(fail())
    assert capsys.readouterr().err == (
        "Something went wrong that should not have; METACORTEX_DEBUG=1 shows what\n"
    )


def test_whoever_asks_for_it_sees_the_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = {"METACORTEX_DATA_DIR": str(tmp_path), "METACORTEX_DEBUG": "1"}
    with pytest.raises(typer.Exit):
        Invocation(env).run(fail())
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("arguments", [["doctor", "--json"], ["fetch", "nothing", "--json"]])
def test_an_output_that_cannot_be_written_ends_with_one_sentence(
    tmp_path: Path, arguments: list[str]
) -> None:
    with FULL.open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "metacortex", *arguments],
            env=variables(tmp_path),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=START_SECONDS,
            check=False,
        )
    assert run.returncode == 1
    assert run.stderr == (
        "Standard output cannot be written (No space left on device); nothing more is printed\n"
    )


def test_an_interrupted_command_ends_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended:
        Invocation({}).run(stop())
    assert ended.value.exit_code == 130
    assert capsys.readouterr() == ("", "")


def test_a_stored_text_cannot_command_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "red \x1b[31m\n\tgrün 🙂"
    print_text(text)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_text(text)
    assert capsys.readouterr().out == f"{text}\nred \\x1b[31m\n\tgrün 🙂\n"


def test_nor_can_one_that_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    note("Stored: red \x1b[31m\n\tgrün 🙂")
    assert capsys.readouterr().err == "Stored: red \\x1b[31m\n\tgrün 🙂\n"


def test_the_module_runs_as_the_command_does(tmp_path: Path) -> None:
    ended = run_process(tmp_path, "--version")
    assert (ended.status, ended.out, ended.err) == (0, f"metacortex {VERSION}\n", "")


def test_help_loads_no_server_and_no_model(tmp_path: Path) -> None:
    ended = run_process(tmp_path, "--help", PYTHONPROFILEIMPORTTIME="1")
    heavy = ("uvicorn", "numpy", "mcp", "starlette", "httpx")
    loaded = {line.rsplit("|", 1)[-1].strip() for line in ended.err.splitlines()}
    assert loaded & set(heavy) == set()
    assert "typer" in loaded
