"""What is told of facts: how right the contradictions are, by pairs and triples of facts."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from metacortex.domain.dates.parsing import parse_period
from metacortex.domain.details import FactDetails, Kind
from metacortex.domain.knowledge.contradictions import (
    ContradictionKind,
    contradictions,
    vocabulary_of,
)
from metacortex.domain.knowledge.entity import entity_id
from metacortex.domain.knowledge.fact import Fact, sentence_of
from metacortex.domain.knowledge.placing import place
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Author, Memory, Modality
from metacortex.domain.moment import Milliseconds, Moment

HALVES = ("even", "odd")
"""Items with even numbers, counted from 1, were to tune by."""
NONE = "none"

_SET = Path(__file__).parent / "sets" / "contradictions.json"
_NOW: Milliseconds = 1_796_083_200_000
"""The first of December 2026."""


def judged() -> list[dict[str, Any]]:
    """Return, for each half and kind, how many items have a contradiction of the kind, how many
    were told, how many of these rightly, and the precision and recall; of items without any, how
    many were left alone.
    """
    items = json.loads(_SET.read_text(encoding="utf-8"))
    return [
        _row(half, kind, [_judged(item) for item in chosen])
        for half, chosen in zip(HALVES, (items[1::2], items[::2]), strict=True)
        for kind in (*ContradictionKind, NONE)
    ]


def kinds_of(stated: Sequence[dict[str, Any]]) -> set[str]:
    """Return the kinds of contradictions that are told of these facts, recorded in this order."""
    recorded: dict[str, Fact] = {}
    for number, each in enumerate(stated):
        newcomer = _fact(number, each)
        timeline = [fact for fact in recorded.values() if fact.timeline == newcomer.timeline]
        placed = place(newcomer, timeline, "bench")
        recorded[placed.fact.id] = placed.fact
        for change in placed.changes:
            known = recorded[change.subject_id]
            recorded[known.id] = Fact(known.memory.after(change))
    now = _NOW + len(stated)
    held = [fact for fact in recorded.values() if fact.holds_at(now)]
    return {found.kind.value for found in contradictions(held, vocabulary_of(held), {})} or {NONE}


def _judged(item: dict[str, Any]) -> tuple[str, set[str]]:
    """Return what is expected, and what was told: a kind that is as right counts as expected."""
    told = kinds_of(item["facts"])
    return item["expected"], {
        item["expected"] if kind in item.get("also", ()) else kind for kind in told
    }


def _row(half: str, kind: str, items: Iterable[tuple[str, set[str]]]) -> dict[str, Any]:
    counted = Counter(
        name
        for expected, told in items
        for name, holds in (
            ("items", expected == kind),
            ("told", kind in told),
            ("right", expected == kind and kind in told),
        )
        if holds
    )
    return {
        **{"half": half, "kind": kind, "items": counted["items"], "told": counted["told"]},
        "precision": round(counted["right"] / (counted["told"] or 1), 3),
        "recall": round(counted["right"] / (counted["items"] or 1), 3),
    }


def _fact(number: int, stated: dict[str, Any]) -> Fact:
    subject, predicate, value = stated["subject"], stated["predicate"], stated["object"]
    named = entity_id("default", value) if stated.get("object_is_entity") else None
    at = _NOW + number
    return Fact(
        Memory(
            id=f"fact-{number}",
            namespace="default",
            kind=Kind.FACT,
            content=sentence_of(subject, predicate, value),
            topic="general",
            branch_state=BranchState.ACTIVE,
            modality=Modality.TEXT,
            created_at=at,
            updated_at=at,
            recorded_at=at,
            written_by=Author("bench"),
            details=FactDetails(
                subject_id=entity_id("default", subject),
                subject=subject,
                predicate=predicate,
                object=value,
                object_id=named,
                singular=stated["singular"],
                confidence=stated.get("confidence"),
            ),
            valid_from=_moment(stated.get("valid_from")),
            valid_until=_moment(stated.get("valid_until")),
        )
    )


def _moment(text: str | None) -> Moment | None:
    """Return the first moment of a date: the items mean half-open intervals."""
    return parse_period("date", text, _NOW, UTC).begins if text else None
