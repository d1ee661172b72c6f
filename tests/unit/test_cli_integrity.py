"""`metacortex verify-integrity`: what it prints, and the status that it ends with."""

import sqlite3
from contextlib import closing

from metacortex.engines import DATABASE_NAME
from tests.command_line import CommandLine, Ended


def alter(command_line: CommandLine, statement: str) -> None:
    """Do to the file what no program of ours does."""
    with closing(sqlite3.connect(command_line.data_dir / DATABASE_NAME)) as connection, connection:
        connection.execute(statement)


def remembered(command_line: CommandLine) -> str:
    """Remember something, and return its id."""
    return command_line("remember", "The relay is in rack C.").out.strip()


def verified(command_line: CommandLine, *options: str) -> Ended:
    return command_line("verify-integrity", *options)


def test_the_root_is_printed_with_its_size(command_line: CommandLine) -> None:
    remembered(command_line)
    ended = verified(command_line)
    root, size = ended.out.split()
    assert (ended.status, size, len(root)) == (0, "2", 64)
    assert "1 memory and 1 changes were checked" in ended.err
    assert "keep the root with its size elsewhere" in ended.err
    again = verified(command_line, "--root", root, "--size", size)
    assert (again.status, again.out) == (0, ended.out)
    assert "begins with exactly" in again.err


def test_a_kept_root_is_enough_after_later_writes(command_line: CommandLine) -> None:
    remembered(command_line)
    root, size = verified(command_line).out.split()
    command_line("remember", "The pump is new.")
    ended = verified(command_line, "--root", root)
    assert (ended.status, ended.out.split()[1]) == (0, "4")
    assert f"The first {size} leaves have the given root" in ended.err


def test_what_was_altered_is_named_and_fails(command_line: CommandLine) -> None:
    id_ = remembered(command_line)
    alter(command_line, "UPDATE memories SET content = 'The relay is in rack D.'")
    ended = verified(command_line)
    assert ended.status == 1
    assert ended.out.splitlines()[1:] == [f"altered  {id_}  memory_hash"]
    told = verified(command_line, "--json")
    assert (told.status, told.json()["altered"]) == (1, [{"id": id_, "checks": ["memory_hash"]}])


def test_another_root_fails(command_line: CommandLine) -> None:
    remembered(command_line)
    ended = verified(command_line, "--root", "0" * 64)
    assert ended.status == 1
    assert "is not the one that the given root was of" in ended.err


def test_a_record_that_is_shorter_than_the_kept_size_fails(command_line: CommandLine) -> None:
    remembered(command_line)
    ended = verified(command_line, "--size", "5")
    assert ended.status == 1
    assert ended.out.splitlines()[1:] == ["missing  3 of 5 leaves"]
    assert "the record has fewer leaves than the given size" in ended.err


def test_memories_without_leaves_are_counted(command_line: CommandLine) -> None:
    remembered(command_line)
    alter(command_line, "DELETE FROM changes")
    ended = verified(command_line)
    assert ended.status == 1
    assert "1 of them were written by an earlier version, and the root tells nothing" in ended.err


def test_of_very_much_that_was_altered_the_first_are_named(command_line: CommandLine) -> None:
    first = remembered(command_line)
    alter(
        command_line,
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 150)"
        " INSERT INTO changes (tenant, seq, recorded_at, client, kind, subject_id, after, sha256)"
        " SELECT 'default', 100 + n, 0, '', 'state', 'x' || n, '[', '' FROM n",
    )
    ended = verified(command_line)
    assert ended.status == 1
    named = [line.split()[1] for line in ended.out.splitlines()[1:]]
    assert (len(named), first in named) == (100, False)
    assert "More was altered than is named" in ended.err
