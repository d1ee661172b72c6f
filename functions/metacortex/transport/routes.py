"""Which endpoint a path names (contract C1 to C6)."""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.types import Scope

from metacortex.domain.client import ADMIN_ID

_AUTHORITY = re.compile(r"https?://[^/]*", re.IGNORECASE)
FUNCTION_NAME = "metaCortexMcp"


@dataclass(frozen=True, slots=True)
class HealthPath:
    """The health answer."""


@dataclass(frozen=True, slots=True)
class McpPath:
    """An MCP endpoint: the admin's or one client's. `client_id` is what stands on the path, and
    `prefix` what stands before all that counts.
    """

    client_id: str
    is_admin: bool
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class MemoryPath:
    """The page of one memory, beside the endpoint whose token opens it."""

    client_id: str
    is_admin: bool
    memory_id: str


def route(scope: Scope, function_name: str | None) -> HealthPath | McpPath | MemoryPath | None:
    """Return what the path names, or None.

    A leading function name and one trailing slash are ignored.
    """
    raw = scope.get("raw_path") or scope["path"].encode()
    # A client may name the whole address in its request line (RFC 9112, absolute form).
    path = _AUTHORITY.sub("", raw.decode("latin-1").split("?")[0])
    segments = path.split("/")[1:]
    if segments and segments[-1] == "":
        segments.pop()
    prefix = ""
    if segments and unquote(segments[0]) in (FUNCTION_NAME, function_name):
        prefix = f"/{segments.pop(0)}"
    return HealthPath() if segments == ["healthz"] else _guarded(segments, prefix)


def _guarded(segments: list[str], prefix: str) -> McpPath | MemoryPath | None:
    """Return what a path names of the admin, or of a client."""
    match segments:
        case ["clients", client, *within] if client:
            client_id, is_admin = unquote(client), False
        case within:
            client_id, is_admin = ADMIN_ID, True
    match within:
        case ["mcp"]:
            return McpPath(client_id, is_admin, prefix)
        case ["memories", memory] if memory:
            return MemoryPath(client_id, is_admin, unquote(memory))
    return None
