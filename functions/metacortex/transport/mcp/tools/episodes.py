"""record_episode."""

from dataclasses import replace

from metacortex.domain.client import Principal
from metacortex.domain.details import CATEGORY_NAMES, EpisodeCategory, Kind
from metacortex.domain.json import JSON
from metacortex.domain.memory import DEFAULT_TOPIC, NewMemory, listed_refs
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.entities import PROPOSALS, proposals_json, told_proposals
from metacortex.transport.mcp.tools.observing import shown_of_topic, told
from metacortex.transport.mcp.tools.remember import (
    IMPORTANCE,
    NAMESPACE,
    SESSION_ID,
    TAGS,
    TOPIC,
    VALID_TIME,
    labels_of,
    remembered_json,
)
from metacortex.transport.mcp.tools.schemas import REDACTED, REMEMBERED, SIMILAR, an_object


async def record_episode(services: Services, principal: Principal, values: Values) -> Answer:
    """Store what happened."""
    new = _new_episode(services, principal, values)
    remembered = await services.memories.remember(principal, new)
    result = remembered_json(remembered)
    if remembered.proposals:
        result["proposals"] = proposals_json(remembered.proposals)
    noted = {
        **told(services.activity, remembered.memory),
        "write_status": result["write_status"],
        "similar_count": len(remembered.similar) or None,
        **told_proposals(remembered.proposals),
    }
    return Answer(result, noted)


def _new_episode(services: Services, principal: Principal, values: Values) -> NewMemory:
    category = values.text("category")
    labels = replace(
        labels_of(values, services.clock.now(), principal.zone),
        kind=Kind.EPISODE,
        category=EpisodeCategory(category) if category else None,
        files_touched=listed_refs(values.texts("files_touched")),
        entities=listed_refs(values.texts("entities")),
    )
    topic = values.text("topic") or DEFAULT_TOPIC
    return NewMemory(values.text("content") or "", topic, labels=labels)


def _observe_episode(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    topic = values.text("topic") or DEFAULT_TOPIC
    return {
        "topic": None
        if "topic" in values.unread
        else activity.label(topic, shown_of_topic(values)),
        "category": values.text("category"),
        "content_length": len(values.text("content") or ""),
        "file_count": len(values.texts("files_touched")),
        "entity_count": len(values.texts("entities")),
    }


RECORD_EPISODE = Tool(
    name="record_episode",
    title="Record an episode",
    description=(
        "Save one thing that happened, with its reason: an architecture decision, the root cause "
        "of a bug, an invariant that was found, a migration, an incident. It is kept as it was, "
        "and found by its title, its text and the files that it touched. For what is simply so, "
        "remember_context is better."
    ),
    instruction="Call record_episode when something was decided, found out or went wrong.",
    arguments=(
        Argument("title", "string", "What happened, in a few words.", required=True),
        Argument(
            "content",
            "string",
            "What happened, why, and what follows from it, in a text that stands by itself.",
            required=True,
        ),
        Argument("category", "string", "What sort of thing happened.", choices=CATEGORY_NAMES),
        Argument("files_touched", "array", "Paths of the files, such as src/auth/tokens.py."),
        Argument("entities", "array", "What it is about: names, such as auth_service, or ids."),
        TOPIC,
        TAGS,
        IMPORTANCE,
        SESSION_ID,
        *VALID_TIME,
        NAMESPACE,
    ),
    result_schema=an_object(
        REMEMBERED, {"redacted": REDACTED, "similar": SIMILAR, "proposals": PROPOSALS}
    ),
    hints=Hints(read_only=False, destructive=False, idempotent=False),
    observe=_observe_episode,
    call=record_episode,
    keeps="what happened",
)
