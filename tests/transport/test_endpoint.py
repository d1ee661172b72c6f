"""The endpoint itself: what may be registered with it, and faults that speak the protocol."""

from dataclasses import replace
from typing import Any

import pytest
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from metacortex.domain.client import Principal
from metacortex.service.services import Services
from metacortex.transport.app import App
from metacortex.transport.door import Served
from metacortex.transport.mcp.arguments import Values
from metacortex.transport.mcp.endpoint import McpEndpoint
from metacortex.transport.mcp.tool import Answer
from metacortex.transport.mcp.tools import TOOLS
from tests.endpoint import Endpoint
from tests.world import World, client_of, token_of


async def test_what_is_registered_goes_with_each_set_of_tools(world: World) -> None:
    built: list[Server[Any]] = []
    endpoint = McpEndpoint("metacortex", "1", TOOLS, extend=built.append)
    async with client_of(App(lambda: Served(world.services, endpoint))) as http:
        for client_id in ("chatgpt-web", "claude-web", "nowhere", "nowhere"):
            end = Endpoint(http, f"/clients/{client_id}/mcp", token_of(client_id))
            assert (await end.ping()).status_code == 200
    assert len(built) == 2


@pytest.mark.rule("C52")
async def test_an_internal_error_in_the_words_of_the_protocol_is_told_as_one(
    world: World,
) -> None:
    async def fail(_: Services, __: Principal, ___: Values) -> Answer:
        raise MCPError(code=INTERNAL_ERROR, message="Internal server error")

    endpoint = McpEndpoint("metacortex", "1", (replace(TOOLS[1], call=fail),))
    async with client_of(App(lambda: Served(world.services, endpoint))) as http:
        end = Endpoint(http, "/mcp", token_of("default"))
        outcome = await end.tool("search_context", {"query": "x"})
    assert outcome.message["error"] == {"code": -32603, "message": "Internal server error"}
    (event,) = await world.events()
    assert (event["status"], event["error"]["name"], event["error"]["status_code"]) == (
        "error",
        "internal",
        500,
    )
