"""The arguments by which searches and lists are narrowed down, and how they are told back."""

from collections.abc import Sequence

from metacortex.domain.client import Principal
from metacortex.domain.details import KIND_NAMES, Kind
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES, BranchState
from metacortex.domain.memory import MAX_TOPIC_LENGTH, listed_refs
from metacortex.domain.moment import Milliseconds, iso
from metacortex.domain.search import TAGS_MATCH_NAMES, Filters, MemoryFilter, TagsMatch
from metacortex.service.activity import Activity
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tools.observing import shown_of_topic
from metacortex.transport.mcp.tools.periods import period_of
from metacortex.transport.mcp.tools.schemas import (
    INSTANT,
    STATE,
    a_list,
    a_string,
    an_object,
    one_of,
)

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
FURTHER = (
    Argument("kind", "array", "Only memories of these kinds.", choices=KIND_NAMES),
    Argument("tags", "array", "Only memories with these tags, matched whole."),
    Argument(
        "tags_match",
        "string",
        "Whether any of the tags is enough (the default) or all are needed.",
        choices=TAGS_MATCH_NAMES,
    ),
    Argument("session_id", "string", "Only memories of this conversation."),
    Argument(
        "min_importance",
        "number",
        "Only memories of this importance or more.",
        minimum=0,
        maximum=1,
    ),
    Argument("namespace", "string", "Only this one of the namespaces that may be read."),
    Argument(
        "created_after",
        "string",
        "Only what was saved after this date: after 2026-08 is from September on.",
    ),
    Argument("created_before", "string", "Only what was saved before this date."),
    Argument("started_after", "string", "Only what became true after this date."),
    Argument("started_before", "string", "Only what became true before this date."),
    Argument("valid_at", "string", "What was true at this moment in place of now."),
    Argument("client", "string", "Only what this client wrote."),
)

_DATES = ("created_after", "created_before", "started_after", "started_before", "valid_at")
APPLIED_FILTERS = an_object(
    {"filter_topic": {"type": ["string", "null"]}, "filter_state": STATE},
    {
        "filter_states": a_list(STATE, "Where it is two"),
        "kind": a_list(one_of(KIND_NAMES)),
        "tags": a_list(a_string()),
        "tags_match": one_of(TAGS_MATCH_NAMES),
        "session_id": a_string(),
        "min_importance": {"type": "number"},
        "min_score": {"type": "number"},
        "namespace": a_string(),
        "client": a_string(),
        **dict.fromkeys(_DATES, INSTANT),
        "timezone": a_string("Where dates without a zone were read"),
    },
)


def filters_of(values: Values, principal: Principal, now: Milliseconds) -> Filters:
    """Return what a caller asks for; dates without a zone are read in the principal's.

    Raises:
        InvalidInput: a date cannot be read, or parts contradict each other.
    """
    if values.text("tags_match") and not values.texts("tags"):
        raise InvalidInput("tags_match needs tags; give tags with it, or leave it out")

    state = values.text("filter_state")
    return Filters(
        topic=values.text("filter_topic"),
        branch_state=BranchState(state) if state else None,
        kinds=tuple(Kind(kind) for kind in dict.fromkeys(values.texts("kind"))),
        tags=listed_refs(values.texts("tags")),
        tags_match=TagsMatch(values.text("tags_match") or TagsMatch.ANY),
        session_id=values.text("session_id"),
        min_importance=values.number("min_importance"),
        namespace=values.text("namespace"),
        client=values.text("client"),
        **{name: period_of(values, name, now, principal.zone) for name in _DATES},
    )


def applied(
    asked: Filters, filters: Sequence[MemoryFilter], principal: Principal
) -> dict[str, JSON]:
    """Return what was applied: topic and state always, the rest where it was asked for."""
    where = filters[0]
    dates = {
        "created_after": where.created_from,
        "created_before": where.created_until,
        "started_after": where.started_from,
        "started_before": where.started_until,
        "valid_at": where.valid_at if asked.valid_at else None,
    }
    given: dict[str, JSON] = {
        "filter_states": [each.branch_state.value for each in filters] if filters[1:] else None,
        "kind": [kind.value for kind in where.kinds] or None,
        "tags": list(where.tags) or None,
        "tags_match": where.tags_match.value if where.tags else None,
        "session_id": where.session_id,
        "min_importance": where.min_importance,
        "namespace": asked.namespace,
        "client": where.client,
        **{name: None if at is None else iso(at) for name, at in dates.items()},
        "timezone": str(principal.zone) if any(at is not None for at in dates.values()) else None,
    }
    return {
        "filter_topic": where.topic,
        "filter_state": where.branch_state.value,
        **{name: value for name, value in given.items() if value is not None},
    }


def told_of_filters(activity: Activity, where: MemoryFilter) -> dict[str, JSON]:
    """Return what an event tells of the filters that were applied."""
    topic = where.topic
    return {
        "filter_state": where.branch_state.value,
        "filter_topic": activity.label(topic, MAX_TOPIC_LENGTH) if topic else None,
    }


def observe_filters(activity: Activity, principal: Principal, values: Values) -> dict[str, JSON]:
    """Return what an event tells of the filters that were asked for: of most, only that."""
    topic = values.text("filter_topic")
    state = values.text("filter_state") or principal.default_filter_state.value
    further: list[JSON] = [each.name for each in FURTHER if each.name in values.by_name]
    return {
        "filter_topic": activity.label(topic, shown_of_topic(values)) if topic else None,
        "filter_state": None if "filter_state" in values.unread else state,
        "filters": further or None,
    }
