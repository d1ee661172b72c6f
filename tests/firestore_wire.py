"""What the Firestore adapter really sends: its queries, and the documents that it writes."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from google.cloud.firestore_v1.services.firestore import FirestoreAsyncClient
from google.cloud.firestore_v1.types import StructuredQuery, Value, Write

LARGEST_INDEXED = 1_500
"""Bytes of a text that an index takes."""


@dataclass(frozen=True)
class Wire:
    """What was sent."""

    queries: list[StructuredQuery] = field(default_factory=list)
    counts: list[StructuredQuery] = field(default_factory=list)
    sums: list[tuple[StructuredQuery, str]] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)

    def large_fields(self) -> set[tuple[str, str]]:
        """Return the collections and names of fields with long texts, lists, maps or vectors, of
        what the tenants store.
        """
        return {
            (write.update.name.split("/")[-2], name)
            for write in self.writes
            if "/tenants/" in write.update.name
            for name in _large_fields(write)
        }


@contextmanager
def recorded(patched: pytest.MonkeyPatch) -> Iterator[Wire]:
    """Record what every client of Firestore in this process sends until the block ends."""
    wire = Wire()
    run_query, count = FirestoreAsyncClient.run_query, FirestoreAsyncClient.run_aggregation_query
    commit = FirestoreAsyncClient.commit

    async def recording_query(client: Any, request: Any, **more: Any) -> Any:
        wire.queries.append(request["structured_query"])
        return await run_query(client, request=request, **more)

    async def recording_count(client: Any, request: Any, **more: Any) -> Any:
        aggregation = request["structured_aggregation_query"]
        added_up = [each.sum.field.field_path for each in aggregation.aggregations if "sum" in each]
        wire.sums.extend((aggregation.structured_query, name) for name in added_up)
        if not added_up:
            wire.counts.append(aggregation.structured_query)
        return await count(client, request=request, **more)

    async def recording_commit(client: Any, request: Any, **more: Any) -> Any:
        wire.writes.extend(request["writes"])
        return await commit(client, request=request, **more)

    with patched.context() as patch:
        patch.setattr(FirestoreAsyncClient, "run_query", recording_query)
        patch.setattr(FirestoreAsyncClient, "run_aggregation_query", recording_count)
        patch.setattr(FirestoreAsyncClient, "commit", recording_commit)
        yield wire


@contextmanager
def before_commit(
    patched: pytest.MonkeyPatch, of: Callable[[Write], bool], work: Callable[[], Awaitable[object]]
) -> Iterator[None]:
    """Let `work` be done by others before the first commit that holds such a write arrives."""
    commit, waiting = FirestoreAsyncClient.commit, [work]

    async def delayed_commit(client: Any, request: Any, **more: Any) -> Any:
        if waiting and any(map(of, request["writes"])):
            await waiting.pop()()
        return await commit(client, request=request, **more)

    with patched.context() as patch:
        patch.setattr(FirestoreAsyncClient, "commit", delayed_commit)
        yield
    assert not waiting


def _large_fields(write: Write) -> Iterator[str]:
    yield from (name for name, value in write.update.fields.items() if _is_large(value))
    for transform in write.update_transforms:
        name, _, key = transform.field_path.partition(".")
        if key:
            yield name


def _is_large(value: Value) -> bool:
    return (
        "array_value" in value
        or "map_value" in value
        or len(value.string_value.encode()) > LARGEST_INDEXED
        or len(value.bytes_value) > LARGEST_INDEXED
    )
