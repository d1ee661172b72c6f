"""Facts as someone stated them, for tests of what they say against each other."""

from collections.abc import Mapping
from typing import Any

from metacortex.domain.details import FactDetails, Kind
from metacortex.domain.knowledge.contradictions import (
    Contradiction,
    contradictions,
    vocabulary_of,
)
from metacortex.domain.knowledge.fact import Fact, sentence_of
from metacortex.domain.moment import Moment
from tests.samples import NOW, a_memory


def stated(
    predicate: str,
    value: str,
    *,
    id_: str = "f1",
    subject: str = "api",
    entity: str | None = None,
    singular: bool = False,
    confidence: float | None = None,
    start: int | None = None,
    end: int | None = None,
    **varied: Any,
) -> Fact:
    """Return a fact; `entity` is the id of its object, `varied` fields of its memory."""
    details = FactDetails(
        subject, subject, predicate, value, entity, singular=singular, confidence=confidence
    )
    return Fact(
        a_memory(
            id_,
            kind=Kind.FACT,
            content=sentence_of(subject, predicate, value),
            details=details,
            valid_from=None if start is None else Moment(start),
            valid_until=None if end is None else Moment(end),
            **{"created_at": NOW, "updated_at": NOW, "recorded_at": NOW, **varied},
        )
    )


def among(*facts: Fact, survivors: Mapping[str, str] | None = None) -> tuple[Contradiction, ...]:
    """Return the contradictions among facts, by the tables and what they add to these."""
    return contradictions(facts, vocabulary_of(facts), survivors or {})


def kinds(predicate: str, one: str, other: str, other_predicate: str | None = None) -> list[str]:
    """Return the kinds of contradictions between two facts of one subject."""
    facts = (
        stated(predicate, one, id_="f1"),
        stated(other_predicate or predicate, other, id_="f2"),
    )
    return [found.kind.value for found in among(*facts)]
