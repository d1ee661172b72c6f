"""When two writes are the same write, and what of a memory never changes."""

import json
from dataclasses import dataclass
from hashlib import sha256

from metacortex.domain.details import details_json
from metacortex.domain.integrity import digest
from metacortex.domain.json import JSON
from metacortex.domain.memory import Memory, NewMemory
from metacortex.domain.moment import Milliseconds, moment_json

FINGERPRINT_VERSION = 3
IMMUTABLE_FIELDS_VERSION = 2
"""That of new memories; those of version 1 have no salt."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The digest of what makes two writes the same, and since when an earlier write counts as the
    same one.
    """

    digest: str
    since: Milliseconds
    """A first write before this moment is forgotten: the idempotency window, inclusive."""


def fingerprint_of(new: NewMemory, namespace: str) -> str:
    """Return the SHA-256 hex of what makes two writes of one tenant the same (contract C97)."""
    image = new.image
    parts = {
        "version": FINGERPRINT_VERSION,
        "namespace": namespace,
        "topic": new.topic,
        "branch_state": new.branch_state.value,
        "content": new.content or None,
        "image_mime_type": image.mime_type if image else None,
        "image_sha256": sha256(image.data).hexdigest() if image else None,
        "artifact_refs": list(new.artifact_refs),
        **_given(new),
    }
    return sha256(json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def immutable_digest(memory: Memory, version: int = IMMUTABLE_FIELDS_VERSION) -> str:
    """Return the digest over the fields of a memory that never change, under a version `v`.

    Left out are the tenant, everything that Changes project (state, replacement, `valid_until`,
    `updated_at`), entities, vectors and terms, which may all be renewed, and importance, which may
    be re-weighed.
    """
    salt = {} if version == 1 else {"salt": memory.salt}
    return digest(
        {
            "v": version,
            **salt,
            "id": memory.id,
            "namespace": memory.namespace,
            "kind": memory.kind.value,
            "content": memory.content,
            "retrieval_text": memory.retrieval_text,
            "topic": memory.topic,
            "tags": memory.tags,
            "session_id": memory.session_id,
            "modality": memory.modality.value,
            "artifact_refs": memory.artifact_refs,
            "valid_from": moment_json(memory.valid_from),
            "created_at": memory.created_at,
            "recorded_at": memory.recorded_at,
            "written_by": {"client": memory.written_by.client, "person": memory.written_by.person},
            "origin": memory.origin.value,
            "sources": memory.sources,
            "recalled_from": memory.recalled_from,
            "details": details_json(memory.details),
        }
    )


def _given(new: NewMemory) -> dict[str, JSON]:
    """Return what was said beside the text, in the order of the arguments and only where it was
    said (contract C97a). The namespace stands before it, and importance is left out.
    """
    labels = new.labels
    parts: dict[str, JSON] = {
        "kind": labels.kind.value if labels.kind else None,
        "tags": sorted(labels.tags) or None,
        "session_id": labels.session_id,
        "title": labels.title,
        "valid_from": moment_json(labels.valid_from),
        "valid_until": moment_json(labels.valid_until),
        "supersedes": sorted(new.supersedes) or None,
        "category": labels.category.value if labels.category else None,
        "files_touched": sorted(labels.files_touched) or None,
        "entities": sorted(labels.entities) or None,
    }
    return {name: value for name, value in parts.items() if value is not None}
