"""search_context."""

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.search import MODE_NAMES, MOST_MATCHES, Mode, Search
from metacortex.service.activity import Activity
from metacortex.service.search import Searched
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.filters import (
    APPLIED_FILTERS,
    FILTERS,
    FURTHER,
    applied,
    filters_of,
    observe_filters,
    told_of_filters,
)
from metacortex.transport.mcp.tools.schemas import (
    METADATA,
    SHARE,
    a_count,
    a_list,
    a_string,
    an_object,
)
from metacortex.transport.wire import hint, match_json


async def search_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Find memories by what they mean and by the words that they hold."""
    where = filters_of(values, principal, services.clock.now())
    least = values.number("min_score")
    searched = await services.searches.search(
        principal,
        Search(
            values.text("query") or "",
            where,
            values.whole("limit"),
            Mode(values.text("mode") or Mode.HYBRID),
            least or 0.0,
            values.flag("explain") or False,
        ),
    )
    found = searched.found
    shown = tuple(match.memory.id for match in found.matches)
    filters = applied(where, searched.where, principal)
    if least is not None:
        filters["min_score"] = least
    result: dict[str, JSON] = {
        "matches": [match_json(match) for match in found.matches],
        "applied_filters": filters,
        **_remarks(searched),
    }
    return Answer(
        result,
        {
            "result_count": len(shown),
            "result_ids": list(shown),
            **told_of_filters(services.activity, searched.where[0]),
        },
        shown,
    )


def _remarks(searched: Searched) -> dict[str, JSON]:
    """Return what is to be said of a search beside its matches: only what applies."""
    found, remarks = searched.found, dict[str, JSON]()
    if searched.degraded:
        remarks["degraded"] = list(searched.degraded)
    if found.incomplete:
        remarks["incomplete"] = True
    if searched.undated:
        remarks["undated"] = searched.undated
    if not found.matches:
        remarks["hint"] = hint(found, searched.where[0].valid_at)
    return remarks


def _observe_search(activity: Activity, principal: Principal, values: Values) -> dict[str, JSON]:
    query = values.text("query")
    return {
        "query_preview": activity.preview(query) if query else None,
        "query_length": len(query) if query else None,
        **observe_filters(activity, principal, values),
        "limit": values.whole("limit"),
    }


_NUMBER: JSON = {"type": "number"}
_EXPLANATION = an_object(
    {"relevance": SHARE, "neighbours": SHARE, "importance": _NUMBER, "recency": _NUMBER},
    {
        "meaning": an_object(
            {"cosine": {"type": ["number", "null"]}, "nearness": SHARE, "outstanding": SHARE}
        ),
        "words": an_object({"share": SHARE, "terms": a_list(a_string())}),
    },
)
_MATCH = an_object(
    {
        "id": a_string(),
        "summary": a_string(),
        "score": SHARE,
        "content_preview": a_string(),
        "metadata": METADATA,
    },
    {"explanation": _EXPLANATION},
)
_SCHEMA = an_object(
    {"matches": a_list(_MATCH), "applied_filters": APPLIED_FILTERS},
    {
        "undated": a_count("How many more answer, but since when they are true is unknown"),
        "degraded": a_list(a_string(), "Ways of finding that were missing, such as meaning"),
        "hint": a_string("What to know where nothing came near"),
        "incomplete": {
            "type": "boolean",
            "description": "True where a bound was reached before every candidate was seen",
        },
    },
)

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
        *FILTERS,
        Argument("limit", "integer", "How many matches at most.", minimum=1, maximum=MOST_MATCHES),
        Argument(
            "mode",
            "string",
            "By meaning, by words, or by both (hybrid, the default).",
            choices=MODE_NAMES,
        ),
        Argument(
            "min_score", "number", "Only matches with this score or more.", minimum=0, maximum=1
        ),
        *FURTHER,
        Argument(
            "explain", "boolean", "True to have each match say why it stands there, for operators."
        ),
    ),
    result_schema=_SCHEMA,
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe_search,
    call=search_context,
)
