"""The page of one memory, which the address of a citation leads to."""

import base64
import re
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from tests.endpoint import Endpoint
from tests.world import ADMIN_TOKEN, MakeWorld, World, environment, profile, token_of

CHATGPT = "https://chatgpt.com"
NOT_FOUND = (404, {"error": "Not found"})


def page(endpoint: Endpoint, memory_id: str) -> Endpoint:
    """Return the page of a memory beside an endpoint, opened by the same token."""
    return replace(endpoint, path=endpoint.path.removesuffix("mcp") + f"memories/{memory_id}")


def refusal(response: httpx.Response) -> tuple[int, object]:
    """Return the status and the body of an answer that must be JSON."""
    assert response.headers["content-type"] == "application/json"
    return response.status_code, response.json()


class Text(HTMLParser):
    """What a browser would show, by the element that it stands in, and the elements in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.shown: dict[str, list[str]] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append(tag)

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.shown.setdefault(self.elements[-1], []).append(data)


@pytest.mark.case("K07")
@pytest.mark.parametrize("client_id", ["default", "nowhere"])
async def test_the_address_of_a_result_opens_with_the_token_of_its_endpoint(
    world: World, client_id: str
) -> None:
    endpoint = world.endpoint(client_id)
    item = await endpoint.save("The relay trips.\n\n\tAbove  40 °C.", tags=["relay", "cabinet"])
    (result,) = (await endpoint.tool("search", {"query": "relay"})).success["results"]
    authorization = {"Authorization": f"Bearer {endpoint.token}"}
    response = await world.http.get(result["url"], headers=authorization)
    assert response.status_code == 200
    text = Text(response.text)
    assert text.shown["title"] == text.shown["h1"] == ["The relay trips."]
    assert "".join(text.shown["pre"]) == item["content"]
    assert text.shown["dd"][:5] == ["general", "active", "text", "relay", "cabinet"]


@pytest.mark.case("K07")
async def test_a_page_can_do_nothing_and_is_kept_nowhere(client: Endpoint) -> None:
    item = await client.save("The relay trips.")
    response = await page(client, item["id"]).send("GET")
    headers = response.headers
    (style,) = re.findall("<style>(.*)</style>", response.text)
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["content-security-policy"].split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert not {"a", "img", "link", "script"} & set(Text(response.text).elements)


@pytest.mark.case("K53")
async def test_what_was_remembered_is_shown_as_text_and_is_no_markup(admin: Endpoint) -> None:
    hostile = "</pre></title><script>x</script>&lt; \"'<img src=y>"
    item = await admin.save(
        hostile, topic=hostile, tags=[hostile], kind="episode", title=hostile, session_id=hostile
    )
    text = Text((await page(admin, item["id"]).send("GET")).text)
    assert not {"script", "img"} & set(text.elements)
    assert "".join(text.shown["pre"]) == hostile
    assert "".join(text.shown["dd"]).count(hostile) == 4
    assert "".join(text.shown["title"]) == hostile


@pytest.mark.rule("C15", "C16")
@pytest.mark.parametrize(("client_id", "status"), [("default", 401), ("chatgpt-web", 200)])
async def test_a_person_opens_it_by_a_token_in_the_address_of_a_client(
    world: World, client_id: str, status: int
) -> None:
    endpoint = world.endpoint(client_id)
    item = await endpoint.save("The relay trips.")
    response = await page(endpoint, item["id"]).send(
        "GET", token=None, query=f"auth_token={endpoint.token}"
    )
    assert response.status_code == status
    assert endpoint.token not in response.text + str(response.headers)


@pytest.mark.rule("C13", "C18")
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("token", [None, f"Bearer {ADMIN_TOKEN}", "Bearer x", "Basic eDp5"])
async def test_no_other_token_opens_it_with_any_method(
    client: Endpoint, method: str, token: str | None
) -> None:
    item = await client.save("The relay trips.")
    response = await page(client, item["id"]).send(method, token=token)
    assert refusal(response) == (401, {"error": "Unauthorized"})
    assert response.headers["www-authenticate"].startswith('Bearer realm="metacortex"')


@pytest.mark.rule("C6", "C7", "C87")
async def test_what_is_not_there_is_answered_as_any_such_path(world: World) -> None:
    theirs = await world.endpoint("acme-all").save("The relay of the other tenant.")
    hidden = await world.endpoint("team-secret").save("The relay of another namespace.")
    team = world.endpoint("team")
    for memory_id in (theirs["id"], hidden["id"], "0" * 32, "a%2Fb", "..", "%00", "x" * 200, "é"):
        assert refusal(await page(team, memory_id).send("GET")) == NOT_FOUND
    for path in ("/memories", "/memories/", "/memories/a/b", "/clients/team/memories//"):
        assert refusal(await world.http.get(path)) == NOT_FOUND
    assert refusal(await world.http.get("/clients/nobody/memories/x?auth_token=x")) == NOT_FOUND
    assert refusal(await world.http.get("/clients/default/memories/x")) == NOT_FOUND


@pytest.mark.rule("C4", "C5")
@pytest.mark.parametrize("path", ["/metaCortexMcp/memories/{}", "/memories/{}/"])
async def test_its_path_is_read_as_others_are(admin: Endpoint, path: str) -> None:
    item = await admin.save("The relay trips.")
    response = await replace(admin, path=path.format(item["id"])).send("GET")
    assert response.status_code == 200


@pytest.mark.rule("C88")
async def test_a_state_that_the_profile_may_not_see_is_403(world: World) -> None:
    item = await world.endpoint().save("The relay trips.", draft=True)
    response = await page(world.endpoint("chatgpt-web"), item["id"]).send("GET")
    sentence = "branch_state 'wip' is not allowed for this client"
    assert refusal(response) == (403, {"error": sentence})


async def test_it_is_not_there_for_a_profile_that_may_only_search(make_world: MakeWorld) -> None:
    tools = ["search_context", "search"]
    world = make_world(environment([profile("finder", allowedTools=tools)]))
    item = await world.endpoint().save("The relay trips.")
    assert refusal(await page(world.endpoint("finder"), item["id"]).send("GET")) == NOT_FOUND


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_it_is_read_by_get_alone(client: Endpoint, method: str) -> None:
    response = await page(client, "0" * 32).send(method)
    assert refusal(response) == (405, {"error": "Method not allowed"})
    assert response.headers["allow"] == "GET"


@pytest.mark.rule("C21", "C22", "C24", "C25")
async def test_origins_are_those_of_the_profile(client: Endpoint) -> None:
    item = await client.save("The relay trips.")
    there = page(client, item["id"])
    for method, status in (("OPTIONS", 204), ("GET", 200)):
        response = await there.send(method, headers={"Origin": CHATGPT})
        assert response.status_code == status
        assert response.headers["access-control-allow-origin"] == CHATGPT
        assert response.headers["access-control-allow-methods"] == "GET, OPTIONS"
        assert "Origin" in response.headers["vary"]
    foreign = await there.send("GET", headers={"Origin": "https://evil.example"})
    assert refusal(foreign) == (403, {"error": "Origin not allowed"})


@pytest.mark.rule("C101", "C102")
async def test_a_page_leaves_one_event_as_a_fetch_does(world: World) -> None:
    client = world.endpoint("chatgpt-web")
    item = await client.save("The relay trips.")
    there = page(client, item["id"])
    for visited, method, token, query in (
        (there, "GET", None, f"auth_token={client.token}"),
        (page(client, "no-such-id"), "GET", "", ""),
        (there, "GET", None, ""),
        (there, "POST", "", ""),
    ):
        world.clock.at += 1
        await visited.send(method, token=token, query=query)
    shown, missing, *rejected = (await world.events())[1:]
    assert (shown["tool_name"], shown["status"], shown["client_id"]) == (
        "fetch",
        "success",
        "chatgpt-web",
    )
    assert shown["request"] == {"document_id": item["id"], "page": True}
    assert shown["response"] == {
        "document_id": item["id"],
        "topic": "general",
        "branch_state": "active",
        "modality": "text",
        "artifact_ref_count": 0,
    }
    assert (missing["status"], missing["error"]["name"]) == ("error", "not_found")
    assert [(each["path"], each["reason"]) for each in rejected] == [
        (there.path, "unauthorized"),
        (there.path, "method_not_allowed"),
    ]
    assert token_of("chatgpt-web") not in str(await world.events())


@pytest.mark.rule("C7")
async def test_a_store_that_cannot_be_used_is_503_and_names_no_file(
    make_world: MakeWorld, tmp_path: Path
) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(b"This is no database. " * 100)
    admin = make_world(path=path).endpoint()
    sentence = "The memory store cannot be used as it is; the reason is in the server's log"
    assert refusal(await page(admin, "0" * 32).send("GET")) == (503, {"error": sentence})
