"""A server whose settings or store cannot be used."""

import logging
from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

import pytest

from metacortex.serving import create_app
from metacortex.transport.app import App
from tests.endpoint import Endpoint
from tests.world import ADMIN_TOKEN, World, client_of, environment


def logged_under(caplog: pytest.LogCaptureFixture, request_id: str) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.__dict__.get("request_id") == request_id
    ]


@pytest.mark.rule("C10", "C1", "C7")
@pytest.mark.parametrize(
    ("env", "problems"),
    [
        ({}, ["MCP_ADMIN_TOKEN is required; set it to a random text of 16 characters or more"]),
        (
            {"MCP_ADMIN_TOKEN": "short-secret", "MCP_CLIENT_PROFILES_JSON": "{"},
            [
                "MCP_ADMIN_TOKEN must have 16 characters or more",
                "MCP_CLIENT_PROFILES_JSON is not JSON; write one array of objects on one line",
            ],
        ),
    ],
)
async def test_wrong_settings_are_503_and_what_is_wrong_is_in_the_log_alone(
    env: Mapping[str, str], problems: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    async with client_of(create_app(env)) as http:
        for path in ("/mcp", "/clients/web/mcp", "/metaCortexMcp/mcp"):
            response = await http.post(path, headers={"Authorization": "Bearer x"})
            body = response.json()
            assert (response.status_code, body["error"]) == (503, "Service unavailable")
            assert set(body) == {"error", "requestId"}
            assert UUID(body["requestId"]).version == 4
            assert logged_under(caplog, body["requestId"]) == problems
            assert "short-secret" not in response.text + caplog.text
        assert (await http.get("/healthz")).status_code == 200
        assert (await http.post("/nowhere")).status_code == 404
        large = await http.post("/mcp", headers={"Content-Length": "1048577"})
        assert large.status_code == 413


@pytest.mark.rule("C10", "C53")
async def test_a_store_that_cannot_be_opened_is_503_where_a_client_must_be_looked_up(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "a file"
    folder.write_text("not a folder")
    env = environment([], METACORTEX_DATA_DIR=str(folder))
    async with client_of(create_app(env)) as http:
        response = await http.post("/clients/nobody/mcp")
        admin = Endpoint(http, "/mcp", ADMIN_TOKEN)
        listed = await admin.ping()
        outcome = await admin.fetch("x")
    assert (response.status_code, response.json()["error"]) == (503, "Service unavailable")
    assert str(tmp_path) not in response.text
    assert len(logged_under(caplog, response.json()["requestId"])) == 1
    assert listed.status_code == 200
    sentence = "The memory store cannot be used as it is; the reason is in the server's log"
    assert outcome.failure == ("unavailable", sentence)


@pytest.mark.rule("C102", "C10")
async def test_a_refusal_is_answered_though_its_event_cannot_be_placed(tmp_path: Path) -> None:
    folder = tmp_path / "a file"
    folder.write_text("not a folder")
    env = environment([], METACORTEX_DATA_DIR=str(folder))
    async with client_of(create_app(env)) as http:
        large = {"Content-Length": "1048577"}
        assert (await http.post("/clients/nobody/mcp", headers=large)).status_code == 413
        assert (await Endpoint(http, "/mcp", ADMIN_TOKEN).ping(token=None)).status_code == 401


@pytest.mark.rule("C4")
async def test_the_platform_names_the_function() -> None:
    app = create_app({**environment([]), "K_SERVICE": " memoryOfMine "})
    async with client_of(app) as http:
        assert (await Endpoint(http, "/memoryOfMine/mcp", ADMIN_TOKEN).ping()).status_code == 200
        assert (await Endpoint(http, "/other/mcp", ADMIN_TOKEN).ping()).status_code == 404


@pytest.mark.rule("C11", "C7")
async def test_a_fault_after_the_answer_has_begun_sends_no_second_one(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    sent: list[str] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"{", "more_body": False}

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        sent.append(message["type"])
        if message["type"] == "http.response.body":
            raise RuntimeError("the connection broke")

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/mcp",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {ADMIN_TOKEN}".encode())],
    }
    await world.app(scope, receive, send)
    assert sent == ["http.response.start", "http.response.body"]
    assert "A request failed unexpectedly" in caplog.text


@pytest.mark.rule("C111")
async def test_the_environment_is_read_once() -> None:
    env = environment([])
    app: App = create_app(env)
    async with client_of(app) as http:
        endpoint = Endpoint(http, "/mcp", ADMIN_TOKEN)
        assert (await endpoint.ping()).status_code == 200
        env["MCP_ADMIN_TOKEN"] = "another-token-0123456789"
        assert (await endpoint.ping()).status_code == 200
