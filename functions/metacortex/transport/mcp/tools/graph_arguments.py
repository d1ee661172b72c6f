"""What tools that read the graph have in common: arguments, and how entities are told."""

from metacortex.domain.json import JSON
from metacortex.domain.knowledge.entity import is_entity_id
from metacortex.domain.knowledge.graph import Graph, Step
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tools.schemas import a_count, a_list, a_string, an_object

ENTITY = Argument("entity", "string", "The entity: its name, or its id.", required=True)
AS_OF = Argument("as_of", "string", "Tell what was true at this moment in place of now.")
NAMESPACE = Argument("namespace", "string", "Only this one of the namespaces that may be read.")


REACHED = a_list(
    an_object(
        {"id": a_string(), "name": a_string(), "hops": a_count("How many facts away it is")},
        {
            "via": a_string("The entity that it was reached from"),
            "fact_id": a_string("The fact that was followed"),
        },
    ),
    "The nearest first; of a path, its steps in order, the start included",
)
INCOMPLETE: dict[str, JSON] = {
    "type": "boolean",
    "description": "There was more at one distance than is followed or read, and than is counted",
}


def steps_json(graph: Graph, steps: tuple[Step, ...]) -> list[JSON]:
    """Return the entities that were reached."""
    return [
        {"id": step.entity_id, "name": graph.name(step.entity_id), "hops": step.hops}
        | ({"via": step.origin} if step.origin else {})
        | ({"fact_id": step.by.id} if step.by else {})
        for step in steps
    ]


def observe_entity(values: Values) -> dict[str, JSON]:
    """Return what an event tells of the entity and the moment that were asked for."""
    entity = values.text("entity")
    return {
        "entity": None if entity is None else "id" if is_entity_id(entity) else "name",
        "as_of_given": True if values.text("as_of") else None,
    }
