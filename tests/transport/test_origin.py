"""Origins, and what browsers need to read an answer."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.endpoint import Endpoint
from tests.world import MakeWorld, World, environment

CHATGPT = "https://chatgpt.com"
FOREIGN = "https://evil.example"


def listed(response: httpx.Response, header: str) -> set[str]:
    return {part.strip().lower() for part in response.headers.get(header, "").split(",")}


def admits(response: httpx.Response, origin: str) -> bool:
    """Whether the answer carries every header of CORS for this origin."""
    return (
        response.headers["access-control-allow-origin"] == origin
        and "origin" in listed(response, "vary")
        and listed(response, "access-control-allow-methods") == {"post", "options"}
        and response.headers["access-control-max-age"] == "3600"
        and listed(response, "access-control-allow-headers")
        >= {
            "authorization",
            "content-type",
            "accept",
            "cache-control",
            "mcp-protocol-version",
            "mcp-session-id",
            "mcp-method",
            "mcp-name",
            "last-event-id",
        }
        and listed(response, "access-control-expose-headers")
        >= {"www-authenticate", "mcp-session-id"}
        and "access-control-allow-credentials" not in response.headers
    )


def has_no_cors(response: httpx.Response) -> bool:
    return not any(name.startswith("access-control-") for name in response.headers)


@pytest.mark.rule("C21")
async def test_no_origin_passes_and_gets_no_cors(client: Endpoint) -> None:
    response = await client.ping()
    assert response.status_code == 200
    assert has_no_cors(response)


@pytest.mark.rule("C21", "C25", "C26")
@pytest.mark.case("K55")
async def test_a_listed_origin_passes_and_is_named(client: Endpoint, era: str) -> None:
    response = await Endpoint(client.http, client.path, client.token, era).ping(
        headers={"Origin": CHATGPT}
    )
    assert response.status_code == 200
    assert admits(response, CHATGPT)


@pytest.mark.rule("C21", "C22")
@pytest.mark.case("K55")
@pytest.mark.parametrize("method", ["OPTIONS", "POST"])
@pytest.mark.parametrize("token", ["", None])
@pytest.mark.parametrize(
    "origin",
    [
        FOREIGN,
        "null",
        "*",
        "",
        CHATGPT + "/",
        CHATGPT + ".evil.example",
        CHATGPT + ":8443",
        "http://chatgpt.com",
        "HTTPS://CHATGPT.COM",
    ],
)
async def test_any_other_origin_is_403_without_cors(
    client: Endpoint, method: str, token: str | None, origin: str
) -> None:
    response = await client.send(method, headers={"Origin": origin}, token=token)
    assert (response.status_code, response.json()) == (403, {"error": "Origin not allowed"})
    assert has_no_cors(response)


@pytest.mark.rule("C21", "C22")
@pytest.mark.case("K55")
async def test_a_profile_without_origins_admits_no_browser(world: World) -> None:
    nowhere = world.endpoint("nowhere")
    for origin in (CHATGPT, "null", FOREIGN):
        assert (await nowhere.ping(headers={"Origin": origin})).status_code == 403
    assert (await nowhere.ping()).status_code == 200


@pytest.mark.rule("C21", "C25")
@pytest.mark.parametrize("origin", [FOREIGN, "null", "app://x"])
async def test_a_star_admits_every_origin_by_its_name(world: World, origin: str) -> None:
    response = await world.endpoint("anywhere").ping(headers={"Origin": origin})
    assert response.status_code == 200
    assert admits(response, origin)


@pytest.mark.rule("C21")
async def test_a_second_origin_header_must_be_admitted_too(client: Endpoint) -> None:
    request = client.http.build_request(
        "OPTIONS", client.path, headers=[(b"Origin", CHATGPT.encode()), (b"Origin", b"null")]
    )
    assert (await client.http.send(request)).status_code == 403


@pytest.mark.rule("C23")
@pytest.mark.parametrize("origin", [FOREIGN, "null", CHATGPT, "https://claude.ai"])
async def test_the_admin_endpoint_admits_no_origin_of_a_client(
    admin: Endpoint, origin: str
) -> None:
    response = await admin.ping(headers={"Origin": origin})
    assert response.status_code == 403
    assert has_no_cors(response)


@pytest.mark.rule("C23", "C111")
async def test_the_admin_endpoint_admits_the_origins_of_its_own_setting(
    make_world: MakeWorld,
) -> None:
    world = make_world(environment(MCP_ALLOWED_ORIGINS=" https://a.example ,https://b.example"))
    for origin in ("https://a.example", "https://b.example"):
        assert admits(await world.endpoint().ping(headers={"Origin": origin}), origin)


@pytest.mark.rule("C24", "C26")
@pytest.mark.case("K55")
async def test_a_preflight_of_a_listed_origin_needs_no_token(client: Endpoint) -> None:
    response = await client.send(
        "OPTIONS",
        token=None,
        headers={"Origin": CHATGPT, "Access-Control-Request-Method": "POST"},
    )
    assert (response.status_code, response.content) == (204, b"")
    assert admits(response, CHATGPT)


@pytest.mark.rule("C24")
@pytest.mark.parametrize("client_id", ["default", "chatgpt-web"])
async def test_options_without_an_origin_is_204(world: World, client_id: str) -> None:
    response = await world.endpoint(client_id).send("OPTIONS", token=None)
    assert (response.status_code, response.content) == (204, b"")


@pytest.mark.rule("C25", "C26", "C7")
@pytest.mark.case("K55")
async def test_refusals_of_an_admitted_origin_can_be_read_by_a_browser(client: Endpoint) -> None:
    headers = {"Origin": CHATGPT}
    refusals = {
        401: await client.ping(headers=headers, token=None),
        405: await client.send("GET", headers=headers),
        406: await client.ping(headers={**headers, "Accept": "text/html"}),
        415: await client.ping(headers={**headers, "Content-Type": "text/plain"}),
        400: await client.send(headers=headers, content=b"{not json"),
        413: await client.send(headers=headers, content=endless()),
    }
    for status, response in refusals.items():
        assert response.status_code == status
        assert admits(response, CHATGPT)
        assert isinstance(response.json(), dict)


async def endless() -> AsyncIterator[bytes]:
    while True:
        yield b" " * 65_536
