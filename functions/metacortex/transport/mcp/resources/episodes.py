"""metacortex://episodes/recent."""

from metacortex.domain.details import Kind
from metacortex.transport.mcp.resource import Resource, as_tool
from metacortex.transport.mcp.tools.listing import LIST_CONTEXT

MOST_RECENT = 20

RECENT_EPISODES = Resource(
    uri="metacortex://episodes/recent",
    name="recent-episodes",
    title="Recent episodes",
    description=(
        f"The {MOST_RECENT} episodes that were recorded last, newest first, as list_context "
        "returns them: decisions, root causes, invariants, migrations, with the files they touched."
    ),
    tools=(frozenset((LIST_CONTEXT.name,)),),
    read=as_tool(LIST_CONTEXT, kind=[Kind.EPISODE.value], limit=MOST_RECENT),
)
