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
    """An MCP endpoint: the admin's or one client's. `client_id` is what stands on the path."""

    client_id: str
    is_admin: bool


def route(scope: Scope, function_name: str | None) -> HealthPath | McpPath | None:
    """Return what the path names, or None.

    A leading function name and one trailing slash are ignored.
    """
    raw = scope.get("raw_path") or scope["path"].encode()
    # A client may name the whole address in its request line (RFC 9112, absolute form).
    path = _AUTHORITY.sub("", raw.decode("latin-1").split("?")[0])
    segments = path.split("/")[1:]
    if segments and segments[-1] == "":
        segments.pop()
    if segments and unquote(segments[0]) in (FUNCTION_NAME, function_name):
        segments.pop(0)
    if segments == ["healthz"]:
        return HealthPath()
    if segments == ["mcp"]:
        return McpPath(ADMIN_ID, is_admin=True)
    if len(segments) == 3 and segments[0] == "clients" and segments[2] == "mcp" and segments[1]:
        return McpPath(unquote(segments[1]), is_admin=False)
    return None
