"""What the tools say of themselves."""

import re
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.endpoint import ERAS, HANDSHAKE, Endpoint, Json
from tests.world import STATES, TOOL_NAMES, World

FOUR = ("remember_context", "search_context", "fetch_context", "deprecate_context")
ARGUMENTS = {
    "remember_context": {
        "content": "string",
        "topic": "string",
        "draft": "boolean",
        "branch_state": "string",
        "image_base64": "string",
        "image_mime_type": "string",
        "artifact_refs": "array",
        "kind": "string",
        "tags": "array",
        "importance": "number",
        "session_id": "string",
        "title": "string",
        "valid_from": "string",
        "valid_until": "string",
        "namespace": "string",
        "supersedes": "string",
        "entities": "array",
    },
    "search_context": {
        "query": "string",
        "filter_topic": "string",
        "filter_state": "string",
        "limit": "integer",
        "mode": "string",
        "min_score": "number",
        "kind": "array",
        "tags": "array",
        "tags_match": "string",
        "session_id": "string",
        "min_importance": "number",
        "namespace": "string",
        "created_after": "string",
        "created_before": "string",
        "started_after": "string",
        "started_before": "string",
        "valid_at": "string",
        "client": "string",
        "explain": "boolean",
    },
    "fetch_context": {"document_id": "string"},
    "deprecate_context": {"document_id": "string", "superseding_document_id": "string"},
}
REQUIRED = {
    "remember_context": [],
    "search_context": ["query"],
    "fetch_context": ["document_id"],
    "deprecate_context": ["document_id", "superseding_document_id"],
}
RESULT_KEYS = {
    "remember_context": {"item", "write_status"},
    "search_context": {"matches", "applied_filters"},
    "fetch_context": {"item"},
    "deprecate_context": {"item", "previous_state"},
}
HINTS = {
    "remember_context": (False, False, False, False),
    "search_context": (True, False, True, False),
    "fetch_context": (True, False, True, False),
    "deprecate_context": (False, True, True, False),
    "compile_context": (True, False, True, False),
    "search": (True, False, True, False),
    "fetch": (True, False, True, False),
    "promote_context": (False, False, True, False),
    "memory_stats": (True, False, True, False),
    "list_context": (True, False, True, False),
    "consolidate_context": (False, True, False, False),
    "forget_context": (False, True, True, False),
    "record_episode": (False, False, False, False),
    "upsert_fact": (False, False, True, False),
    "fact_context": (True, False, True, False),
    "search_entities": (True, False, True, False),
    "merge_entities": (False, False, True, False),
    "query_entity": (True, False, True, False),
    "traverse_graph": (True, False, True, False),
    "time_travel": (True, False, True, False),
    "audit_contradictions": (False, True, False, False),
    "review_contradictions": (False, False, False, False),
    "verify_integrity": (True, False, True, False),
    "export_sources": (True, False, True, False),
}


async def tools_by_name(endpoint: Endpoint) -> dict[str, Json]:
    return {tool["name"]: tool for tool in await endpoint.tools()}


@pytest.mark.rule("C42")
@pytest.mark.case("K05")
async def test_the_admin_lists_every_tool_the_four_first(admin: Endpoint, era: str) -> None:
    names = [tool["name"] for tool in await replace(admin, era=era).tools()]
    assert tuple(names) == TOOL_NAMES
    assert tuple(names[:4]) == FOUR
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
    assert len(set(names)) == len(names)


@pytest.mark.rule("C42")
@pytest.mark.case("K05")
async def test_a_client_lists_exactly_the_tools_of_its_profile(client: Endpoint) -> None:
    assert [tool["name"] for tool in await client.tools()] == list(FOUR[:3])


@pytest.mark.rule("C43")
@pytest.mark.case("K05")
async def test_every_tool_describes_itself_completely(admin: Endpoint) -> None:
    for tool in await admin.tools():
        hints = tool["annotations"]
        shown = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
        assert all(tool[key] for key in ("title", "description", "inputSchema", "outputSchema"))
        assert tuple(hints[hint] for hint in shown) == HINTS[tool["name"]]


@pytest.mark.rule("C44")
@pytest.mark.parametrize("name", FOUR)
async def test_an_input_schema_is_closed_and_plainly_typed(admin: Endpoint, name: str) -> None:
    schema = (await tools_by_name(admin))[name]["inputSchema"]
    properties: dict[str, Json] = schema["properties"]
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert schema.get("required", []) == REQUIRED[name]
    assert {key: value["type"] for key, value in properties.items()} == ARGUMENTS[name]
    assert all(value["description"] for value in properties.values())
    Draft202012Validator.check_schema(schema)


@pytest.mark.rule("C44")
async def test_enumerations_and_bounds_stand_in_the_schemas(admin: Endpoint) -> None:
    tools = await tools_by_name(admin)
    remember = tools["remember_context"]["inputSchema"]["properties"]
    search = tools["search_context"]["inputSchema"]["properties"]
    assert remember["branch_state"]["enum"] == search["filter_state"]["enum"] == STATES
    assert remember["artifact_refs"]["items"] == {"type": "string"}
    assert (search["limit"]["minimum"], search["limit"]["maximum"]) == (1, 20)
    assert search["kind"]["items"] == {"type": "string", "enum": ["note", "episode", "fact"]}


@pytest.mark.rule("C45", "C115")
@pytest.mark.parametrize(
    ("client_id", "default"), [("default", "active"), ("chatgpt-web", "active"), ("drafts", "wip")]
)
async def test_filter_state_advertises_what_its_absence_means(
    world: World, client_id: str, default: str
) -> None:
    endpoint = world.endpoint(client_id)
    schema = (await tools_by_name(endpoint))["search_context"]["inputSchema"]
    assert schema["properties"]["filter_state"]["default"] == default
    outcome = await endpoint.tool("search_context", {"query": "x"})
    assert outcome.success["applied_filters"]["filter_state"] == default


@pytest.mark.rule("C46")
@pytest.mark.parametrize("name", FOUR)
async def test_an_output_schema_has_a_branch_for_each_outcome(admin: Endpoint, name: str) -> None:
    schema = (await tools_by_name(admin))[name]["outputSchema"]
    assert schema["type"] == "object"
    assert "required" not in schema
    assert [set(branch["required"]) for branch in schema["anyOf"]] == [
        RESULT_KEYS[name],
        {"error"},
    ]


@pytest.mark.rule("C46", "C49", "C50")
@pytest.mark.case("K03")
@pytest.mark.parametrize(
    ("name", "failing"),
    [
        ("remember_context", {}),
        ("search_context", {"query": " "}),
        ("fetch_context", {"document_id": "no-such-id"}),
        ("deprecate_context", {"document_id": "same", "superseding_document_id": "same"}),
    ],
)
async def test_a_success_and_a_failure_both_meet_the_output_schema(
    admin: Endpoint, name: str, failing: Json
) -> None:
    old, new = await admin.save("Version one.", artifact_refs=["a"]), await admin.save("Version 2.")
    succeeding: dict[str, Json] = {
        "remember_context": {"content": "A call that succeeds."},
        "search_context": {"query": "version"},
        "fetch_context": {"document_id": old["id"]},
        "deprecate_context": {
            "document_id": old["id"],
            "superseding_document_id": new["id"],
        },
    }
    validator = Draft202012Validator((await tools_by_name(admin))[name]["outputSchema"])
    success = await admin.tool(name, succeeding[name])
    failure = await admin.tool(name, failing)
    assert failure.failure[0] in ("invalid_input", "not_found")
    validator.validate(success.success)
    validator.validate(failure.result["structuredContent"])
    assert not validator.is_valid({})


@pytest.mark.rule("C47", "C53")
@pytest.mark.parametrize(
    ("era", "name"),
    [
        *product(ERAS, ["deprecate_context", "no_such_tool", "x" * 200]),
        # The stateless era repeats the name in a header, which holds no such letters.
        (HANDSHAKE, "söme tööl"),
    ],
)
async def test_an_absent_and_an_unlisted_tool_are_refused_alike(
    client: Endpoint, era: str, name: str
) -> None:
    words = (await replace(client, era=era).tool(name, {"document_id": "a"})).refusal
    assert words == f"Unknown tool '{name[:80]}'"


@pytest.mark.rule("C48")
@pytest.mark.case("K02")
@pytest.mark.parametrize("arguments", ["text", ["query"], 5, True])
async def test_arguments_that_are_no_object_are_refused(
    admin: Endpoint, era: str, arguments: Any
) -> None:
    assert (await replace(admin, era=era).tool("search_context", arguments)).refusal


@pytest.mark.rule("C48")
@pytest.mark.case("K02")
@pytest.mark.parametrize("params", [{}, {"arguments": None}, {"arguments": {}}])
async def test_absent_arguments_are_none_given(
    world: World, admin: Endpoint, era: str, params: Json
) -> None:
    message = await replace(admin, era=era).rpc("tools/call", {"name": "search_context", **params})
    assert message["result"]["isError"] is True
    assert message["result"]["content"][0]["text"] == "query is required"
    assert [event["status"] for event in await world.events()] == ["error"]
