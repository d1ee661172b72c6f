"""What tool calls leave behind."""

import logging
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from metacortex.domain.errors import Unavailable
from tests.endpoint import STATELESS, Endpoint, Json
from tests.fakes import START
from tests.world import World

DAY = 86_400_000


async def one_event(world: World) -> Json:
    """Return the only event there is."""
    (event,) = await world.events()
    assert not holds_null(event)
    return event


def holds_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(holds_null, value.values()))
    if isinstance(value, list):
        return any(map(holds_null, value))
    return value is None


@pytest.mark.rule("C101", "C104", "C106")
async def test_a_write_leaves_what_was_asked_and_what_was_stored(world: World) -> None:
    item = await world.endpoint().save(
        " The secret 🧠 content. ", topic="x", draft=True, artifact_refs=["a", "a", " "]
    )
    event = await one_event(world)
    assert UUID(event.pop("event_id")).version == 4
    assert event == {
        "event_type": "tool_call",
        "timestamp": START,
        "expires_at": "2026-05-30T12:00:00.000Z",
        "client_id": "default",
        "status": "success",
        "latency_ms": 0,
        "tool_name": "remember_context",
        "request": {
            "topic": "x",
            "branch_state": "wip",
            "draft": True,
            "content_length": 21,
            "image_present": False,
            "artifact_ref_count": 3,
        },
        "response": {
            "document_id": item["id"],
            "topic": "x",
            "branch_state": "wip",
            "modality": "text",
            "write_status": "created",
            "artifact_ref_count": 1,
        },
    }


@pytest.mark.rule("C106", "C105")
async def test_a_written_image_is_told_of_and_not_shown(world: World) -> None:
    arguments = {"image_base64": "QUJD", "image_mime_type": "image/png"}
    await world.endpoint().tool("remember_context", arguments)
    event = await one_event(world)
    assert event["request"] == {
        "topic": "general",
        "branch_state": "active",
        "content_length": 0,
        "image_present": True,
        "artifact_ref_count": 0,
    }
    assert event["response"]["modality"] == "image"
    assert "QUJD" not in str(event)
    assert "whiteboard" not in str(event)


@pytest.mark.rule("C101", "C105", "C107")
async def test_a_search_leaves_a_preview_and_the_ids_that_it_found(world: World) -> None:
    admin = world.endpoint()
    item = await admin.save("Observed search.", topic="x")
    query = "observed search " + "🧠" * 300
    await admin.search(f"  {query} ", filter_topic=" x ", limit="3")
    event = (await world.events())[-1]
    assert event["request"] == {
        "query_preview": query[:160] + "...",
        "query_length": len(query),
        "filter_topic": "x",
        "filter_state": "active",
        "limit": 3,
    }
    assert event["response"] == {
        "result_count": 1,
        "result_ids": [item["id"]],
        "filter_state": "active",
        "filter_topic": "x",
    }


@pytest.mark.rule("C104", "C107")
async def test_what_was_not_asked_is_not_shown(world: World) -> None:
    await world.endpoint().search("observed")
    event = await one_event(world)
    assert event["request"] == {
        "query_preview": "observed",
        "query_length": 8,
        "filter_state": "active",
    }
    assert event["response"] == {"result_count": 0, "result_ids": [], "filter_state": "active"}


@pytest.mark.rule("C108", "C109")
async def test_reading_and_deprecating_leave_the_ids(world: World) -> None:
    admin = world.endpoint()
    old = await admin.save("Old.", topic="x", artifact_refs=["a"])
    new = await admin.save("New.")
    await admin.item(old["id"])
    await admin.deprecate(old["id"], new["id"])
    read, deprecated = (await world.events())[2:]
    both = {"document_id": old["id"], "superseding_document_id": new["id"]}
    assert (read["request"], read["response"]) == (
        {"document_id": old["id"]},
        {
            "document_id": old["id"],
            "topic": "x",
            "branch_state": "active",
            "modality": "text",
            "artifact_ref_count": 1,
        },
    )
    assert (deprecated["request"], deprecated["response"]) == (
        both,
        {**both, "previous_state": "active"},
    )


@pytest.mark.rule("C101", "C110", "C51")
@pytest.mark.parametrize(
    ("name", "arguments", "request_", "error"),
    [
        ("fetch_context", {"document_id": "x" * 200}, {"document_id": "x" * 128}, "not_found"),
        ("search_context", {}, {"filter_state": "active"}, "invalid_input"),
        (
            "search_context",
            {"query": 5, "filter_topic": "t" * 300, "filter_state": "none", "limit": "many"},
            {"filter_topic": "t" * 128},
            "invalid_input",
        ),
        (
            "remember_context",
            {"content": 5, "topic": ["x"], "draft": "maybe"},
            {"content_length": 0, "image_present": False, "artifact_ref_count": 0},
            "invalid_input",
        ),
        (
            "deprecate_context",
            {"document_id": "same", "superseding_document_id": "same", "zz": 1},
            {"document_id": "same", "superseding_document_id": "same"},
            "invalid_input",
        ),
    ],
)
async def test_a_failed_call_leaves_what_could_be_read_of_it(
    world: World, name: str, arguments: Json, request_: Json, error: str
) -> None:
    outcome = await world.endpoint().tool(name, arguments)
    event = await one_event(world)
    assert (event["status"], event["tool_name"], event["request"]) == ("error", name, request_)
    assert event["error"] == {
        "name": error,
        "message": outcome.text,
        "status_code": {"not_found": 404, "invalid_input": 400}[error],
    }
    assert "response" not in event


@pytest.mark.rule("C47", "C101")
@pytest.mark.case("K05")
@pytest.mark.parametrize("name", ["no_such_tool", "deprecate_context", "x" * 300])
async def test_a_refused_tool_leaves_one_event(world: World, era: str, name: str) -> None:
    await replace(world.endpoint("chatgpt-web"), era=era).tool(name, {"a": "b"})
    event = await one_event(world)
    assert (event["status"], event["tool_name"], event["client_id"], event["request"]) == (
        "error",
        name[:128],
        "chatgpt-web",
        {},
    )
    assert event["error"]["name"] == "invalid_input"
    assert event["error"]["status_code"] == 400


@pytest.mark.rule("C48", "C101")
@pytest.mark.parametrize(
    "params", [{"name": "search_context", "arguments": [1]}, {"name": 5}, {"arguments": {}}, {}]
)
async def test_a_malformed_call_leaves_one_event(world: World, era: str, params: Json) -> None:
    message = await replace(world.endpoint(), era=era).rpc(
        "tools/call", params, headers={"Mcp-Name": "search_context"} if era == STATELESS else {}
    )
    assert message["error"]["code"] in (-32602, -32020)
    assert len(await world.events()) == 1


@pytest.mark.rule("C101")
async def test_an_event_that_cannot_be_stored_is_logged_and_changes_no_answer(
    world: World, admin: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    await world.event_engine.aclose()
    item = await admin.save("The event log is full.")
    assert (await admin.ping(token=None)).status_code == 401
    assert await admin.item(item["id"]) == item
    assert caplog.text.count("An event could not be stored") == 3
    assert "The event log is full." not in caplog.text


@pytest.mark.rule("C7", "C52", "C101")
async def test_an_event_log_that_fails_unexpectedly_changes_no_answer(
    world: World, admin: Endpoint, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def record(*_: object) -> None:
        raise ValueError("/srv/secret/path of the library")

    monkeypatch.setattr(world.event_engine.events, "record", record)
    item = await replace(admin, era=era).save("The library of the event log has a fault.")
    assert await admin.item(item["id"]) == item
    assert (await admin.ping(token=None)).status_code == 401


@pytest.mark.rule("C7", "C52")
async def test_a_fault_beside_a_tool_is_an_internal_error_and_nothing_else(
    world: World, admin: Endpoint, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def now() -> int:
        raise ValueError("/srv/secret/path of the library")

    monkeypatch.setattr(world.clock, "now", now)
    outcome = await replace(admin, era=era).tool("fetch_context", {"document_id": "0" * 32})
    assert outcome.message["error"] == {"code": -32603, "message": "Internal server error"}


@pytest.mark.rule("C101", "C15")
@pytest.mark.case("K09")
async def test_a_model_that_fails_leaves_its_event(
    world: World, admin: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    world.embedder.fault = Unavailable("The embedding model did not answer; nothing was saved")
    await admin.tool("remember_context", {"content": "Valve 12 sticks."})
    event = await one_event(world)
    assert event["error"] == {
        "name": "unavailable",
        "message": "The embedding model did not answer; nothing was saved",
        "status_code": 503,
    }


@pytest.mark.rule("C102")
async def test_what_is_served_without_a_tool_leaves_nothing(world: World, admin: Endpoint) -> None:
    await admin.tools()
    await admin.rpc("ping")
    await replace(admin, era=STATELESS).rpc("server/discover")
    await admin.send("OPTIONS", token=None)
    await world.http.get("/nope")
    await world.http.get("/healthz")
    assert await world.events() == []
