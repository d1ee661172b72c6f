"""Whatever is altered beside the program is named, and nothing else is."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from metacortex.adapters.sqlite.rows import ENTRY_COLUMNS, MEMORY_COLUMNS
from tests.endpoint import Json
from tests.world import MakeWorld, World

HASHED = {
    "id": "'another'",
    "namespace": "'elsewhere'",
    "kind": "'note'",
    "content": "content || '.'",
    "retrieval_text": "'other'",
    "topic": "'other'",
    "tags": """'["other"]'""",
    "session_id": "NULL",
    "valid_from": "valid_from + 1",
    "valid_from_precision": "'year'",
    "created_at": "created_at - 1",
    "recorded_at": "recorded_at - 1",
    "modality": "'image'",
    "artifact_refs": "'[]'",
    "written_by_client": "'another'",
    "written_by_person": "'somebody'",
    "origin": "'imported'",
    "sources": """'["other"]'""",
    "recalled_from": """'["other"]'""",
    "details": """'{"title": "other"}'""",
    "sha256": "replace(sha256, substr(sha256, 1, 1), 'x')",
    "sha256_version": "1",
    "salt": "'other'",
}
"""What the digest of a memory covers, each with another value."""
PROJECTED = {
    "branch_state": "'merged'",
    "superseded_by": "'another'",
    "valid_until": "valid_until + 1",
    "valid_until_precision": "'year'",
}
"""What its Changes decide."""
NOT_COVERED = {"importance", "entities", "updated_at", "tokens", "token_counter"}
BROKEN = {
    "kind": "'poem'",
    "tags": "'['",
    "details": "'7'",
    "branch_state": "'lost'",
    "valid_from_precision": "'eon'",
}
RECORDED = {
    "recorded_at": "recorded_at + 1",
    "client": "'another'",
    "kind": "'closed'",
    "subject_id": "'another'",
    "before": """'{"branch_state": "merged", "superseded_by": null}'""",
    "after": """'{"branch_state": "merged", "superseded_by": null}'""",
    "sha256": "replace(sha256, substr(sha256, 1, 1), 'x')",
    "memory_sha256": "'other'",
    "cause": "'other'",
}
"""What an entry holds."""


class Story:
    """A store of which everything was used, and what is done to its file."""

    def __init__(self, world: World, path: Path) -> None:
        self.admin = world.endpoint("default-all")
        self.path = path
        self.rich: str = ""
        self.old: str = ""

    async def write(self) -> None:
        """Remember, replace, promote, merge and forget."""
        save = self.admin.save
        self.rich = (
            await save(
                "The relay is in rack C.",
                kind="episode",
                title="Moving",
                tags=["a", "b"],
                session_id="s",
                artifact_refs=["ref"],
                valid_from="2026-01-02",
                valid_until="2027-01-02",
            )
        )["id"]
        self.old = (await save("The relay is in rack A."))["id"]
        new = await save("The relay is in rack B.", supersedes=self.old)
        last = await save("The relay is in rack D.", supersedes=new["id"])
        draft = await save("A draft.", draft=True)
        await self.admin.tool("promote_context", {"document_id": draft["id"]})
        merging = [(await save(f"Rack {n} is full."))["id"] for n in range(3)]
        await self.admin.tool("consolidate_context", {"ids": merging, "content": "Racks full."})
        assert (await self.admin.tool("forget_context", {"ids": [last["id"]]})).success

    async def verified(self, **asked: Any) -> Json:
        """Return what a verification tells."""
        return (await self.admin.tool("verify_integrity", asked)).success

    async def named(self) -> dict[str, list[str]]:
        """Return which memories are named, and what was altered of each."""
        return {each["id"]: each["checks"] for each in (await self.verified())["altered"]}

    def alter(self, statement: str, *bound: object) -> None:
        """Do what only somebody with the file can do."""
        with closing(sqlite3.connect(self.path)) as connection, connection:
            assert connection.execute(statement, bound).rowcount > 0

    def changes(self) -> list[tuple[int, str, str]]:
        """Return the sequence, subject and kind of every entry."""
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(
                "SELECT seq, subject_id, kind FROM changes ORDER BY seq"
            ).fetchall()


@pytest.fixture
async def story(make_world: MakeWorld, tmp_path: Path) -> Story:
    path = tmp_path / "metacortex.db"
    story = Story(make_world(path=path), path)
    await story.write()
    assert (await story.verified())["altered"] == []
    return story


def test_every_column_of_a_memory_and_of_an_entry_is_altered_once() -> None:
    columns = set(MEMORY_COLUMNS.split(", "))
    assert columns == {*HASHED, *PROJECTED} | NOT_COVERED
    assert set(ENTRY_COLUMNS.split(", ")) == {*RECORDED, "text_mac"}


@pytest.mark.parametrize(("column", "value"), HASHED.items())
async def test_another_value_of_what_is_hashed_is_named(
    story: Story, column: str, value: str
) -> None:
    story.alter(f"UPDATE memories SET {column} = {value} WHERE id = ?", story.rich)
    named = await story.named()
    assert set(named) == ({"another", story.rich} if column == "id" else {story.rich})
    assert "memory_hash" in named["another" if column == "id" else story.rich]


@pytest.mark.parametrize(("column", "value"), PROJECTED.items())
async def test_another_value_of_what_changes_decide_is_named(
    story: Story, column: str, value: str
) -> None:
    story.alter(f"UPDATE memories SET {column} = {value} WHERE id = ?", story.rich)
    assert await story.named() == {story.rich: ["projection"]}


@pytest.mark.parametrize(("column", "value"), BROKEN.items())
async def test_what_can_no_more_be_read_is_named(story: Story, column: str, value: str) -> None:
    story.alter(f"UPDATE memories SET {column} = {value} WHERE id = ?", story.rich)
    assert await story.named() == {story.rich: ["unreadable"]}


@pytest.mark.parametrize("column", sorted(NOT_COVERED))
async def test_what_is_not_covered_is_not_named(story: Story, column: str) -> None:
    value = "'x'" if column == "token_counter" else "'[]'" if column == "entities" else "0"
    story.alter(f"UPDATE memories SET {column} = {value} WHERE id = ?", story.rich)
    assert await story.named() == {}


@pytest.mark.parametrize(("column", "value"), RECORDED.items())
@pytest.mark.parametrize("which", ["first", "last"])
async def test_another_value_in_an_entry_is_named(
    story: Story, column: str, value: str, which: str
) -> None:
    seq = [seq for seq, subject, _ in story.changes() if subject == story.old]
    story.alter(
        f"UPDATE changes SET {column} = {value} WHERE seq = ?", seq[0 if which == "first" else -1]
    )
    named = await story.named()
    assert set(named) == ({"another", story.old} if column == "subject_id" else {story.old})
    assert "change_hash" in named["another" if column == "subject_id" else story.old]


@pytest.mark.parametrize(
    ("column", "value"),
    [("text_mac", "'other'"), ("recorded_at", "7"), ("client", "'x'"), ("sha256", "'x'")],
)
async def test_another_value_in_a_tombstone_is_named(story: Story, column: str, value: str) -> None:
    ((seq, subject),) = [(seq, id_) for seq, id_, kind in story.changes() if kind == "forgotten"]
    story.alter(f"UPDATE changes SET {column} = {value} WHERE seq = ?", seq)
    assert await story.named() == {subject: ["change_hash"]}


async def test_an_entry_that_can_no_more_be_read_is_named(story: Story) -> None:
    story.alter("UPDATE changes SET after = '[' WHERE subject_id = ?", story.rich)
    assert await story.named() == {story.rich: ["unreadable", "creation"]}


async def test_a_memory_that_is_gone_though_nobody_forgot_it_is_named(story: Story) -> None:
    story.alter("DELETE FROM memories WHERE id = ?", story.rich)
    assert await story.named() == {story.rich: ["missing"]}


async def test_a_memory_that_nothing_recorded_is_named(story: Story) -> None:
    columns = MEMORY_COLUMNS.replace("id, ", "", 1) + ", tenant, space, seq, length"
    story.alter(
        f"INSERT INTO memories (id, {columns}) SELECT 'new', {columns} FROM memories WHERE id = ?",
        story.rich,
    )
    assert await story.named() == {"new": ["memory_hash", "creation"]}


async def test_a_memory_that_comes_back_after_it_was_forgotten_is_named(story: Story) -> None:
    ((subject),) = [id_ for _, id_, kind in story.changes() if kind == "forgotten"]
    story.alter("UPDATE memories SET id = ? WHERE id = ?", subject, story.rich)
    assert await story.named() == {
        story.rich: ["missing"],
        subject: ["memory_hash", "creation", "projection", "forgotten"],
    }


def places(story: Story) -> Iterator[tuple[int, str]]:
    for seq, subject, kind in story.changes():
        if kind != "forgotten":
            yield seq, subject


async def test_each_change_that_is_taken_out_is_missed_where_anything_is_left(
    story: Story,
) -> None:
    forgotten = {id_ for _, id_, kind in story.changes() if kind == "forgotten"}
    for seq, subject in [*places(story)]:
        with closing(sqlite3.connect(story.path)) as connection:
            row = connection.execute("SELECT * FROM changes WHERE seq = ?", (seq,)).fetchone()
        story.alter("DELETE FROM changes WHERE seq = ?", seq)
        named = await story.named()
        # A tombstone alone is what a reset leaves.
        assert set(named) == {subject} - forgotten
        story.alter(f"INSERT INTO changes VALUES ({', '.join('?' * len(row))})", *row)
    assert await story.named() == {}


async def test_changes_of_one_memory_in_another_order_are_named(story: Story) -> None:
    first, second = [seq for seq, subject in places(story) if subject == story.old][:2]
    story.alter("UPDATE changes SET seq = -1 WHERE seq = ?", first)
    story.alter("UPDATE changes SET seq = ? WHERE seq = ?", first, second)
    story.alter("UPDATE changes SET seq = ? WHERE seq = -1", second)
    assert await story.named() == {story.old: ["history", "projection"]}


async def kept(story: Story) -> Json:
    tree = (await story.verified())["tree"]
    return {"root": tree["root"], "size": tree["size"]}


async def test_a_kept_root_shows_an_order_that_fits_together(story: Story) -> None:
    root = await kept(story)
    first, second = [seq for seq, _ in places(story)][:2]
    story.alter("UPDATE changes SET seq = -1 WHERE seq = ?", first)
    story.alter("UPDATE changes SET seq = ? WHERE seq = ?", first, second)
    story.alter("UPDATE changes SET seq = ? WHERE seq = -1", second)
    told = await story.verified(**root)
    assert (told["altered"], told["matches"], told["verified"]) == ([], False, False)


async def test_a_kept_root_shows_a_memory_that_was_taken_out_with_all_its_entries(
    story: Story,
) -> None:
    root = await kept(story)
    story.alter("DELETE FROM memories WHERE id = ?", story.rich)
    story.alter("DELETE FROM changes WHERE subject_id = ?", story.rich)
    told = await story.verified(**root)
    assert (told["altered"], told["matches"]) == ([], False)


async def test_a_kept_root_shows_a_tombstone_that_was_put_in(story: Story) -> None:
    root = await kept(story)
    story.alter("UPDATE changes SET seq = seq + 1000")
    columns = "tenant, recorded_at, client, kind, before, after, sha256, text_mac"
    story.alter(
        f"INSERT INTO changes (seq, subject_id, {columns}) SELECT 7, subject_id, {columns}"
        " FROM changes WHERE kind = 'forgotten'"
    )
    told = await story.verified(**root)
    assert (told["matches"], told["tree"]["size"]) == (False, root["size"])


async def test_what_is_written_later_leaves_a_kept_root_as_it_was(story: Story) -> None:
    root = await kept(story)
    await story.write()
    told = await story.verified(**root)
    assert (told["verified"], told["matches"], told["altered"]) == (True, True, [])
    assert json.dumps(told["tree"]) == json.dumps({"size": root["size"], "root": root["root"]})
