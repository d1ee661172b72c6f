"""What the output schemas of several tools are made of; each tool has its own beside it.

Further keys may be added to any object, so none is closed.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from metacortex.domain.details import KIND_NAMES
from metacortex.domain.differences import Difference
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES
from metacortex.domain.memory import Modality

Schema: TypeAlias = dict[str, JSON]


def an_object(required: Mapping[str, JSON], optional: Mapping[str, JSON] | None = None) -> Schema:
    """Return the schema of an object with these properties."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }


def a_list(items: JSON, description: str | None = None) -> Schema:
    """Return the schema of a list."""
    return _described({"type": "array", "items": items}, description)


def a_string(description: str | None = None) -> Schema:
    """Return the schema of a text."""
    return _described({"type": "string"}, description)


def a_count(description: str | None = None) -> Schema:
    """Return the schema of a whole number, 0 or more."""
    return _described({"type": "integer", "minimum": 0}, description)


def one_of(names: Iterable[str], description: str | None = None) -> Schema:
    """Return the schema of one of these texts."""
    return _described({"type": "string", "enum": [*names]}, description)


def _described(schema: Schema, description: str | None) -> Schema:
    return schema if description is None else {**schema, "description": description}


STATE = one_of(STATE_NAMES)
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
INSTANT = a_string("The moment that was read, in UTC")

FACT: dict[str, JSON] = {
    "subject_id": a_string("Only of facts, as the following"),
    "subject": a_string(),
    "predicate": a_string(),
    "object": a_string("The value, or the name of the entity that is the object"),
    "object_id": a_string("The object where it is an entity"),
    "singular": {"type": "boolean", "description": "Whether there is one such value at a time"},
    "confidence": SHARE,
    "category": a_string(),
    "source_episode_id": a_string("The episode that it was learned from"),
}
METADATA = an_object(
    {
        "topic": a_string(),
        "branch_state": STATE,
        "modality": one_of(Modality),
        "created_at": a_string("UTC, ISO-8601 with milliseconds"),
        "updated_at": a_string("UTC, ISO-8601 with milliseconds"),
    },
    {
        "artifact_refs": a_list(a_string()),
        "superseded_by": a_string(),
        "kind": one_of(KIND_NAMES, "note if absent"),
        "title": a_string(),
        "files_touched": a_list(a_string(), "Only of episodes"),
        "namespace": a_string("default if absent"),
        "tags": a_list(a_string()),
        "entities": a_list(a_string(), "Ids of what it mentions, where it is shown whole"),
        "session_id": a_string(),
        "importance": {"type": "number", "description": "0.5 if absent"},
        "valid_from": a_string("Since when it is true"),
        "valid_until": a_string(
            "Until when it is true, that included; of facts the first moment without"
        ),
        "sources": a_list(a_string(), "Ids of what it merges"),
        **FACT,
    },
)
ITEM = an_object({"id": a_string(), "content": a_string(), "metadata": METADATA})

REMEMBERED: dict[str, JSON] = {"item": ITEM, "write_status": one_of(["created", "duplicate"])}
REDACTED = a_list(a_string(), "Kinds of secrets that were taken out")
SIMILAR = a_list(
    an_object(
        {
            "id": a_string(),
            "score": SHARE,
            "differs": a_list(
                one_of(Difference), "What is not the same; nothing: the same text was saved before"
            ),
        }
    ),
    "Memories that this one resembles; all of them stay as they are",
)
