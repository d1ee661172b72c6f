"""The tools, in the order in which they are listed: one module for each capability."""

from metacortex.transport.mcp.tool import Tool
from metacortex.transport.mcp.tools.connector import FETCH, SEARCH
from metacortex.transport.mcp.tools.consolidation import CONSOLIDATE_CONTEXT
from metacortex.transport.mcp.tools.contexts import COMPILE_CONTEXT
from metacortex.transport.mcp.tools.contradictions import (
    AUDIT_CONTRADICTIONS,
    REVIEW_CONTRADICTIONS,
)
from metacortex.transport.mcp.tools.entities import SEARCH_ENTITIES
from metacortex.transport.mcp.tools.entity_view import QUERY_ENTITY
from metacortex.transport.mcp.tools.episodes import RECORD_EPISODE
from metacortex.transport.mcp.tools.facts import FACT_CONTEXT, UPSERT_FACT
from metacortex.transport.mcp.tools.forgetting import FORGET_CONTEXT
from metacortex.transport.mcp.tools.graph import TRAVERSE_GRAPH
from metacortex.transport.mcp.tools.integrity import VERIFY_INTEGRITY
from metacortex.transport.mcp.tools.listing import LIST_CONTEXT
from metacortex.transport.mcp.tools.memories import (
    DEPRECATE_CONTEXT,
    FETCH_CONTEXT,
    PROMOTE_CONTEXT,
)
from metacortex.transport.mcp.tools.merging import MERGE_ENTITIES
from metacortex.transport.mcp.tools.remember import REMEMBER_CONTEXT
from metacortex.transport.mcp.tools.search import SEARCH_CONTEXT
from metacortex.transport.mcp.tools.sources import EXPORT_SOURCES
from metacortex.transport.mcp.tools.stats import MEMORY_STATS
from metacortex.transport.mcp.tools.time_travel import TIME_TRAVEL

TOOLS: tuple[Tool, ...] = (
    REMEMBER_CONTEXT,
    SEARCH_CONTEXT,
    FETCH_CONTEXT,
    DEPRECATE_CONTEXT,
    COMPILE_CONTEXT,
    SEARCH,
    FETCH,
    PROMOTE_CONTEXT,
    MEMORY_STATS,
    LIST_CONTEXT,
    CONSOLIDATE_CONTEXT,
    FORGET_CONTEXT,
    RECORD_EPISODE,
    UPSERT_FACT,
    FACT_CONTEXT,
    QUERY_ENTITY,
    SEARCH_ENTITIES,
    MERGE_ENTITIES,
    TRAVERSE_GRAPH,
    TIME_TRAVEL,
    AUDIT_CONTRADICTIONS,
    REVIEW_CONTRADICTIONS,
    VERIFY_INTEGRITY,
    EXPORT_SOURCES,
)
