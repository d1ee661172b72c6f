"""search and fetch: the pair that ChatGPT's research and company knowledge look for, in the shapes
that they read and no other.
"""

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.search import Search
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.transport import address
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.observing import told
from metacortex.transport.mcp.tools.schemas import METADATA, a_list, a_string, an_object
from metacortex.transport.mcp.tools.search import SEARCH_CONTEXT
from metacortex.transport.wire import metadata_json, title_of


async def search(services: Services, principal: Principal, values: Values) -> Answer:
    """Find memories as search_context does without filters, and name where each can be read."""
    searched = await services.searches.search(principal, Search(values.text("query") or ""))
    memories = [match.memory for match in searched.found.matches]
    results: list[JSON] = [
        {
            "id": memory.id,
            "title": title_of(memory),
            "url": address.of_memory(principal.client_id, memory.id),
        }
        for memory in memories
    ]
    noted: dict[str, JSON] = {
        "result_count": len(memories),
        "result_ids": [memory.id for memory in memories],
        "filter_state": searched.branch_state.value,
    }
    return Answer({"results": results}, noted, tuple(memory.id for memory in memories))


async def fetch(services: Services, principal: Principal, values: Values) -> Answer:
    """Return one memory whole, and where it can be read."""
    memory = await services.memories.fetch(principal, values.text("id") or "")
    result: dict[str, JSON] = {
        "id": memory.id,
        "title": title_of(memory),
        "text": memory.content,
        "url": address.of_memory(principal.client_id, memory.id),
        "metadata": metadata_json(memory),
    }
    return Answer(result, told(services.activity, memory), (memory.id,))


def _observe_fetch(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    asked = values.text("id")
    return {"document_id": activity.label(asked) if asked is not None else None}


_FOUND = an_object({"id": a_string(), "title": a_string(), "url": a_string()})
_READ = an_object(
    {
        "id": a_string(),
        "title": a_string(),
        "text": a_string(),
        "url": a_string(),
        "metadata": METADATA,
    }
)

SEARCH = Tool(
    name="search",
    title="Search the memory",
    description=(
        "Find saved memories for a question, best first: decisions, facts, preferences and "
        "findings of earlier conversations. Ask in full words. Each result has an id, which "
        "fetch takes, a title and a url to cite."
    ),
    instruction="Call search to look through the memory for sources to cite.",
    arguments=(Argument("query", "string", "What to look for, in any language.", required=True),),
    result_schema=an_object({"results": a_list(_FOUND)}),
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=SEARCH_CONTEXT.observe,
    call=search,
)

FETCH = Tool(
    name="fetch",
    title="Read a memory",
    description="Return the full text of one memory, by the id of a result of search.",
    instruction="Call fetch with the id of a result to read its full text.",
    arguments=(Argument("id", "string", "The id of a result.", required=True),),
    result_schema=_READ,
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe_fetch,
    call=fetch,
)
