"""merge_entities."""

from metacortex.domain.client import Principal
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.entities import ENTITY, entity_json
from metacortex.transport.mcp.tools.schemas import a_string, an_object, one_of

STATUSES = ("merged", "undone", "unchanged")


async def merge_entities(services: Services, principal: Principal, values: Values) -> Answer:
    """Let one name stand for what another stands for, or for itself again."""
    name, into = values.text("from") or "", values.text("into")
    undo, namespace = bool(values.flag("undo")), values.text("namespace")
    if undo == (into is not None):
        raise InvalidInput("Provide either into or undo as true")
    if into is None:
        merged = await services.merging.undo(principal, name, namespace)
    else:
        merged = await services.merging.merge(principal, name, into, namespace)
    status = ("undone" if undo else "merged") if merged.changed else "unchanged"
    told: dict[str, JSON] = {
        "status": status,
        "entity_id": merged.entity.id,
        "survivor_id": merged.known.family.entity.id,
    }
    result: dict[str, JSON] = {
        "status": status,
        "id": merged.entity.id,
        "entity": entity_json(merged.known),
    }
    return Answer(result, told)


def _observe_merge(_: Activity, __: Principal, values: Values) -> dict[str, JSON]:
    return {
        "from_length": len(values.text("from") or ""),
        "into_length": len(values.text("into") or ""),
        "undo": values.flag("undo"),
    }


_SCHEMA = an_object(
    {"status": one_of(STATUSES), "id": a_string("That of the entity called from"), "entity": ENTITY}
)

MERGE_ENTITIES = Tool(
    name="merge_entities",
    title="Merge entities",
    description=(
        "Say that two names stand for the same thing: from becomes an alias of into, and what is "
        "known of either is found under both. A name that is not known yet becomes an alias too. "
        "Nothing is rewritten; undo takes it back."
    ),
    instruction=(
        "Call merge_entities only when the user confirms that two names stand for the same thing."
    ),
    arguments=(
        Argument("from", "string", "The name or id that becomes an alias.", required=True),
        Argument("into", "string", "The name or id of the entity that stays."),
        Argument("undo", "boolean", "True, without into, to let from stand for itself again."),
        Argument("namespace", "string", "The namespace of both, if there is a choice."),
    ),
    result_schema=_SCHEMA,
    hints=Hints(read_only=False, destructive=False, idempotent=True),
    observe=_observe_merge,
    call=merge_entities,
)
