"""fetch_context, deprecate_context and promote_context."""

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import PROMOTED_STATES, BranchState
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.observing import observe_ids, told
from metacortex.transport.mcp.tools.schemas import ITEM, STATE, a_string, an_object
from metacortex.transport.wire import item_json


async def fetch_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Return one memory whole."""
    memory = await services.memories.fetch(principal, values.text("document_id") or "")
    return Answer({"item": item_json(memory)}, told(services.activity, memory), (memory.id,))


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


async def promote_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Move a draft on."""
    state = BranchState(values.text("branch_state") or BranchState.ACTIVE)
    promoted = await services.memories.promote(principal, values.text("document_id") or "", state)
    memory, previous = promoted.memory, promoted.previous_state.value
    item: dict[str, JSON] = {"id": memory.id, "branch_state": memory.branch_state.value}
    noted = {**told(services.activity, memory), "previous_state": previous}
    return Answer({"item": item, "previous_state": previous}, noted)


def _observe_promotion(activity: Activity, principal: Principal, values: Values) -> dict[str, JSON]:
    state = values.text("branch_state") or BranchState.ACTIVE.value
    return {
        **observe_ids(activity, principal, values),
        "branch_state": None if "branch_state" in values.unread else state,
    }


_MOVED = {"id": a_string(), "branch_state": STATE}

FETCH_CONTEXT = Tool(
    name="fetch_context",
    title="Fetch a memory",
    description="Return one memory whole, by the id that a search or a write gave.",
    instruction="Call fetch_context with the id of a match whose full text is needed.",
    arguments=(Argument("document_id", "string", "The id of the memory.", required=True),),
    result_schema=an_object({"item": ITEM}),
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
    result_schema=an_object(
        {
            "item": an_object({**_MOVED, "superseded_by": a_string()}),
            "previous_state": STATE,
        }
    ),
    hints=Hints(read_only=False, destructive=True, idempotent=True),
    observe=observe_ids,
    call=deprecate_context,
)

PROMOTE_CONTEXT = Tool(
    name="promote_context",
    title="Promote a draft",
    description=(
        "Move a draft (a memory in state wip) on: to active, where normal searches find it, or to "
        "merged, where another memory has taken it up."
    ),
    instruction="Call promote_context when a draft has proved right.",
    arguments=(
        Argument("document_id", "string", "The id of the draft.", required=True),
        Argument(
            "branch_state",
            "string",
            "What it becomes.",
            choices=tuple(state.value for state in PROMOTED_STATES),
            default=lambda _: BranchState.ACTIVE.value,
        ),
    ),
    result_schema=an_object({"item": an_object(_MOVED), "previous_state": STATE}),
    hints=Hints(read_only=False, destructive=False, idempotent=True),
    observe=_observe_promotion,
    call=promote_context,
)
