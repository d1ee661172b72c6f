"""What a database file holds, read beside the product and checked to be whole."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, load_memory
from metacortex.domain.details import Kind
from metacortex.domain.identity import fingerprint_of, immutable_digest
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory, NewMemory
from metacortex.engines import DATABASE_NAME

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Stored:
    """The rows of tenant `default`, the tenant of all that these tests write."""

    memory_by_id: Mapping[str, Memory]
    vectors: Mapping[str, int]
    changes: Mapping[str, list[Row]]
    """Of each subject the state and replacement before and after, in order of sequence."""
    fingerprints: Mapping[str, str]
    events: list[Row]
    """Tool name, status and body."""
    faults: list[Row]

    def assert_whole(self) -> None:
        """Hold that nothing is half stored, damaged or without what belongs to it."""
        assert self.faults == []
        assert set(self.vectors) == set(self.changes) == set(self.memory_by_id)
        # What a fact states is its own fingerprint.
        texts = {id_ for id_, each in self.memory_by_id.items() if each.kind is not Kind.FACT}
        assert sorted(self.fingerprints.values()) == sorted(texts)
        for memory_id, memory in self.memory_by_id.items():
            assert memory.sha256 == _digest(memory)
            made = BranchState(self.changes[memory_id][0][1]["branch_state"])
            if memory_id in texts:
                assert self.fingerprints[_fingerprint(memory, made)] == memory_id
            _assert_projected(memory, self.changes[memory_id])

    def told_of(self) -> Counter[tuple[str, str]]:
        """Count the successful calls by their tool and the memory that their answer named."""
        return Counter(
            (tool, json.loads(body)["response"]["document_id"])
            for tool, status, body in self.events
            if status == "success" and tool in ("remember_context", "deprecate_context")
        )


def read(data_dir: Path) -> Stored:
    """Read the whole file in one snapshot."""
    with closing(sqlite3.connect(data_dir / DATABASE_NAME)) as connection:
        connection.execute("BEGIN")
        memories = map(load_memory, connection.execute(f"SELECT {MEMORY_COLUMNS} FROM memories"))
        vectors = "SELECT m.id, count(*) FROM vectors AS v JOIN memories AS m ON m.key = v.memory"
        changes: dict[str, list[Row]] = {}
        for subject, before, after in connection.execute(
            "SELECT subject_id, before, after FROM changes ORDER BY seq"
        ):
            changes.setdefault(subject, []).append(
                (before and json.loads(before), json.loads(after))
            )
        return Stored(
            {memory.id: memory for memory in memories},
            dict(connection.execute(f"{vectors} GROUP BY m.id").fetchall()),
            changes,
            dict(connection.execute("SELECT digest, memory_id FROM fingerprints").fetchall()),
            connection.execute("SELECT tool_name, status, body FROM events").fetchall(),
            [row for row in connection.execute("PRAGMA integrity_check") if row != ("ok",)]
            + connection.execute("PRAGMA foreign_key_check").fetchall(),
        )


@cache
def _digest(memory: Memory) -> str:
    """Return the digest of a memory, worked out once; a file is read again after each crash."""
    return immutable_digest(memory)


@cache
def _fingerprint(memory: Memory, made: BranchState) -> str:
    """Return the fingerprint of the write that made a memory in this state."""
    written = NewMemory(memory.content, memory.topic, made, memory.artifact_refs)
    return fingerprint_of(written, memory.namespace)


def _assert_projected(memory: Memory, changes: list[Row]) -> None:
    befores = [before for before, _ in changes]
    afters = [after for _, after in changes]
    assert befores == [None, *afters[:-1]]
    assert afters[-1] == memory.standing.as_json()
