"""Methods, media types and bodies, and the order in which the door looks at them."""

import json
from collections.abc import AsyncIterator

import pytest

from metacortex.transport.body import replayed
from tests.endpoint import ERAS, HANDSHAKE, STATELESS, Endpoint, framed
from tests.world import World

LIMIT = 1_048_576
BATCH = json.dumps([{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}])
INTERNALS = ("Traceback", "<html", "site-packages", "pydantic", ".py", "input_value", "starlette")


async def in_blocks(body: bytes, taken: list[int]) -> AsyncIterator[bytes]:
    for start in range(0, len(body), 65_536):
        taken.append(start)
        yield body[start : start + 65_536]


@pytest.mark.rule("C12", "C7")
@pytest.mark.case("K04")
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH"])
async def test_any_other_method_is_405_at_once(admin: Endpoint, method: str) -> None:
    response = await admin.send(method, headers={"Accept": "text/event-stream"})
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert response.json() == {
        "jsonrpc": "2.0",
        "error": {"code": -32000, "message": "Method not allowed."},
        "id": None,
    }


@pytest.mark.rule("C9", "C8")
@pytest.mark.parametrize("path", ["/mcp", "/clients/chatgpt-web/mcp", "/clients/nobody/mcp", "/x"])
async def test_a_declared_oversize_is_413_before_anything_else(world: World, path: str) -> None:
    headers = {"Content-Length": str(LIMIT + 1), "Origin": "https://evil.example"}
    response = await world.http.post(path, content=b"{}", headers=headers)
    assert (response.status_code, response.json()) == (413, {"error": "Request body too large"})


@pytest.mark.rule("C9")
@pytest.mark.case("K06")
async def test_a_chunked_oversize_is_413_without_reading_the_rest(admin: Endpoint) -> None:
    taken: list[int] = []
    response = await admin.send(content=in_blocks(b" " * (4 * LIMIT), taken))
    assert (response.status_code, response.json()) == (413, {"error": "Request body too large"})
    assert len(taken) == LIMIT // 65_536 + 1


@pytest.mark.rule("C9")
@pytest.mark.parametrize("era", ERAS)
async def test_a_body_of_exactly_the_limit_is_served(admin: Endpoint, era: str) -> None:
    headers, content = framed("tools/list", {}, era)
    whole = content.ljust(LIMIT).encode()
    assert (await admin.send(content=whole, headers=headers)).status_code == 200
    assert (await admin.send(content=in_blocks(whole, []), headers=headers)).status_code == 200
    assert (await admin.send(content=whole + b" ", headers=headers)).status_code == 413


@pytest.mark.rule("C8", "C13")
@pytest.mark.case("K06")
async def test_the_steps_of_the_door_refuse_in_their_order(world: World) -> None:
    client = world.endpoint("chatgpt-web")
    nobody = Endpoint(world.http, "/clients/nobody/mcp", client.token)
    foreign, large = {"Origin": "https://evil.example"}, {"Content-Length": str(LIMIT + 1)}
    taken: list[int] = []
    unread = in_blocks(b" " * 4 * LIMIT, taken)
    answers = [
        await nobody.send(headers={**foreign, **large}, token=None),
        await nobody.send("OPTIONS", headers=foreign, token=None),
        await client.send("OPTIONS", headers=foreign, token=None),
        await client.send("OPTIONS", token=None),
        await client.send(content=unread, token=None),
        await client.send("DELETE", content=unread, headers={"Content-Type": "text/plain"}),
        await client.send(content=unread, headers={"Accept": "text/html"}),
        await client.send(content=unread, headers={"Content-Type": "text/plain"}),
    ]
    assert [answer.status_code for answer in answers] == [413, 404, 403, 204, 401, 405, 406, 415]
    assert taken == []
    late = [
        await client.send(content=in_blocks(b"{" * (LIMIT + 1), [])),
        await client.send(content=b"{not json"),
        await client.send(content=b"[]"),
    ]
    assert [answer.status_code for answer in late] == [413, 400, 400]


@pytest.mark.rule("C29", "C7")
@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonl", None, ""]
)
async def test_a_body_not_declared_as_json_is_415(admin: Endpoint, kind: str | None) -> None:
    response = await admin.ping(headers={"Content-Type": kind})
    assert (response.status_code, response.json()) == (
        415,
        {"error": "Content-Type must be application/json"},
    )


@pytest.mark.rule("C29")
@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON ;x=y"])
async def test_parameters_of_the_content_type_are_ignored(admin: Endpoint, kind: str) -> None:
    assert (await admin.ping(headers={"Content-Type": kind})).status_code == 200


@pytest.mark.rule("C28", "C27")
@pytest.mark.case("K04")
@pytest.mark.parametrize(
    "accept",
    [
        None,
        "*/*",
        "application/*",
        "application/json",
        "APPLICATION/JSON;q=0.5",
        "application/json, text/event-stream",
        "text/event-stream, */*;q=0.1",
    ],
)
async def test_every_accept_that_admits_json_is_served_alike(
    admin: Endpoint, era: str, accept: str | None
) -> None:
    admin = Endpoint(admin.http, admin.path, admin.token, era)
    usual = await admin.ping()
    response = await admin.ping(headers={"Accept": accept})
    assert ("accept" in response.request.headers) == (accept is not None)
    assert (response.status_code, response.json()) == (200, usual.json())
    assert response.headers["content-type"] == "application/json"


@pytest.mark.rule("C28")
@pytest.mark.parametrize(
    "accept", ["text/html", "text/event-stream", "application/json;q=0", "*/*; q=0.000"]
)
async def test_an_accept_without_json_is_406(admin: Endpoint, accept: str) -> None:
    response = await admin.ping(headers={"Accept": accept})
    assert (response.status_code, response.json()) == (
        406,
        {"error": "Accept must admit application/json"},
    )


@pytest.mark.rule("C30", "C7")
@pytest.mark.case("K06")
@pytest.mark.parametrize(
    "content",
    [
        b"{not json",
        b"",
        b" ",
        b'{"jsonrpc":"2.0",',
        b"\xff\xfe{}",
        b'{"a":"\xc3\x28"}',
        b"[" * 20_000 + b"]" * 20_000,
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"} {}',
    ],
)
async def test_what_is_not_json_is_a_parse_error(admin: Endpoint, era: str, content: bytes) -> None:
    headers = {"MCP-Protocol-Version": era, "Mcp-Method": "tools/list"}
    response = await admin.send(content=content, headers=headers)
    assert (response.status_code, response.json()) == (
        400,
        {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": None},
    )


@pytest.mark.rule("C31", "C7")
@pytest.mark.parametrize(
    "content",
    [
        "42",
        '"text"',
        "null",
        "[]",
        "{}",
        BATCH,
        '{"jsonrpc":"1.0","id":1,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1}',
        '{"jsonrpc":"2.0","id":1,"method":5}',
        '{"jsonrpc":"2.0","id":true,"method":"ping"}',
        '{"jsonrpc":"2.0","id":null,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"secret-in-the-body"}',
        '{"jsonrpc":"2.0","id":1,"result":{}}',
    ],
)
async def test_json_that_is_no_request_is_refused_without_repeating_it(
    admin: Endpoint, era: str, content: str
) -> None:
    headers = {"MCP-Protocol-Version": era, "Mcp-Method": "tools/list"}
    response = await admin.send(content=content, headers=headers)
    assert response.status_code == 400
    assert response.json()["error"]["code"] in (-32600, -32602)
    assert "secret-in-the-body" not in response.text
    assert not any(word in response.text for word in INTERNALS)


@pytest.mark.rule("C30", "C11")
@pytest.mark.parametrize(
    "arguments",
    [
        "[" * 20_000 + "]" * 20_000,
        '{"query":' + "[" * 150 + "]" * 150 + "}",
        '{"query":"x","limit":' + "9" * 5_000 + "}",
        '{"query":"x","limit":1e999}',
        '{"query":"x","limit":-1e999}',
        '{"query":"a","query":"b"}',
        '{"query":"x","limit":' + "1" * 400 + ".0}",
    ],
)
async def test_hostile_json_never_crashes(admin: Endpoint, era: str, arguments: str) -> None:
    params = {"name": "search_context", "arguments": "HERE"}
    headers, content = framed("tools/call", params, era)
    response = await admin.send(content=content.replace('"HERE"', arguments), headers=headers)
    assert response.status_code in (200, 400)
    assert response.json().get("error", {}).get("code") != -32603
    assert (await admin.ping()).status_code == 200


@pytest.mark.rule("C9")
async def test_a_caller_that_goes_away_leaves_nothing(world: World) -> None:
    sent: list[object] = []

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(message: object) -> None:
        sent.append(message)

    token = b"Bearer admin-token-0123456789"
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "query_string": b"",
        "headers": [(b"authorization", token), (b"content-type", b"application/json")],
    }
    await world.app(scope, receive, send)
    assert sent == []
    assert await world.events() == []


@pytest.mark.rule("C29", "C8")
async def test_media_types_are_looked_at_before_the_body(admin: Endpoint) -> None:
    taken: list[int] = []
    body = in_blocks(b" " * LIMIT, taken)
    response = await admin.send(content=body, headers={"Content-Type": "text/plain"})
    assert (response.status_code, taken) == (415, [])


def test_the_eras_under_test_are_the_two_of_the_contract() -> None:
    assert ERAS == (HANDSHAKE, STATELESS) == ("2025-11-25", "2026-07-28")


async def test_what_comes_after_a_body_is_passed_on() -> None:
    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    again = replayed(b"{}", receive)
    assert await again() == {"type": "http.request", "body": b"{}", "more_body": False}
    assert await again() == {"type": "http.disconnect"}


@pytest.mark.rule("C7", "C31")
async def test_a_method_of_any_length_is_not_repeated(world: World) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "x" * 100_000}
    answer = await world.endpoint().send(content=json.dumps(message))
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32600
    assert len(answer.text) < 200


@pytest.mark.rule("C28")
@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json;q=0, */*", 406),
        ("*/*, application/json; q=0.000", 406),
        ("application/*;q=0, application/json;q=0.1", 200),
        ("text/html, */*;q=0.1", 200),
    ],
)
async def test_the_most_specific_media_range_decides(
    world: World, accept: str, status: int
) -> None:
    assert (await world.endpoint().ping(headers={"Accept": accept})).status_code == status
