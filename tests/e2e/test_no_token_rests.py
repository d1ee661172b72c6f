"""No token comes to rest: not in what the server prints, logs, stores or answers."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from metacortex.engines import DATABASE_NAME
from tests.endpoint import HANDSHAKE, framed
from tests.server_processes import Server, serving
from tests.world import ADMIN_TOKEN, environment, token_of

pytestmark = pytest.mark.e2e

CLIENT = "chatgpt-web"
RIGHT = token_of(CLIENT)
WRONG = "wrong-token-9876543210"
MADE_UP = "made-up-token-1357924680"
TOKENS = [RIGHT, WRONG, MADE_UP, ADMIN_TOKEN]

HEADERS, LISTING = framed("tools/list", {}, HANDSHAKE)
PATH = f"/clients/{CLIENT}/mcp"
OTHER_HEADER = {"Authorization": f"Bearer {WRONG}"}
REQUESTS: list[tuple[str, str, dict[str, str], str, int]] = [
    ("POST", f"{PATH}?auth_token={RIGHT}", {}, LISTING, 200),
    ("POST", f"{PATH}/?auth_token={RIGHT}", {}, LISTING, 200),
    ("POST", f"{PATH}?auth_token={WRONG}", {}, LISTING, 401),
    ("POST", f"{PATH}?auth_token={RIGHT}", OTHER_HEADER, LISTING, 401),
    ("POST", f"{PATH}?auth_token={RIGHT}&auth_token={WRONG}", {}, LISTING, 401),
    ("POST", f"{PATH}?auth_token={RIGHT}", {}, "{not json", 400),
    ("POST", f"{PATH}?auth_token={RIGHT}", {"Content-Type": "text/plain"}, LISTING, 415),
    ("POST", f"{PATH}?auth_token={RIGHT}", {"Origin": "https://evil.example"}, LISTING, 403),
    ("GET", f"{PATH}?auth_token={RIGHT}", {}, "", 405),
    ("OPTIONS", f"{PATH}?auth_token={RIGHT}", {}, "", 204),
    ("POST", f"/clients/nobody/mcp?auth_token={MADE_UP}", {}, LISTING, 404),
    ("POST", f"/nowhere?auth_token={MADE_UP}", {}, LISTING, 404),
    ("POST", f"/mcp?auth_token={ADMIN_TOKEN}", {}, LISTING, 401),
    ("POST", "/mcp", OTHER_HEADER, LISTING, 401),
    ("POST", "/mcp", {"Authorization": f"Bearer {ADMIN_TOKEN}"}, LISTING, 200),
]
"""Method, target, headers, body, and the status of the answer."""


@pytest.mark.case("K52")
@pytest.mark.rule("C20", "C52", "C105")
def test_no_token_comes_to_rest(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with serving(data_dir, **environment()) as server:
        answers = [_sent(server, *request) for request in REQUESTS]
        assert [answer.status_code for answer in answers] == [each[-1] for each in REQUESTS]
        answers.append(_fault(server, data_dir))
        ended = server.stop()
    answered = "\n".join(f"{answer.headers}{answer.text}" for answer in answers)
    # Each file as it is once the server has ended, so the database's log is folded into it.
    stored = {file.name: file.read_bytes() for file in data_dir.iterdir()}
    assert b"unauthorized" in stored[DATABASE_NAME]
    told = ended.out + ended.err
    assert [token for token in TOKENS if token in answered] == []
    for secret in (*TOKENS, "auth_token"):
        assert secret not in told
        assert [name for name, content in stored.items() if secret.encode() in content] == []
    logged = [json.loads(line) for line in ended.err.splitlines()]
    assert [line for line in logged if "?" in line["message"]] == []
    assert "A request failed unexpectedly" in [line["message"] for line in logged]
    assert "bittern" not in told


def _fault(server: Server, data_dir: Path) -> httpx.Response:
    """Provoke a fault of the server's own: a stored memory that no release could have written."""
    target = f"{PATH}?auth_token={RIGHT}"
    saved = _called(server, target, "remember_context", content="A bittern booms in the reeds.")
    with closing(sqlite3.connect(data_dir / DATABASE_NAME)) as connection:
        connection.execute("UPDATE memories SET kind = 'bittern'")
        connection.commit()
    memory_id = saved.json()["result"]["structuredContent"]["item"]["id"]
    answer = _called(server, target, "fetch_context", document_id=memory_id)
    assert answer.json()["error"] == {"code": -32603, "message": "Internal server error"}
    return answer


def _called(server: Server, target: str, tool: str, **arguments: str) -> httpx.Response:
    headers, call = framed("tools/call", {"name": tool, "arguments": arguments}, HANDSHAKE)
    return _sent(server, "POST", target, headers, call, 200)


def _sent(
    server: Server, method: str, target: str, headers: dict[str, str], content: str, _: int
) -> httpx.Response:
    given = {"Content-Type": "application/json", **HEADERS, **headers}
    return httpx.request(
        method, server.url + target, headers=given, content=content, timeout=60, trust_env=False
    )
