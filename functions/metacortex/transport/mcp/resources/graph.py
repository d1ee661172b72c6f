"""metacortex://graph/summary and metacortex://graph/integrity."""

import asyncio

from metacortex.domain.client import Principal
from metacortex.domain.details import Kind
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.asked import TimeTravel
from metacortex.domain.moment import iso
from metacortex.service.services import Services
from metacortex.transport.mcp.resource import Resource, as_tool
from metacortex.transport.mcp.tool import Answer
from metacortex.transport.mcp.tools.entity_view import QUERY_ENTITY
from metacortex.transport.mcp.tools.integrity import VERIFY_INTEGRITY
from metacortex.transport.mcp.tools.stats import MEMORY_STATS


async def _summary(services: Services, principal: Principal, _: str) -> Answer:
    """Return how much is known now, as far as the principal may read it."""
    stats, now = await asyncio.gather(
        services.stats.numbers(principal), services.snapshots.at(principal, TimeTravel())
    )
    result: dict[str, JSON] = {
        "as_of": iso(now.at),
        "episodes": stats.kinds.get(Kind.EPISODE, 0),
        "facts": {"recorded": stats.kinds.get(Kind.FACT, 0), "current": len(now.held.facts)},
        "entities": now.entity_count,
        "snapshot_hash": now.held.hash,
    }
    if now.incomplete:
        result["incomplete"] = True
    told: dict[str, JSON] = {
        "fact_count": len(now.held.facts),
        "episode_count": len(now.held.episodes),
        "incomplete": now.incomplete,
    }
    return Answer(result, told)


GRAPH_SUMMARY = Resource(
    uri="metacortex://graph/summary",
    name="graph-summary",
    title="What is known, in numbers",
    description=(
        "How many episodes and facts are kept, how many facts hold now, of how many entities they "
        "speak, and the hash of what holds now, by which two readings can be compared."
    ),
    tools=(frozenset((MEMORY_STATS.name, QUERY_ENTITY.name)),),
    read=_summary,
)

GRAPH_INTEGRITY = Resource(
    uri="metacortex://graph/integrity",
    name="graph-integrity",
    title="Whether what is known was altered",
    description=(
        "Every memory and every recorded change, checked against its digest as verify_integrity "
        "checks them, with what was altered and the Merkle root of all. Reading it reads "
        "everything."
    ),
    tools=(frozenset((VERIFY_INTEGRITY.name,)),),
    read=as_tool(VERIFY_INTEGRITY),
)
