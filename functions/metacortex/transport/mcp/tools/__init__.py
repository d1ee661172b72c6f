"""The tools, in the order in which they are listed: one module for each capability."""

from metacortex.transport.mcp.tool import Tool
from metacortex.transport.mcp.tools.memories import MEMORY_TOOLS

TOOLS: tuple[Tool, ...] = MEMORY_TOOLS
