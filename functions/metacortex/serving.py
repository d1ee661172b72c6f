"""The program as a server: the endpoint of MCP before the services, and the app before both.

Apart from `bootstrap`, since the command line and the library need neither, and MCP takes longer to
load than all else together.
"""

from collections.abc import Mapping
from functools import cache

from metacortex.bootstrap import TOOL_NAMES, Program, build
from metacortex.config import Settings
from metacortex.transport.app import App
from metacortex.transport.door import Served
from metacortex.transport.mcp.endpoint import McpEndpoint
from metacortex.transport.mcp.prompts import PROMPTS
from metacortex.transport.mcp.resources import RESOURCES
from metacortex.transport.mcp.tools import TOOLS


def served(settings: Settings, program: Program) -> Served:
    """Return what stands behind the door."""
    endpoint = McpEndpoint(
        settings.service_name, settings.service_version, TOOLS, RESOURCES, PROMPTS
    )
    return Served(program.services, endpoint, settings.public_url)


def create_app(env: Mapping[str, str]) -> App:
    """Return the ASGI app. Its settings are read from a copy of `env` at the first request that
    needs them, and the program is built once.
    """
    read = dict(env)

    # It keeps no exception: what is wrong with the settings is told to each request anew.
    @cache
    def connect() -> Served:
        settings = Settings.from_env(read, TOOL_NAMES)
        return served(settings, build(settings))

    return App(connect, read.get("K_SERVICE", "").strip() or None)
