"""`metacortex export-sources`: a list of JSON, to a file or to standard output."""

import json
from pathlib import Path

from tests.command_line import CommandLine


def test_all_that_holds_is_written_into_a_file_of_its_owner(
    command_line: CommandLine, tmp_path: Path
) -> None:
    ids = [command_line("remember", f"Number {n}.").out.strip() for n in range(3)]
    path = tmp_path / "sources.json"
    ended = command_line("export-sources", "--all", "--proofs", "--output", str(path))
    assert (ended.status, ended.out) == (0, "")
    sources = json.loads(path.read_text(encoding="utf-8"))
    assert [source["source_id"] for source in sources] == [*reversed(ids)]
    root = sources[0]["metadata"]["merkle_root"]
    assert f"3 sources; root {root} of 6 leaves" in ended.err
    assert sources[0]["metadata"]["inclusion"]["index"] == 4
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_there_is_written_over_only_by_force(
    command_line: CommandLine, tmp_path: Path
) -> None:
    command_line("remember", "The relay is in rack C.")
    path = tmp_path / "mine.txt"
    path.write_text("Mine.")
    export = ("export-sources", "--all", "--output", str(path))
    refused = command_line(*export)
    assert (refused.status, path.read_text()) == (1, "Mine.")
    assert refused.err == (
        f"'{path}' is there already; name another, or write over it by --force\n"
    )
    assert command_line(*export, "--force").status == 0
    assert len(json.loads(path.read_text(encoding="utf-8"))) == 1


def test_json_is_all_that_is_printed_where_it_is_asked_for(command_line: CommandLine) -> None:
    command_line("remember", "The relay is in rack C.")
    told = command_line("export-sources", "--all", "--json").json()
    assert [*told] == ["sources", "tree"]


def test_a_query_exports_what_it_finds_to_standard_output(command_line: CommandLine) -> None:
    relay = command_line("remember", "The relay is in rack C.").out.strip()
    ended = command_line("export-sources", "--query", "the relay in rack C", "--as-of", "2999")
    (source,) = ended.json()
    assert (source["source_id"], source["content"]) == (relay, "The relay is in rack C.")


def test_of_more_than_a_query_brings_along_it_is_told(command_line: CommandLine) -> None:
    for n in range(21):
        command_line("remember", f"The relay of line {n} is in rack C.")
    ended = command_line("export-sources", "--query", "the relay in rack C")
    assert len(ended.json()) == 20
    assert "more may match; ask in other words, or export --all" in ended.err


def test_what_cannot_be_asked_or_written_is_told(command_line: CommandLine) -> None:
    command_line("remember", "The relay is in rack C.")
    neither = command_line("export-sources")
    assert (neither.status, neither.err) == (
        1,
        "Say what to export: --query, or --all; one of the two\n",
    )
    nowhere = command_line("export-sources", "--all", "--output", "/nowhere/sources.json")
    assert nowhere.status == 1
    assert "'/nowhere/sources.json' cannot be written (No such file or directory)" in nowhere.err
