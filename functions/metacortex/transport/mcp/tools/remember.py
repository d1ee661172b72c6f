"""remember_context."""

from datetime import tzinfo

from metacortex.domain.client import Principal
from metacortex.domain.details import GIVEN_KINDS, Kind
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES, BranchState
from metacortex.domain.memory import (
    DEFAULT_TOPIC,
    Labels,
    NewMemory,
    check_limits,
    listed_refs,
)
from metacortex.domain.moment import Milliseconds
from metacortex.service.activity import Activity
from metacortex.service.memories import Remembered
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.images import IMAGE_TYPES, read_image
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.observing import shown_of_topic, told
from metacortex.transport.mcp.tools.periods import period_of
from metacortex.transport.mcp.tools.schemas import (
    REDACTED,
    REMEMBERED,
    SIMILAR,
    a_list,
    a_string,
    an_object,
)
from metacortex.transport.wire import item_json, similar_json


async def remember_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Store what the caller asks to remember."""
    new = _new_memory(services, principal, values)
    remembered = await services.memories.remember(principal, new)
    result = remembered_json(remembered)
    noted = {
        **told(services.activity, remembered.memory),
        "write_status": result["write_status"],
    }
    if new.supersedes:
        result["superseded"] = noted["superseded_ids"] = list(new.supersedes)
    if remembered.similar:
        noted["similar_count"] = len(remembered.similar)
    return Answer(result, noted)


def remembered_json(remembered: Remembered) -> dict[str, JSON]:
    """Return what a write came to."""
    status = "created" if remembered.created else "duplicate"
    result: dict[str, JSON] = {"item": item_json(remembered.memory), "write_status": status}
    if remembered.redacted:
        result["redacted"] = list(remembered.redacted)
    if remembered.similar:
        result["similar"] = [*map(similar_json, remembered.similar)]
    return result


def _new_memory(services: Services, principal: Principal, values: Values) -> NewMemory:
    content, topic = values.text("content") or "", values.text("topic") or DEFAULT_TOPIC
    refs = listed_refs(values.texts("artifact_refs"))
    check_limits(content, topic, refs)
    labels = labels_of(values, services.clock.now(), principal.zone)
    if values.flag("draft") is not None and values.text("branch_state"):
        raise InvalidInput("Provide either draft or branch_state, not both")
    image = read_image(
        values.text("image_base64"), values.text("image_mime_type"), with_content=bool(content)
    )
    replaced = values.text("supersedes")
    return NewMemory(
        content,
        topic,
        _requested_state(values),
        refs,
        image,
        labels,
        supersedes=(replaced,) if replaced else (),
    )


def labels_of(values: Values, now: Milliseconds, zone: tzinfo) -> Labels:
    """Return what is said of a memory beside its text; days and months that are named as an end are
    included.

    Raises:
        InvalidInput: a date cannot be read.
    """
    kind = values.text("kind")
    start, end = (period_of(values, name, now, zone) for name in ("valid_from", "valid_until"))
    return Labels(
        kind=Kind(kind) if kind else None,
        tags=listed_refs(values.texts("tags")),
        importance=values.number("importance"),
        session_id=values.text("session_id"),
        title=values.text("title"),
        valid_from=start.begins if start else None,
        valid_until=end.ends if end else None,
        namespace=values.text("namespace"),
        entities=listed_refs(values.texts("entities")),
    )


def _requested_state(values: Values) -> BranchState:
    if values.flag("draft"):
        return BranchState.WIP
    return BranchState(values.text("branch_state") or BranchState.ACTIVE.value)


def _observe_remember(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    topic, state = values.text("topic") or DEFAULT_TOPIC, _requested_state(values).value
    replaced = values.text("supersedes")
    return {
        "topic": None
        if "topic" in values.unread
        else activity.label(topic, shown_of_topic(values)),
        "branch_state": None if values.unread & {"draft", "branch_state"} else state,
        "draft": values.flag("draft"),
        "content_length": len(values.text("content") or ""),
        "image_present": values.text("image_base64") is not None,
        "artifact_ref_count": len(values.texts("artifact_refs")),
        **({"supersedes": activity.label(replaced)} if replaced else {}),
    }


_SCHEMA = an_object(
    REMEMBERED,
    {
        "redacted": REDACTED,
        "superseded": a_list(a_string(), "Ids of the memories that it has replaced"),
        "similar": SIMILAR,
    },
)

TOPIC = Argument("topic", "string", "A subject label, matched exactly by search, such as auth.")
TAGS = Argument("tags", "array", "Labels to filter by, such as auth.")
IMPORTANCE = Argument(
    "importance", "number", "How much it matters; 0.5 if absent.", minimum=0, maximum=1
)
SESSION_ID = Argument("session_id", "string", "The same text for all memories of one conversation.")
VALID_TIME = (
    Argument("valid_from", "string", "Since when it is true, such as 2026-08."),
    Argument("valid_until", "string", "Until when it is true, such as 2026-08-31."),
)
NAMESPACE = Argument("namespace", "string", "The namespace to write to, if there is a choice.")

REMEMBER_CONTEXT = Tool(
    name="remember_context",
    title="Remember",
    description=(
        "Save one durable memory: a decision, fact, preference or finding that later "
        "conversations should know. Write it as a self-contained text that names its subject. "
        "Saving the same text again within a few minutes returns the memory that is there."
    ),
    instruction=(
        "Call remember_context when the user asks to keep something, or states a decision."
    ),
    arguments=(
        Argument("content", "string", "The text to keep. Required unless an image is given."),
        TOPIC,
        Argument("draft", "boolean", "True saves a rough note that normal search leaves out."),
        Argument(
            "branch_state",
            "string",
            "The lifecycle state to save in; not together with draft.",
            choices=STATE_NAMES,
        ),
        Argument("image_base64", "string", "An image to describe, in base64. It is not stored."),
        Argument("image_mime_type", "string", "The type of the image.", advertised=IMAGE_TYPES),
        Argument("artifact_refs", "array", "Links to the assets, such as gs://bucket/a.png."),
        Argument(
            "kind",
            "string",
            "note for knowledge (the default), episode for something that happened.",
            choices=GIVEN_KINDS,
        ),
        TAGS,
        IMPORTANCE,
        SESSION_ID,
        Argument("title", "string", "The name of an episode."),
        *VALID_TIME,
        NAMESPACE,
        Argument(
            "supersedes",
            "string",
            "The id of a memory that this one replaces; for clients that may replace memories.",
        ),
        Argument("entities", "array", "What it is about: names, such as auth_service, or ids."),
    ),
    result_schema=_SCHEMA,
    hints=Hints(read_only=False, destructive=False, idempotent=False),
    observe=_observe_remember,
    call=remember_context,
)
