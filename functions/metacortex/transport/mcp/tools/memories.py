"""remember_context, search_context, fetch_context and deprecate_context."""

from datetime import tzinfo

from metacortex.domain.client import Principal
from metacortex.domain.dates import parse_period
from metacortex.domain.details import KIND_NAMES, Kind
from metacortex.domain.errors import InvalidInput
from metacortex.domain.event import NAME_LENGTH
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES, BranchState
from metacortex.domain.memory import (
    DEFAULT_TOPIC,
    MAX_TOPIC_LENGTH,
    Labels,
    Memory,
    NewMemory,
    check_limits,
    listed_refs,
)
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import MODE_NAMES, MOST_MATCHES, Mode, Search
from metacortex.service.activity import Activity
from metacortex.service.memories import Searched
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.images import IMAGE_TYPES, read_image
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.schemas import (
    DEPRECATED_SCHEMA,
    FETCHED_SCHEMA,
    FOUND_SCHEMA,
    REMEMBERED_SCHEMA,
)
from metacortex.transport.wire import hint, item_json, match_json


async def remember_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Store what the caller asks to remember."""
    new = _new_memory(services, principal, values)
    remembered = await services.memories.remember(principal, new)
    status = "created" if remembered.created else "duplicate"
    result: dict[str, JSON] = {"item": item_json(remembered.memory), "write_status": status}
    if remembered.redacted:
        result["redacted"] = list(remembered.redacted)
    return Answer(result, {**_told(services.activity, remembered.memory), "write_status": status})


async def search_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Find memories by what they mean."""
    topic, state = values.text("filter_topic"), values.text("filter_state")
    searched = await services.memories.search(
        principal,
        Search(
            values.text("query") or "",
            topic,
            BranchState(state) if state else None,
            values.whole("limit"),
            Mode(values.text("mode") or Mode.HYBRID),
        ),
    )
    found, shown_state = searched.found, searched.branch_state.value
    result: dict[str, JSON] = {
        "matches": [match_json(match) for match in found.matches],
        "applied_filters": {"filter_topic": topic, "filter_state": shown_state},
        **_remarks(searched),
    }
    return Answer(
        result,
        {
            "result_count": len(found.matches),
            "result_ids": [match.memory.id for match in found.matches],
            "filter_state": shown_state,
            "filter_topic": services.activity.label(topic, MAX_TOPIC_LENGTH) if topic else None,
        },
    )


def _remarks(searched: Searched) -> dict[str, JSON]:
    """Return what is to be said of a search beside its matches: only what applies."""
    found, remarks = searched.found, dict[str, JSON]()
    if searched.degraded:
        remarks["degraded"] = list(searched.degraded)
    if found.incomplete:
        remarks["incomplete"] = True
    if not found.matches:
        remarks["hint"] = hint(found)
    return remarks


async def fetch_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Return one memory whole."""
    memory = await services.memories.fetch(principal, values.text("document_id") or "")
    return Answer({"item": item_json(memory)}, _told(services.activity, memory))


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
    told: dict[str, JSON] = {
        "document_id": memory.id,
        "superseding_document_id": memory.superseded_by,
        "previous_state": previous,
    }
    return Answer({"item": item, "previous_state": previous}, told)


def _new_memory(services: Services, principal: Principal, values: Values) -> NewMemory:
    content, topic = values.text("content") or "", values.text("topic") or DEFAULT_TOPIC
    refs = listed_refs(values.texts("artifact_refs"))
    check_limits(content, topic, refs)
    if values.flag("draft") is not None and values.text("branch_state"):
        raise InvalidInput("Provide either draft or branch_state, not both")
    image = read_image(
        values.text("image_base64"), values.text("image_mime_type"), with_content=bool(content)
    )
    labels = _labels(values, services.memories.now(), principal.zone)
    return NewMemory(content, topic, _requested_state(values), refs, image, labels)


def _labels(values: Values, now: Milliseconds, zone: tzinfo) -> Labels:
    kind = values.text("kind")
    start, end = (
        parse_period(name, text, now, zone) if (text := values.text(name)) else None
        for name in ("valid_from", "valid_until")
    )
    return Labels(
        kind=Kind(kind) if kind else None,
        tags=listed_refs(values.texts("tags")),
        importance=values.number("importance"),
        session_id=values.text("session_id"),
        title=values.text("title"),
        valid_from=start.begins if start else None,
        valid_until=end.ends if end else None,
        namespace=values.text("namespace"),
    )


def _requested_state(values: Values) -> BranchState:
    if values.flag("draft"):
        return BranchState.WIP
    return BranchState(values.text("branch_state") or BranchState.ACTIVE.value)


def _told(activity: Activity, memory: Memory) -> dict[str, JSON]:
    return {
        "document_id": memory.id,
        "topic": activity.label(memory.topic, MAX_TOPIC_LENGTH),
        "branch_state": memory.branch_state.value,
        "modality": memory.modality.value,
        "artifact_ref_count": len(memory.artifact_refs),
    }


def _observe_remember(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    topic, state = values.text("topic") or DEFAULT_TOPIC, _requested_state(values).value
    return {
        "topic": None
        if "topic" in values.unread
        else activity.label(topic, _shown_of_topic(values)),
        "branch_state": None if values.unread & {"draft", "branch_state"} else state,
        "draft": values.flag("draft"),
        "content_length": len(values.text("content") or ""),
        "image_present": values.text("image_base64") is not None,
        "artifact_ref_count": len(values.texts("artifact_refs")),
    }


def _observe_search(activity: Activity, principal: Principal, values: Values) -> dict[str, JSON]:
    query, topic = values.text("query"), values.text("filter_topic")
    state = values.text("filter_state") or principal.default_filter_state.value
    return {
        "query_preview": activity.preview(query) if query else None,
        "query_length": len(query) if query else None,
        "filter_topic": activity.label(topic, _shown_of_topic(values)) if topic else None,
        "filter_state": None if "filter_state" in values.unread else state,
        "limit": values.whole("limit"),
    }


def _shown_of_topic(values: Values) -> int:
    """Return how much of a topic an event shows: all of it, unless the arguments failed."""
    return NAME_LENGTH if values.fault else MAX_TOPIC_LENGTH


def _observe_ids(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    ids = ("document_id", "superseding_document_id")
    return {name: activity.label(text) for name in ids if (text := values.text(name)) is not None}


MEMORY_TOOLS = (
    Tool(
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
            Argument(
                "topic", "string", "A subject label, matched exactly by search, such as auth."
            ),
            Argument("draft", "boolean", "True saves a rough note that normal search leaves out."),
            Argument(
                "branch_state",
                "string",
                "The lifecycle state to save in; not together with draft.",
                choices=STATE_NAMES,
            ),
            Argument(
                "image_base64", "string", "An image to describe, in base64. It is not stored."
            ),
            Argument("image_mime_type", "string", "The type of the image.", advertised=IMAGE_TYPES),
            Argument("artifact_refs", "array", "Links to the assets, such as gs://bucket/a.png."),
            Argument(
                "kind",
                "string",
                "note for knowledge (the default), episode for something that happened.",
                choices=KIND_NAMES,
            ),
            Argument("tags", "array", "Labels to filter by, such as auth."),
            Argument(
                "importance", "number", "How much it matters; 0.5 if absent.", minimum=0, maximum=1
            ),
            Argument("session_id", "string", "The same text for all memories of one conversation."),
            Argument("title", "string", "The name of an episode."),
            Argument("valid_from", "string", "Since when it is true, such as 2026-08."),
            Argument("valid_until", "string", "Until when it is true, such as 2026-08-31."),
            Argument("namespace", "string", "The namespace to write to, if there is a choice."),
        ),
        result_schema=REMEMBERED_SCHEMA,
        hints=Hints(read_only=False, destructive=False, idempotent=False),
        observe=_observe_remember,
        call=remember_context,
    ),
    Tool(
        name="search_context",
        title="Search memories",
        description=(
            "Find saved memories by what they mean, best first. Ask in full words, as you would "
            "ask a person. Each match has an id, a preview and a score from 0 to 1; fetch_context "
            "returns the full text of one."
        ),
        instruction=(
            "Call search_context before answering a question that earlier conversations may have "
            "settled."
        ),
        arguments=(
            Argument("query", "string", "What to look for, in any language.", required=True),
            Argument("filter_topic", "string", "Only memories with exactly this topic."),
            Argument(
                "filter_state",
                "string",
                "Only memories in this lifecycle state.",
                choices=STATE_NAMES,
                default=lambda principal: principal.default_filter_state.value,
            ),
            Argument(
                "limit", "integer", "How many matches at most.", minimum=1, maximum=MOST_MATCHES
            ),
            Argument(
                "mode",
                "string",
                "By meaning, by words, or by both (hybrid, the default).",
                choices=MODE_NAMES,
            ),
        ),
        result_schema=FOUND_SCHEMA,
        hints=Hints(read_only=True, destructive=False, idempotent=True),
        observe=_observe_search,
        call=search_context,
    ),
    Tool(
        name="fetch_context",
        title="Fetch a memory",
        description="Return one memory whole, by the id that a search or a write gave.",
        instruction="Call fetch_context with the id of a match whose full text is needed.",
        arguments=(Argument("document_id", "string", "The id of the memory.", required=True),),
        result_schema=FETCHED_SCHEMA,
        hints=Hints(read_only=True, destructive=False, idempotent=True),
        observe=_observe_ids,
        call=fetch_context,
    ),
    Tool(
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
        result_schema=DEPRECATED_SCHEMA,
        hints=Hints(read_only=False, destructive=True, idempotent=True),
        observe=_observe_ids,
        call=deprecate_context,
    ),
)
