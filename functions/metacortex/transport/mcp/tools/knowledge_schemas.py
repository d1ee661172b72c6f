"""What the output schemas of several tools of knowledge are made of."""

from metacortex.domain.details import CATEGORY_NAMES
from metacortex.domain.knowledge.fact import Currency
from metacortex.domain.lifecycle import ChangeKind
from metacortex.transport.mcp.tools.schemas import (
    SHARE,
    STATE,
    Schema,
    a_list,
    a_string,
    an_object,
    one_of,
)

_STATED: Schema = {
    "id": a_string(),
    "subject_id": a_string(),
    "subject": a_string("How the entity was called"),
    "predicate": a_string(),
    "object": a_string("The value, or how the entity was called that is the object"),
    "branch_state": STATE,
    "singular": {"type": "boolean"},
    "importance": SHARE,
    "recorded_at": a_string("When this store learned it"),
    "sha256": a_string("Digest of what never changes"),
}
_PERHAPS: Schema = {
    "object_id": a_string("Where the object is an entity"),
    "namespace": a_string("default if absent"),
    "valid_from": a_string("The first moment at which it holds; absent: unknown"),
    "valid_until": a_string("The first moment at which it holds no more; absent: open"),
    "confidence": SHARE,
    "category": a_string(),
    "source_episode_id": a_string(),
    "superseded_by": a_string("The fact that took its place"),
}
FACT = an_object(_STATED, _PERHAPS)
"""A fact in short."""

EPISODE = an_object(
    {
        "id": a_string(),
        "title": a_string("Its title, or its first line"),
        "branch_state": STATE,
        "recorded_at": a_string("When this store learned it"),
        "sha256": a_string("Digest of what never changes"),
    },
    {
        "namespace": a_string("default if absent"),
        "category": one_of(CATEGORY_NAMES),
        "valid_from": a_string("When it began; absent: unknown"),
        "valid_until": a_string("When it was over; absent: open"),
    },
)
"""An episode in short."""

CHANGE = an_object(
    {"kind": one_of(ChangeKind), "recorded_at": a_string(), "client": a_string()},
    {
        "branch_state": STATE,
        "valid_until": a_string(),
        "superseded_by": a_string(),
        "cause": a_string("The finding that it resolved, or opened again"),
    },
)
"""One entry of the record of truth: what it left a memory as."""

DATED_FACT = an_object(
    {**_STATED, "currency": one_of(Currency, "How it stands to the moment that is told of")},
    _PERHAPS,
)
"""A fact in short, with how it stands."""

WHOLE_FACT = an_object(
    {**_STATED, "currency": one_of(Currency, "How it stands to now"), "changes": a_list(CHANGE)},
    _PERHAPS,
)
"""A fact with how it stands and all that was recorded of it."""
