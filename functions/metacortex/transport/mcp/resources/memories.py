"""metacortex://memories/{id}."""

from metacortex.transport.mcp.resource import Resource, as_tool
from metacortex.transport.mcp.tools.connector import FETCH
from metacortex.transport.mcp.tools.memories import FETCH_CONTEXT

ONE_MEMORY = Resource(
    uri="metacortex://memories/{id}",
    name="memory",
    title="One memory",
    description="One memory whole, as fetch_context returns it, by its id.",
    tools=(frozenset((FETCH_CONTEXT.name,)), frozenset((FETCH.name,))),
    read=as_tool(FETCH_CONTEXT, "document_id"),
)
