"""Domain values as the JSON that clients read, and JSON as text."""

import json
from decimal import ROUND_DOWN, Decimal

from metacortex.domain.client import DEFAULT_NAMESPACE
from metacortex.domain.details import EpisodeDetails, Kind, details_json
from metacortex.domain.explanation import Explanation
from metacortex.domain.json import JSON
from metacortex.domain.memory import DEFAULT_IMPORTANCE, Memory
from metacortex.domain.moment import Milliseconds, iso
from metacortex.domain.question import Found
from metacortex.domain.resemblance import Similar
from metacortex.domain.search import Match
from metacortex.domain.text import excerpt
from metacortex.domain.validity import validity_json

TITLE_LENGTH = 100
SUMMARY_LENGTH = 220
PREVIEW_LENGTH = 400


def compact(value: JSON) -> str:
    """Return `value` as one line of JSON without spaces, every character as itself."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def title_of(memory: Memory) -> str:
    """Return what a memory is called: by its title, else by the first line of its content."""
    title = memory.details.title if isinstance(memory.details, EpisodeDetails) else None
    return excerpt(title or memory.content.partition("\n")[0], TITLE_LENGTH)


def item_json(memory: Memory) -> dict[str, JSON]:
    """Return a memory whole, with the ids of what it mentions."""
    metadata = metadata_json(memory)
    if memory.entities:
        metadata["entities"] = list(memory.entities)
    return {"id": memory.id, "content": memory.content, "metadata": metadata}


def listed_json(memory: Memory) -> dict[str, JSON]:
    """Return a memory in short."""
    return {
        "id": memory.id,
        "summary": excerpt(memory.content, SUMMARY_LENGTH),
        "metadata": metadata_json(memory),
    }


def match_json(match: Match) -> dict[str, JSON]:
    """Return a match: the memory in short, with its score."""
    memory = match.memory
    result: dict[str, JSON] = {
        "id": memory.id,
        "summary": excerpt(memory.content, SUMMARY_LENGTH),
        "score": match.score,
        "content_preview": excerpt(memory.content, PREVIEW_LENGTH),
        "metadata": metadata_json(memory),
    }
    if match.explanation is not None:
        result["explanation"] = explanation_json(match.explanation)
    return result


def explanation_json(explanation: Explanation) -> dict[str, JSON]:
    """Return why a match stands where it does; a leg that was not asked is left out."""
    evidence, legs = explanation.evidence, dict[str, JSON]()
    if evidence.near is not None:
        legs["meaning"] = {
            "cosine": None if evidence.cosine is None else round(evidence.cosine, 6),
            "nearness": round(evidence.near, 6),
            "outstanding": round(explanation.outstanding, 6),
        }
    if evidence.words is not None:
        legs["words"] = {"share": round(evidence.words, 6), "terms": list(evidence.terms)}
    return {
        **legs,
        "relevance": round(explanation.relevance, 6),
        "neighbours": round(explanation.neighbours, 6),
        "importance": round(explanation.importance, 6),
        "recency": round(explanation.recency, 6),
    }


def similar_json(similar: Similar) -> dict[str, JSON]:
    """Return which memory a text resembles, how much, and what is not the same."""
    return {
        "id": similar.memory.id,
        "score": similar.score,
        "differs": [difference.value for difference in similar.differs],
    }


def hint(found: Found, valid_at: Milliseconds | None) -> str:
    """Return what a caller should know of a search without matches, of one moment or whenever."""
    if found.best is None:
        if valid_at is None:
            return "Nothing is stored under these filters; leave some out, or try another state"
        return (
            "Nothing that holds at this moment is stored under these filters; leave some out, or"
            " try another state or moment"
        )
    # Cut and not rounded: below a floor of 1, .998 is no 1.00.
    best = Decimal(str(found.best)).quantize(Decimal("0.01"), ROUND_DOWN)
    memories = "1 memory" if found.below == 1 else f"{found.below} memories"
    return (
        f"Nothing came near; the best score was {best}, and {memories} stayed below the floor; ask"
        " in other words"
    )


def metadata_json(memory: Memory) -> dict[str, JSON]:
    """Return what a client may know about a memory beside its content; absent keys are left out."""
    metadata: dict[str, JSON] = {
        "topic": memory.topic,
        "branch_state": memory.branch_state.value,
        "modality": memory.modality.value,
    }
    metadata |= _labels_json(memory)
    if memory.artifact_refs:
        metadata["artifact_refs"] = list(memory.artifact_refs)
    if memory.superseded_by is not None:
        metadata["superseded_by"] = memory.superseded_by
    metadata["created_at"] = iso(memory.created_at)
    metadata["updated_at"] = iso(memory.updated_at)
    return metadata


def _labels_json(memory: Memory) -> dict[str, JSON]:
    """Return what was said of a memory beside its text: only what differs from what is usual."""
    labels: dict[str, JSON] = {}
    if memory.kind is not Kind.NOTE:
        labels["kind"] = memory.kind.value
    details = details_json(memory.details)
    labels |= {name: value for name, value in details.items() if value is not None}
    if memory.namespace != DEFAULT_NAMESPACE:
        labels["namespace"] = memory.namespace
    if memory.tags:
        labels["tags"] = list(memory.tags)
    if memory.session_id is not None:
        labels["session_id"] = memory.session_id
    if memory.importance != DEFAULT_IMPORTANCE:
        labels["importance"] = memory.importance
    labels |= validity_json(memory)
    if memory.sources:
        labels["sources"] = list(memory.sources)
    return labels
