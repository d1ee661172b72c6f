"""The token of a request."""

import logging

import httpx
import pytest

from tests.endpoint import Endpoint
from tests.world import ADMIN_TOKEN, World, token_of

WRONG = "wrong-token-0123456789-abcdef"


def is_closed_door(response: httpx.Response) -> bool:
    return (
        response.status_code == 401
        and response.json() == {"error": "Unauthorized"}
        and response.headers["www-authenticate"].startswith('Bearer realm="metacortex"')
        and response.headers["content-type"] == "application/json"
    )


@pytest.mark.rule("C13", "C7")
@pytest.mark.parametrize("client_id", ["default", "chatgpt-web"])
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "PUT", "HEAD"])
async def test_no_token_is_401_with_any_method(world: World, client_id: str, method: str) -> None:
    response = await world.endpoint(client_id).send(method, token=None)
    if method == "HEAD":
        assert response.status_code == 401
    else:
        assert is_closed_door(response)


@pytest.mark.rule("C13", "C14", "C20")
@pytest.mark.parametrize(
    "token",
    [
        f"Bearer {WRONG}",
        "Bearer",
        "Bearer ",
        "",
        " ",
        "Basic dXNlcjpwYXNz",
        ADMIN_TOKEN,
        f"Bearer {token_of('chatgpt-web')[:-1]}",
        f"Bearer {token_of('chatgpt-web')}x",
        f"Bearer {token_of('chatgpt-web').swapcase()}",
        f"Bearer {token_of('chatgpt-web')} {token_of('chatgpt-web')}",
        f"Bearer{token_of('chatgpt-web')}",
    ],
)
async def test_a_wrong_token_is_401_and_not_repeated(client: Endpoint, token: str) -> None:
    response = await client.ping(token=token or " ")
    assert is_closed_door(response)
    assert WRONG not in response.text + str(response.headers)


@pytest.mark.rule("C14")
@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  "])
async def test_the_scheme_has_no_case_and_white_space_is_dropped(
    admin: Endpoint, scheme: str
) -> None:
    assert (await admin.ping(token=f"{scheme} {ADMIN_TOKEN} ")).status_code == 200


@pytest.mark.rule("C15")
async def test_a_client_may_bring_its_token_in_the_url(client: Endpoint) -> None:
    response = await client.ping(token=None, query=f"x=1&auth_token={client.token}")
    assert response.status_code == 200


@pytest.mark.rule("C15")
@pytest.mark.parametrize(
    "query",
    [
        "auth_token=",
        "auth_token=%20",
        "auth_token={right}&auth_token={right}",
        "auth_token={right}&auth_token=" + WRONG,
        "auth_token=" + WRONG + "&auth_token={right}",
        "auth_token={right}&auth_token=",
        "AUTH_TOKEN={right}",
        "auth_token=" + WRONG,
    ],
)
async def test_a_blank_repeated_or_wrong_url_token_is_no_token(
    client: Endpoint, query: str
) -> None:
    response = await client.ping(token=None, query=query.format(right=client.token))
    assert is_closed_door(response)


@pytest.mark.rule("C16")
@pytest.mark.case("K52")
async def test_the_admin_endpoint_never_reads_the_url(admin: Endpoint) -> None:
    assert is_closed_door(await admin.ping(token=None, query=f"auth_token={ADMIN_TOKEN}"))


@pytest.mark.rule("C17")
@pytest.mark.case("K52")
@pytest.mark.parametrize("header", [f"Bearer {WRONG}", "Basic dXNlcjpwYXNz", " "])
async def test_a_wrong_header_is_not_rescued_by_a_right_url_token(
    client: Endpoint, header: str
) -> None:
    assert is_closed_door(await client.ping(token=header, query=f"auth_token={client.token}"))


@pytest.mark.rule("C17")
async def test_two_headers_are_no_token(world: World, client: Endpoint) -> None:
    right = f"Bearer {client.token}".encode()
    request = world.http.build_request(
        "POST", client.path, headers=[(b"Authorization", right), (b"Authorization", right)]
    )
    assert is_closed_door(await world.http.send(request))


@pytest.mark.rule("C18")
async def test_an_endpoint_accepts_no_other_profiles_token(world: World) -> None:
    for own in ("default", "chatgpt-web", "acme-web"):
        for other in {"default", "chatgpt-web", "claude-web", "acme-web"} - {own}:
            endpoint = world.endpoint(own)
            assert is_closed_door(await endpoint.ping(token=f"Bearer {token_of(other)}"))
            by_url = await endpoint.ping(token=None, query=f"auth_token={token_of(other)}")
            assert is_closed_door(by_url)


@pytest.mark.rule("C19")
@pytest.mark.parametrize(
    "token", [b"Bearer \xff\xfe\xfd", "Bearer пароль-пароль-пароль".encode(), b"Bearer \xc3\x28"]
)
async def test_odd_bytes_in_a_header_are_a_wrong_token(client: Endpoint, token: bytes) -> None:
    assert is_closed_door(await client.ping(token=token))


@pytest.mark.rule("C19")
@pytest.mark.parametrize("token", ["%FF%FE%00", "%C3%28", "%D0%BF%D0%B0", "%"])
async def test_odd_bytes_in_the_url_are_a_wrong_token(client: Endpoint, token: str) -> None:
    assert is_closed_door(await client.ping(token=None, query=f"auth_token={token}"))


@pytest.mark.rule("C20", "C105")
@pytest.mark.case("K52")
async def test_no_token_comes_to_rest(
    world: World, client: Endpoint, admin: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "metacortex")
    right, query = client.token, f"auth_token={client.token}"
    world.embedder.fault = RuntimeError("a fault inside")
    answers = [
        await client.ping(token=None, query=query),
        await client.ping(token=f"Bearer {WRONG}", query=query),
        await client.ping(token=None, query=f"auth_token={WRONG}"),
        await client.send(token=None, query=query, content=b"{not json"),
        await client.send("GET", token=None, query=query),
        await world.http.post(f"/clients/nobody/mcp?auth_token={WRONG}"),
        await admin.ping(token=None, query=f"auth_token={ADMIN_TOKEN}"),
        await client.send(
            token=None,
            query=query,
            content='{"jsonrpc":"2.0","id":1,"method":"tools/call",'
            '"params":{"name":"search_context","arguments":{"query":"x"}}}',
        ),
    ]
    assert [answer.status_code for answer in answers] == [200, 401, 401, 400, 405, 404, 401, 200]
    told = "".join(answer.text + str(answer.headers) for answer in answers)
    logged = "".join(record.getMessage() + str(record.__dict__) for record in caplog.records)
    events = str(await world.events())
    for secret in (right, WRONG, ADMIN_TOKEN, "auth_token"):
        assert secret not in told
        assert secret not in logged
        assert secret not in events
