"""search_context."""

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES, BranchState
from metacortex.domain.memory import MAX_TOPIC_LENGTH
from metacortex.domain.search import MODE_NAMES, MOST_MATCHES, Mode, Search
from metacortex.service.activity import Activity
from metacortex.service.search import Searched
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.observing import shown_of_topic
from metacortex.transport.mcp.tools.schemas import FOUND_SCHEMA
from metacortex.transport.wire import hint, match_json


async def search_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Find memories by what they mean and by the words that they hold."""
    topic, state = values.text("filter_topic"), values.text("filter_state")
    searched = await services.searches.search(
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


def _observe_search(activity: Activity, principal: Principal, values: Values) -> dict[str, JSON]:
    query, topic = values.text("query"), values.text("filter_topic")
    state = values.text("filter_state") or principal.default_filter_state.value
    return {
        "query_preview": activity.preview(query) if query else None,
        "query_length": len(query) if query else None,
        "filter_topic": activity.label(topic, shown_of_topic(values)) if topic else None,
        "filter_state": None if "filter_state" in values.unread else state,
        "limit": values.whole("limit"),
    }


SEARCH_CONTEXT = Tool(
    name="search_context",
    title="Search memories",
    description=(
        "Find saved memories by meaning and by words, best first. Ask in full words, as you would "
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
        Argument("limit", "integer", "How many matches at most.", minimum=1, maximum=MOST_MATCHES),
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
)
