"""Which endpoint a path names."""

import httpx
import pytest

from metacortex.transport.app import App
from tests.endpoint import Endpoint
from tests.world import ADMIN_TOKEN, World


@pytest.mark.rule("C1")
@pytest.mark.parametrize(
    "headers", [{}, {"Origin": "https://foreign.example", "Authorization": "Bearer junk"}]
)
async def test_health_answers_without_a_token_and_from_any_origin(
    world: World, headers: dict[str, str]
) -> None:
    response = await world.http.get("/healthz", headers=headers)
    assert (response.status_code, response.json()) == (
        200,
        {"ok": True, "service": "metacortex", "endpoints": ["/mcp", "/clients/:clientId/mcp"]},
    )


async def test_health_is_read_only(world: World) -> None:
    response = await world.http.post("/healthz")
    assert (response.status_code, response.headers["allow"]) == (405, "GET")
    assert response.json() == {"error": "Method not allowed"}
    assert (await world.http.head("/healthz")).status_code == 200


@pytest.mark.rule("C2", "C101")
async def test_the_admin_endpoint_works_as_the_client_default(
    world: World, admin: Endpoint
) -> None:
    assert admin.path == "/mcp"
    await admin.search("anything")
    assert [event["client_id"] for event in await world.events()] == ["default"]


@pytest.mark.rule("C3", "C6", "C7")
@pytest.mark.parametrize("client_id", ["nobody", "%2e%2e", "a%2Fb", "default", "chatgpt%2Dweb%20"])
async def test_an_unknown_client_is_a_json_404_even_with_the_admins_token(
    world: World, client_id: str
) -> None:
    response = await world.http.post(
        f"/clients/{client_id}/mcp", headers={"Authorization": f"Bearer {ADMIN_TOKEN}"}
    )
    assert (response.status_code, response.json()) == (404, {"error": "Not found"})
    assert response.headers["content-type"] == "application/json"


@pytest.mark.rule("C3")
@pytest.mark.parametrize(("path", "status"), [("chatgpt%2Dweb", 200), ("chatgpt%252Dweb", 404)])
async def test_a_client_id_is_percent_decoded_once(world: World, path: str, status: int) -> None:
    client = world.endpoint("chatgpt-web")
    respelled = Endpoint(world.http, f"/clients/{path}/mcp", client.token)
    assert (await respelled.ping()).status_code == status


@pytest.mark.rule("C3")
async def test_a_client_id_is_compared_with_its_case(world: World) -> None:
    respelled = Endpoint(world.http, "/clients/ChatGPT-web/mcp", "chatgpt-web-token-0123456789")
    assert (await respelled.ping()).status_code == 404


@pytest.mark.rule("C4")
@pytest.mark.case("K61")
@pytest.mark.parametrize("client_id", ["default", "chatgpt-web"])
@pytest.mark.parametrize(
    ("prefix", "status"),
    [("", 200), ("/metaCortexMcp", 200), ("/other", 404), ("/metacortexmcp", 404)],
)
async def test_only_the_functions_name_may_stand_before_an_endpoint(
    world: World, client_id: str, prefix: str, status: int
) -> None:
    endpoint = world.endpoint(client_id)
    prefixed = Endpoint(world.http, prefix + endpoint.path, endpoint.token)
    assert (await prefixed.ping()).status_code == status


@pytest.mark.rule("C4")
async def test_the_name_of_the_deployed_function_may_stand_there_too(world: World) -> None:
    app = App(lambda: world.served, "memoryOfMine")
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://metacortex.test", trust_env=False
    ) as http:
        for prefix in ("/memoryOfMine", "/metaCortexMcp"):
            assert (await Endpoint(http, f"{prefix}/mcp", ADMIN_TOKEN).ping()).status_code == 200
        assert (await http.get("/memoryOfMine/healthz")).status_code == 200


@pytest.mark.rule("C5")
@pytest.mark.case("K61")
@pytest.mark.parametrize("client_id", ["default", "chatgpt-web"])
async def test_one_trailing_slash_is_ignored(world: World, client_id: str) -> None:
    endpoint = world.endpoint(client_id)
    for slashes, status in (("/", 200), ("//", 404)):
        slashed = Endpoint(world.http, endpoint.path + slashes, endpoint.token)
        assert (await slashed.ping()).status_code == status
    assert (await world.http.get("/healthz/")).status_code == 200


@pytest.mark.rule("C6", "C7")
@pytest.mark.case("K06")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("POST", "/nowhere"),
        ("OPTIONS", "/nowhere"),
        ("POST", "/clients/mcp"),
        ("POST", "/clients//mcp"),
        ("DELETE", "/mcp/nope"),
        ("GET", "/.well-known/oauth-protected-resource"),
    ],
)
async def test_a_path_that_names_nothing_is_a_json_404(
    world: World, method: str, path: str
) -> None:
    response = await world.http.request(method, path)
    assert (response.status_code, response.json()) == (404, {"error": "Not found"})
    assert response.headers["content-type"] == "application/json"
    assert await world.events() == []


@pytest.mark.case("K61")
@pytest.mark.parametrize("host", ["svc-abc.a.run.app", "memory.example.com", "localhost:8080"])
async def test_every_host_name_is_served(admin: Endpoint, host: str) -> None:
    assert (await admin.ping(headers={"Host": host})).status_code == 200


async def test_lifespan_messages_are_acknowledged(world: World) -> None:
    received = iter(["lifespan.startup", "lifespan.shutdown"])
    sent: list[str] = []

    async def receive() -> dict[str, str]:
        return {"type": next(received)}

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        sent.append(message["type"])

    await world.app({"type": "lifespan"}, receive, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_a_websocket_is_left_alone(world: World) -> None:
    async def receive() -> dict[str, str]:
        raise AssertionError("a websocket was listened to")

    async def send(_: object) -> None:
        raise AssertionError("a websocket was answered")

    await world.app({"type": "websocket"}, receive, send)
