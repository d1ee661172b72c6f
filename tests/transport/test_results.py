"""How answers and failures are shown."""

import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from metacortex.domain.errors import StoreUnusable, Unavailable
from metacortex.transport.app import App
from metacortex.transport.door import Served
from tests.endpoint import Endpoint, Json
from tests.world import World, client_of

INSIDE = ("embedding", "retrieval", "fingerprint", "tenant", "QUJD", "arrow", "sha256")


@pytest.mark.rule("C49")
async def test_a_success_is_one_compact_block_and_the_equal_object(
    admin: Endpoint, era: str
) -> None:
    admin = replace(admin, era=era)
    old = await admin.save("Ärger mit dem Tor 🚪", artifact_refs=["gs://b/ä"])
    new = await admin.save("Kein Ärger mehr")
    calls: dict[str, Json] = {
        "remember_context": {"content": "Ünïcode stays as it is."},
        "search_context": {"query": "Ärger"},
        "fetch_context": {"document_id": old["id"]},
        "deprecate_context": {
            "document_id": old["id"],
            "superseding_document_id": new["id"],
        },
    }
    for name, arguments in calls.items():
        outcome = await admin.tool(name, arguments)
        structured = outcome.result["structuredContent"]
        assert outcome.text == json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
        assert not outcome.result.get("isError")


@pytest.mark.rule("C50", "C51")
async def test_each_failure_is_one_bare_sentence_with_its_code(world: World) -> None:
    admin, client = world.endpoint(), world.endpoint("chatgpt-web")
    old, new, other = [await admin.save(f"Version {number}.") for number in range(3)]
    await admin.deprecate(old["id"], new["id"])
    failures = {
        "invalid_input": await admin.tool("search_context", {}),
        "forbidden": await client.tool("search_context", {"query": "x", "filter_state": "wip"}),
        "not_found": await admin.fetch("no-such-id"),
        "conflict": await admin.deprecate(old["id"], other["id"]),
        "too_large": await admin.tool("remember_context", {"content": "x" * 700_001}),
    }
    world.embedder.fault = Unavailable("The embedding model did not answer; nothing was saved")
    by_meaning = {"query": "x", "mode": "meaning"}
    failures["unavailable"] = await admin.tool("search_context", by_meaning)
    for code, outcome in failures.items():
        assert outcome.failure[0] == code
        assert not set(outcome.text) & set("\n\r{}")
        assert not outcome.text.endswith(".")
    events = [event["error"] for event in await world.events() if event["status"] == "error"]
    assert [(error["name"], error["status_code"]) for error in events] == [
        ("invalid_input", 400),
        ("forbidden", 403),
        ("not_found", 404),
        ("conflict", 409),
        ("too_large", 413),
        ("unavailable", 503),
    ]


@pytest.mark.rule("C52", "C101")
async def test_a_fault_of_our_own_is_an_internal_error_and_nothing_else(
    world: World, admin: Endpoint, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    world.embedder.fault = RuntimeError("/srv/secret/path of the model")
    outcome = await replace(admin, era=era).tool("search_context", {"query": "x"})
    assert outcome.message["error"] == {"code": -32603, "message": "Internal server error"}
    (event,) = await world.events()
    assert (event["status"], event["error"]) == (
        "error",
        {"name": "internal", "message": "Internal server error", "status_code": 500},
    )
    assert "/srv/secret/path" in caplog.text


@pytest.mark.rule("C51", "C53")
async def test_what_only_the_operator_can_mend_is_told_to_the_operator_alone(
    world: World, admin: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    world.embedder.fault = StoreUnusable("The file /srv/metacortex.db is damaged; restore it")
    outcome = await admin.tool("search_context", {"query": "x"})
    sentence = "The memory store cannot be used as it is; the reason is in the server's log"
    assert outcome.failure == ("unavailable", sentence)
    assert "/srv/metacortex.db" not in str(await world.events())
    assert "/srv/metacortex.db" in caplog.text


@pytest.mark.rule("C53", "C105")
async def test_no_sentence_and_no_event_quotes_what_was_said(
    world: World, admin: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "metacortex")
    said = "zebra-crossing-phrase"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("remember_context", {"content": said}),
        ("remember_context", {"content": said, "draft": True, "branch_state": "wip"}),
        ("remember_context", {"content": said, "zz_unknown": said}),
        ("remember_context", {"content": [said]}),
        ("remember_context", {"content": said, "draft": said}),
        ("remember_context", {"image_base64": said, "image_mime_type": "image/png"}),
        ("remember_context", {"content": said * 40_000}),
        ("search_context", {"query": "x" * 200 + said, "filter_topic": "empty"}),
        ("search_context", {"query": "x", "limit": said}),
    ]
    outcomes = [await admin.tool(name, arguments) for name, arguments in calls]
    world.embedder.fault = RuntimeError("a fault")
    outcomes.append(await admin.tool("remember_context", {"content": said + " again"}))
    told = [str(outcome.message) for outcome in outcomes if outcome is not outcomes[0]]
    assert not [words for words in told if said in words]
    assert said not in str(await world.events())
    assert said not in caplog.text


@pytest.mark.rule("C100")
async def test_no_result_shows_what_must_stay_inside(world: World, admin: Endpoint) -> None:
    image = {"image_base64": "QUJD", "image_mime_type": "image/png"}
    written = await admin.remember("A whiteboard of ours", **image)
    answers = [
        written,
        (await admin.fetch(written["item"]["id"])).success,
        (await admin.tool("search_context", {"query": "whiteboard"})).success,
    ]
    for answer in answers:
        text = json.dumps(answer)
        for inside in (
            "embedding",
            "retrieval",
            "fingerprint",
            "tenant",
            "QUJD",
            "arrow",
            "sha256",
        ):
            assert inside not in text


@pytest.mark.rule("C7", "C11")
async def test_an_unexpected_failure_shows_nothing_but_an_id(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:

    def connect() -> Served:
        raise RuntimeError("/srv/secret/path")

    async with client_of(App(connect)) as http:
        response = await http.post("/mcp")
        health = await http.get("/healthz")
    body = response.json()
    assert (response.status_code, body["error"]) == (500, "Internal server error")
    assert set(body) == {"error", "requestId"}
    assert "/srv/secret/path" in caplog.text
    assert [record.__dict__["request_id"] for record in caplog.records] == [body["requestId"]]
    assert health.status_code == 200
