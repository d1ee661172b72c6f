"""traverse_graph."""

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.asked import (
    DEFAULT_HOPS,
    DEFAULT_SHOWN,
    MODE_NAMES,
    MOST_HOPS,
    MOST_SHOWN,
    Mode,
    Traversal,
)
from metacortex.domain.knowledge.graph import DIRECTION_NAMES, Direction
from metacortex.domain.memory import listed_refs
from metacortex.domain.moment import iso
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.transport.knowledge_wire import fact_json
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.graph_arguments import (
    AS_OF,
    ENTITY,
    INCOMPLETE,
    NAMESPACE,
    REACHED,
    observe_entity,
    steps_json,
)
from metacortex.transport.mcp.tools.knowledge_schemas import FACT
from metacortex.transport.mcp.tools.periods import period_of
from metacortex.transport.mcp.tools.schemas import INSTANT, a_count, a_list, an_object, one_of


async def traverse_graph(services: Services, principal: Principal, values: Values) -> Answer:
    """Return where the facts lead from an entity."""
    mode = Mode(values.text("mode") or Mode.NEIGHBOURS)
    asked = Traversal(
        values.text("entity") or "",
        mode,
        values.text("to"),
        values.whole("max_hops"),
        Direction(values.text("direction") or Direction.BOTH),
        listed_refs(values.texts("predicates")),
        period_of(values, "as_of", services.clock.now(), principal.zone),
        values.whole("limit") or DEFAULT_SHOWN,
        values.text("namespace"),
    )
    reached = await services.knowledge.traverse(principal, asked)
    result: dict[str, JSON] = {
        "mode": mode.value,
        "entities": steps_json(reached.graph, reached.steps),
    }
    if mode is not Mode.RELATED:
        result["facts"] = [*map(fact_json, reached.facts)]
    if mode is Mode.PATH:
        result["found"] = bool(reached.steps)
    if reached.left_out:
        result["left_out"] = reached.left_out
    if asked.as_of is not None:
        result["as_of"] = iso(reached.at)
    if reached.incomplete:
        result["incomplete"] = True
    told: dict[str, JSON] = {
        "entity_count": len(reached.steps),
        "left_out_count": reached.left_out,
        "incomplete": reached.incomplete,
    }
    return Answer(result, told, tuple(fact.id for fact in reached.facts))


def _observe_traverse(_: Activity, __: Principal, values: Values) -> dict[str, JSON]:
    return {
        **observe_entity(values),
        "mode": values.text("mode"),
        "direction": values.text("direction"),
        "max_hops": values.whole("max_hops"),
        "limit": values.whole("limit"),
        "predicate_count": len(values.texts("predicates")) or None,
    }


TRAVERSE_GRAPH = Tool(
    name="traverse_graph",
    title="Follow facts",
    description=(
        "Follow facts from one entity to others: its neighbours with the facts between, the "
        "shortest path to another entity, or all that is related to it within some hops."
    ),
    instruction="Call traverse_graph to see how entities hang together.",
    arguments=(
        ENTITY,
        Argument("mode", "string", "What to tell; neighbours if absent.", choices=MODE_NAMES),
        Argument("to", "string", "With mode path, the entity where it ends: its name, or its id."),
        Argument(
            "max_hops",
            "integer",
            "How many facts to follow in a row; if absent, "
            + ", ".join(f"{hops} for {mode}" for mode, hops in DEFAULT_HOPS.items())
            + ".",
            minimum=1,
            maximum=MOST_HOPS,
        ),
        Argument(
            "direction",
            "string",
            "out: from subject to object; in: the other way; both (the default).",
            choices=DIRECTION_NAMES,
        ),
        Argument("predicates", "array", "Follow only facts with these predicates."),
        AS_OF,
        Argument(
            "limit",
            "integer",
            f"How many entities at most; {DEFAULT_SHOWN} if absent. A path is always whole.",
            minimum=1,
            maximum=MOST_SHOWN,
        ),
        NAMESPACE,
    ),
    result_schema=an_object(
        {"mode": one_of(MODE_NAMES), "entities": REACHED},
        {
            "facts": a_list(FACT, "Those between the entities, or along the path"),
            "found": {"type": "boolean", "description": "Whether there is a path"},
            "left_out": a_count("How many more entities there are"),
            "as_of": INSTANT,
            "incomplete": INCOMPLETE,
        },
    ),
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe_traverse,
    call=traverse_graph,
)
