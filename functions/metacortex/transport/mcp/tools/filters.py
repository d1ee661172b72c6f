"""The arguments by which searches and lists are narrowed down."""

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES, BranchState
from metacortex.domain.memory import MAX_TOPIC_LENGTH
from metacortex.service.activity import Activity
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tools.observing import shown_of_topic

FILTERS = (
    Argument("filter_topic", "string", "Only memories with exactly this topic."),
    Argument(
        "filter_state",
        "string",
        "Only memories in this lifecycle state.",
        choices=STATE_NAMES,
        default=lambda principal: principal.default_filter_state.value,
    ),
)


def state_of(values: Values) -> BranchState | None:
    """Return the state that was asked for."""
    state = values.text("filter_state")
    return BranchState(state) if state else None


def applied(values: Values, state: BranchState) -> dict[str, JSON]:
    """Return the filters that were applied, as the caller reads them."""
    return {"filter_topic": values.text("filter_topic"), "filter_state": state.value}


def told_of_filters(activity: Activity, values: Values, state: BranchState) -> dict[str, JSON]:
    """Return what an event tells of the filters that were applied."""
    topic = values.text("filter_topic")
    return {
        "filter_state": state.value,
        "filter_topic": activity.label(topic, MAX_TOPIC_LENGTH) if topic else None,
    }


def observe_filters(activity: Activity, principal: Principal, values: Values) -> dict[str, JSON]:
    """Return what an event tells of the filters that were asked for."""
    topic = values.text("filter_topic")
    state = values.text("filter_state") or principal.default_filter_state.value
    return {
        "filter_topic": activity.label(topic, shown_of_topic(values)) if topic else None,
        "filter_state": None if "filter_state" in values.unread else state,
    }
