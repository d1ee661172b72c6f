"""Facts to vary in a test: statements about entities whose ids are their names."""

from metacortex.domain.details import FactDetails, Kind
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.moment import Milliseconds, Moment
from tests.samples import NOW, a_memory


def a_link(
    subject: str,
    target: str,
    predicate: str = "depends_on",
    *,
    id_: str | None = None,
    at: Milliseconds = NOW,
) -> Fact:
    """Return a fact whose object is an entity."""
    return _stated(FactDetails(subject, subject, predicate, target, target), id_, None, None, at)


def a_value(
    subject: str,
    value: str,
    predicate: str = "is",
    *,
    id_: str | None = None,
    start: Milliseconds | None = None,
    end: Milliseconds | None = None,
    singular: bool = True,
    at: Milliseconds = NOW,
) -> Fact:
    """Return a fact whose object is a value."""
    details = FactDetails(subject, subject, predicate, value, singular=singular)
    return _stated(details, id_, start, end, at)


def _stated(
    details: FactDetails,
    id_: str | None,
    start: Milliseconds | None,
    end: Milliseconds | None,
    at: Milliseconds,
) -> Fact:
    named = id_ or f"{details.subject} {details.predicate} {details.object}"
    return Fact(
        a_memory(
            named,
            kind=Kind.FACT,
            details=details,
            valid_from=None if start is None else Moment(start),
            valid_until=None if end is None else Moment(end),
            created_at=at,
            updated_at=at,
            recorded_at=at,
        )
    )
