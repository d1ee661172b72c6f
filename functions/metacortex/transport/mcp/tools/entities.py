"""search_entities."""

from collections.abc import Sequence

from metacortex.domain.client import DEFAULT_NAMESPACE, Principal
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.entity import TYPE_NAMES, EntityType
from metacortex.domain.knowledge.likeness import Stage
from metacortex.service.activity import Activity
from metacortex.service.entities import Known
from metacortex.service.proposing import Proposed
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.schemas import (
    SHARE,
    a_count,
    a_list,
    a_string,
    an_object,
    one_of,
)

DEFAULT_LIMIT = 10
MOST = 50


async def search_entities(services: Services, principal: Principal, values: Values) -> Answer:
    """Return the entities that a name stands for, and those that may be meant."""
    type_ = values.text("type")
    searched = await services.proposing.search(
        principal,
        values.text("query") or "",
        EntityType(type_) if type_ else None,
        values.text("namespace"),
        values.whole("limit") or DEFAULT_LIMIT,
    )
    result: dict[str, JSON] = {
        "entities": [*map(entity_json, searched.entities)],
        "proposals": [*map(_alike_json, searched.proposals)],
    }
    told: dict[str, JSON] = {
        "entity_count": len(searched.entities),
        "proposal_count": len(searched.proposals),
    }
    return Answer(result, told)


def entity_json(known: Known) -> dict[str, JSON]:
    """Return what a client may know of an entity."""
    entity = known.family.entity
    result: dict[str, JSON] = {
        "id": entity.id,
        "name": known.family.named.name,
        "type": entity.type.value,
        "aliases": list(known.family.aliases),
        "mention_count": known.mention_count,
    }
    if entity.namespace != DEFAULT_NAMESPACE:
        result["namespace"] = entity.namespace
    return result


def proposals_json(proposed: Sequence[Proposed]) -> list[JSON]:
    """Return what new names may stand for."""
    return [
        {
            "id": each.entity.id,
            "name": each.entity.name,
            "resembles": _alike_json(each.known),
            "merged": each.merged,
        }
        for each in proposed
    ]


def told_proposals(proposed: Sequence[Proposed]) -> dict[str, JSON]:
    """Return what an event tells of them."""
    merged: list[JSON] = [each.entity.id for each in proposed if each.merged]
    return {"proposal_count": len(proposed) or None, "merged_ids": merged or None}


def _alike_json(known: Known) -> dict[str, JSON]:
    return {**entity_json(known), "score": known.score, "stage": known.stage.value}


def _observe_search(_: Activity, __: Principal, values: Values) -> dict[str, JSON]:
    return {
        "query_length": len(values.text("query") or ""),
        "type": values.text("type"),
        "limit": values.whole("limit"),
    }


_PARTS: dict[str, JSON] = {
    "id": a_string(),
    "name": a_string("As it was first written"),
    "type": one_of(TYPE_NAMES),
    "aliases": a_list(a_string(), "Names that were merged into it"),
    "mention_count": a_count("How many memories that this client may read mention it"),
}
_NAMESPACE = {"namespace": a_string("default if absent")}
ENTITY = an_object(_PARTS, _NAMESPACE)
"""What is told of an entity."""
_ALIKE = an_object(
    {
        **_PARTS,
        "score": SHARE,
        "stage": one_of(
            [Stage.FUZZY, Stage.EMBEDDING], "fuzzy: by their spelling; embedding: by their meaning"
        ),
    },
    _NAMESPACE,
)
PROPOSALS = a_list(
    an_object(
        {
            "id": a_string("The new entity"),
            "name": a_string("As it was written"),
            "resembles": _ALIKE,
            "merged": {
                "type": "boolean",
                "description": "Whether the judge had it merged into that; undo takes it back",
            },
        }
    ),
    "Names that were new, each with an entity that it may be another name of, or may not",
)
"""What is told of new names that a write has brought in."""
_SCHEMA = an_object(
    {
        "entities": a_list(ENTITY, "Those of this very name or alias"),
        "proposals": a_list(
            _ALIKE,
            "Those whose names are like it, the most alike first: perhaps the same, perhaps not",
        ),
    }
)

SEARCH_ENTITIES = Tool(
    name="search_entities",
    title="Search entities",
    description=(
        "Find the named things that memories mention: services, files, identifiers, people. A "
        "name or alias that is the same comes first; names that are only spelled alike are "
        "proposals, and may be something else."
    ),
    instruction=(
        "Call search_entities to find out what a name stands for and what else it is called."
    ),
    arguments=(
        Argument("query", "string", "A name, or the id of an entity.", required=True),
        Argument("type", "string", "Only entities of this type.", choices=TYPE_NAMES),
        Argument("namespace", "string", "Only entities of this namespace."),
        Argument(
            "limit",
            "integer",
            f"How many entities at most, and how many proposals; {DEFAULT_LIMIT} if absent.",
            minimum=1,
            maximum=MOST,
        ),
    ),
    result_schema=_SCHEMA,
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe_search,
    call=search_entities,
)
