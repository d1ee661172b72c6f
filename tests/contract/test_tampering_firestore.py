"""Every field of a document in Firestore, altered once: what digests or Changes cover is named."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient
from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.documents import MEMORY_FIELDS, dump_change
from metacortex.domain.details import EpisodeDetails, Kind
from metacortex.domain.lifecycle import ChangeKind
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Moment, Precision
from metacortex.engines import Engine
from tests.contract.test_integrity import sealed, verified
from tests.firestore_engines import opened
from tests.samples import NOW, TENANT, a_change, add

MERGED = {"branch_state": "merged", "superseded_by": None}
HASHED: dict[str, object] = {
    "namespace": "elsewhere",
    "kind": "note",
    "content": "other",
    "retrieval_text": "other",
    "retrieval_lead": "other",
    "retrieval_rest": "other",
    "packed": b"other",
    "artifact_refs": ["other"],
    "topic": "other",
    "tags": ["other"],
    "session_id": "other",
    "valid_from": 7,
    "valid_from_precision": "year",
    "created_at": 7,
    "recorded_at": 7,
    "modality": "image",
    "written_by_client": "other",
    "written_by_person": "other",
    "origin": "imported",
    "sources": ["other"],
    "recalled_from": ["other"],
    "details": {"title": "other"},
    "salt": "other",
    "sha256": "0" * 64,
    "sha256_version": 1,
}
PROJECTED: dict[str, object] = {
    **MERGED,
    "superseded_by": "other",
    "valid_until": 7,
    "valid_until_precision": "year",
}
NOT_COVERED: dict[str, object] = {
    "importance": 0.9,
    "entities": ["other"],
    "updated_at": 7,
    "token_count": None,
    "space": "other",
    "windows": 9,
}
RECORDED: dict[str, object] = {
    "kind": ChangeKind.CLOSED.value,
    "subject_id": "other",
    "before": MERGED,
    "after": MERGED,
    "recorded_at": 7,
    "client": "other",
    "memory_sha256": "0" * 64,
    "cause": "other",
    "sha256": "0" * 64,
    "committed_at": 7,
}


@pytest.fixture
async def fire(project: str, firestore_emulator: str) -> AsyncIterator[Engine]:
    async with opened(project) as engine:
        yield engine


def rich(id_: str, **varied: Any) -> Memory:
    """Return a memory of which every field says something."""
    return sealed(
        id_,
        kind=Kind.EPISODE,
        details=EpisodeDetails(title="Moving"),
        valid_from=Moment(NOW, Precision.DAY),
        valid_until=Moment(NOW + 86_400_000, Precision.DAY),
        **varied,
    )


def test_every_field_is_altered_once() -> None:
    assert {*HASHED, *PROJECTED, *NOT_COVERED} == {*MEMORY_FIELDS}
    assert len(HASHED) + len(PROJECTED) + len(NOT_COVERED) == len(MEMORY_FIELDS)
    assert set(RECORDED) == set(dump_change(a_change(rich("m1"))))


@pytest.mark.parametrize(("field", "value"), (HASHED | PROJECTED | NOT_COVERED).items())
async def test_another_value_of_what_is_covered_is_named(
    fire: Engine, client: AsyncClient, field: str, value: object
) -> None:
    # What is found by more than its content keeps only what stands around it.
    around = "Before: content of m1, and after." if field.startswith("retrieval_") else None
    plain = "Something else." if field == "retrieval_text" else around
    await add(fire.store, rich("m1", retrieval_text=plain))
    await add(fire.store, rich("m2"))
    assert (await verified(fire)).altered == ()
    place = client.collection("tenants", TENANT, "memory_vectors").document("m1")
    await place.update({field: value})
    found = {each.memory_id: {*each.checks} for each in (await verified(fire)).altered}
    if field in NOT_COVERED:
        assert found == {}
    elif field in PROJECTED:
        assert found == {"m1": {"projection"}}
    else:
        assert set(found) == {"m1"}
        assert found["m1"] & {"memory_hash", "unreadable"}


@pytest.mark.parametrize(("field", "value"), RECORDED.items())
async def test_another_value_in_an_entry_is_named(
    fire: Engine, client: AsyncClient, field: str, value: object
) -> None:
    await add(fire.store, rich("m1"))
    await add(fire.store, rich("m2"))
    changes = client.collection("tenants", TENANT, "memory_changes")
    own = changes.where(filter=FieldFilter("subject_id", "==", "m1"))
    async for snapshot in own.stream():
        await snapshot.reference.update({field: value})
    found = {each.memory_id: {*each.checks} for each in (await verified(fire)).altered}
    accused = "other" if field == "subject_id" else "m1"
    assert found[accused] & {"change_hash", "unreadable"}
    assert set(found) <= {"m1", "other"}
