"""The resources, in the order in which they are listed."""

from metacortex.transport.mcp.resource import Resource
from metacortex.transport.mcp.resources.episodes import RECENT_EPISODES
from metacortex.transport.mcp.resources.graph import GRAPH_INTEGRITY, GRAPH_SUMMARY
from metacortex.transport.mcp.resources.memories import ONE_MEMORY

RESOURCES: tuple[Resource, ...] = (ONE_MEMORY, RECENT_EPISODES, GRAPH_SUMMARY, GRAPH_INTEGRITY)
