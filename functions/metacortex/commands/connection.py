"""How clients connect: lines to paste, for each of the usual ones. They hold tokens."""

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from metacortex.domain.json import JSON

_CHATGPT = "chatgpt-web"
_WEB_NAMES = {_CHATGPT: "ChatGPT", "claude-web": "Claude on the web"}
_NO_PUBLIC_URL = (
    "ChatGPT and Claude on the web reach only public https addresses: put a tunnel or proxy with"
    " https in front of this server, set PUBLIC_URL to its address, and start again."
)


@dataclass(frozen=True, slots=True)
class Connection:
    """What a client has to know about a running server; `token_by_client` is for web clients.

    `data_dir` is None for a server elsewhere, which no process of this machine can stand in for.
    """

    url: str
    data_dir: Path | None
    admin_token: str = field(repr=False)
    token_by_client: Mapping[str, str] = field(repr=False)
    public_url: str | None = None
    stdio_env: Mapping[str, str] = field(default_factory=dict)
    """Settings that a process started by a client must share with this one."""


def described(connection: Connection) -> str:
    """Return all of it as text for a terminal."""
    sections = [*_local(connection), *_web(connection)]
    return "\n".join(f"{title}\n{_indented(body)}\n" for title, body in sections)


def claude_code(url: str, token: str) -> str:
    """Return the line that connects Claude Code to an endpoint."""
    header = f"Authorization: Bearer {token}"
    return shlex.join(
        ["claude", "mcp", "add", "--transport", "http", "metacortex", url, "--header", header]
    )


def _local(connection: Connection) -> Iterator[tuple[str, str]]:
    url = f"{connection.url}/mcp"
    header = f"Authorization: Bearer {connection.admin_token}"
    yield "Claude Code", claude_code(url, connection.admin_token)
    bearer: JSON = {"Authorization": f"Bearer {connection.admin_token}"}
    yield "Cursor: .cursor/mcp.json", _servers({"url": url, "headers": bearer})
    if connection.data_dir is not None:
        server = _stdio(connection.data_dir, connection.stdio_env)
        yield "Claude Desktop: claude_desktop_config.json", _servers(server)
    yield (
        "MCP Inspector: choose Streamable HTTP, then this address and header",
        f"npx @modelcontextprotocol/inspector\n{url}\n{header}",
    )
    text = "Sessions of our web shop end after 30 days without a visit."
    yield "Remember with curl", _curl(url, header, "remember_context", {"content": text})
    question = "How long does a login last?"
    yield "Find it with curl", _curl(url, header, "search_context", {"query": question})


def _web(connection: Connection) -> Iterator[tuple[str, str]]:
    if connection.public_url is None:
        yield "ChatGPT and Claude on the web", _NO_PUBLIC_URL
        return
    for client_id, token in connection.token_by_client.items():
        url = f"{connection.public_url}/clients/{quote(client_id, safe='')}/mcp"
        tokenized = f"{url}?auth_token={quote(token, safe='')}"
        name = _WEB_NAMES.get(client_id, client_id)
        if client_id == _CHATGPT:
            # Its settings have no field for a header.
            yield f"{name}: this address, without authentication", tokenized
            continue
        yield (
            f"{name}: the first address without authentication, or the second with the header",
            f"{tokenized}\n{url}\nAuthorization: Bearer {token}",
        )


def _stdio(data_dir: Path, env: Mapping[str, str]) -> JSON:
    # Desktop programs start it without the shell's PATH, so by the full path of this Python.
    arguments = ["-m", "metacortex", "--data-dir", str(data_dir)]
    server: dict[str, JSON] = {
        "command": sys.executable,
        "args": [*arguments, "stdio", "--client", "default"],
    }
    return {**server, "env": dict(env)} if env else server


def _servers(server: JSON) -> str:
    return json.dumps({"mcpServers": {"metacortex": server}}, indent=2)


def _curl(url: str, header: str, tool: str, arguments: JSON) -> str:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }
    headers = ["-H", header, "-H", "Content-Type: application/json"]
    return shlex.join(["curl", "-s", url, *headers, "-d", json.dumps(call)])


def _indented(body: str) -> str:
    return "\n".join(f"  {line}" for line in body.splitlines())
