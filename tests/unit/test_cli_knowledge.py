"""Episodes, facts, names and findings from the command line."""

import pytest

from tests.command_line import CommandLine


def test_an_episode_is_kept_with_all_that_is_said_of_it(command_line: CommandLine) -> None:
    ended = command_line(
        *("record-episode", "Keys moved", "-", "--category", "migration"),
        *("--file", "src/a.py", "--file", "src/b.py", "--entity", "auth service"),
        *("--topic", "auth", "--tag", "keys", "--importance", "0.9", "--session", "s1"),
        *("--valid-from", "2026-08", "--valid-until", "2026-09-30", "--namespace", "team"),
        given="We moved to Ed25519, since RS256 was slow.\n",
    )
    assert (ended.status, ended.err) == (0, "Kept under topic 'auth'\n")
    item = command_line("fetch", ended.out.strip(), "--json").json()["item"]
    told = item["metadata"]
    assert item["content"].strip() == "We moved to Ed25519, since RS256 was slow."
    assert {name: told[name] for name in ("kind", "title", "category", "files_touched")} == {
        "kind": "episode",
        "title": "Keys moved",
        "category": "migration",
        "files_touched": ["src/a.py", "src/b.py"],
    }
    assert {name: told[name] for name in ("tags", "importance", "session_id", "namespace")} == {
        "tags": ["keys"],
        "importance": 0.9,
        "session_id": "s1",
        "namespace": "team",
    }
    assert (told["valid_from"], told["valid_until"]) == ("2026-08", "2026-09-30")
    known = command_line("graph", "--entity", "auth service", "--json")
    assert known.json()["entity"]["id"] in told["entities"]


def test_a_fact_ends_the_one_that_it_replaces(command_line: CommandLine) -> None:
    episode = command_line("record-episode", "Keys moved", "We moved to Ed25519.").out.strip()
    assert f"{episode}  general  Keys moved\n" in command_line("list").out
    old = command_line("upsert-fact", "auth", "algorithm", "RS256", "--valid-from", "2025")
    ended = command_line(
        *("upsert-fact", "auth", "algorithm", "Ed25519", "--valid-from", "2026-08"),
        *("--source", episode, "--category", "security"),
        *("--confidence", "high", "--importance", "0.75"),
    )
    assert ended.err == f"Kept: auth algorithm Ed25519\nIt ends {old.out.strip()}\n"
    told = command_line("fetch", ended.out.strip(), "--json").json()["item"]["metadata"]
    assert {name: told[name] for name in ("object", "category", "confidence", "importance")} == {
        "object": "Ed25519",
        "category": "security",
        "confidence": 0.9,
        "importance": 0.75,
    }
    assert (told["source_episode_id"], told["valid_from"]) == (episode, "2026-08")
    again = command_line("upsert-fact", "auth", "algorithm", "Ed25519", "--valid-from", "2026-08")
    assert (again.out, again.err) == (ended.out, "Already kept: auth algorithm Ed25519\n")


def test_facts_stand_beside_each_other_and_name_entities(command_line: CommandLine) -> None:
    for name in ("Ana", "Ben"):
        ended = command_line(
            *("upsert-fact", "api", "owned_by", name, "--entity", "--beside", "--json"),
        )
        assert ended.json()["superseded"] == []
        assert ended.json()["fact"]["object_id"].startswith("ent_")
    ending = command_line(
        *("upsert-fact", "api", "owned_by", "Ben", "--entity", "--beside"),
        *("--valid-until", "2099-12-31"),
    )
    assert ending.err == "Already kept, and ends now as was told: api owned_by Ben\n"
    elsewhere = command_line(
        *("upsert-fact", "api", "owned_by", "Eve", "--namespace", "team", "--json")
    )
    assert elsewhere.json()["fact"]["namespace"] == "team"


@pytest.mark.parametrize("confidence", ["certain", "nan", "2"])
def test_what_is_neither_a_number_nor_a_word_for_one_is_told(
    command_line: CommandLine, confidence: str
) -> None:
    ended = command_line("upsert-fact", "a", "is", "b", "--confidence", confidence)
    assert (ended.status, ended.err) == (
        1,
        "confidence must be a number from 0 to 1, or low or medium or high\n",
    )


def test_a_live_secret_is_taken_out_of_a_fact_and_that_is_said(command_line: CommandLine) -> None:
    key = "AKIA" + "Q3EGRZTBK7NPLW2D"
    ended = command_line("upsert-fact", "backup", "runs_with", f"key {key}")
    assert ended.status == 0
    assert key not in ended.out + ended.err
    assert "Taken out, as what looks like a live secret: " in ended.err


def test_two_names_are_one_until_that_is_taken_back(command_line: CommandLine) -> None:
    command_line("upsert-fact", "Ana", "lives_in", "Lisbon")
    merged = command_line("merge-entities", "Anna", "Ana").out
    assert merged == "'Anna' is merged, and stands for 'Ana'\n"
    assert command_line("merge-entities", "Anna", "Ana").out == merged.replace(
        "merged", "unchanged"
    )
    undone = command_line("merge-entities", "Anna", "--undo").out
    assert undone == "'Anna' is undone, and stands for 'Anna'\n"
    neither = command_line("merge-entities", "Anna")
    assert (neither.status, neither.err) == (
        1,
        "Say INTO, which FROM is to stand for, or --undo; one of the two\n",
    )
    nowhere = command_line("merge-entities", "Anna", "Ana", "--namespace", "team")
    assert (nowhere.status, nowhere.err) != (0, "")


def test_findings_are_listed_closed_and_opened_again(command_line: CommandLine) -> None:
    assert command_line("review-contradictions").err == "No findings\n"
    for value in ("10 s", "30 s"):
        command_line("upsert-fact", "gateway", "timeout", value, "--beside")
    command_line("audit-contradictions")
    shown = command_line("review-contradictions", "--limit", "1").out.splitlines()
    finding = shown[0].split()[0]
    assert shown[0].split()[1] == "open"
    assert {line.split(maxsplit=1)[1] for line in shown[1:]} == {
        "gateway timeout 10 s",
        "gateway timeout 30 s",
    }
    unsaid = command_line("review-contradictions", finding, "--action", "close")
    assert (unsaid.status, unsaid.err) == (1, "reason must say why the findings are closed\n")
    reason = ("--reason", "Both, by region.")
    closed = command_line("review-contradictions", finding, "--action", "close", *reason)
    assert closed.out.splitlines()[-1] == "       closed: Both, by region."
    assert command_line("review-contradictions").err == "No findings\n"
    status = ("--status", "closed")
    assert finding in command_line("review-contradictions", *status).out
    elsewhere = command_line("review-contradictions", *status, "--namespace", "team")
    assert elsewhere.out == ""
    command_line("review-contradictions", finding, "--action", "reopen")
    assert finding in command_line("review-contradictions").out


def test_a_resolution_is_taken_back_by_the_line_that_the_audit_prints(
    command_line: CommandLine,
) -> None:
    for value in ("10 s", "30 s"):
        command_line("upsert-fact", "gateway", "timeout", value, "--beside")
    said = command_line("audit-contradictions", "--auto-resolve").err.splitlines()[-1]
    line = said.removeprefix("To take it back: metacortex ")
    back = command_line(*line.split())
    assert back.status == 0
    assert back.out.split()[1] == "open"
