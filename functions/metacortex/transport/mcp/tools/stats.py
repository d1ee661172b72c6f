"""memory_stats."""

from metacortex.domain.client import Principal
from metacortex.domain.details import KIND_NAMES
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES
from metacortex.domain.moment import iso
from metacortex.domain.stats import MOST_TOPICS
from metacortex.domain.use import Used
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.service.stats import Counted
from metacortex.transport.mcp.arguments import Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.schemas import a_count, a_list, a_string, an_object
from metacortex.transport.wire import title_of


async def memory_stats(services: Services, principal: Principal, _: Values) -> Answer:
    """Return how much is remembered, as far as the principal may read it."""
    counted = await services.stats.count(principal)
    return Answer(_stats_json(counted), {"memory_count": counted.stats.memories})


def _stats_json(counted: Counted) -> dict[str, JSON]:
    stats = counted.stats
    result: dict[str, JSON] = {
        "memories": stats.memories,
        "kinds": {kind.value: count for kind, count in stats.kinds.items()},
        "states": {state.value: count for state, count in stats.states.items()},
        "namespaces": [
            {"namespace": name, "memories": count} for name, count in stats.namespaces.items()
        ],
        "topics": [{"topic": name, "memories": count} for name, count in stats.topics.items()],
        "storage": {"text_bytes": stats.text_bytes, "vector_bytes": stats.vector_bytes},
        "embedding_spaces": [
            {"space": str(space), "memories": count, "searched": space == counted.space}
            for space, count in stats.spaces.items()
        ],
        "unindexed": stats.unindexed,
        "most_used": [_used_json(used) for used in counted.most_used],
    }
    if stats.incomplete:
        result["incomplete"] = list(stats.incomplete)
    return result


def _used_json(used: Used) -> JSON:
    return {
        "id": used.memory.id,
        "title": title_of(used.memory),
        "access_count": used.use.access_count,
        "last_accessed_at": iso(used.use.last_accessed_at),
    }


def _observe_stats(_: Activity, __: Principal, ___: Values) -> dict[str, JSON]:
    return {}


_SCHEMA = an_object(
    {
        "memories": a_count(),
        "kinds": an_object({}, dict.fromkeys(KIND_NAMES, a_count())),
        "states": an_object({}, dict.fromkeys(STATE_NAMES, a_count())),
        "namespaces": a_list(an_object({"namespace": a_string(), "memories": a_count()})),
        "topics": a_list(an_object({"topic": a_string(), "memories": a_count()})),
        "storage": an_object(
            {"vector_bytes": a_count(), "text_bytes": {"type": ["integer", "null"], "minimum": 0}}
        ),
        "embedding_spaces": a_list(
            an_object({"space": a_string(), "memories": a_count(), "searched": {"type": "boolean"}})
        ),
        "unindexed": a_count("How many no words find"),
        "most_used": a_list(
            an_object(
                {
                    "id": a_string(),
                    "title": a_string(),
                    "access_count": a_count(),
                    "last_accessed_at": a_string(),
                }
            ),
            "What came back in answers most often",
        ),
    },
    {"incomplete": a_list(a_string(), "Parts that are counted among the newest memories alone")},
)

MEMORY_STATS = Tool(
    name="memory_stats",
    title="Count memories",
    description=(
        "Tell how much is remembered: the number of memories by kind, state, namespace and the "
        f"{MOST_TOPICS} most common topics, what they take in storage, which came back in answers "
        "most often, and what no search finds yet. Only what this client may read is "
        "counted."
    ),
    instruction="Call memory_stats for how many memories there are and what they are about.",
    arguments=(),
    result_schema=_SCHEMA,
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe_stats,
    call=memory_stats,
)
