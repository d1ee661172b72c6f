"""The product's own app with the fixtures of the conformance suite in its endpoint.

Run by uvicorn in a process of its own. Door, endpoint and events are the product's; only what is
listed and called is added. The suite knows no tokens, so its requests get theirs here.
"""

import os
from collections.abc import Mapping
from typing import Any

from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    GetPromptRequestParams,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    SetLevelRequestParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)
from starlette.types import ASGIApp, Receive, Scope, Send

from metacortex.bootstrap import TOOL_NAMES, build
from metacortex.config import Settings
from metacortex.transport.app import App
from metacortex.transport.door import Served
from metacortex.transport.mcp.endpoint import McpEndpoint
from metacortex.transport.mcp.prompts import PROMPTS
from metacortex.transport.mcp.resources import RESOURCES
from metacortex.transport.mcp.tools import TOOLS
from tests.conformance import fixture_documents as documents
from tests.conformance.fixture_tools import TOOLS as FIXTURES
from tests.conformance.fixture_tools import Context


def create_app() -> ASGIApp:
    """Return the app of the environment's settings, with the fixtures."""
    settings = Settings.from_env(os.environ, TOOL_NAMES)
    served = Served(
        build(settings).services,
        McpEndpoint(
            settings.service_name,
            settings.service_version,
            TOOLS,
            RESOURCES,
            PROMPTS,
            extend=add_fixtures,
        ),
    )
    return _with_token(App(lambda: served), os.environ["CONFORMANCE_TOKEN"])


def _with_token(app: ASGIApp, token: str) -> ASGIApp:
    header = (b"authorization", f"Bearer {token}".encode())

    async def authorized(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "headers": [*scope.get("headers", ()), header]}, receive, send)

    return authorized


def add_fixtures(server: Server[Any]) -> None:
    """Register the fixtures behind the product's own tools."""
    _add_tools(server)
    add = server.add_request_handler
    add("resources/list", PaginatedRequestParams, documents.list_resources)
    add("resources/templates/list", PaginatedRequestParams, documents.list_templates)
    add("resources/read", ReadResourceRequestParams, documents.read_resource)
    add("resources/subscribe", SubscribeRequestParams, documents.accept)
    add("resources/unsubscribe", UnsubscribeRequestParams, documents.accept)
    add("prompts/list", PaginatedRequestParams, documents.list_prompts)
    add("prompts/get", GetPromptRequestParams, documents.get_prompt)
    add("completion/complete", CompleteRequestParams, documents.complete)
    add("logging/setLevel", SetLevelRequestParams, documents.accept)


def _add_tools(server: Server[Any]) -> None:
    own_list, own_call = (server.get_request_handler(each) for each in ("tools/list", "tools/call"))
    assert own_list is not None
    assert own_call is not None
    fixture_by_name = {tool.name: tool for tool in FIXTURES}

    async def list_tools(context: Context, params: PaginatedRequestParams) -> ListToolsResult:
        own = await own_list.handler(context, params)
        assert isinstance(own, ListToolsResult)
        return own.model_copy(update={"tools": [*own.tools, *(tool.listed for tool in FIXTURES)]})

    async def call(
        context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        fixture = fixture_by_name.get(params.name)
        if fixture is not None:
            return await fixture.answer(context, params)
        own = await own_call.handler(context, params)
        assert isinstance(own, CallToolResult)
        return own

    own_schema = server.get_tool_input_schema
    assert own_schema is not None

    def schema(name: str) -> Mapping[str, Any] | None:
        fixture = fixture_by_name.get(name)
        return own_schema(name) if fixture is None else fixture.input_schema

    server.get_tool_input_schema = schema
    server.add_request_handler("tools/list", PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", CallToolRequestParams, call)
