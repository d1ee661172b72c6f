"""list_context: what is listed, page by page, and what a cursor is good for."""

import asyncio
from typing import Any

import pytest

from metacortex.domain.listing import CURSOR
from tests.endpoint import Endpoint, Json
from tests.world import STATES, World

OTHER_FILTERS = (
    "invalid_input",
    "cursor belongs to a list with other filters; give the filters that it began with, or list"
    " again without it",
)
FOREIGN = (
    "invalid_input",
    "cursor is not one that list_context gave to this client; list again without it",
)
EXPIRED = ("invalid_input", "cursor has expired; list again without it")


async def page(endpoint: Endpoint, **arguments: Any) -> Json:
    """Return one page."""
    return (await endpoint.tool("list_context", arguments)).success


async def listed(endpoint: Endpoint, **arguments: Any) -> list[str]:
    """Return the ids of all pages."""
    ids: list[str] = []
    cursor = None
    while True:
        found = await page(endpoint, **arguments, cursor=cursor)
        ids += [item["id"] for item in found["items"]]
        cursor = found.get("next_cursor")
        if cursor is None:
            return ids


async def saved(
    world: World, count: int, client_id: str = "default", **arguments: Any
) -> list[str]:
    """Save memories, each a moment after the one before, and return their ids, newest first."""
    ids: list[str] = []
    for n in range(count):
        world.clock.at += 1
        item = await world.endpoint(client_id).save(f"Entry {world.clock.at} {n}.", **arguments)
        ids.insert(0, item["id"])
    return ids


async def test_a_listed_memory_is_shown_in_short_with_its_metadata(admin: Endpoint) -> None:
    text = "The  session token\n is rotated\tevery night."
    item = await admin.save(text, topic="auth", tags=["night"])
    assert await page(admin) == {
        "items": [
            {
                "id": item["id"],
                "summary": "The session token is rotated every night.",
                "metadata": item["metadata"],
            }
        ],
        "applied_filters": {"filter_topic": None, "filter_state": "active"},
    }


async def test_nothing_to_list_is_a_success(admin: Endpoint) -> None:
    assert await page(admin, filter_topic="empty", filter_state="wip") == {
        "items": [],
        "applied_filters": {"filter_topic": "empty", "filter_state": "wip"},
    }


@pytest.mark.parametrize(("limit", "sizes"), [(None, [20, 3]), (10, [10, 10, 3]), ("23", [23])])
async def test_pages_follow_each_other_newest_first(
    world: World, admin: Endpoint, limit: object, sizes: list[int]
) -> None:
    ids = await saved(world, 23)
    found = [await page(admin, limit=limit)]
    while "next_cursor" in found[-1]:
        found.append(await page(admin, limit=limit, cursor=found[-1]["next_cursor"]))
    assert [len(each["items"]) for each in found] == sizes
    assert [item["id"] for each in found for item in each["items"]] == ids


async def test_each_topic_and_each_state_is_listed_alone(world: World, admin: Endpoint) -> None:
    by_state = {state: await saved(world, 3, branch_state=state, topic=state) for state in STATES}
    for state, ids in by_state.items():
        assert await listed(admin, filter_state=state, limit=2) == ids
        assert await listed(admin, filter_topic=state) == (ids if state == "active" else [])
    assert await listed(admin) == by_state["active"]


@pytest.mark.case("K51")
async def test_a_list_shows_what_a_search_may_find(world: World) -> None:
    everything = {
        client_id: await saved(world, 2, client_id)
        for client_id in ("nowhere", "team", "team-secret", "team-inner", "docs", "acme-all")
    }
    sees = {
        "nowhere": ["nowhere"],
        "team": ["docs", "team"],
        "docs": ["docs"],
        "default-all": ["docs", "team-inner", "team-secret", "team", "nowhere"],
        "acme-all": ["acme-all"],
        "drafts": [],
    }
    for reader, writers in sees.items():
        expected = [each for writer in writers for each in everything[writer]]
        assert await listed(world.endpoint(reader), limit=3) == expected


async def test_a_state_that_the_profile_may_not_see_is_forbidden(world: World) -> None:
    drafts = world.endpoint("drafts")
    sentence = "filter_state 'active' is not allowed for this client"
    outcome = await drafts.tool("list_context", {"filter_state": "active"})
    assert outcome.failure == ("forbidden", sentence)
    assert (await page(drafts))["applied_filters"]["filter_state"] == "wip"


async def test_what_others_write_between_two_pages_moves_nothing(
    world: World, admin: Endpoint
) -> None:
    ids = await saved(world, 9)
    first = await page(admin, limit=3)
    await asyncio.gather(saved(world, 5), admin.deprecate(ids[4], ids[0]))
    second = await page(admin, limit=3, cursor=first["next_cursor"])
    third = await page(admin, limit=3, cursor=second["next_cursor"])
    rest = [item["id"] for each in (second, third) for item in each["items"]]
    assert rest == [ids[3], *ids[5:]]


async def test_a_list_tells_what_held_when_it_began(world: World, admin: Endpoint) -> None:
    held = await saved(world, 3, valid_until="2026-03-01T12:30:00Z")
    first = await page(admin, limit=1)
    world.clock.at += 45 * 60_000
    following = await page(admin, limit=2, cursor=first["next_cursor"])
    assert [item["id"] for item in following["items"]] == held[1:]
    assert await listed(admin) == []


@pytest.mark.parametrize(
    "changed", [{"filter_topic": "other"}, {"filter_topic": None}, {"filter_state": "wip"}]
)
async def test_a_cursor_is_good_for_its_filters_alone(
    world: World, admin: Endpoint, changed: Json
) -> None:
    await saved(world, 3, topic="notes")
    cursor = (await page(admin, filter_topic="notes", limit=1))["next_cursor"]
    given = {"filter_topic": "notes", "limit": 1, "cursor": cursor}
    assert (await admin.tool("list_context", given | changed)).failure == OTHER_FILTERS
    assert len((await page(admin, **given | {"limit": 2}))["items"]) == 2


async def test_a_cursor_is_good_for_its_client_alone(world: World) -> None:
    await saved(world, 3)
    await saved(world, 3, "acme-all")
    cursors = {
        client_id: (await page(world.endpoint(client_id), limit=1))["next_cursor"]
        for client_id in ("default", "default-all", "acme-all")
    }
    for client_id, own in cursors.items():
        for cursor in cursors.values():
            outcome = await world.endpoint(client_id).tool("list_context", {"cursor": cursor})
            assert cursor == own or outcome.failure == FOREIGN


async def test_a_cursor_ends(world: World, admin: Endpoint) -> None:
    await saved(world, 2)
    cursor = (await page(admin, limit=1))["next_cursor"]
    world.clock.at += CURSOR.lifetime
    assert (await admin.tool("list_context", {"cursor": cursor})).failure == EXPIRED


@pytest.mark.parametrize("cursor", ["x", "5", "A" * 5_000, "../..", "é", "null"])
async def test_any_other_text_is_no_cursor(admin: Endpoint, cursor: str) -> None:
    assert (await admin.tool("list_context", {"cursor": cursor})).failure == FOREIGN


@pytest.mark.parametrize("limit", [0, 101, -1, "many", 1.5, True])
async def test_a_limit_is_a_whole_number_from_1_to_100(admin: Endpoint, limit: object) -> None:
    outcome = await admin.tool("list_context", {"limit": limit})
    assert outcome.failure == ("invalid_input", "limit must be a whole number from 1 to 100")


async def test_an_event_tells_of_a_list_and_neither_cursor_nor_text(
    world: World, admin: Endpoint
) -> None:
    await saved(world, 3, topic="notes")
    cursor = (await page(admin, filter_topic="notes", limit=2))["next_cursor"]
    await page(admin, filter_topic="notes", limit=2, cursor=cursor)
    first, second = (await world.events())[-2:]
    shown = {"filter_topic": "notes", "filter_state": "active", "limit": 2}
    assert first["request"] == {**shown, "continued": False}
    assert second["request"] == {**shown, "continued": True}
    told = {"filter_topic": "notes", "filter_state": "active"}
    assert first["response"] == {**told, "result_count": 2, "more": True}
    assert second["response"] == {**told, "result_count": 1, "more": False}
    assert cursor not in str(await world.events())


async def test_lists_embed_nothing(world: World, admin: Endpoint) -> None:
    await saved(world, 3)
    calls = world.embedder.calls
    await listed(admin, limit=1)
    assert world.embedder.calls == calls
