"""fetch_context and deprecate_context."""

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.observing import observe_ids, told
from metacortex.transport.mcp.tools.schemas import DEPRECATED_SCHEMA, FETCHED_SCHEMA
from metacortex.transport.wire import item_json


async def fetch_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Return one memory whole."""
    memory = await services.memories.fetch(principal, values.text("document_id") or "")
    return Answer({"item": item_json(memory)}, told(services.activity, memory))


async def deprecate_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Take a memory out of active search and name its replacement."""
    superseded = await services.memories.deprecate(
        principal, values.text("document_id") or "", values.text("superseding_document_id") or ""
    )
    memory, previous = superseded.memory, superseded.previous_state.value
    item: dict[str, JSON] = {
        "id": memory.id,
        "branch_state": memory.branch_state.value,
        "superseded_by": memory.superseded_by,
    }
    noted: dict[str, JSON] = {
        "document_id": memory.id,
        "superseding_document_id": memory.superseded_by,
        "previous_state": previous,
    }
    return Answer({"item": item, "previous_state": previous}, noted)


FETCH_CONTEXT = Tool(
    name="fetch_context",
    title="Fetch a memory",
    description="Return one memory whole, by the id that a search or a write gave.",
    instruction="Call fetch_context with the id of a match whose full text is needed.",
    arguments=(Argument("document_id", "string", "The id of the memory.", required=True),),
    result_schema=FETCHED_SCHEMA,
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=observe_ids,
    call=fetch_context,
)

DEPRECATE_CONTEXT = Tool(
    name="deprecate_context",
    title="Deprecate a memory",
    description=(
        "Take an obsolete memory out of active search and name the memory that replaces it. "
        "Nothing is deleted: it is still found under the state deprecated."
    ),
    instruction="Call deprecate_context when a newer memory replaces an older one.",
    arguments=(
        Argument("document_id", "string", "The id of the obsolete memory.", required=True),
        Argument(
            "superseding_document_id",
            "string",
            "The id of the memory that replaces it.",
            required=True,
        ),
    ),
    result_schema=DEPRECATED_SCHEMA,
    hints=Hints(read_only=False, destructive=True, idempotent=True),
    observe=observe_ids,
    call=deprecate_context,
)
