"""What a search asks for, which memories may match, and what it finds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from metacortex.domain.client import MAX_CLIENT_ID_LENGTH, check_namespace
from metacortex.domain.dates.period import Period
from metacortex.domain.details import Kind
from metacortex.domain.errors import InvalidInput
from metacortex.domain.explanation import Explanation
from metacortex.domain.integrity import digest
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import MAX_SESSION_ID_LENGTH, Memory, check_tags
from metacortex.domain.moment import Milliseconds
from metacortex.domain.text import check_label, check_unicode

MOST_MATCHES = 20


class Mode(StrEnum):
    """What a search goes by."""

    HYBRID = "hybrid"
    MEANING = "meaning"
    WORDS = "words"


MODE_NAMES = tuple(mode.value for mode in Mode)


class TagsMatch(StrEnum):
    """How many of the tags that are asked for a memory must have."""

    ANY = "any"
    ALL = "all"


TAGS_MATCH_NAMES = tuple(each.value for each in TagsMatch)


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories may match. Every part acts before the nearest are taken.

    Labels are compared whole, case included. A range includes its start and excludes its end.
    """

    namespaces: tuple[str, ...] | None
    """Whole names; None: all of the tenant's."""
    branch_state: BranchState
    valid_at: Milliseconds | None
    """Only what is true at this moment: start included, end excluded, an absent bound is open.
    None: whenever it is true.
    """
    topic: str | None = None
    kinds: tuple[Kind, ...] = ()
    """Only these; none given: all."""
    tags: tuple[str, ...] = ()
    """Only what has any of these, or all of them; none given: all memories."""
    tags_match: TagsMatch = TagsMatch.ANY
    session_id: str | None = None
    min_importance: float | None = None
    client: str | None = None
    """Only what this client wrote."""
    created_from: Milliseconds | None = None
    created_until: Milliseconds | None = None
    started_from: Milliseconds | None = None
    """Only what became true from this moment on. What has no known start is in no range of it."""
    started_until: Milliseconds | None = None
    undated: bool = False
    """Only what has no known start."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The labels that a caller made up."""
        one_of_each = (self.topic, self.session_id, self.client)
        return (*(text for text in one_of_each if text is not None), *self.tags)


def passes(memory: Memory, where: MemoryFilter) -> bool:
    """Whether a filter admits a memory: what every engine's filtering comes to."""
    start = memory.valid_from.at if memory.valid_from else None
    return (
        memory.branch_state is where.branch_state
        and (where.namespaces is None or memory.namespace in where.namespaces)
        and (where.valid_at is None or _holds(memory, where.valid_at))
        and _is_labelled(memory, where)
        and _is_within(memory.created_at, where.created_from, where.created_until)
        and _is_within(start, where.started_from, where.started_until)
        and not (where.undated and memory.valid_from)
    )


def _holds(memory: Memory, at: Milliseconds) -> bool:
    start, end = memory.valid_from, memory.valid_until
    return (start is None or start.at <= at) and (end is None or end.at > at)


def _is_labelled(memory: Memory, where: MemoryFilter) -> bool:
    enough = any if where.tags_match is TagsMatch.ANY else all
    return (
        where.topic in (None, memory.topic)
        and (not where.kinds or memory.kind in where.kinds)
        and (not where.tags or enough(tag in memory.tags for tag in where.tags))
        and where.session_id in (None, memory.session_id)
        and (where.min_importance is None or memory.importance >= where.min_importance)
        and where.client in (None, memory.written_by.client)
    )


def _is_within(
    at: Milliseconds | None, start: Milliseconds | None, end: Milliseconds | None
) -> bool:
    if at is None:
        return start is None and end is None
    return (start is None or at >= start) and (end is None or at < end)


def digest_of(filters: Sequence[MemoryFilter]) -> str:
    """Return what filters are recognized by where a call goes on with those of an earlier one:
    in which order labels are named is nothing to them.
    """
    return digest(
        [
            {**asdict(where), "kinds": sorted(where.kinds), "tags": sorted(where.tags)}
            for where in filters
        ]
    )


@dataclass(frozen=True, slots=True)
class Filters:
    """What a caller narrows a reading down to: each part absent unless it was given.

    An absent state means the profile's default, an absent namespace all that it may read, and an
    absent moment now.

    Raises:
        InvalidInput: a text is no Unicode or too long, the namespace is no name of one, there are
            too many tags, or a range is empty.
    """

    topic: str | None = None
    branch_state: BranchState | None = None
    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    tags_match: TagsMatch = TagsMatch.ANY
    session_id: str | None = None
    min_importance: float | None = None
    namespace: str | None = None
    client: str | None = None
    created_after: Period | None = None
    created_before: Period | None = None
    started_after: Period | None = None
    started_before: Period | None = None
    valid_at: Period | None = None

    def __post_init__(self) -> None:
        # No topic is as long as some that are asked for: nothing found is success (contract C78).
        check_unicode("topic", self.topic or "")
        check_label("session_id", self.session_id, MAX_SESSION_ID_LENGTH)
        check_label("client", self.client, MAX_CLIENT_ID_LENGTH)
        check_tags(self.tags)
        check_namespace(self.namespace)
        for name, start, end in (
            ("created", self.created_after, self.created_before),
            ("started", self.started_after, self.started_before),
        ):
            if start and end and end.before <= start.after:
                raise InvalidInput(f"{name}_before must be later than {name}_after")


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Search:
    """What a caller asks to find. An absent limit means the server's.

    Raises:
        InvalidInput: the query is blank, or the limit is not from 1 to `MOST_MATCHES`.
    """

    query: str
    where: Filters = NO_FILTERS
    limit: int | None = None
    mode: Mode = Mode.HYBRID
    min_score: float = 0.0
    explain: bool = False
    """Whether each match says why it stands where it does."""

    def __post_init__(self) -> None:
        if not self.query.strip():
            raise InvalidInput("query must not be empty")
        if self.limit is not None and not 1 <= self.limit <= MOST_MATCHES:
            raise InvalidInput(f"limit must be a whole number from 1 to {MOST_MATCHES}")
        check_unicode("query", self.query)


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that a search found. `score` is in [0, 1], higher is better."""

    memory: Memory
    score: float
    explanation: Explanation | None = None
    """Only where it was asked for."""
