"""Clients from the command line: registered, shown, renewed and removed."""

import json
import shlex
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from metacortex.credentials import make_missing
from metacortex.engines import DATABASE_NAME
from tests.command_line import CommandLine, Ended

TOOLS = ["fetch_context", "remember_context", "search_context"]


def listed(command_line: CommandLine, **env: str) -> dict[str, dict[str, Any]]:
    """Return the clients by their id."""
    lines = command_line("clients", "list", "--json", **env).lines()
    return {line.pop("id"): line for line in lines}


def profiles(*ids: str) -> str:
    """Return profiles for the environment."""
    return json.dumps(
        [
            {"id": id_, "token": f"{id_}-token-0123456789", "allowedTools": ["search_context"]}
            for id_ in ids
        ]
    )


def test_an_added_client_may_do_what_a_web_client_may(command_line: CommandLine) -> None:
    ended = command_line("clients", "add", "laptop")
    assert ended.status == 0
    assert ended.out.startswith("mcx_")
    assert "/clients/laptop/mcp" in ended.err
    assert listed(command_line) == {
        "laptop": {
            "allowedTools": TOOLS,
            "allowedFilterStates": ["active"],
            "allowedWriteStates": ["active", "wip"],
            "allowedOrigins": [],
            "tenant": "default",
            "namespaces": ["default"],
            "secrets": "redact",
            "mayReplace": False,
            "timezone": "UTC",
            "source": "registered",
        }
    }


def test_every_key_of_a_profile_has_its_option(command_line: CommandLine) -> None:
    ended = command_line(
        *("clients", "add", "auditor", "--tools", "search_context, fetch_context"),
        *("--states", "active,deprecated", "--write-states", "", "--secrets", "refuse"),
        *(
            "--may-replace",
            "--timezone",
            "Asia/Tokyo",
            "--origin",
            "https://a.example",
            "--origin",
            "https://b.example",
        ),
        *("--namespace", "team", "--namespace", "docs/public", "--tenant", "acme", "--json"),
    )
    assert ended.json()["path"] == "/clients/auditor/mcp"
    assert listed(command_line)["auditor"] == {
        "allowedTools": ["fetch_context", "search_context"],
        "allowedFilterStates": ["active", "deprecated"],
        "allowedWriteStates": [],
        "allowedOrigins": ["https://a.example", "https://b.example"],
        "tenant": "acme",
        "namespaces": ["team", "docs/public"],
        "secrets": "refuse",
        "mayReplace": True,
        "timezone": "Asia/Tokyo",
        "source": "registered",
    }


@pytest.mark.parametrize(
    ("env", "url"),
    [
        ({}, "http://127.0.0.1:8080"),
        ({"PORT": "9000"}, "http://127.0.0.1:9000"),
        ({"PUBLIC_URL": "https://memory.example.com"}, "https://memory.example.com"),
    ],
)
def test_a_new_token_comes_with_a_line_that_connects(
    command_line: CommandLine, env: dict[str, str], url: str
) -> None:
    for ended in (
        command_line("clients", "add", "desk lamp", **env),
        command_line("clients", "rotate", "desk lamp", **env),
    ):
        assert (
            "Where it listens elsewhere, set PORT or PUBLIC_URL here as for the server" in ended.err
        )
        line = ended.err.splitlines()[-1].removeprefix("Claude Code: ")
        assert shlex.split(line)[-3:] == [
            *(f"{url}/clients/desk%20lamp/mcp", "--header"),
            "Authorization: Bearer TOKEN",
        ]


def test_a_token_that_is_taken_into_a_variable_is_nowhere_else(command_line: CommandLine) -> None:
    ended = command_line("clients", "add", "laptop")
    assert ended.out.strip() not in ended.err


def test_an_id_that_is_no_text_is_refused(command_line: CommandLine) -> None:
    ended = command_line("clients", "add", "b\udcff")
    assert (ended.status, ended.err) == (1, "id is not valid Unicode text\n")


def test_a_token_is_shown_once_and_never_stored(command_line: CommandLine) -> None:
    token = command_line("clients", "add", "laptop", "--json").json()["token"]
    assert token not in command_line("clients", "list", "--json").out
    files = [path.read_bytes() for path in command_line.data_dir.iterdir()]
    assert all(token.encode() not in content for content in files)


def test_a_rotated_client_has_a_new_token_and_the_same_rights(command_line: CommandLine) -> None:
    first = command_line("clients", "add", "laptop", "--json").json()
    before = listed(command_line)
    second = command_line("clients", "rotate", "laptop", "--json").json()
    assert second["token"] != first["token"]
    assert listed(command_line) == before
    told = command_line("clients", "rotate", "laptop").err
    assert told.startswith("The new token replaces the old one within 30 seconds")


def test_a_removed_client_is_gone(command_line: CommandLine) -> None:
    command_line("clients", "add", "laptop")
    ended = command_line("clients", "remove", "laptop", "--json")
    assert ended.json() == {"id": "laptop", "removed": True}
    assert listed(command_line) == {}


def test_removing_and_listing_speak_to_people_too(command_line: CommandLine) -> None:
    command_line("clients", "add", "laptop")
    heading, row = command_line("clients", "list").out.splitlines()
    assert heading.split() == ["ID", "SOURCE", "TENANT", "SEES", "WRITES", "TOOLS"]
    assert row.split() == [
        *("laptop", "registered", "default", "active", "active,wip"),
        "fetch_context,remember_context,search_context",
    ]
    assert heading.index("TOOLS") == row.index("fetch_context")
    assert "removed" in command_line("clients", "remove", "laptop").err
    assert command_line("clients", "list").err.endswith("clients add ID\n")


def test_clients_of_the_environment_are_listed_as_configured(command_line: CommandLine) -> None:
    command_line("clients", "add", "laptop")
    found = listed(command_line, MCP_CLIENT_PROFILES_JSON=profiles("desk"))
    assert {id_: one["source"] for id_, one in found.items()} == {
        "desk": "configured",
        "laptop": "registered",
    }


CHANGES: list[tuple[tuple[str, ...], str, object]] = [
    (("--tools", "search, upsert_fact"), "allowedTools", ["search", "upsert_fact"]),
    (("--states", "active,deprecated"), "allowedFilterStates", ["active", "deprecated"]),
    (("--write-states", ""), "allowedWriteStates", []),
    (("--origin", "https://b.example"), "allowedOrigins", ["https://b.example"]),
    (("--origin", ""), "allowedOrigins", []),
    (("--namespace", "team", "--namespace", "docs"), "namespaces", ["team", "docs"]),
    (("--secrets", "keep"), "secrets", "keep"),
    (("--may-not-replace",), "mayReplace", False),
    (("--timezone", "Asia/Tokyo"), "timezone", "Asia/Tokyo"),
]


@pytest.mark.parametrize(("options", "key", "value"), CHANGES)
def test_what_is_named_of_a_client_is_changed_and_nothing_else(
    command_line: CommandLine, options: tuple[str, ...], key: str, value: object
) -> None:
    command_line("clients", "add", "laptop", "--may-replace", "--origin", "https://a.example")
    before = listed(command_line)["laptop"]
    assert before[key] != value
    ended = command_line("clients", "update", "laptop", *options)
    assert (ended.status, ended.err) == (
        0,
        "Client 'laptop' is changed; that is in force within 30 seconds\n",
    )
    assert listed(command_line)["laptop"] == {**before, key: value}


def test_a_client_that_is_changed_keeps_its_token(command_line: CommandLine) -> None:
    command_line("clients", "add", "laptop")
    token = stored_token(command_line)
    told = command_line("clients", "update", "laptop", "--tools", "search", "--json").json()
    assert (told["id"], told["allowedTools"]) == ("laptop", ["search"])
    assert stored_token(command_line) == token


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "Nothing to change; name what is to be otherwise, such as --tools"),
        (
            ("--timezone", "Mars/Base"),
            "profile 'laptop': timezone must be a name such as Europe/Berlin or UTC",
        ),
    ],
)
def test_a_change_that_is_none_is_refused(
    command_line: CommandLine, options: tuple[str, ...], sentence: str
) -> None:
    command_line("clients", "add", "laptop")
    before = listed(command_line)
    ended = command_line("clients", "update", "laptop", *options)
    assert ended.status == 1
    assert sentence in ended.err
    assert listed(command_line) == before


def stored_token(command_line: CommandLine) -> bytes:
    """Return the digest of the one client's token."""
    with closing(sqlite3.connect(command_line.data_dir / DATABASE_NAME)) as connection:
        ((digest,),) = connection.execute("SELECT token_sha256 FROM clients")
    assert isinstance(digest, bytes)
    return digest


@pytest.mark.parametrize("verb", ["add", "rotate", "remove", "update"])
def test_a_client_of_the_environment_is_changed_there(command_line: CommandLine, verb: str) -> None:
    more = ("--tools", "search") if verb == "update" else ()
    ended = command_line("clients", verb, "desk", *more, MCP_CLIENT_PROFILES_JSON=profiles("desk"))
    assert ended.status == 1
    assert "is named by MCP_CLIENT_PROFILES_JSON" in ended.err


def test_a_client_that_the_server_made_is_changed_in_its_file(command_line: CommandLine) -> None:
    make_missing({}, command_line.data_dir)
    ended = command_line("clients", "rotate", "claude-web")
    assert ended.status == 1
    assert "credentials.json of the data directory" in ended.err


def test_a_client_in_both_places_can_be_removed_from_the_registry(
    command_line: CommandLine,
) -> None:
    command_line("clients", "add", "desk")
    env = {"MCP_CLIENT_PROFILES_JSON": profiles("desk")}
    assert command_line("clients", "remove", "desk", **env).status == 0
    assert listed(command_line, **env)["desk"]["source"] == "configured"


@pytest.mark.parametrize("verb", ["rotate", "remove", "update"])
def test_a_client_that_is_not_there_is_told(command_line: CommandLine, verb: str) -> None:
    more = ("--tools", "search") if verb == "update" else ()
    ended = command_line("clients", verb, "nobody", *more, "--json")
    assert ended.status == 1
    assert ended.json()["error"]["code"] == "not_found"


def test_a_taken_id_is_a_conflict(command_line: CommandLine) -> None:
    command_line("clients", "add", "laptop")
    ended = command_line("clients", "add", "laptop", "--json")
    assert ended.json()["error"]["code"] == "conflict"


def refused(ended: Ended) -> str:
    """Return the sentence of a profile that is not valid."""
    assert ended.status == 1
    error = ended.json()["error"]
    assert error["code"] == "invalid_input"
    return str(error["message"])


def test_a_profile_is_held_to_the_rules_of_the_environment(command_line: CommandLine) -> None:
    ended = command_line(
        *("clients", "add", "a/b", "--tools", "seek", "--tenant", "../x"),
        *("--states", "", "--secrets", "show", "--json"),
    )
    sentence = refused(ended)
    for problem in ("path segment", "unknown tool 'seek'", "tenant", "must not be empty"):
        assert problem in sentence
    assert listed(command_line) == {}


def test_the_id_of_the_admin_is_refused(command_line: CommandLine) -> None:
    assert "belongs to the admin" in refused(command_line("clients", "add", "default", "--json"))
