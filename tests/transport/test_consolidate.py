"""consolidate_context: several memories become one, by the calling model's text."""

import asyncio

import pytest

from metacortex.domain.consolidation import MOST_CHARACTERS
from tests.endpoint import Endpoint, Json
from tests.world import World

DRAFTS = ("The pump leaks at the flange.", "The flange was tightened.", "The pump is dry again.")
MERGED = "The pump leaked at the flange until it was tightened."
READY = "Call again with these source_ids as ids, and with content: one text that says what all do"


@pytest.fixture
async def drafts(world: World, admin: Endpoint) -> list[Json]:
    """Three drafts of one topic, oldest first."""
    saved = []
    for n, text in enumerate(DRAFTS):
        saved.append(await admin.save(text, topic="pump", draft=True, tags=[f"t{n}", "pump"]))
        world.clock.at += 1_000
    return saved


def ids_of(items: list[Json]) -> list[str]:
    return [item["id"] for item in items]


async def test_the_drafts_of_a_topic_are_shown_oldest_first_and_nothing_changes(
    admin: Endpoint, drafts: list[Json]
) -> None:
    await admin.save("Not yet sure of the valve.", topic="valve", draft=True)
    await admin.save("The pump is of 2019.", topic="pump")
    assert (await admin.consolidate(topic="pump")).success == {
        "write_status": "preview",
        "source_ids": ids_of(drafts),
        "sources": drafts,
        "hint": READY,
    }
    assert [await admin.item(id_) for id_ in ids_of(drafts)] == drafts


async def test_the_merged_text_takes_the_place_of_its_sources(
    world: World, admin: Endpoint, drafts: list[Json]
) -> None:
    ids = ids_of(drafts)
    answer = (await admin.consolidate(ids=ids, content=MERGED)).success
    item = answer["item"]
    assert (answer["write_status"], answer["source_ids"]) == ("created", ids)
    assert (item["content"], item["metadata"]["sources"]) == (MERGED, ids)
    assert await admin.item(item["id"]) == item
    for id_ in ids:
        metadata = (await admin.item(id_))["metadata"]
        assert (metadata["branch_state"], metadata["superseded_by"]) == ("deprecated", item["id"])
        assert len(await world.store.changes("default", id_)) == 2
    assert await admin.found("pump flange") == [item["id"]]
    assert await admin.found("pump flange", filter_state="wip") == []
    assert (await admin.consolidate(topic="pump")).success["source_ids"] == []


async def test_it_takes_over_what_finds_its_sources(world: World, admin: Endpoint) -> None:
    said = [
        {"importance": 0.2, "artifact_refs": ["gs://b/a.png"], "session_id": "s", "tags": ["a"]},
        {"importance": 0.8, "artifact_refs": ["gs://b/c.png"], "session_id": "s", "tags": ["b"]},
    ]
    ids = []
    for n, given in enumerate(said):
        ids.append((await admin.save(f"Note {n}.", topic="pump", **given))["id"])
        world.clock.at += 1
    item = (await admin.consolidate(ids=ids, content=MERGED)).success["item"]
    metadata = {name: item["metadata"][name] for name in ("topic", *said[0])}
    assert metadata == {
        "topic": "pump",
        "importance": 0.8,
        "artifact_refs": ["gs://b/a.png", "gs://b/c.png"],
        "session_id": "s",
        "tags": ["a", "b"],
    }


async def test_topic_title_and_state_are_the_callers_choice(
    admin: Endpoint, drafts: list[Json]
) -> None:
    item = (
        await admin.consolidate(
            ids=ids_of(drafts),
            content=MERGED,
            topic="repairs",
            title="The flange",
            branch_state="merged",
        )
    ).success["item"]
    metadata = {name: item["metadata"][name] for name in ("topic", "title", "kind", "branch_state")}
    assert metadata == {
        "topic": "repairs",
        "title": "The flange",
        "kind": "episode",
        "branch_state": "merged",
    }


async def test_an_equal_call_is_a_duplicate_and_changes_nothing(
    world: World, admin: Endpoint, drafts: list[Json]
) -> None:
    ids = ids_of(drafts)
    first = (await admin.consolidate(ids=ids, content=MERGED)).success
    world.clock.at += 1_000
    again = await admin.consolidate(ids=ids[::-1], content=MERGED)
    assert again.success == {**first, "write_status": "duplicate"}
    assert len(await world.store.changes("default", drafts[0]["id"])) == 2


async def test_a_source_that_was_superseded_meanwhile_is_a_conflict_and_nothing_is_written(
    world: World, admin: Endpoint, drafts: list[Json]
) -> None:
    newer = await admin.save("The second pump is dry.")
    await admin.deprecate(drafts[2]["id"], newer["id"])
    sentence = f"Document is already superseded by '{newer['id']}'"
    for given in ({"content": MERGED}, {}):
        assert (await admin.consolidate(ids=ids_of(drafts), **given)).failure == (
            "conflict",
            sentence,
        )
    assert await admin.item(drafts[0]["id"]) == drafts[0]
    assert await world.store.count("default") == 4


async def test_of_two_at_once_that_share_a_source_one_is_written(
    world: World, admin: Endpoint, drafts: list[Json]
) -> None:
    one, two, three = ids_of(drafts)
    outcomes = await asyncio.gather(
        admin.tool("consolidate_context", {"ids": [one, two], "content": "One."}),
        admin.tool("consolidate_context", {"ids": [three, two], "content": "Other."}),
    )
    (failed,) = [each for each in outcomes if each.result.get("isError")]
    (done,) = [each.success for each in outcomes if each is not failed]
    assert failed.failure == (
        "conflict",
        f"Document is already superseded by '{done['item']['id']}'",
    )
    assert await world.store.count("default") == 4
    left = ({one, two, three} - {*done["source_ids"]}).pop()
    assert (await admin.item(left))["metadata"]["branch_state"] == "wip"


async def test_a_preview_of_a_text_changes_nothing(admin: Endpoint, drafts: list[Json]) -> None:
    given = {"ids": ids_of(drafts)[:2], "content": MERGED, "preview": True}
    assert (await admin.consolidate(**given)).success["sources"] == drafts[:2]
    assert await admin.item(drafts[0]["id"]) == drafts[0]


async def test_what_is_too_much_at_once_is_left_for_later(admin: Endpoint) -> None:
    long = "word " * (MOST_CHARACTERS // 5 // 3 + 1)
    ids = [(await admin.save(f"{n} {long}", topic="long", draft=True))["id"] for n in range(4)]
    shown = (await admin.consolidate(ids=ids)).success
    assert (len(shown["source_ids"]), len(shown["left_out"])) == (2, 2)
    assert {*shown["source_ids"], *shown["left_out"]} == {*ids}
    assert shown["hint"] == READY
    answer = (await admin.consolidate(ids=ids, content=MERGED)).success
    assert {*answer["source_ids"]} == {*ids}


async def test_what_is_too_long_to_be_shown_beside_others_is_to_be_fetched(
    world: World, admin: Endpoint
) -> None:
    first = await admin.save("word " * (MOST_CHARACTERS // 5 + 1), topic="long", draft=True)
    world.clock.at += 1
    second = await admin.save("Short.", topic="long", draft=True)
    assert (await admin.consolidate(topic="long")).success == {
        "write_status": "preview",
        "source_ids": [],
        "left_out": [first["id"], second["id"]],
        "sources": [],
        "hint": "The first is too long to be shown beside others: fetch_context returns each whole",
    }


@pytest.mark.parametrize("count", [0, 1])
async def test_where_there_are_not_two_there_is_nothing_to_merge(
    admin: Endpoint, count: int
) -> None:
    for n in range(count):
        await admin.save(f"Draft {n}.", topic="pump", draft=True)
    answer = (await admin.consolidate(topic="pump")).success
    assert len(answer["sources"]) == count
    assert answer["hint"] == "There is nothing to merge: it takes 2 memories"


async def test_of_a_long_queue_the_newest_come_first_and_fifty_at_once(
    world: World, admin: Endpoint
) -> None:
    ids = []
    for n in range(53):
        ids.append((await admin.save(f"Draft {n}.", topic="pump", draft=True))["id"])
        world.clock.at += 1
    answer = (await admin.consolidate(topic="pump")).success
    assert answer["source_ids"] == ids[2:52]
    assert answer["left_out"] == ids[52:]


async def test_secrets_are_taken_out_of_the_merged_text(
    admin: Endpoint, drafts: list[Json]
) -> None:
    content = "The pump reports to postgres://crane:hunter2hunter2@ferry/ledger"
    answer = (await admin.consolidate(ids=ids_of(drafts), content=content)).success
    assert "hunter2" not in answer["item"]["content"]
    assert answer["redacted"] == ["url-password"]


async def test_the_event_tells_ids_and_no_text(
    world: World, admin: Endpoint, drafts: list[Json]
) -> None:
    ids = ids_of(drafts)
    await admin.consolidate(topic="pump")
    item = (await admin.consolidate(ids=ids, content=MERGED)).success["item"]
    preview, written = (await world.events())[-2:]
    assert preview["response"] == {"write_status": "preview", "source_ids": ids}
    assert written["request"]["ids"] == ids
    assert written["request"]["content_length"] == len(MERGED)
    assert written["response"]["document_id"] == item["id"]
    assert written["response"]["source_ids"] == ids
    assert "flange" not in str([preview, written])
