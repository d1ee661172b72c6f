"""What events may tell of memories, of topics and of ids that a caller made up."""

from metacortex.domain.client import Principal
from metacortex.domain.event import NAME_LENGTH
from metacortex.domain.json import JSON
from metacortex.domain.memory import MAX_TOPIC_LENGTH, Memory
from metacortex.service.activity import Activity
from metacortex.transport.mcp.arguments import Values


def told(activity: Activity, memory: Memory) -> dict[str, JSON]:
    """Return what an event tells of a memory in an answer."""
    return {
        "document_id": memory.id,
        "topic": activity.label(memory.topic, MAX_TOPIC_LENGTH),
        "branch_state": memory.branch_state.value,
        "modality": memory.modality.value,
        "artifact_ref_count": len(memory.artifact_refs),
    }


def shown_of_topic(values: Values) -> int:
    """Return how much of a topic an event shows: all of it, unless the arguments failed."""
    return NAME_LENGTH if values.fault else MAX_TOPIC_LENGTH


def observe_ids(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    """Return what an event tells of a request that names memories."""
    ids = ("document_id", "superseding_document_id")
    return {name: activity.label(text) for name in ids if (text := values.text(name)) is not None}
