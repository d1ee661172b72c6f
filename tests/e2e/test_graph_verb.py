"""`metacortex graph`: what is known of an entity, for programs that draw."""

import asyncio
from pathlib import Path

import pytest

from metacortex.commands.drawing import INCOMPLETE
from metacortex.engines import DATABASE_NAME
from metacortex.service.knowledge import MOST_NEAR
from metacortex.service.surroundings import MOST_FOLLOWED
from tests.command_line import CommandLine
from tests.world import build_world

pytestmark = pytest.mark.e2e

HOSTILE = 'one"]; n9 --> n0 | `x` \\"'


@pytest.fixture
def kept(command_line: CommandLine) -> CommandLine:
    """A folder in which some facts are kept."""
    command_line.data_dir.mkdir()
    asyncio.run(_state(command_line.data_dir / DATABASE_NAME))
    return command_line


async def _state(path: Path) -> None:
    world = build_world(path=path)
    admin = world.endpoint()
    for given in (
        {"subject_id": "ledger", "predicate": "checked_by", "object_id": "auth"},
        {"subject_id": "auth", "predicate": "token_format", "object_value": HOSTILE},
        {"subject_id": "orders", "predicate": "posts_to", "object_id": "ledger"},
        {"subject_id": "far away", "predicate": "is", "object_value": "not near"},
        *(
            {"subject_id": "hub", "predicate": f"port_{n}", "object_id": f"spoke {n}"}
            for n in range(MOST_FOLLOWED + 1)
        ),
    ):
        assert (await admin.tool("upsert_fact", given)).success
    await world.aclose()


def test_mermaid_draws_what_is_near(kept: CommandLine) -> None:
    told = kept("graph", "--entity", "Ledger")
    lines = told.out.splitlines()
    assert (told.status, told.err, lines[0]) == (0, "", "flowchart LR")
    assert {line.strip() for line in lines[1:4]} == {'n0["ledger"]', 'n1["auth"]', 'n2["orders"]'}
    assert '  n0 -->|"checked_by"| n1' in lines
    assert '  n2 -->|"posts_to"| n0' in lines
    assert "far away" not in told.out
    assert len(lines) == 1 + 3 + 2


def test_dot_draws_values_too_and_no_name_leaves_its_label(kept: CommandLine) -> None:
    told = kept("graph", "--entity", "auth", "--hops", "0", "--format", "dot")
    lines = told.out.splitlines()
    assert (lines[0], lines[-1]) == ("digraph known {", "}")
    assert any(line.endswith('label="one\\"]; n9 --> n0 | `x` \\\\\\""];') for line in lines)


def test_json_holds_nodes_and_edges(kept: CommandLine) -> None:
    drawn = kept("graph", "--entity", "auth", "--hops", "1", "--format", "json").json()
    names = {node["id"]: node["name"] for node in drawn["nodes"]}
    edges = {(names[edge["from"]], edge["predicate"], names[edge["to"]]) for edge in drawn["edges"]}
    assert edges == {("auth", "token_format", HOSTILE), ("ledger", "checked_by", "auth")}
    assert [node["name"] for node in drawn["nodes"] if node["is_value"]] == [HOSTILE]
    whole = kept("graph", "--entity", "auth", "--json").json()
    assert whole["entity"]["name"] == "auth"


def test_an_unknown_entity_and_a_wrong_format_are_said(kept: CommandLine) -> None:
    unknown = kept("graph", "--entity", "nobody")
    assert (unknown.status, unknown.out, unknown.err) == (1, "", "Entity not found\n")
    wrong = kept("graph", "--entity", "auth", "--format", "svg")
    assert wrong.status == 2
    assert "must be one of" in wrong.err
    far = kept("graph", "--entity", "auth", "--hops", "4")
    assert (far.status, "--hops" in far.err, "max_hops" in far.err) == (2, True, False)


def test_what_is_too_much_to_draw_is_said(kept: CommandLine) -> None:
    told = kept("graph", "--entity", "hub", "--hops", "1")
    left_out = MOST_FOLLOWED + 1 - MOST_NEAR
    assert (told.status, told.err) == (0, f"{left_out} more entities are near it\n")


def test_a_drawing_of_what_was_not_followed_to_its_end_says_so_itself(kept: CommandLine) -> None:
    hops = ("--entity", "hub", "--hops", "2")
    assert kept("graph", *hops).out.splitlines()[1] == f"  %% {INCOMPLETE}"
    assert kept("graph", *hops, "--format", "dot").out.splitlines()[2] == f"  // {INCOMPLETE}"
    assert kept("graph", *hops, "--format", "json").json()["incomplete"] is True
    whole = kept("graph", "--entity", "hub", "--hops", "1", "--format", "json").json()
    assert whole["incomplete"] is False


def test_another_moment_is_drawn_as_it_was(kept: CommandLine) -> None:
    told = kept("graph", "--entity", "auth", "--as-of", "2020", "--format", "json")
    assert told.status == 0
    assert kept("graph", "--entity", "auth", "--as-of", "soonish").status == 1
