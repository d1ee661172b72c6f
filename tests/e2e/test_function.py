"""The function under the functions framework, on the Firestore emulator with the local model."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests.endpoint import Endpoint
from tests.function_processes import function_serving
from tests.processes import run_python
from tests.server_processes import Server
from tests.world import ADMIN_TOKEN, environment, token_of

pytestmark = pytest.mark.e2e

SERVICE = "metacortexmcp"
"""The deployed function's name, as Cloud Run spells it."""
PREFIXES = ("", "/metaCortexMcp", f"/{SERVICE}")
CLIENT = "chatgpt-web"
LIMIT = 1_048_576


@pytest.fixture(scope="module")
def project() -> str:
    """A project of the emulator that no other test uses."""
    return f"function-{uuid4().hex}"


@pytest.fixture(scope="module")
def function(
    firestore_emulator: str, project: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A running instance of the function."""
    folder = tmp_path_factory.mktemp("function")
    env = environment(K_SERVICE=SERVICE)
    with function_serving(folder, firestore_emulator, project, **env) as server:
        yield server


@pytest.fixture(scope="module")
async def http(function: Server) -> AsyncIterator[httpx.AsyncClient]:
    """An HTTP client of the function."""
    async with httpx.AsyncClient(base_url=function.url, timeout=60, trust_env=False) as client:
        yield client


@pytest.mark.rule("C1", "C4")
@pytest.mark.parametrize("prefix", PREFIXES)
async def test_the_function_is_healthy_with_and_without_its_name(
    http: httpx.AsyncClient, prefix: str
) -> None:
    answer = await http.get(f"{prefix}/healthz")
    assert (answer.status_code, answer.json()["service"]) == (200, "metacortex")


@pytest.mark.rule("C4", "C35")
@pytest.mark.parametrize("prefix", PREFIXES)
async def test_a_memory_is_kept_found_fetched_and_superseded(
    http: httpx.AsyncClient, era: str, prefix: str
) -> None:
    admin = Endpoint(http, f"{prefix}/mcp", ADMIN_TOKEN, era)
    place = f"the {era} boathouse{prefix.replace('/', ' of ')}"
    first = await admin.save(f"The key of {place} hangs on a nail.")
    second = await admin.save(f"The key of {place} is under the pot.")
    assert second["id"] in await admin.found(f"key of {place}", limit=20)
    assert await admin.item(first["id"]) == first
    told = (await admin.deprecate(first["id"], second["id"])).success
    assert told["previous_state"] == "active"
    assert first["id"] not in await admin.found(f"key of {place}", limit=20)


async def test_two_instances_share_a_memory(
    http: httpx.AsyncClient, firestore_emulator: str, project: str, tmp_path: Path
) -> None:
    content = "The weir is closed on Sundays."
    kept = await Endpoint(http, "/mcp", ADMIN_TOKEN).remember(content)
    with function_serving(tmp_path, firestore_emulator, project, **environment()) as other:
        async with httpx.AsyncClient(base_url=other.url, timeout=60, trust_env=False) as beside:
            client = Endpoint(beside, f"/clients/{CLIENT}/mcp", token_of(CLIENT))
            again = await client.remember(content)
            found = await client.found("weir on Sundays")
    assert (again["write_status"], again["item"]) == ("duplicate", kept["item"])
    assert kept["item"]["id"] in found


@pytest.mark.rule("C6", "C7")
@pytest.mark.parametrize("path", ["/robots.txt", "/favicon.ico", "/", "/other/healthz"])
@pytest.mark.parametrize("method", ["GET", "TRACE", "BREW"])
async def test_no_unknown_path_is_answered_by_the_framework(
    http: httpx.AsyncClient, method: str, path: str
) -> None:
    await http.get("/healthz")
    answer = await http.request(method, path)
    assert (answer.status_code, answer.json()) == (404, {"error": "Not found"})


@pytest.mark.rule("C12")
@pytest.mark.parametrize("method", ["GET", "TRACE", "BREW"])
async def test_no_method_is_refused_by_the_framework(http: httpx.AsyncClient, method: str) -> None:
    await http.get("/healthz")
    answer = await Endpoint(http, "/mcp", ADMIN_TOKEN).send(method)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert answer.json()["error"]["message"] == "Method not allowed."


@pytest.mark.rule("C9")
async def test_a_body_without_a_length_is_refused_at_the_limit(http: httpx.AsyncClient) -> None:
    async def too_much() -> AsyncIterator[bytes]:
        for _ in range(LIMIT // 65_536 + 1):
            yield b" " * 65_536

    answer = await Endpoint(http, "/mcp", ADMIN_TOKEN).send(content=too_much())
    assert (answer.status_code, answer.json()) == (413, {"error": "Request body too large"})


@pytest.mark.rule("C20")
async def test_no_token_of_an_address_comes_to_the_log(
    http: httpx.AsyncClient, function: Server
) -> None:
    endpoint = Endpoint(http, f"/clients/{CLIENT}/mcp", token_of(CLIENT))
    right = await endpoint.ping(token=None, query=f"auth_token={token_of(CLIENT)}")
    wrong = await endpoint.ping(token=None, query="auth_token=wrong-token-0123456789")
    assert (right.status_code, wrong.status_code) == (200, 401)
    assert "token-0123456789" not in function.logged.read_text() + function.printed.read_text()


@pytest.mark.rule("C10")
async def test_a_function_without_settings_says_only_that_it_is_out_of_service(
    firestore_emulator: str, project: str, tmp_path: Path
) -> None:
    with function_serving(tmp_path, firestore_emulator, project) as unset:
        answer = httpx.post(f"{unset.url}/mcp", json={}, trust_env=False)
        logged = [json.loads(line) for line in unset.logged.read_text().splitlines()]
    assert (answer.status_code, answer.json()["error"]) == (503, "Service unavailable")
    assert answer.json()["requestId"] in [line["request_id"] for line in logged]


COLD_PATH = """
import asyncio, json, sys
import httpx, main
from tests.endpoint import Endpoint
from tests.world import ADMIN_TOKEN

async def list_tools():
    transport = httpx.ASGITransport(main.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://function") as http:
        return await Endpoint(http, "/mcp", ADMIN_TOKEN).tools()

assert len(asyncio.run(list_tools())) >= 4
heavy = (
    *("google.cloud.firestore_v1", "google.genai", "google.api_core", "google.auth", "grpc"),
    *("numpy", "opentelemetry.sdk", "firebase_functions", "detect_secrets"),
)
print(json.dumps([name for name in heavy if name in sys.modules]))
"""


@pytest.mark.parametrize("engine", ["firestore", "sqlite"])
def test_nothing_heavy_is_loaded_before_the_tools_are_listed(tmp_path: Path, engine: str) -> None:
    env = environment(METACORTEX_ENGINE=engine, GEMINI_API_KEY="key-0123456789")
    assert json.loads(run_python(tmp_path, COLD_PATH, **env)) == []
