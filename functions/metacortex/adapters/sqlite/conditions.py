"""Filters in SQL: the conditions that rows of `memories` meet which they admit.

Texts are bound one by one: as a member of `json_each`, a text would end at its first NUL.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from metacortex.domain.search import MemoryFilter, TagsMatch
from metacortex.domain.stats import Reach
from metacortex.domain.text import is_unicode

Bound = str | int | float

# A value by itself would end at its first NUL too; to two paths, JSON is answered.
_TWICE = "json_extract(tags, fullkey, fullkey)"
_NOTHING = "FALSE"


def condition_of(where: MemoryFilter) -> tuple[str, tuple[Bound, ...]]:
    """Return the condition, and what is bound in it."""
    if not all(map(is_unicode, where.texts)):
        return _NOTHING, ()
    terms = [*_of_labels(where), *_of_times(where)]
    return (
        " AND ".join(term for term, *_ in terms),
        tuple(bound for _, *each in terms for bound in each),
    )


def among(values: Sequence[str]) -> str:
    """Return the condition that something is one of these values, which are bound in order."""
    return f"IN ({', '.join('?' * len(values))})"


def reach_of(tenant: str, reach: Reach) -> tuple[str, Mapping[str, str]]:
    """Return the condition that memories `m` within a reach meet, and what is bound in it."""
    terms, bound = ["m.tenant = :tenant"], {"tenant": tenant}
    for column, values in (("branch_state", reach.states), ("namespace", reach.namespaces)):
        if values is not None:
            named = {f"{column}{number}": str(value) for number, value in enumerate(values)}
            terms.append(f"m.{column} IN ({', '.join(f':{name}' for name in named)})")
            bound |= named
    return " AND ".join(terms), bound


def _of_labels(where: MemoryFilter) -> Iterator[tuple[str, *tuple[Bound, ...]]]:
    yield "branch_state = ?", where.branch_state.value
    if where.namespaces is not None:
        yield f"namespace {among(where.namespaces)}", *where.namespaces
    if where.kinds:
        yield f"kind {among(where.kinds)}", *where.kinds
    for term, value in (
        ("topic = ?", where.topic),
        ("session_id = ?", where.session_id),
        ("written_by_client = ?", where.client),
        ("importance >= ?", where.min_importance),
    ):
        if value is not None:
            yield term, value
    if where.tags:
        tags = [_twice(tag) for tag in dict.fromkeys(where.tags)]
        enough = 1 if where.tags_match is TagsMatch.ANY else len(tags)
        held = f"SELECT count(DISTINCT {_TWICE}) FROM json_each(tags) WHERE {_TWICE} {among(tags)}"
        yield f"({held}) >= {enough}", *tags


def _twice(tag: str) -> str:
    return json.dumps([tag, tag], ensure_ascii=False, separators=(",", ":"))


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
