"""The output schemas of the tools' successes.

Further keys may be added to any object, so none is closed.
"""

from metacortex.domain.bundle import FORMAT_NAMES
from metacortex.domain.details import KIND_NAMES
from metacortex.domain.differences import Difference
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES
from metacortex.domain.memory import Modality
from metacortex.domain.search import TAGS_MATCH_NAMES

_STRING: JSON = {"type": "string"}
_WHOLE: dict[str, JSON] = {"type": "integer", "minimum": 0}
_STATE: JSON = {"type": "string", "enum": list(STATE_NAMES)}


def _object(required: dict[str, JSON], optional: dict[str, JSON] | None = None) -> dict[str, JSON]:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }


METADATA = _object(
    {
        "topic": _STRING,
        "branch_state": _STATE,
        "modality": {"type": "string", "enum": [modality.value for modality in Modality]},
        "created_at": {"type": "string", "description": "UTC, ISO-8601 with milliseconds"},
        "updated_at": {"type": "string", "description": "UTC, ISO-8601 with milliseconds"},
    },
    {
        "artifact_refs": {"type": "array", "items": _STRING},
        "superseded_by": _STRING,
        "kind": {"type": "string", "enum": list(KIND_NAMES), "description": "note if absent"},
        "title": _STRING,
        "namespace": {"type": "string", "description": "default if absent"},
        "tags": {"type": "array", "items": _STRING},
        "session_id": _STRING,
        "importance": {"type": "number", "description": "0.5 if absent"},
        "valid_from": {"type": "string", "description": "Since when it is true"},
        "valid_until": {"type": "string", "description": "Until when it is true, that included"},
        "sources": {"type": "array", "items": _STRING, "description": "Ids of what it merges"},
    },
)
ITEM = _object({"id": _STRING, "content": _STRING, "metadata": METADATA})
_SHARE: JSON = {"type": "number", "minimum": 0, "maximum": 1}
_NUMBER: JSON = {"type": "number"}
EXPLANATION = _object(
    {"relevance": _SHARE, "neighbours": _SHARE, "importance": _NUMBER, "recency": _NUMBER},
    {
        "meaning": _object(
            {"cosine": {"type": ["number", "null"]}, "nearness": _SHARE, "outstanding": _SHARE}
        ),
        "words": _object({"share": _SHARE, "terms": {"type": "array", "items": _STRING}}),
    },
)
MATCH = _object(
    {
        "id": _STRING,
        "summary": _STRING,
        "score": _SHARE,
        "content_preview": _STRING,
        "metadata": METADATA,
    },
    {"explanation": EXPLANATION},
)

_STRINGS: JSON = {"type": "array", "items": _STRING}
_INSTANT: JSON = {"type": "string", "description": "The moment that was read, in UTC"}
_DATES = ("created_after", "created_before", "started_after", "started_before", "valid_at")
_APPLIED_FILTERS = _object(
    {"filter_topic": {"type": ["string", "null"]}, "filter_state": _STATE},
    {
        "filter_states": {"type": "array", "items": _STATE, "description": "Where it is two"},
        "kind": {"type": "array", "items": {"type": "string", "enum": list(KIND_NAMES)}},
        "tags": _STRINGS,
        "tags_match": {"type": "string", "enum": list(TAGS_MATCH_NAMES)},
        "session_id": _STRING,
        "min_importance": {"type": "number"},
        "min_score": {"type": "number"},
        "namespace": _STRING,
        "client": _STRING,
        **dict.fromkeys(_DATES, _INSTANT),
        "timezone": {"type": "string", "description": "Where dates without a zone were read"},
    },
)

_REDACTED: JSON = {
    "type": "array",
    "items": _STRING,
    "description": "Kinds of secrets that were taken out",
}
_DIFFERS: JSON = {
    "type": "array",
    "items": {"type": "string", "enum": [*Difference]},
    "description": "What is not the same; nothing: the same text was saved before",
}
_SIMILAR: JSON = {
    "type": "array",
    "items": _object(
        {
            "id": _STRING,
            "score": {"type": "number", "minimum": 0, "maximum": 1},
            "differs": _DIFFERS,
        }
    ),
    "description": "Memories that this one resembles; all of them stay as they are",
}


REMEMBERED_SCHEMA = _object(
    {"item": ITEM, "write_status": {"type": "string", "enum": ["created", "duplicate"]}},
    {
        "redacted": _REDACTED,
        "superseded": {
            "type": "array",
            "items": _STRING,
            "description": "Ids of the memories that it has replaced",
        },
        "similar": _SIMILAR,
    },
)
FOUND_SCHEMA = _object(
    {
        "matches": {"type": "array", "items": MATCH},
        "applied_filters": _APPLIED_FILTERS,
    },
    {
        "undated": {
            **_WHOLE,
            "description": "How many more answer, but since when they are true is unknown",
        },
        "degraded": {
            "type": "array",
            "items": _STRING,
            "description": "Ways of finding that were missing, such as meaning",
        },
        "hint": {"type": "string", "description": "What to know where nothing came near"},
        "incomplete": {
            "type": "boolean",
            "description": "True where a bound was reached before every candidate was seen",
        },
    },
)
LISTED_SCHEMA = _object(
    {
        "items": {
            "type": "array",
            "items": _object({"id": _STRING, "summary": _STRING, "metadata": METADATA}),
        },
        "applied_filters": _APPLIED_FILTERS,
    },
    {"next_cursor": {"type": "string", "description": "What to ask for the next page with"}},
)
FETCHED_SCHEMA = _object({"item": ITEM})
_CITED = _object({"id": _STRING, "title": _STRING, "url": _STRING})
CITED_SCHEMA = _object({"results": {"type": "array", "items": _CITED}})
READ_SCHEMA = _object(
    {"id": _STRING, "title": _STRING, "text": _STRING, "url": _STRING, "metadata": METADATA}
)
DEPRECATED_SCHEMA = _object(
    {
        "item": _object({"id": _STRING, "branch_state": _STATE, "superseded_by": _STRING}),
        "previous_state": _STATE,
    }
)
PROMOTED_SCHEMA = _object(
    {"item": _object({"id": _STRING, "branch_state": _STATE}), "previous_state": _STATE}
)
COMPILED_SCHEMA = _object(
    {
        "format": {"type": "string", "enum": list(FORMAT_NAMES)},
        "left_out": _object({}, {"over_budget": _WHOLE, "repeated": _WHOLE, "recalled": _WHOLE}),
        "used": {**_WHOLE, "description": "What all of this measures, by the counter"},
        "counter": {"type": "string", "description": "What was counted by"},
    },
    {
        "context": {"type": "string", "description": "The memories, quoted and cited"},
        "items": {"type": "array", "items": {"type": "object"}, "description": "As json: the same"},
        "max_tokens": _WHOLE,
        "max_chars": _WHOLE,
        "omitted": {
            "type": "array",
            "items": _STRING,
            "description": "Ids of the best that are not, or not wholly, in it",
        },
        "incomplete": {"type": "boolean"},
        "degraded": {"type": "array", "items": _STRING},
        "as_of": _INSTANT,
    },
)


def _counted(name: str) -> JSON:
    return {"type": "array", "items": _object({name: _STRING, "memories": _WHOLE})}


def _numbers_of(names: tuple[str, ...]) -> JSON:
    return _object({}, dict.fromkeys(names, _WHOLE))


STATS_SCHEMA = _object(
    {
        "memories": _WHOLE,
        "kinds": _numbers_of(KIND_NAMES),
        "states": _numbers_of(STATE_NAMES),
        "namespaces": _counted("namespace"),
        "topics": _counted("topic"),
        "storage": _object(
            {"vector_bytes": _WHOLE, "text_bytes": {"type": ["integer", "null"], "minimum": 0}}
        ),
        "embedding_spaces": {
            "type": "array",
            "items": _object(
                {"space": _STRING, "memories": _WHOLE, "searched": {"type": "boolean"}}
            ),
        },
        "unindexed": {**_WHOLE, "description": "How many no words find"},
        "most_used": {
            "type": "array",
            "items": _object(
                {
                    "id": _STRING,
                    "title": _STRING,
                    "access_count": _WHOLE,
                    "last_accessed_at": _STRING,
                }
            ),
            "description": "What came back in answers most often",
        },
    },
    {
        "incomplete": {
            "type": "array",
            "items": _STRING,
            "description": "Parts that are counted among the newest memories alone",
        }
    },
)
CONSOLIDATED_SCHEMA = _object(
    {
        "write_status": {"type": "string", "enum": ["created", "duplicate", "preview"]},
        "source_ids": {
            "type": "array",
            "items": _STRING,
            "description": "What is merged, or in a preview can be; oldest first",
        },
    },
    {
        "item": ITEM,
        "redacted": _REDACTED,
        "similar": _SIMILAR,
        "left_out": {
            "type": "array",
            "items": _STRING,
            "description": "Ids of what is too much to be merged with the rest",
        },
        "sources": {"type": "array", "items": ITEM},
        "hint": {"type": "string", "description": "What to do with a preview"},
    },
)
FORGOTTEN_SCHEMA = _object(
    {"forgotten": {**_WHOLE, "description": "How many memories are gone by this call"}},
    {
        "ids": {"type": "array", "items": _STRING, "description": "Of a preview, the newest"},
        "matching": {**_WHOLE, "description": "How many a confirmation would forget"},
        "confirmation": _STRING,
        "expires_at": {"type": "string", "description": "Until when it confirms, UTC"},
    },
)
