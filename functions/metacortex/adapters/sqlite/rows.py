"""Memories and Changes as rows of a table, and back: lists are JSON, an absent value is NULL."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from metacortex.domain.details import A_NOTE, Kind, details_json, read_details
from metacortex.domain.forgetting import Entry, Tombstone
from metacortex.domain.identity import IMMUTABLE_FIELDS_VERSION
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing, read_standing
from metacortex.domain.memory import Author, Memory, Modality, Origin, TokenCount
from metacortex.domain.moment import Moment, Precision

Cell = str | int | float | None

MEMORY_COLUMNS = (
    "id, namespace, kind, content, retrieval_text, topic, tags, session_id, importance, entities,"
    " branch_state, superseded_by, valid_from, valid_from_precision, valid_until,"
    " valid_until_precision, created_at, updated_at, recorded_at, modality, artifact_refs,"
    " written_by_client, written_by_person, origin, sources, recalled_from, details, sha256,"
    " sha256_version, tokens, token_counter, salt"
)
"""The columns that hold a memory, in the order of `dump_memory` and `load_memory`."""

ENTRY_COLUMNS = (
    "recorded_at, client, kind, subject_id, before, after, sha256, text_mac, memory_sha256, cause"
)
"""The columns that hold an entry of the record of truth, in the order of `dump_change` and
`dump_tombstone`.
"""

STANDING_COLUMNS = "branch_state, superseded_by, valid_until, valid_until_precision"
"""The columns that Changes decide, in the order of `dump_standing` and `load_standing`."""

# Asking an enumeration for its member takes as long as reading the rest of a row.
_KINDS = {kind.value: kind for kind in Kind}
_STATES = {state.value: state for state in BranchState}
_MODALITIES = {modality.value: modality for modality in Modality}
_ORIGINS = {origin.value: origin for origin in Origin}
_PRECISIONS = {precision.value: precision for precision in Precision}

# What we have written has no white space around it, to look for which takes as long as to read it.
_read_json = json.JSONDecoder().raw_decode


def dump_memory(memory: Memory) -> tuple[Cell, ...]:
    """Return the cells of a memory."""
    return (
        memory.id,
        memory.namespace,
        memory.kind.value,
        memory.content,
        memory.retrieval_text,
        memory.topic,
        _dump_list(memory.tags),
        memory.session_id,
        memory.importance,
        _dump_list(memory.entities),
        memory.branch_state.value,
        memory.superseded_by,
        *_dump_moment(memory.valid_from),
        *_dump_moment(memory.valid_until),
        memory.created_at,
        memory.updated_at,
        memory.recorded_at,
        memory.modality.value,
        _dump_list(memory.artifact_refs),
        memory.written_by.client,
        memory.written_by.person,
        memory.origin.value,
        _dump_list(memory.sources),
        _dump_list(memory.recalled_from),
        json.dumps(details_json(memory.details)),
        memory.sha256,
        IMMUTABLE_FIELDS_VERSION,
        *_dump_token_count(memory.token_count),
        memory.salt,
    )


def load_memory(cells: Sequence[Any]) -> Memory:
    """Return the memory of a row that was read as `MEMORY_COLUMNS`."""
    (
        id_,
        namespace,
        kind,
        content,
        retrieval_text,
        topic,
        tags,
        session_id,
        importance,
        entities,
        branch_state,
        superseded_by,
        valid_from,
        valid_from_precision,
        valid_until,
        valid_until_precision,
        created_at,
        updated_at,
        recorded_at,
        modality,
        artifact_refs,
        client,
        person,
        origin,
        sources,
        recalled_from,
        details,
        sha256,
        _sha256_version,
        tokens,
        token_counter,
        salt,
    ) = cells
    return Memory(
        id=id_,
        namespace=namespace,
        kind=_KINDS[kind],
        content=content,
        topic=topic,
        branch_state=_STATES[branch_state],
        modality=_MODALITIES[modality],
        created_at=created_at,
        updated_at=updated_at,
        recorded_at=recorded_at,
        written_by=Author(client, person),
        details=A_NOTE if details == "{}" else read_details(_KINDS[kind], _read_json(details)[0]),
        retrieval_text=retrieval_text,
        artifact_refs=_load_list(artifact_refs),
        tags=_load_list(tags),
        session_id=session_id,
        importance=importance,
        entities=_load_list(entities),
        superseded_by=superseded_by,
        valid_from=_load_moment(valid_from, valid_from_precision),
        valid_until=_load_moment(valid_until, valid_until_precision),
        origin=_ORIGINS[origin],
        sources=_load_list(sources),
        recalled_from=_load_list(recalled_from),
        token_count=_load_token_count(tokens, token_counter),
        salt=salt,
        sha256=sha256,
    )


def dump_standing(standing: Standing) -> tuple[Cell, ...]:
    """Return the cells of a memory that its Changes decide."""
    state, replacement = standing.branch_state.value, standing.superseded_by
    return (state, replacement, *_dump_moment(standing.valid_until))


def load_standing(cells: Sequence[Any]) -> Standing:
    """Return the standing of a row that was read as `STANDING_COLUMNS`."""
    state, replacement, *end = cells
    return Standing(_STATES[state], replacement, _load_moment(*end))


def dump_change(change: Change) -> tuple[Cell, ...]:
    """Return the cells of a Change."""
    return (
        change.recorded_at,
        change.client,
        change.kind.value,
        change.subject_id,
        json.dumps(change.before.as_json()) if change.before else None,
        json.dumps(change.after.as_json()),
        change.sha256,
        None,
        change.memory_sha256,
        change.cause,
    )


def dump_tombstone(tombstone: Tombstone) -> tuple[Cell, ...]:
    """Return the cells of a tombstone."""
    at, client, kind = tombstone.recorded_at, tombstone.client, ChangeKind.FORGOTTEN.value
    nothing = json.dumps(None)
    mark = (tombstone.sha256, tombstone.text_mac)
    return (at, client, kind, tombstone.subject_id, None, nothing, *mark, None, None)


def load_entry(cells: Sequence[Any]) -> Entry:
    """Return the entry of a row that was read as `ENTRY_COLUMNS`."""
    recorded_at, client, kind, subject_id, before, after, _sha256, text_mac, memory, cause = cells
    if kind == ChangeKind.FORGOTTEN:
        return Tombstone(subject_id, text_mac, recorded_at, client)
    return Change(
        ChangeKind(kind),
        subject_id,
        None if before is None else _load_recorded_standing(before),
        _load_recorded_standing(after),
        recorded_at,
        client,
        memory,
        cause,
    )


# Most entries leave a memory as most others leave theirs.
@lru_cache(1024)
def _load_recorded_standing(cell: str) -> Standing:
    return read_standing(json.loads(cell))


def _dump_list(values: tuple[str, ...]) -> str:
    return json.dumps(values, ensure_ascii=False)


def _load_list(cell: str) -> tuple[str, ...]:
    # Most lists are empty, and reading JSON is most of what reading a memory takes.
    return () if cell == "[]" else tuple(_read_json(cell)[0])


def _dump_token_count(count: TokenCount | None) -> tuple[Cell, Cell]:
    return (count.tokens, count.counter) if count else (None, None)


def _load_token_count(tokens: int | None, counter: str | None) -> TokenCount | None:
    return None if tokens is None or counter is None else TokenCount(tokens, counter)


def _dump_moment(moment: Moment | None) -> tuple[Cell, Cell]:
    return (moment.at, moment.precision.value) if moment else (None, None)


def _load_moment(at: int | None, precision: str | None) -> Moment | None:
    return None if at is None or precision is None else Moment(at, _PRECISIONS[precision])
