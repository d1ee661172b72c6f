"""What is turned away at the door leaves one event each, within reason."""

from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from metacortex.service.rejections import MINUTE
from tests.endpoint import STATELESS, Endpoint, framed
from tests.fakes import START
from tests.world import World


@pytest.mark.rule("C102", "C104", "C110")
@pytest.mark.case("K06")
async def test_each_refusal_leaves_its_reason(world: World, admin: Endpoint) -> None:
    refusals: list[Callable[[], Awaitable[object]]] = [
        lambda: admin.ping(token=None),
        lambda: admin.ping(headers={"Origin": "https://evil.example"}),
        lambda: world.http.post("/clients/nobody%20here/mcp?auth_token=x"),
        lambda: admin.send("GET"),
        lambda: admin.send(headers={"Content-Length": "1048577"}),
        lambda: admin.send(content=b"{not json"),
        lambda: admin.send(content=b"[]"),
    ]
    for refuse in refusals:
        await refuse()
        world.clock.at += 10_000
    told = [
        (event["status_code"], event["reason"], event["method"], event["path"], event["client_id"])
        for event in await world.events()
    ]
    assert told == [
        (401, "unauthorized", "POST", "/mcp", "default"),
        (403, "origin_not_allowed", "POST", "/mcp", "default"),
        (404, "unknown_client", "POST", "/clients/nobody here/mcp", "nobody here"),
        (405, "method_not_allowed", "GET", "/mcp", "default"),
        (413, "body_too_large", "POST", "/mcp", "default"),
        (400, "bad_request", "POST", "/mcp", "default"),
        (400, "bad_request", "POST", "/mcp", "default"),
    ]


@pytest.mark.rule("C102", "C104")
async def test_an_event_of_a_refusal_has_its_keys_and_no_others(
    world: World, admin: Endpoint
) -> None:
    await admin.ping(token=None)
    (event,) = await world.events()
    latency = event.pop("latency_ms")
    assert isinstance(latency, int)
    assert latency >= 0
    assert event.pop("event_id")
    assert START - latency == event.pop("timestamp")
    assert event.pop("expires_at")
    assert event == {
        "event_type": "request",
        "client_id": "default",
        "status": "rejected",
        "method": "POST",
        "path": "/mcp",
        "status_code": 401,
        "reason": "unauthorized",
    }


@pytest.mark.rule("C102", "C40")
async def test_a_request_that_the_protocol_refuses_leaves_one_event(
    world: World, admin: Endpoint
) -> None:
    headers, content = framed("tools/list", {}, STATELESS)
    response = await admin.send(content=content, headers={**headers, "Mcp-Method": "ping"})
    assert response.status_code == 400
    (event,) = await world.events()
    assert (event["event_type"], event["reason"]) == ("request", "bad_request")


@pytest.mark.rule("C110", "C102")
async def test_an_invented_client_id_is_cut(world: World) -> None:
    await world.http.post(f"/clients/{'x' * 300}/mcp")
    (event,) = await world.events()
    assert event["client_id"] == "x" * 128
    assert len(event["path"]) == 256


@pytest.mark.rule("C105", "C110")
async def test_a_secret_in_a_path_is_not_kept(world: World) -> None:
    await world.http.post("/clients/AKIAIOSFODNN7EXAMPLE/mcp")
    (event,) = await world.events()
    assert event["client_id"] == "[redacted aws-access-key]"
    assert "AKIAIOSFODNN7EXAMPLE" not in str(event)


@pytest.mark.rule("C102")
async def test_sixty_refusals_a_minute_are_told_and_the_rest_is_counted(
    world: World, admin: Endpoint
) -> None:
    for _ in range(65):
        await admin.ping(token=None)
    assert len(await world.events()) == 60
    world.clock.at += MINUTE
    await admin.ping(token=None)
    events = await world.events()
    counts = [event for event in events if "repeated" in event]
    assert len(events) == 62
    assert [(event["repeated"], event["reason"], event["client_id"]) for event in counts] == [
        (5, "unauthorized", "default")
    ]


@pytest.mark.rule("C102")
async def test_clients_and_reasons_are_counted_apart(world: World, admin: Endpoint) -> None:
    for _ in range(61):
        await admin.ping(token=None)
    await admin.send("GET")
    await world.endpoint("chatgpt-web").ping(token=None)
    told = Counter((event["client_id"], event["reason"]) for event in await world.events())
    assert told == {
        ("default", "unauthorized"): 60,
        ("default", "method_not_allowed"): 1,
        ("chatgpt-web", "unauthorized"): 1,
    }
