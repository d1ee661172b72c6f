"""Filters in SQL: the conditions that rows of `memories` meet which they admit."""

import json
from collections.abc import Iterator, Mapping

from metacortex.domain.search import MemoryFilter, TagsMatch
from metacortex.domain.stats import Reach
from metacortex.domain.text import is_unicode

Bound = str | int | float

_AMONG = "IN (SELECT value FROM json_each(?))"
_TAGS_AMONG = f"(SELECT count(DISTINCT value) FROM json_each(tags) WHERE value {_AMONG}) >= ?"
_NOTHING = "FALSE"

IN_REACH = (
    "m.tenant = :tenant AND m.branch_state IN (SELECT value FROM json_each(:states))"
    " AND (:namespaces IS NULL OR m.namespace IN (SELECT value FROM json_each(:namespaces)))"
)
"""Whether a memory `m` is within a reach that `bound_of_reach` binds."""


def condition_of(where: MemoryFilter) -> tuple[str, tuple[Bound, ...]]:
    """Return the condition, and what is bound in it."""
    if not all(map(is_unicode, where.texts)):
        return _NOTHING, ()
    terms = [*_of_labels(where), *_of_times(where)]
    return (
        " AND ".join(term for term, *_ in terms),
        tuple(bound for _, *each in terms for bound in each),
    )


def bound_of_reach(tenant: str, reach: Reach) -> Mapping[str, str | None]:
    """Return what is bound in `IN_REACH`."""
    return {
        "tenant": tenant,
        "states": json.dumps(reach.states),
        "namespaces": None if reach.namespaces is None else json.dumps(reach.namespaces),
    }


def _of_labels(where: MemoryFilter) -> Iterator[tuple[str, *tuple[Bound, ...]]]:
    yield "branch_state = ?", where.branch_state.value
    for column, names in (("namespace", where.namespaces), ("kind", where.kinds or None)):
        if names is not None:
            yield f"{column} {_AMONG}", json.dumps(names)
    for term, value in (
        ("topic = ?", where.topic),
        ("session_id = ?", where.session_id),
        ("written_by_client = ?", where.client),
        ("importance >= ?", where.min_importance),
    ):
        if value is not None:
            yield term, value
    if where.tags:
        tags = {*where.tags}
        enough = 1 if where.tags_match is TagsMatch.ANY else len(tags)
        yield _TAGS_AMONG, json.dumps([*tags]), enough


def _of_times(where: MemoryFilter) -> Iterator[tuple[str, *tuple[Bound, ...]]]:
    # Nothing is earlier or later than NULL, so what has no known start is in no range of it.
    for term, at in (
        ("(valid_from IS NULL OR valid_from <= ?)", where.valid_at),
        ("(valid_until IS NULL OR valid_until > ?)", where.valid_at),
        ("created_at >= ?", where.created_from),
        ("created_at < ?", where.created_until),
        ("valid_from >= ?", where.started_from),
        ("valid_from < ?", where.started_until),
    ):
        if at is not None:
            yield term, at
    if where.undated:
        yield ("valid_from IS NULL",)
