"""Memories and Changes as documents, and back. Times are whole milliseconds; what is absent is an
explicit null, since an index does not see what lacks a field.
"""

import json
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, TypeAlias

from google.cloud.firestore_v1 import SERVER_TIMESTAMP
from google.cloud.firestore_v1.vector import Vector as StoredVector

from metacortex.adapters.firestore.layout import (
    ABOUT_FIELD,
    COUNTS_FIELD,
    LENGTH_FIELD,
    TERM_SPACE_FIELD,
    TIMELINE_FIELD,
    VECTOR_FIELD,
)
from metacortex.domain.details import FactDetails, Kind, details_json, read_details
from metacortex.domain.forgetting import Entry, Tombstone
from metacortex.domain.identity import IMMUTABLE_FIELDS_VERSION
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing, read_standing
from metacortex.domain.memory import Author, Memory, Modality, Origin, TokenCount
from metacortex.domain.moment import Milliseconds, Moment, Precision
from metacortex.domain.vector import EmbeddingSpace
from metacortex.ports import Embedding

Document: TypeAlias = dict[str, Any]

LABEL_FIELDS = (
    *("namespace", "kind", "topic", "tags"),
    *("session_id", "importance", "entities", "branch_state", "superseded_by"),
    *("valid_from", "valid_from_precision", "valid_until", "valid_until_precision"),
    *("created_at", "updated_at", "recorded_at", "modality"),
    *("written_by_client", "written_by_person", "origin", "sources", "recalled_from"),
    *("details", "salt", "sha256", "sha256_version", "token_count", "space", "windows"),
)
"""What a memory is filtered by, and all else that is short."""
NO_TEXTS: Mapping[str, Any] = {
    "content": "",
    "retrieval_text": None,
    "retrieval_lead": None,
    "retrieval_rest": None,
    "artifact_refs": [],
    "packed": None,
}
"""Where the texts of a record were not read."""
MEMORY_FIELDS = (*NO_TEXTS, *LABEL_FIELDS)
"""Every field of a record but its vector and what its words are found by."""
SCORED_FIELDS = (*MEMORY_FIELDS, COUNTS_FIELD, LENGTH_FIELD, TERM_SPACE_FIELD)
"""And those that a search scores its words by."""

LARGEST_TEXTS = 880_000
"""Bytes that the texts of a record may take beside a vector and terms, in the 1 MiB of a document.
What was given always fits, and what stands in the place of secrets may be many times longer, but
always the same few words: then the texts are kept compressed.
"""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def dump_memory(memory: Memory, embedding: Embedding, terms: Document) -> Document:
    """Return the record of a memory, but its vector; `terms` is what `dump_terms` made of its
    text.
    """
    return {
        **_dump_texts(memory),
        "namespace": memory.namespace,
        "kind": memory.kind.value,
        "topic": memory.topic,
        "tags": list(memory.tags),
        "session_id": memory.session_id,
        "importance": memory.importance,
        "entities": list(memory.entities),
        **dump_standing(memory.standing),
        **_dump_moment("valid_from", memory.valid_from),
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "recorded_at": memory.recorded_at,
        "modality": memory.modality.value,
        "written_by_client": memory.written_by.client,
        "written_by_person": memory.written_by.person,
        "origin": memory.origin.value,
        "sources": list(memory.sources),
        "recalled_from": list(memory.recalled_from),
        "details": details_json(memory.details),
        **_dump_statement(memory),
        "salt": memory.salt,
        "sha256": memory.sha256,
        "sha256_version": IMMUTABLE_FIELDS_VERSION,
        "token_count": _dump_token_count(memory.token_count),
        "space": str(embedding.space),
        "windows": len(embedding.vectors),
        **terms,
    }


def dump_embedding(embedding: Embedding) -> Document:
    """Return the fields of a record that its embedding decides."""
    return {
        "space": str(embedding.space),
        "windows": len(embedding.vectors),
        VECTOR_FIELD: StoredVector(embedding.vectors[0].tolist()),
    }


def timeline_key(timeline: tuple[str, str, str]) -> str:
    """Return what stands for a timeline: its namespace, subject and predicate."""
    return sha256(json.dumps(timeline).encode()).hexdigest()


def dump_standing(standing: Standing) -> Document:
    """Return the fields of a record that its Changes decide."""
    return {
        "branch_state": standing.branch_state.value,
        "superseded_by": standing.superseded_by,
        **_dump_moment("valid_until", standing.valid_until),
    }


STANDING_FIELDS = ("branch_state", "superseded_by", "valid_until", "valid_until_precision")


def load_standing(stored: Mapping[str, Any]) -> Standing:
    """Return the standing of a record that was read with `STANDING_FIELDS`."""
    state, replacement = BranchState(stored["branch_state"]), stored["superseded_by"]
    return Standing(state, replacement, _load_moment("valid_until", stored))


def dump_window(memory: Memory, space: EmbeddingSpace) -> Document:
    """Return the fields of a further window that a search filters by, and whose it is."""
    return {
        "memory_id": memory.id,
        "space": str(space),
        "branch_state": memory.branch_state.value,
        "namespace": memory.namespace,
        "topic": memory.topic,
    }


def load_memory(memory_id: str, stored: Mapping[str, Any]) -> Memory:
    """Return the memory of a record."""
    texts = _load_texts(stored)
    content, rest = texts["content"], texts["retrieval_rest"]
    # A record of an earlier version has no lead.
    lead = texts.get("retrieval_lead") or ""
    return Memory(
        id=memory_id,
        namespace=stored["namespace"],
        kind=Kind(stored["kind"]),
        content=content,
        topic=stored["topic"],
        branch_state=BranchState(stored["branch_state"]),
        modality=Modality(stored["modality"]),
        created_at=stored["created_at"],
        updated_at=stored["updated_at"],
        recorded_at=stored["recorded_at"],
        written_by=Author(stored["written_by_client"], stored["written_by_person"]),
        details=read_details(Kind(stored["kind"]), stored["details"]),
        retrieval_text=texts["retrieval_text"] if rest is None else lead + content + rest,
        artifact_refs=tuple(texts["artifact_refs"]),
        tags=tuple(stored["tags"]),
        session_id=stored["session_id"],
        importance=stored["importance"],
        entities=tuple(stored["entities"]),
        superseded_by=stored["superseded_by"],
        valid_from=_load_moment("valid_from", stored),
        valid_until=_load_moment("valid_until", stored),
        origin=Origin(stored["origin"]),
        sources=tuple(stored["sources"]),
        recalled_from=tuple(stored["recalled_from"]),
        token_count=_load_token_count(stored),
        # A record of an earlier version lacks the field.
        salt=stored.get("salt", ""),
        sha256=stored["sha256"],
    )


def dump_change(change: Change) -> Document:
    """Return a Change. The store gives the moment of its commit, which holds one of each memory."""
    return {
        "kind": change.kind.value,
        "subject_id": change.subject_id,
        "before": change.before.as_json() if change.before else None,
        "after": change.after.as_json(),
        "recorded_at": change.recorded_at,
        "client": change.client,
        "memory_sha256": change.memory_sha256,
        "cause": change.cause,
        "sha256": change.sha256,
        "committed_at": SERVER_TIMESTAMP,
    }


def dump_tombstone(tombstone: Tombstone) -> Document:
    """Return a tombstone, which stands among the Changes."""
    return {
        "kind": ChangeKind.FORGOTTEN.value,
        "subject_id": tombstone.subject_id,
        "text_mac": tombstone.text_mac,
        "recorded_at": tombstone.recorded_at,
        "client": tombstone.client,
        "sha256": tombstone.sha256,
        "committed_at": SERVER_TIMESTAMP,
    }


def load_entry(stored: Mapping[str, Any]) -> Entry:
    """Return the entry of the record of truth that a document holds."""
    if stored["kind"] == ChangeKind.FORGOTTEN:
        marks = stored["subject_id"], stored["text_mac"]
        return Tombstone(*marks, stored["recorded_at"], stored["client"])
    return Change(
        kind=ChangeKind(stored["kind"]),
        subject_id=stored["subject_id"],
        before=read_standing(stored["before"]) if stored["before"] else None,
        after=read_standing(stored["after"]),
        recorded_at=stored["recorded_at"],
        client=stored["client"],
        memory_sha256=stored.get("memory_sha256"),
        cause=stored.get("cause"),
    )


def space_of(text: str) -> EmbeddingSpace:
    """Return the space whose name this is; a model's name may hold a slash too."""
    model, _, dimension = text.rpartition("/")
    return EmbeddingSpace(model, int(dimension))


def timestamp(at: Milliseconds) -> datetime:
    """Return a moment in the form that time-to-live policies read."""
    return _EPOCH + timedelta(milliseconds=at)


def _dump_texts(memory: Memory) -> Document:
    # What repeats the content would not fit beside a content of the full length.
    text, content = memory.retrieval_text, memory.content
    repeats = text is not None and content in text
    lead, rest = _around(content, text or "") if repeats else (None, None)
    other = None if repeats else text
    texts: Document = {
        "content": content,
        "retrieval_text": other,
        "retrieval_lead": lead,
        "retrieval_rest": rest,
        "artifact_refs": list(memory.artifact_refs),
    }
    details = json.dumps(details_json(memory.details), ensure_ascii=False)
    parts = (content, other or "", lead or "", rest or "", *memory.artifact_refs, details)
    if sum(len(part.encode()) for part in parts) <= LARGEST_TEXTS:
        return {**texts, "packed": None}
    packed = zlib.compress(json.dumps(texts, ensure_ascii=False).encode())
    return {**dict.fromkeys(texts), "packed": packed}


def _around(content: str, text: str) -> tuple[str, str]:
    """Return what stands in a text before and behind the content that it holds."""
    at = text.index(content)
    return text[:at], text[at + len(content) :]


def _load_texts(stored: Mapping[str, Any]) -> Mapping[str, Any]:
    packed: bytes | None = stored["packed"]
    return stored if packed is None else json.loads(zlib.decompress(packed))


def _dump_statement(memory: Memory) -> Document:
    # Of facts alone, for the indexes of these fields to hold nothing else.
    if not isinstance(memory.details, FactDetails):
        return {}
    about = (memory.details.subject_id, memory.details.object_id)
    key = timeline_key(Fact(memory).timeline)
    return {TIMELINE_FIELD: key, ABOUT_FIELD: [each for each in about if each]}


def _dump_token_count(count: TokenCount | None) -> Document | None:
    return {"tokens": count.tokens, "counter": count.counter} if count else None


def _load_token_count(stored: Mapping[str, Any]) -> TokenCount | None:
    # A record of an earlier version lacks the field.
    count = stored.get("token_count")
    return TokenCount(count["tokens"], count["counter"]) if count else None


def _dump_moment(name: str, moment: Moment | None) -> Document:
    precision = moment.precision.value if moment else None
    return {name: moment.at if moment else None, f"{name}_precision": precision}


def _load_moment(name: str, stored: Mapping[str, Any]) -> Moment | None:
    at = stored[name]
    return None if at is None else Moment(at, Precision(stored[f"{name}_precision"]))
