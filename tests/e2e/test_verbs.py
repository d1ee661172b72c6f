"""The verbs of the command line with the model that comes with the program."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from metacortex.engines import DATABASE_NAME
from tests.command_line import CommandLine
from tests.e2e.notes import CAKE, SESSIONS, embed_by_another_model
from tests.earlier import write_earlier
from tests.processes import variables
from tests.samples import a_memory

pytestmark = pytest.mark.e2e


def test_what_is_kept_is_found_fetched_and_replaced(command_line: CommandLine) -> None:
    kept = command_line("remember", SESSIONS, "--topic", "auth", "--ref", "gs://a/b", "--json")
    old = kept.json()["item"]["id"]
    new = command_line("remember", "-", given=f"{SESSIONS} Now sixty.\n").out.strip()
    assert command_line("remember", SESSIONS, "--topic", "auth", "--ref", "gs://a/b").err == (
        "Already kept under topic 'auth'\n"
    )
    found = command_line("search", "How long do sessions of the shop last?", "--topic", "auth")
    assert found.out.splitlines()[0].split()[1:] == [old, "auth"]
    assert command_line("deprecate", old, "--by", new).out == f"{old} is superseded by {new}\n"
    fetched = command_line("fetch", old)
    assert fetched.out == f"{SESSIONS}\n"
    assert "branch_state: deprecated" in fetched.err
    assert "artifact_refs: gs://a/b" in fetched.err
    past = command_line("search", "sessions", "--state", "deprecated", "--limit", "1", "--json")
    assert [match["id"] for match in past.json()["matches"]] == [old]
    events = command_line("events", "--json").lines()
    assert [event["tool_name"] for event in events] == [
        *["remember_context"] * 3,
        *("search_context", "deprecate_context", "fetch_context", "search_context"),
    ]
    assert {event["status"] for event in events} == {"success"}
    assert "1 found" in command_line("events").out


def test_a_search_explains_itself(command_line: CommandLine) -> None:
    command_line("remember", SESSIONS)
    told = command_line("search", "sessions of the shop", "--explain").out.splitlines()[2]
    parts = ("by itself", "words 1.000 (sess, shop)", "nearness", "outstanding", "recency +3.0%")
    assert all(part in told for part in parts)
    assert len(command_line("search", "sessions of the shop").out.splitlines()) == 2


def test_searches_and_lists_are_narrowed_down(command_line: CommandLine) -> None:
    kept = command_line("remember", SESSIONS).out.strip()
    asked: list[tuple[str, ...]] = [("search", "sessions of the shop"), ("list",)]
    for verb in asked:
        dated = ("--where", "created_after=2020", "--where", "client=cli")
        assert kept in command_line(*verb, *dated).out
        tags = ("--where", "tags=a", "--where", "tags=b")
        shown = command_line(*verb, *tags, "--json").json()["applied_filters"]
        assert shown["tags"] == ["a", "b"]
        topic = ("--where", "filter_topic=auth", "--where", "filter_state=wip", "--json")
        shown = command_line(*verb, *topic).json()["applied_filters"]
        assert (shown["filter_topic"], shown["filter_state"]) == ("auth", "wip")
        assert "'colour' is no filter" in command_line(*verb, "--where", "colour=red").err
        assert "NAME=VALUE, such as kind=episode" in command_line(*verb, "--where", "kind").err


def test_a_draft_is_promoted(command_line: CommandLine) -> None:
    drafts = [command_line("remember", text, "--draft").out.strip() for text in ("One.", "Two.")]
    assert command_line("promote", drafts[0]).out == f"{drafts[0]} is active\n"
    assert command_line("promote", drafts[1], "--merged").out == f"{drafts[1]} is merged\n"
    assert command_line("promote", drafts[0], "--merged").status == 1


def test_a_correction_names_what_it_replaces(command_line: CommandLine) -> None:
    old = command_line("remember", SESSIONS).out.strip()
    new = command_line("remember", "Sessions expire after a week.", "--supersedes", old)
    assert f"It replaces {old}" in new.err
    assert f"superseded_by: {new.out.strip()}" in command_line("fetch", old).err


def test_drafts_become_one_memory(command_line: CommandLine) -> None:
    texts = ("The pump leaks.", "The flange was tightened.")
    drafts = [
        command_line("remember", text, "--draft", "--topic", "pump").out.strip() for text in texts
    ]
    shown = command_line("consolidate", "--topic", "pump")
    assert all(each in shown.out for each in (*texts, *drafts))
    assert shown.err.startswith("To merge them, repeat this with their IDs and with --content")
    merged = command_line("consolidate", *drafts, "--content", "-", given="It leaks no more.")
    assert merged.err == "It stands for 2 memories\n"
    assert command_line("fetch", merged.out.strip()).out == "It leaks no more.\n"
    assert command_line("consolidate", *drafts, "--content", " ").status == 1
    assert command_line("consolidate").err.startswith("Give the IDs of the memories to merge, or")
    assert command_line("consolidate", "--content", "x").err.startswith("--content needs the IDs")


def test_memories_are_listed_page_by_page(command_line: CommandLine) -> None:
    older, newer = (command_line("remember", text).out.strip() for text in (SESSIONS, CAKE))
    first = command_line("list", "--limit", "1")
    time, id_, topic = first.out.splitlines()[0].split()
    assert (time[-1], id_, topic) == ("Z", newer, "general")
    assert first.out.splitlines()[1].strip() == CAKE
    cursor = first.err.removeprefix("More follows: add --cursor ").strip()
    second = command_line("list", "--cursor", cursor, "--json").json()
    assert [item["id"] for item in second["items"]] == [older]
    assert "next_cursor" not in second
    none = command_line("list", "--topic", "auth")
    assert (none.out, none.err) == ("", "Nothing in state active\n")


def test_the_past_is_shown_with_the_states_that_it_is_kept_in(command_line: CommandLine) -> None:
    old, new = (command_line("remember", text).out.strip() for text in (SESSIONS, CAKE))
    command_line("deprecate", old, "--by", new)
    for verb in (("list",), ("search", "sessions of the shop")):
        past = command_line(*verb, "--where", "valid_at=2026-01-01").out
        assert f"{old}  general  deprecated\n" in past


def test_what_is_wrong_with_a_text_is_said_as_a_tool_says_it(command_line: CommandLine) -> None:
    ended = command_line("remember", "x", "--draft", "--state", "active")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == "Provide either draft or branch_state, not both\n"
    assert command_line("search", "anything").err == (
        "Nothing found in state active\n"
        "Nothing that holds at this moment is stored under these filters; leave some out, or try"
        " another state or moment\n"
    )


def test_a_secret_is_taken_out_and_said(command_line: CommandLine) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    ended = command_line("remember", f"The deploy key is {token}.")
    assert "Taken out, as what looks like a live secret" in ended.err
    assert token not in command_line("fetch", ended.out.strip()).out


def test_text_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "metacortex", "remember", "-"],
        env=variables(tmp_path, PYTHONIOENCODING="utf-8:strict"),
        input=b"\xff\xfe",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.decode() == "Standard input is not UTF-8 text\n"


def test_another_model_is_noticed_and_what_it_embedded_renewed(command_line: CommandLine) -> None:
    asyncio.run(embed_by_another_model(command_line.data_dir, SESSIONS, CAKE))
    before = command_line("doctor", "--json")
    (check,) = (line for line in before.lines() if line["check"] == "embeddings")
    assert (before.status, check["verdict"]) == (0, "warn")
    assert check["finding"].endswith(f"--data-dir {command_line.data_dir} reembed")
    renewed = command_line("reembed", "--json")
    assert renewed.json() == {"reembedded": 2, "space": "use-multilingual-v3/512"}
    assert CAKE in command_line("search", "birthday cake", "--limit", "1").out
    assert "Nothing to do" in command_line("reembed").err


def test_what_an_earlier_version_wrote_is_noticed_and_indexed(command_line: CommandLine) -> None:
    command_line.data_dir.mkdir()
    path = command_line.data_dir / DATABASE_NAME
    asyncio.run(write_earlier(path, a_memory(content=CAKE), tenant="default"))
    before = command_line("doctor", "--json")
    (check,) = (line for line in before.lines() if line["check"] == "words")
    assert (before.status, check["verdict"]) == (0, "warn")
    assert check["finding"].endswith(f"--data-dir {command_line.data_dir} reindex")
    assert command_line("reindex", "--json").json() == {"reindexed": 1}
    assert "Nothing to do" in command_line("reindex").err
    assert CAKE in command_line("search", "birthday cake").out


def test_a_renewal_that_is_stopped_goes_on_where_it_was(command_line: CommandLine) -> None:
    total = 600
    asyncio.run(
        embed_by_another_model(command_line.data_dir, *(f"Note {place}" for place in range(total)))
    )
    with subprocess.Popen(
        [sys.executable, "-m", "metacortex", "reembed"],
        env=variables(command_line.data_dir),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == f"100 of {total}\n"
        process.send_signal(signal.SIGINT)
        stopped = process.stderr.read().splitlines()[-1]
        assert process.wait(60) == 130
    done = int(stopped.removeprefix("Stopped after ").split()[0])
    assert stopped == f"Stopped after {done} of {total}; start it again to go on"
    assert command_line("reembed", "--json").json()["reembedded"] in (
        total - done,
        total - done - 1,
    )


def test_a_reset_says_what_it_would_do_before_it_does_it(command_line: CommandLine) -> None:
    command_line("remember", SESSIONS)
    asked = command_line("reset")
    assert asked.status == 1
    assert "This would delete 1 memory of tenant 'default'" in asked.err
    assert command_line("reset", "--confirm", "--json").json() == {
        "tenant": "default",
        "deleted": 1,
    }
    assert (
        "Deleted for good: 0 memories of tenant 'default'" in command_line("reset", "--confirm").err
    )
    assert len(command_line("events", "--json").lines()) == 1


def verdicts(command_line: CommandLine, **env: str) -> dict[str, str]:
    """Return what doctor says of each thing."""
    lines = command_line("doctor", "--json", **env).lines()
    return {line["check"]: line["verdict"] for line in lines}


def test_a_doctor_finds_a_new_machine_well_and_changes_nothing(command_line: CommandLine) -> None:
    assert verdicts(command_line) == {
        "configuration": "warn",
        "data directory": "ok",
        "disk": "ok",
        "store": "ok",
        "clock": "ok",
        "embedding model": "ok",
    }
    assert not command_line.data_dir.exists()


def test_a_doctor_tells_what_others_may_read_and_the_remedy(command_line: CommandLine) -> None:
    command_line("clients", "add", "desk")
    command_line.data_dir.chmod(0o755)
    ended = command_line("doctor", MCP_ADMIN_TOKEN="admin-token-0123456789")
    assert ended.status == 0
    assert (
        f"warn  data directory: '{command_line.data_dir}' is open to other users; run: chmod 700"
        in (ended.out)
    )
    assert "ok    configuration: " in ended.out


def test_a_doctor_fails_for_what_keeps_a_server_from_working(command_line: CommandLine) -> None:
    profile = {"id": "desk", "token": "desk-token-0123456789", "allowedTools": ["search_context"]}
    command_line("clients", "add", "desk")
    ended = command_line("doctor", "--json", MCP_CLIENT_PROFILES_JSON=json.dumps([profile]))
    (check,) = (line for line in ended.lines() if line["verdict"] == "fail")
    assert (ended.status, check["check"]) == (1, "clients")
    assert "desk" in check["finding"]
    (command_line.data_dir / DATABASE_NAME).write_bytes(b"no database" * 1000)
    assert verdicts(command_line)["store"] == "fail"
    broken = command_line("doctor", SEARCH_RESULT_LIMIT="x", IDEMPOTENCY_WINDOW_SECONDS="x")
    assert (broken.status, len(broken.out.splitlines())) == (1, 2)


def test_a_doctor_fails_for_a_model_that_does_not_answer(command_line: CommandLine) -> None:
    found = verdicts(
        command_line,
        METACORTEX_EMBEDDER="openai",
        METACORTEX_EMBEDDING_URL="http://127.0.0.1:1/v1",
        METACORTEX_EMBEDDING_MODEL="none",
        METACORTEX_EMBEDDING_DIMENSIONS="8",
    )
    assert found["embedding model"] == "fail"


def test_a_doctor_fails_for_a_reranker_that_does_not_answer(command_line: CommandLine) -> None:
    found = verdicts(
        command_line,
        METACORTEX_RERANKER="fastembed",
        METACORTEX_RERANKER_MODEL="no/such-model",
    )
    assert (found["embedding model"], found["reranker"]) == ("ok", "fail")


def test_events_are_followed_as_they_happen(command_line: CommandLine) -> None:
    command_line("fetch", "before")
    with subprocess.Popen(
        [sys.executable, "-m", "metacortex", "events", "--follow", "--json"],
        env=variables(command_line.data_dir),
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["request"]["document_id"] == "before"
        command_line("fetch", "after")
        assert json.loads(process.stdout.readline())["request"]["document_id"] == "after"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stdout.read() == b""
