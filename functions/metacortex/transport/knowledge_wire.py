"""Facts and what is known beside them, as the JSON that clients read; absent keys are left out."""

from metacortex.domain.client import DEFAULT_NAMESPACE
from metacortex.domain.dates.parsing import as_written
from metacortex.domain.details import EpisodeDetails
from metacortex.domain.forgetting import Entry, Tombstone
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.lifecycle import ChangeKind
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Moment, iso
from metacortex.service.facts import Told
from metacortex.transport.wire import title_of


def fact_json(fact: Fact) -> dict[str, JSON]:
    """Return a fact in short. Both ends of its interval are told as they are: start included, end
    excluded.
    """
    memory, details = fact.memory, fact.details
    told: dict[str, JSON] = {
        "id": memory.id,
        "namespace": None if memory.namespace == DEFAULT_NAMESPACE else memory.namespace,
        "subject_id": details.subject_id,
        "subject": details.subject,
        "predicate": details.predicate,
        "object": details.object,
        "object_id": details.object_id,
        "valid_from": _written(memory.valid_from),
        "valid_until": _written(memory.valid_until),
        "branch_state": memory.branch_state.value,
        "singular": details.singular,
        "confidence": details.confidence,
        "importance": memory.importance,
        "category": details.category,
        "source_episode_id": details.source_episode_id,
        "superseded_by": memory.superseded_by,
        "recorded_at": iso(memory.recorded_at),
        "sha256": memory.sha256,
    }
    return _known(told)


def told_json(told: Told) -> dict[str, JSON]:
    """Return a fact with how it stands to now and all that was recorded of it."""
    return {
        **fact_json(told.fact),
        "currency": told.currency.value,
        "changes": [*map(entry_json, told.changes)],
    }


def entry_json(entry: Entry) -> dict[str, JSON]:
    """Return an entry of the record of truth, with what it left the memory as."""
    told: dict[str, JSON] = {"recorded_at": iso(entry.recorded_at), "client": entry.client}
    if isinstance(entry, Tombstone):
        return {"kind": ChangeKind.FORGOTTEN.value, **told}
    after = entry.after
    return _known(
        {
            "kind": entry.kind.value,
            **told,
            "branch_state": after.branch_state.value,
            "valid_until": _written(after.valid_until),
            "superseded_by": after.superseded_by,
            "cause": entry.cause,
        }
    )


def episode_json(memory: Memory) -> dict[str, JSON]:
    """Return an episode in short: what `fetch_context` returns whole."""
    details = memory.details
    category = details.category if isinstance(details, EpisodeDetails) else None
    return _known(
        {
            "id": memory.id,
            "namespace": None if memory.namespace == DEFAULT_NAMESPACE else memory.namespace,
            "title": title_of(memory),
            "category": category,
            "valid_from": _written(memory.valid_from),
            "valid_until": _written(memory.valid_until),
            "branch_state": memory.branch_state.value,
            "recorded_at": iso(memory.recorded_at),
            "sha256": memory.sha256,
        }
    )


def source_json(memory: Memory) -> dict[str, JSON]:
    """Return what a fact was learned from, in short."""
    return {"id": memory.id, "kind": memory.kind.value, "title": title_of(memory)}


def _written(moment: Moment | None) -> str | None:
    return as_written(moment) if moment else None


def _known(told: dict[str, JSON]) -> dict[str, JSON]:
    return {name: value for name, value in told.items() if value is not None}
