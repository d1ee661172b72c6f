"""upsert_fact and fact_context."""

from datetime import tzinfo

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.fact import CONFIDENCES, IMPORTANCES
from metacortex.domain.knowledge.new_fact import NewFact
from metacortex.domain.memory import DEFAULT_IMPORTANCE, Origin
from metacortex.domain.moment import Milliseconds, iso
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.service.upserted import WriteStatus
from metacortex.transport.knowledge_wire import fact_json, source_json, told_json
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.entities import PROPOSALS, proposals_json, told_proposals
from metacortex.transport.mcp.tools.knowledge_schemas import FACT, WHOLE_FACT
from metacortex.transport.mcp.tools.periods import period_of
from metacortex.transport.mcp.tools.schemas import (
    REDACTED,
    a_list,
    a_string,
    an_object,
    one_of,
)


async def upsert_fact(services: Services, principal: Principal, values: Values) -> Answer:
    """Write a statement into its timeline."""
    new = _new_fact(values, services.clock.now(), principal.zone)
    upserted = await services.facts.upsert(principal, new)
    result: dict[str, JSON] = {
        "fact": fact_json(upserted.fact),
        "write_status": upserted.status.value,
        "superseded": list(upserted.superseded),
    }
    if upserted.redacted:
        result["redacted"] = list(upserted.redacted)
    if upserted.proposals:
        result["proposals"] = proposals_json(upserted.proposals)
    noted: dict[str, JSON] = {
        "document_id": upserted.fact.id,
        "branch_state": upserted.fact.memory.branch_state.value,
        "write_status": upserted.status.value,
        "superseded_ids": list(upserted.superseded) or None,
        **told_proposals(upserted.proposals),
    }
    return Answer(result, noted)


async def fact_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Return all that is known of one fact."""
    context = await services.facts.context(principal, values.text("fact_id") or "")
    memory = context.told.fact.memory
    result: dict[str, JSON] = {
        "fact": told_json(context.told),
        "entities": [{"id": each.id, "name": each.name} for each in context.entities],
        "sources": [*map(source_json, context.sources)],
        "provenance": {
            "written_by": memory.written_by.client,
            "origin": memory.origin.value,
            "recorded_at": iso(memory.recorded_at),
        },
        "history": [*map(told_json, context.history)],
    }
    noted: dict[str, JSON] = {
        "document_id": memory.id,
        "history_count": len(context.history),
        "source_count": len(context.sources),
    }
    return Answer(result, noted, (memory.id,))


def _new_fact(values: Values, now: Milliseconds, zone: tzinfo) -> NewFact:
    start, end = (period_of(values, name, now, zone) for name in ("valid_from", "valid_until"))
    importance = values.number("importance")
    return NewFact(
        subject=_on_one_line(values.text("subject_id")) or "",
        predicate=_on_one_line(values.text("predicate")) or "",
        value=values.text("object_value"),
        entity=_on_one_line(values.text("object_id")),
        singular=values.flag("singular") is not False,
        category=values.text("category"),
        importance=DEFAULT_IMPORTANCE if importance is None else importance,
        confidence=values.number("confidence"),
        valid_from=start.begins if start else None,
        valid_until=end.ends if end else None,
        source_episode_id=values.text("source_episode_id"),
        namespace=values.text("namespace"),
    )


def _on_one_line(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())


def _observe_upsert(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    source = values.text("source_episode_id")
    return {
        "object": "entity" if values.text("object_id") else "value",
        "singular": None if "singular" in values.unread else values.flag("singular") is not False,
        "dated": bool(values.text("valid_from") or values.text("valid_until")),
        "source_episode_id": None if source is None else activity.label(source),
    }


def _observe_context(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    fact_id = values.text("fact_id")
    return {"document_id": None if fact_id is None else activity.label(fact_id)}


UPSERT_FACT = Tool(
    name="upsert_fact",
    title="State a fact",
    description=(
        "Record one statement: subject, predicate, and an object that is an entity or a value. A "
        "singular fact ends the one that it replaces at its own start, and old news takes its "
        "place in history without touching the present. Nothing is lost."
    ),
    instruction=(
        "Call upsert_fact for a statement that may change, such as a version, an owner or a status."
    ),
    arguments=(
        Argument(
            "subject_id",
            "string",
            "The entity that it is about: its name, or its id.",
            required=True,
        ),
        Argument(
            "predicate",
            "string",
            "What of it is told, written the same each time, such as signing_algorithm.",
            required=True,
        ),
        Argument("object_id", "string", "The object where it is an entity: its name, or its id."),
        Argument("object_value", "string", "The object where it is a value, such as Ed25519."),
        Argument(
            "singular",
            "boolean",
            "True (the default): one value at a time. False: values stand beside each other; an "
            "audit tells them, unless the predicate is plural or known to have many.",
        ),
        Argument("category", "string", "A label for the sort of fact."),
        Argument(
            "importance",
            "number",
            "How much it matters; 0.5 if absent.",
            minimum=0,
            maximum=1,
            words=IMPORTANCES,
        ),
        Argument(
            "confidence",
            "number",
            "How sure it is.",
            minimum=0,
            maximum=1,
            words=CONFIDENCES,
        ),
        Argument("valid_from", "string", "Since when it is true, such as 2026-08."),
        Argument("valid_until", "string", "Until when it is true, such as 2026-08-31."),
        Argument("source_episode_id", "string", "The id of the memory that it was learned from."),
        Argument("namespace", "string", "The namespace to write to, if there is a choice."),
    ),
    result_schema=an_object(
        {
            "fact": FACT,
            "write_status": one_of(WriteStatus),
            "superseded": a_list(a_string(), "Ids of the facts that it has ended"),
        },
        {"redacted": REDACTED, "proposals": PROPOSALS},
    ),
    hints=Hints(read_only=False, destructive=False, idempotent=True),
    observe=_observe_upsert,
    call=upsert_fact,
    keeps="what is true and may change",
)

FACT_CONTEXT = Tool(
    name="fact_context",
    title="Look into a fact",
    description=(
        "Return all that is known of one fact: its entities, what it was learned from, who wrote "
        "it, and the history of what it states with every change on record."
    ),
    instruction="Call fact_context to see what was true before a fact, and where it is from.",
    arguments=(Argument("fact_id", "string", "The id of the fact.", required=True),),
    result_schema=an_object(
        {
            "fact": WHOLE_FACT,
            "entities": a_list(an_object({"id": a_string(), "name": a_string()})),
            "sources": a_list(
                an_object({"id": a_string(), "kind": a_string(), "title": a_string()}),
                "Those that may be read",
            ),
            "provenance": an_object(
                {
                    "written_by": a_string("The client"),
                    "origin": one_of(Origin),
                    "recorded_at": a_string(),
                }
            ),
            "history": a_list(
                WHOLE_FACT, "All facts of the same subject and predicate, by their starts"
            ),
        }
    ),
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe_context,
    call=fact_context,
)
