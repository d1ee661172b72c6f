"""query_entity."""

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.asked import (
    DEFAULT_HOPS_OF_ENTITY,
    MOST_HOPS_OF_ENTITY,
    AskedEntity,
)
from metacortex.domain.moment import iso
from metacortex.service.activity import Activity
from metacortex.service.knowledge import MOST_ACTIVE, EntityView
from metacortex.service.services import Services
from metacortex.transport.knowledge_wire import fact_json, source_json
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.entities import ENTITY as FOUND_ENTITY
from metacortex.transport.mcp.tools.entities import entity_json
from metacortex.transport.mcp.tools.graph_arguments import (
    AS_OF,
    ENTITY,
    INCOMPLETE,
    NAMESPACE,
    REACHED,
    observe_entity,
    steps_json,
)
from metacortex.transport.mcp.tools.knowledge_schemas import DATED_FACT, FACT
from metacortex.transport.mcp.tools.periods import period_of
from metacortex.transport.mcp.tools.schemas import (
    INSTANT,
    a_count,
    a_list,
    a_string,
    an_object,
)


async def query_entity(services: Services, principal: Principal, values: Values) -> Answer:
    """Return what is known of an entity."""
    hops = values.whole("max_hops")
    asked = AskedEntity(
        values.text("entity") or "",
        DEFAULT_HOPS_OF_ENTITY if hops is None else hops,
        period_of(values, "as_of", services.clock.now(), principal.zone),
        values.flag("include_superseded") or False,
        values.text("namespace"),
    )
    seen = await services.knowledge.entity(principal, asked)
    result: dict[str, JSON] = {
        "entity": entity_json(seen.entity),
        "active_facts": [*map(fact_json, seen.active)],
        "active_count": seen.active_count,
        "episodes": [*map(source_json, seen.episodes)],
        "neighbourhood": {
            "entities": steps_json(seen.near.graph, seen.near.steps),
            "facts": [*map(fact_json, seen.near.facts)],
            "left_out": seen.near.left_out,
        },
    }
    if seen.history is not None:
        result["history"] = [
            {**fact_json(fact), "currency": fact.currency_at(seen.near.at).value}
            for fact in seen.history
        ]
        result["history_count"] = seen.history_count
    if asked.as_of is not None:
        result["as_of"] = iso(seen.near.at)
    if seen.near.incomplete:
        result["incomplete"] = True
    return Answer(result, _told_of(seen), _ids(seen))


def _told_of(seen: EntityView) -> dict[str, JSON]:
    return {
        "active_count": seen.active_count,
        "history_count": seen.history_count,
        "episode_count": len(seen.episodes),
        "entity_count": len(seen.near.steps),
        "incomplete": seen.near.incomplete,
    }


def _ids(seen: EntityView) -> tuple[str, ...]:
    return (*(fact.id for fact in seen.active), *(episode.id for episode in seen.episodes))


def _observe_query(_: Activity, __: Principal, values: Values) -> dict[str, JSON]:
    return {
        **observe_entity(values),
        "max_hops": values.whole("max_hops"),
        "include_superseded": values.flag("include_superseded"),
    }


QUERY_ENTITY = Tool(
    name="query_entity",
    title="Look into an entity",
    description=(
        "Return what is known of a person, a thing or a component: the facts that hold, on request "
        "those that no longer do, the episodes that mention it, and the entities near it."
    ),
    instruction="Call query_entity for all that is known of one person, thing or component.",
    arguments=(
        ENTITY,
        Argument(
            "max_hops",
            "integer",
            "How many facts away an entity may be to count as near;"
            f" {DEFAULT_HOPS_OF_ENTITY} if absent.",
            minimum=0,
            maximum=MOST_HOPS_OF_ENTITY,
        ),
        AS_OF,
        Argument(
            "include_superseded",
            "boolean",
            "True adds the facts that do not hold, each with how it stands.",
        ),
        NAMESPACE,
    ),
    result_schema=an_object(
        {
            "entity": FOUND_ENTITY,
            "active_facts": a_list(FACT, f"The {MOST_ACTIVE} that began last"),
            "active_count": a_count("How many hold"),
            "episodes": a_list(
                an_object({"id": a_string(), "kind": a_string(), "title": a_string()}),
                "The newest that mention it",
            ),
            "neighbourhood": an_object(
                {"entities": REACHED, "facts": a_list(FACT), "left_out": a_count()}
            ),
        },
        {
            "history": a_list(DATED_FACT, "What does not hold, the latest first"),
            "history_count": a_count(),
            "as_of": INSTANT,
            "incomplete": INCOMPLETE,
        },
    ),
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe_query,
    call=query_entity,
)
