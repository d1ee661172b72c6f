"""compile_context under filters: what is left out, what was superseded, and the past."""

import pytest

from tests.endpoint import Endpoint, Json
from tests.transport.test_compile import DAY, compiled
from tests.world import World


def cited(answer: Json, *ids: str) -> list[bool]:
    return [f"{id_} sha256:" in answer["context"] for id_ in ids]


async def test_filters_leave_out_what_is_not_asked_for(world: World, admin: Endpoint) -> None:
    note = (await admin.save("Relay one is in rack C.", topic="racks"))["id"]
    episode = (await admin.save("Relay two was moved.", kind="episode", session_id="s1"))["id"]
    other = (await world.endpoint("team").save("Relay three is in rack E."))["id"]
    ids = (note, episode, other)
    assert cited(await compiled(admin, "relay"), *ids) == [True, True, True]
    assert cited(await compiled(admin, "relay", topic="racks"), *ids) == [True, False, False]
    assert cited(await compiled(admin, "relay", kinds=["episode"]), *ids) == [False, True, False]
    assert cited(await compiled(admin, "relay", session_id="s1"), *ids) == [False, True, False]
    team = await compiled(world.endpoint("team"), "relay")
    assert cited(team, *ids) == [False, False, True]
    stranger = await compiled(world.endpoint("acme-all"), "relay")
    assert stranger["context"] == "Nothing near enough is stored."


async def test_what_was_superseded_is_told_only_when_asked_for(
    world: World, admin: Endpoint
) -> None:
    old = (await admin.save("The relay is in rack C."))["id"]
    new = (await admin.save("The relay is in rack D now."))["id"]
    await admin.deprecate(old, new)
    assert cited(await compiled(admin, "relay rack"), old, new) == [False, True]
    both = await compiled(admin, "relay rack", include_superseded=True)
    assert f"deprecated, superseded by {new}, by default, {old}" in both["context"]
    refused = await world.endpoint("drafts").tool(
        "compile_context", {"query": "relay", "include_superseded": True}
    )
    assert refused.failure == ("forbidden", "include_superseded is not allowed for this client")


@pytest.mark.parametrize("filters", [{"session_id": "s1"}, {"kinds": ["episode"]}])
async def test_what_a_filter_leaves_out_takes_no_place_among_the_candidates(
    admin: Endpoint, filters: Json
) -> None:
    for number in range(80):
        await admin.save(f"Which relay is in rack C? Number {number}.", session_id="s0")
    item = await admin.save("A relay was moved.", kind="episode", session_id="s1")
    answer = await compiled(admin, "which relay is in rack c", max_tokens=4_000, **filters)
    assert cited(answer, item["id"]) == [True]
    assert answer["context"].count("relay") == 1
    assert "incomplete" not in answer


async def test_the_past_is_told_as_it_was_and_the_present_without_it(
    world: World, admin: Endpoint
) -> None:
    old = (await admin.save("The relay is in rack C.", valid_from="2026-01"))["id"]
    ended = (await admin.save("The relay is on loan.", valid_until="2026-03-02"))["id"]
    world.clock.at += 40 * DAY
    new = (await admin.save("The relay is in rack D.", valid_from="2026-04-01"))["id"]
    await admin.deprecate(old, new)
    ids = (old, ended, new)
    past = await compiled(admin, "relay", as_of="2026-03-01")
    assert cited(past, *ids) == [True, True, False]
    assert f"deprecated, superseded by {new}" in past["context"]
    assert past["as_of"] == "2026-03-01T23:59:59.999Z"
    for as_of in (None, "today", "2026-04-10T12:00:00Z", "2027"):
        answer = await compiled(admin, "relay", as_of=as_of)
        assert cited(answer, *ids) == [False, False, True]
        assert ("as_of" in answer) == (as_of is not None)
    both = await compiled(admin, "relay", as_of="2026-03-01", include_superseded=True)
    assert both["context"] == past["context"]
    refused = await world.endpoint("drafts").tool(
        "compile_context", {"query": "relay", "as_of": "2025"}
    )
    sentence = "A moment in the past is not allowed for this client; leave it out"
    assert refused.failure == ("forbidden", sentence)
