"""The yardstick: a trivial tool on a bare SDK server, without auth, routing, storage or events."""

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

Context = ServerRequestContext[Any, Any]


async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
    """List the one tool."""
    return ListToolsResult(tools=[Tool(name="echo", input_schema={"type": "object"})])


async def call_tool(_: Context, params: CallToolRequestParams) -> CallToolResult:
    """Answer with a constant."""
    return CallToolResult(content=[TextContent(type="text", text="ok")])


app = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool).streamable_http_app(
    json_response=True,
    stateless_http=True,
    transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
)
