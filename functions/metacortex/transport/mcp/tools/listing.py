"""list_context."""

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.listing import DEFAULT_LISTED, MOST_LISTED, Listing
from metacortex.service.activity import Activity
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
from metacortex.transport.mcp.tools.schemas import METADATA, a_list, a_string, an_object
from metacortex.transport.wire import listed_json


async def list_context(services: Services, principal: Principal, values: Values) -> Answer:
    """List memories, newest first."""
    cursor = await services.listings.cursor(principal, values.text("cursor"))
    where = filters_of(values, principal, cursor.began)
    listing = Listing(where, values.whole("limit") or DEFAULT_LISTED)
    listed = await services.listings.list(principal, listing, cursor)
    result: dict[str, JSON] = {
        "items": [listed_json(memory) for memory in listed.memories],
        "applied_filters": applied(where, listed.where, principal),
    }
    if listed.next_cursor is not None:
        result["next_cursor"] = listed.next_cursor
    noted: dict[str, JSON] = {
        "result_count": len(listed.memories),
        "more": listed.next_cursor is not None,
        **told_of_filters(services.activity, listed.where[0]),
    }
    return Answer(result, noted)


def _observe_list(activity: Activity, principal: Principal, values: Values) -> dict[str, JSON]:
    return {
        **observe_filters(activity, principal, values),
        "limit": values.whole("limit"),
        "continued": values.text("cursor") is not None,
    }


_LISTED = an_object({"id": a_string(), "summary": a_string(), "metadata": METADATA})
_SCHEMA = an_object(
    {"items": a_list(_LISTED), "applied_filters": APPLIED_FILTERS},
    {"next_cursor": a_string("What to ask for the next page with")},
)

LIST_CONTEXT = Tool(
    name="list_context",
    title="List memories",
    description=(
        "List saved memories, newest first, page by page: what was saved lately, or all that is "
        "kept of a topic. While an answer has a next_cursor, more follows, even after a short "
        "page. To answer a question, search_context is better."
    ),
    instruction="Call list_context to see what was saved lately, or everything of a topic.",
    arguments=(
        *FILTERS,
        Argument(
            "limit",
            "integer",
            f"How many memories at most; {DEFAULT_LISTED} if absent.",
            minimum=1,
            maximum=MOST_LISTED,
        ),
        Argument(
            "cursor",
            "string",
            "The next_cursor of the page before, with the same filters; it is good for an hour.",
        ),
        *FURTHER,
    ),
    result_schema=_SCHEMA,
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe_list,
    call=list_context,
)
