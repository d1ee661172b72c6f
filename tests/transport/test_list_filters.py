"""list_context under filters, which mean what they mean to a search."""

from typing import Any

import pytest

from tests.endpoint import Endpoint, Json
from tests.fakes import START, FixedClock
from tests.world import World

HOUR = 3_600_000
DAY = 24 * HOUR


async def listed(endpoint: Endpoint, limit: int = 2, **filters: Any) -> list[str]:
    """Return the ids of all pages."""
    ids: list[str] = []
    cursor = None
    while True:
        found = await page(endpoint, **filters, limit=limit, cursor=cursor)
        ids += [item["id"] for item in found["items"]]
        cursor = found.get("next_cursor")
        if cursor is None:
            return ids


async def page(endpoint: Endpoint, **arguments: Any) -> Json:
    return (await endpoint.tool("list_context", arguments)).success


@pytest.mark.case("K28")
async def test_tags_match_whole_any_or_all_of_them(admin: Endpoint, clock: FixedClock) -> None:
    ids = []
    for tags in (["auth"], ["authentication"], ["auth", "urgent"]):
        clock.at += 1
        ids.append((await admin.save(f"Tagged {tags}.", tags=tags))["id"])
    both: Json = {"tags": ["auth", "urgent"], "tags_match": "all"}
    assert await listed(admin, tags=["auth"]) == [ids[2], ids[0]]
    assert await listed(admin, tags=["auth", "urgent"]) == [ids[2], ids[0]]
    assert await listed(admin, **both) == [ids[2]]
    assert (await page(admin, **both))["applied_filters"] == {
        "filter_topic": None,
        "filter_state": "active",
        **both,
    }


@pytest.mark.case("K30")
async def test_a_range_of_dates_includes_its_first_moment_and_excludes_its_end(
    admin: Endpoint, clock: FixedClock
) -> None:
    ids = []
    for hours in (-13, -12, 11, 12):
        clock.at = START + hours * HOUR
        ids.append((await admin.save(f"Saved at {hours}."))["id"])
    day: Json = {"created_after": "2026-03-01T00:00:00Z", "created_before": "2026-03-02T00:00:00Z"}
    assert await listed(admin, limit=1, **day) == [ids[2], ids[1]]
    assert await listed(admin, created_after="2026-03-01") == ids[3:]
    assert await listed(admin, created_before="2026-03") == ids[:1]


async def test_every_label_that_a_search_goes_by_narrows_a_list_down(world: World) -> None:
    admin, web = world.endpoint(), world.endpoint("default-all")
    note = (await admin.save("A note.", importance=0.9, valid_from="2024"))["id"]
    world.clock.at += 1
    labels = {"kind": "episode", "session_id": "s1", "importance": 0.2, "namespace": "team"}
    moved = (await web.save("We moved the relay.", **labels))["id"]
    for filters, ids in (
        ({"kind": ["episode"]}, [moved]),
        ({"kind": ["episode", "note"]}, [moved, note]),
        ({"session_id": "s1"}, [moved]),
        ({"min_importance": 0.5}, [note]),
        ({"namespace": "team"}, [moved]),
        ({"client": "default"}, [note]),
        ({"started_after": "2023"}, [note]),
        ({"started_before": "2023"}, []),
    ):
        assert await listed(web, **filters) == ids


async def test_a_moment_in_the_past_lists_what_was_deprecated_since(
    admin: Endpoint, clock: FixedClock
) -> None:
    ids: list[str] = []
    for number in range(5):
        clock.at += 1
        ids.insert(0, (await admin.save(f"Rule {number}.", valid_from="2025"))["id"])
    await admin.deprecate(ids[1], ids[0])
    await admin.deprecate(ids[3], ids[0])
    past: Json = {"valid_at": "2025-06"}
    for limit in (1, 2, 3, 5):
        assert await listed(admin, limit=limit, **past) == ids
    assert (await page(admin, **past))["applied_filters"]["filter_states"] == [
        "active",
        "deprecated",
    ]
    assert await listed(admin, **past, filter_state="active") == [ids[0], ids[2], ids[4]]
    assert await listed(admin, valid_at="2024") == []


@pytest.mark.parametrize(
    ("filters", "sentence"),
    [
        ({"valid_at": "2024"}, "A moment in the past is not allowed for this client; leave it out"),
        ({"namespace": "team"}, "namespace 'team' cannot be read by this client"),
    ],
)
async def test_what_may_not_be_read_is_refused_as_in_a_search(
    world: World, filters: Json, sentence: str
) -> None:
    drafts = world.endpoint("drafts")
    for tool, given in (("list_context", {}), ("search_context", {"query": "relay"})):
        assert (await drafts.tool(tool, {**given, **filters})).failure == ("forbidden", sentence)


async def test_dates_that_are_told_from_now_are_told_from_when_the_list_began(
    admin: Endpoint, clock: FixedClock
) -> None:
    ids: list[str] = []
    for number in range(3):
        clock.at += 1
        ids.insert(0, (await admin.save(f"Entry {number}."))["id"])
    clock.at = START + 11 * HOUR + HOUR // 2
    today = {"created_after": "yesterday", "limit": 1}
    first = await page(admin, **today)
    clock.at += HOUR - 1
    second = await page(admin, **today, cursor=first["next_cursor"])
    assert second["applied_filters"] == first["applied_filters"]
    assert [each["items"][0]["id"] for each in (first, second)] == ids[:2]


@pytest.mark.parametrize(
    "changed",
    [{"tags": ["b"]}, {"tags_match": "all"}, {"created_after": "2025"}, {"client": "cli"}],
    ids=repr,
)
async def test_a_cursor_is_good_for_all_its_filters_alone(admin: Endpoint, changed: Json) -> None:
    for number in range(2):
        await admin.save(f"Entry {number}.", tags=["a"])
    cursor = (await page(admin, tags=["a"], limit=1))["next_cursor"]
    outcome = await admin.tool("list_context", {"tags": ["a"], "cursor": cursor, **changed})
    code, sentence = outcome.failure
    assert (code, sentence.partition(";")[0]) == (
        "invalid_input",
        "cursor belongs to a list with other filters",
    )
