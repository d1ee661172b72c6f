"""The file of Firestore's indexes, and what is said of one that does not fit the settings."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from metacortex.bootstrap import TOOL_NAMES
from metacortex.config import Settings
from metacortex.domain.errors import ConfigurationError
from metacortex.index_file import COMMITTED, committed, disagreements, needed, written
from tests.command_line import CommandLine

DEFAULTS = {"METACORTEX_ENGINE": "firestore", "GEMINI_BACKEND": "vertex"}

File: TypeAlias = dict[str, Any]


def settings(**varied: str) -> Settings:
    return Settings.from_env(DEFAULTS | varied, TOOL_NAMES, serving=False)


def a_file(**varied: str) -> File:
    """Return the content that such settings need, as it is read from a file."""
    content: File = json.loads(written(needed(settings(**varied))))
    return content


def test_the_committed_file_is_what_the_defaults_need() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == written(needed(settings())) + "\n"


def test_a_file_of_its_own_settings_fits() -> None:
    varied = {"MEMORY_COLLECTION": "notes", "GEMINI_EMBEDDING_DIMENSIONS": "256"}
    assert disagreements(settings(**varied), a_file(**varied)) == []


def test_the_file_follows_collection_and_dimension() -> None:
    content = a_file(MEMORY_COLLECTION="notes", GEMINI_EMBEDDING_DIMENSIONS="256")
    assert {index["collectionGroup"] for index in content["indexes"]} == {
        *("notes", "memory_windows", "memory_events", "entities")
    }
    vectors = [field for index in content["indexes"] for field in index["fields"][-1:]]
    assert {field["vectorConfig"]["dimension"] for field in vectors if "vectorConfig" in field} == {
        256
    }


def without_an_event_index(content: File) -> None:
    content["indexes"].pop()


def without_an_override(content: File) -> None:
    content["fieldOverrides"].pop(0)


def without_expiry(content: File) -> None:
    events = (each for each in content["fieldOverrides"] if each["fieldPath"] == "expires_at")
    del next(events)["ttl"]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (
            without_an_event_index,
            "it lacks the index of memory_events by tool_name ASCENDING, timestamp DESCENDING,"
            " recorded_at DESCENDING",
        ),
        (
            without_an_override,
            "it does not configure memory_vectors.space as the queries need it",
        ),
        (
            without_expiry,
            "it does not configure memory_events.expires_at as the queries need it",
        ),
    ],
)
def test_what_a_file_lacks_is_told(spoil: Callable[[File], None], told: str) -> None:
    content = a_file()
    spoil(content)
    assert disagreements(settings(), content) == [told]


def test_another_dimension_is_told_once() -> None:
    (told,) = disagreements(settings(GEMINI_EMBEDDING_DIMENSIONS="256"), a_file())
    assert "it is for vectors of 768 numbers, and gemini-embedding-001 makes 256" in told


def test_another_collection_is_told_once() -> None:
    (told,) = disagreements(settings(MEMORY_COLLECTION="notes"), a_file())
    there = "entities, memory_vectors, memory_windows"
    assert f"vector indexes for {there}, and searches go over notes" in told


def test_an_empty_file_lacks_everything() -> None:
    assert "no collection" in disagreements(settings(), {})[0]


def test_what_a_file_holds_beyond_the_need_does_no_harm() -> None:
    content = a_file()
    content["indexes"] += a_file(GEMINI_EMBEDDING_DIMENSIONS="256")["indexes"]
    assert disagreements(settings(), content) == []


def test_an_exported_file_fits_too() -> None:
    content = a_file()
    for index in content["indexes"]:
        index["density"] = "SPARSE_ALL"
        index["fields"].insert(-1, {"fieldPath": "__name__", "order": "ASCENDING"})
    for override in content["fieldOverrides"]:
        override.setdefault("ttl", False)
    assert disagreements(settings(), content) == []


def test_a_file_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert committed(tmp_path / "firestore.indexes.json") is None


@pytest.mark.parametrize("text", ["", "[]", "{"])
def test_a_file_that_is_no_json_object_is_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "firestore.indexes.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"cannot be read; run metacortex indexes"):
        committed(path)


def test_the_command_prints_the_file(command_line: CommandLine) -> None:
    ended = command_line("indexes", **DEFAULTS)
    assert (ended.status, ended.out) == (0, COMMITTED.read_text(encoding="utf-8"))


def test_the_command_says_where_there_are_no_indexes(command_line: CommandLine) -> None:
    ended = command_line("indexes")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        "Only Firestore has indexes to deploy; set METACORTEX_ENGINE to firestore\n"
    )
