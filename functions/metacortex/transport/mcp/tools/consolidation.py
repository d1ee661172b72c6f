"""consolidate_context."""

from metacortex.domain.client import Principal
from metacortex.domain.consolidation import (
    FEWEST_SOURCES,
    MOST_SOURCES,
    Consolidation,
)
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES, BranchState
from metacortex.domain.memory import listed_refs
from metacortex.service.activity import Activity
from metacortex.service.consolidation import Consolidated
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.observing import shown_of_topic, told
from metacortex.transport.mcp.tools.remember import remembered_json
from metacortex.transport.mcp.tools.schemas import (
    ITEM,
    REDACTED,
    SIMILAR,
    a_list,
    a_string,
    an_object,
    one_of,
)
from metacortex.transport.wire import item_json

READY = "Call again with these source_ids as ids, and with content: one text that says what all do"
TOO_LONG = "The first is too long to be shown beside others: fetch_context returns each whole"
TOO_FEW = f"There is nothing to merge: it takes {FEWEST_SOURCES} memories"


async def consolidate_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Let one memory take the place of several, or return those that are ready for it."""
    consolidated = await services.consolidation.consolidate(
        principal,
        Consolidation(
            listed_refs(values.texts("ids")),
            values.text("topic"),
            values.text("content"),
            values.text("title"),
            BranchState(values.text("branch_state") or BranchState.ACTIVE),
            values.flag("preview") or False,
        ),
    )
    source_ids: list[JSON] = [memory.id for memory in consolidated.sources]
    outcome: dict[str, JSON] = {"source_ids": source_ids}
    if consolidated.left_out:
        outcome["left_out"] = list(consolidated.left_out)
    if (remembered := consolidated.remembered) is None:
        noted = {"write_status": "preview", **outcome}
        return Answer({**noted, **_ready(consolidated)}, noted)
    result = {**remembered_json(remembered), **outcome}
    noted = {**told(services.activity, remembered.memory), **outcome}
    return Answer(result, {**noted, "write_status": result["write_status"]})


def _ready(consolidated: Consolidated) -> dict[str, JSON]:
    """Return what can be merged, and how."""
    if len(consolidated.sources) + len(consolidated.left_out) < FEWEST_SOURCES:
        hint = TOO_FEW
    else:
        hint = READY if len(consolidated.sources) >= FEWEST_SOURCES else TOO_LONG
    return {"sources": [item_json(memory) for memory in consolidated.sources], "hint": hint}


def _observe_consolidation(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    topic = values.text("topic")
    return {
        "ids": [activity.label(each) for each in values.texts("ids")[:MOST_SOURCES]],
        "topic": activity.label(topic, shown_of_topic(values)) if topic else None,
        "branch_state": values.text("branch_state"),
        "content_length": len(values.text("content") or ""),
        "preview": values.flag("preview"),
    }


_SCHEMA = an_object(
    {
        "write_status": one_of(["created", "duplicate", "preview"]),
        "source_ids": a_list(a_string(), "What is merged, or in a preview can be; oldest first"),
    },
    {
        "item": ITEM,
        "redacted": REDACTED,
        "similar": SIMILAR,
        "left_out": a_list(a_string(), "Ids of what is too much to be merged with the rest"),
        "sources": a_list(ITEM),
        "hint": a_string("What to do with a preview"),
    },
)

CONSOLIDATE_CONTEXT = Tool(
    name="consolidate_context",
    title="Consolidate memories",
    description=(
        "Let one memory take the place of several of one subject: name their ids, and give the "
        "merged text as content. They become deprecated in the same step, or nothing changes. "
        "Without content it returns the drafts of a topic, or the memories of the ids, for you to "
        "merge; a server with a language model of its own merges them itself."
    ),
    instruction=(
        "Call consolidate_context with a topic to see its drafts, and again with their ids and one "
        "text that says what all of them say."
    ),
    arguments=(
        Argument(
            "topic",
            "string",
            "Without ids, whose drafts are to be merged; with ids, the topic of the merged memory, "
            "theirs if absent.",
        ),
        Argument(
            "ids", "array", f"{FEWEST_SOURCES} to {MOST_SOURCES} memories to merge, by their ids."
        ),
        Argument("content", "string", "The merged text. It must say all that they say."),
        Argument("title", "string", "The name of the merged memory, which makes it an episode."),
        Argument(
            "branch_state",
            "string",
            "The lifecycle state to save it in; active if absent.",
            choices=STATE_NAMES,
        ),
        Argument("preview", "boolean", "True changes nothing, and returns what would be merged."),
    ),
    result_schema=_SCHEMA,
    hints=Hints(read_only=False, destructive=True, idempotent=False),
    observe=_observe_consolidation,
    call=consolidate_context,
)
