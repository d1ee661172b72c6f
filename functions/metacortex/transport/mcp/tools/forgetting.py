"""forget_context."""

from metacortex.domain.client import Principal
from metacortex.domain.confirmation import MOST_IDS, SHOWN_IDS
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES
from metacortex.domain.memory import listed_refs
from metacortex.domain.moment import Milliseconds, iso
from metacortex.domain.search import NO_FILTERS, Filters
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.filters import FILTERS, FURTHER, filters_of, observe_filters
from metacortex.transport.mcp.tools.schemas import a_count, a_list, a_string, an_object

_STATE = Argument(
    "filter_state",
    "string",
    "Only memories in this lifecycle state; in all states if absent.",
    choices=STATE_NAMES,
)
NARROWING = (
    *(_STATE if each.name == _STATE.name else each for each in FILTERS),
    *(each for each in FURTHER if each.name != "valid_at"),
)


async def forget_context(services: Services, principal: Principal, values: Values) -> Answer:
    """Forget memories by their ids, or preview and then forget those that filters find."""
    ids, confirmation = listed_refs(values.texts("ids")), values.text("confirmation")
    if ids:
        if confirmation or values.flag("all") or _narrowed(values):
            raise InvalidInput("Provide ids alone, without filters, all or confirmation")
        forgotten = await services.forgetting.forget(principal, ids)
        result: dict[str, JSON] = {"forgotten": forgotten, "ids": list(ids)}
        return Answer(result, {"forgotten_count": forgotten})
    if confirmation is None:
        return await _preview(services, principal, values)
    preview = await services.forgetting.confirmed(principal, confirmation)
    asked = _asked(values, principal, preview.at)
    forgotten = await services.forgetting.forget_previewed(principal, asked, preview)
    return Answer({"forgotten": forgotten}, {"forgotten_count": forgotten})


async def _preview(services: Services, principal: Principal, values: Values) -> Answer:
    at = services.clock.now()
    asked = _asked(values, principal, at)
    previewed = await services.forgetting.preview(principal, asked, at)
    result: dict[str, JSON] = {
        "forgotten": 0,
        "matching": previewed.count,
        "ids": list(previewed.ids),
    }
    if previewed.facts:
        result["facts"] = previewed.facts
    if previewed.confirmation is not None:
        result["confirmation"] = previewed.confirmation
        result["expires_at"] = iso(previewed.expires_at)
    counts: dict[str, JSON] = {
        "forgotten_count": 0,
        "matching_count": previewed.count,
        "fact_count": previewed.facts or None,
    }
    return Answer(result, counts)


def _asked(values: Values, principal: Principal, at: Milliseconds) -> Filters:
    asked, everything = filters_of(values, principal, at), values.flag("all") or False
    if everything is (asked != NO_FILTERS):
        raise InvalidInput("Provide ids, or filters, or all as true: one of the three")
    return asked


def _narrowed(values: Values) -> bool:
    return any(each.name in values.by_name for each in NARROWING)


def _observe_forgetting(
    activity: Activity, principal: Principal, values: Values
) -> dict[str, JSON]:
    narrowed = observe_filters(activity, principal, values)
    return {
        "ids": [activity.label(each) for each in values.texts("ids")[:MOST_IDS]],
        **narrowed,
        "filter_state": None if "filter_state" in values.unread else values.text("filter_state"),
        "all": values.flag("all"),
        "confirmed": values.text("confirmation") is not None,
    }


_SCHEMA = an_object(
    {"forgotten": a_count("How many memories are gone by this call")},
    {
        "ids": a_list(a_string(), "Those that were named; of a preview, the newest"),
        "matching": a_count("How many a confirmation would forget"),
        "facts": a_count("How many facts that were drawn from these would go too"),
        "confirmation": a_string(),
        "expires_at": a_string("Until when it confirms, UTC"),
    },
)

FORGET_CONTEXT = Tool(
    name="forget_context",
    title="Forget memories",
    description=(
        "Delete memories for good, and the facts that were drawn from them: nothing of them can be "
        "found or read again. Name them by ids, and they go at once. Or narrow them down by "
        "filters, or ask for all: that first "
        f"returns how many there are, up to {SHOWN_IDS} of their ids and a confirmation; the same "
        "call again with that confirmation, within five minutes, forgets just these. Ask the user "
        "before you confirm. To replace what is obsolete, use deprecate_context."
    ),
    instruction="Call forget_context only when the user asks to have something deleted for good.",
    arguments=(
        Argument("ids", "array", f"The ids of the memories, at most {MOST_IDS}."),
        *NARROWING,
        Argument("all", "boolean", "True for everything that this client may change."),
        Argument(
            "confirmation",
            "string",
            "What the preview of the same filters returned under this name.",
        ),
    ),
    result_schema=_SCHEMA,
    hints=Hints(read_only=False, destructive=True, idempotent=True),
    observe=_observe_forgetting,
    call=forget_context,
)
