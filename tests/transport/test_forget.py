"""forget_context: gone from every answer, by ids at once and by filters after a preview."""

import pytest

from metacortex.domain.confirmation import MOST_IDS, SHOWN_IDS
from metacortex.domain.forgetting import Forgetting, Tombstone
from metacortex.service.forgetting import PAGE
from tests.endpoint import Endpoint, Json
from tests.fakes import START
from tests.samples import a_memory, add
from tests.world import World

FIVE_MINUTES = 300_000


async def preview(endpoint: Endpoint, **narrowed: object) -> Json:
    return (await endpoint.tool("forget_context", narrowed)).success


async def listed(endpoint: Endpoint, **narrowed: object) -> list[str]:
    items = (await endpoint.tool("list_context", {"limit": 100, **narrowed})).success["items"]
    return [item["id"] for item in items]


@pytest.mark.case("K44")
async def test_what_is_forgotten_is_told_by_nothing(world: World, admin: Endpoint) -> None:
    others = [await admin.save(f"The pump {n} is blue.") for n in range(5)]
    gone = await admin.save("The pump is made of mithril.", topic="secret-topic")
    replaced = await admin.save("The pump was made of iron.")
    await admin.deprecate(replaced["id"], gone["id"])
    await admin.search("pump mithril", limit=5)
    told = (await admin.tool("forget_context", {"ids": [gone["id"]]})).success
    assert told == {"forgotten": 1, "ids": [gone["id"]]}
    left = {item["id"] for item in others}
    answers = [
        (await admin.tool(tool, arguments)).text
        for tool, arguments in (
            ("search_context", {"query": "pump mithril", "limit": 20}),
            ("search_context", {"query": "pump mithril", "mode": "words"}),
            ("search_context", {"query": "pump mithril", "filter_state": "deprecated"}),
            ("search_context", {"query": "pump mithril", "valid_at": "2026-01"}),
            ("compile_context", {"query": "pump mithril", "include_superseded": True}),
            ("search", {"query": "pump mithril"}),
            ("list_context", {"limit": 100}),
            ("memory_stats", {}),
            ("fetch_context", {"document_id": replaced["id"]}),
        )
    ]
    assert not any(word in text for text in answers for word in ("of mithril", "secret-topic"))
    assert set(await admin.found("pump mithril", limit=5)) == left
    assert set(await listed(admin)) == left
    assert (await admin.fetch(gone["id"])).failure == ("not_found", "Document not found")
    assert (await admin.item(replaced["id"]))["metadata"]["superseded_by"] == "forgotten"
    again = await admin.remember("The pump is made of mithril.", topic="secret-topic")
    assert again["write_status"] == "created"
    assert again["item"]["id"] != gone["id"]


async def test_the_event_of_it_keeps_ids_and_no_text(world: World, admin: Endpoint) -> None:
    item = await admin.save("The pump is made of mithril.", topic="pumps")
    await admin.tool("forget_context", {"ids": [item["id"]]})
    await preview(admin, filter_topic="pumps", kind=["note"])
    by_ids, by_filter = (await world.events())[-2:]
    assert by_ids["request"]["ids"] == [item["id"]]
    assert by_ids["response"] == {"forgotten_count": 1}
    assert by_filter["request"]["filter_topic"] == "pumps"
    assert by_filter["request"]["filters"] == ["kind"]
    assert by_filter["response"] == {"forgotten_count": 0, "matching_count": 0}
    assert "mithril" not in str(await world.events())


async def test_a_preview_forgets_nothing_and_its_confirmation_just_that(
    world: World, admin: Endpoint
) -> None:
    ids = [(await admin.save(f"The pump {n}.", topic="pumps"))["id"] for n in range(12)]
    draft = await admin.save("A draft of pumps.", topic="pumps", draft=True)
    expired = await admin.save("Of old pumps.", topic="pumps", valid_until="2020")
    other = await admin.save("The relay.", topic="relays")
    told = await preview(admin, filter_topic="pumps")
    assert (told["forgotten"], told["matching"]) == (0, 14)
    assert len(told["ids"]) == SHOWN_IDS
    assert len(await listed(admin)) == 13
    # What is saved or changed from here on was not counted.
    world.clock.at += 1
    newer = await admin.save("The newest pump.", topic="pumps")
    await admin.tool("promote_context", {"document_id": draft["id"]})
    confirmed = {"filter_topic": "pumps", "confirmation": told["confirmation"]}
    assert await preview(admin, **confirmed) == {"forgotten": 13}
    assert set(await listed(admin)) == {other["id"], newer["id"], draft["id"]}
    assert (await admin.fetch(expired["id"])).failure[0] == "not_found"
    assert await preview(admin, **confirmed) == {"forgotten": 0}
    assert (await admin.fetch(ids[0])).failure[0] == "not_found"


async def test_all_is_all_of_every_state(world: World, admin: Endpoint) -> None:
    for n, state in enumerate(("active", "wip", "merged", "deprecated")):
        await admin.save(f"Memory {n}.", branch_state=state)
    theirs = await world.endpoint("acme-all").save("Of another tenant.")
    told = await preview(admin, all=True)
    assert told["matching"] == 4
    assert await preview(admin, all=True, confirmation=told["confirmation"]) == {"forgotten": 4}
    assert (await admin.tool("memory_stats", {})).success["memories"] == 0
    assert await world.endpoint("acme-all").item(theirs["id"]) == theirs
    nothing = await preview(admin, all=True)
    assert nothing == {"forgotten": 0, "matching": 0, "ids": []}


async def test_a_relative_date_stays_that_of_the_preview(world: World, admin: Endpoint) -> None:
    item = await admin.save("An old pump.")
    world.clock.at += 3_600_000
    narrowed = {"created_before": "30 minutes ago"}
    told = await preview(admin, **narrowed)
    assert told["ids"] == [item["id"]]
    world.clock.at += 60_000
    again = await preview(admin, **narrowed, confirmation=told["confirmation"])
    assert again == {"forgotten": 1}


async def test_a_confirmation_is_good_for_its_filters_client_and_time(
    world: World, admin: Endpoint
) -> None:
    await admin.save("The pump.", topic="pumps")
    await admin.save("The relay.", topic="relays")
    token = (await preview(admin, filter_topic="pumps"))["confirmation"]
    refusals = [
        await admin.tool("forget_context", {"filter_topic": "relays", "confirmation": token}),
        await admin.tool("forget_context", {"all": True, "confirmation": token}),
        await world.endpoint("default-all").tool(
            "forget_context", {"filter_topic": "pumps", "confirmation": token}
        ),
        await admin.tool("forget_context", {"filter_topic": "pumps", "confirmation": token[:-1]}),
    ]
    world.clock.at += FIVE_MINUTES
    late = {"filter_topic": "pumps", "confirmation": token}
    refusals.append(await admin.tool("forget_context", late))
    unknown = "confirmation is not one that forget_context gave to this client; preview again"
    others = "confirmation belongs to other filters; give those of its preview, or preview again"
    assert [refused.failure for refused in refusals] == [
        ("invalid_input", f"{sentence} without it")
        for sentence in (
            others,
            others,
            f"{unknown}",
            f"{unknown}",
            "confirmation has expired; preview again",
        )
    ]
    assert len(await listed(admin)) == 2


@pytest.mark.parametrize("gone_meanwhile", [False, True])
async def test_what_was_saved_with_the_dates_of_before_is_not_forgotten(
    world: World, admin: Endpoint, gone_meanwhile: bool
) -> None:
    first = await admin.save("The pump.", topic="pumps")
    token = (await preview(admin, filter_topic="pumps"))["confirmation"]
    # Its clock was read before the preview, and its write came after it; what went meanwhile makes
    # no room for it.
    earlier = START - 9
    later = a_memory(
        "later", topic="pumps", recorded_at=earlier, updated_at=earlier, created_at=earlier
    )
    await add(world.engine.store, later, tenant="default")
    if gone_meanwhile:
        await admin.tool("forget_context", {"ids": [first["id"]]})
    told = await preview(admin, filter_topic="pumps", confirmation=token)
    assert told == {"forgotten": 0 if gone_meanwhile else 1}
    assert await listed(admin) == ["later"]


async def test_one_that_may_not_be_forgotten_keeps_the_others(world: World) -> None:
    docs, team = world.endpoint("docs"), world.endpoint("team")
    read_only, own = await docs.save("Of the docs."), await team.save("Of the team.")
    outcome = await team.tool("forget_context", {"ids": [own["id"], read_only["id"]]})
    sentence = "namespace 'docs/public' is read-only for this client"
    assert outcome.failure == ("forbidden", sentence)
    by_filter = await team.tool("forget_context", {"namespace": "docs/public"})
    assert by_filter.failure == ("forbidden", sentence)
    hidden = await world.endpoint("drafts").tool("forget_context", {"filter_state": "active"})
    assert hidden.failure == ("forbidden", "filter_state 'active' is not allowed for this client")
    active = await world.endpoint("nowhere").save("An active one.")
    outcome = await world.endpoint("drafts").tool("forget_context", {"ids": [active["id"]]})
    assert outcome.failure == ("forbidden", "branch_state 'active' is not allowed for this client")
    assert await team.item(own["id"]) == own
    assert (await preview(team, all=True))["ids"] == [own["id"]]
    assert (await preview(team, namespace="team"))["ids"] == [own["id"]]
    assert (await preview(world.endpoint("default-all"), namespace="docs/public"))["ids"] == [
        read_only["id"]
    ]


async def test_repeating_it_succeeds_for_who_has_done_it(world: World, admin: Endpoint) -> None:
    one, other = await admin.save("One."), await admin.save("Other.")
    await admin.tool("forget_context", {"ids": [one["id"]]})
    both = {"ids": [one["id"], other["id"], one["id"]]}
    told = (await admin.tool("forget_context", both)).success
    assert told == {"forgotten": 1, "ids": [one["id"], other["id"]]}
    assert (await admin.tool("forget_context", both)).success["forgotten"] == 0
    someone = await world.endpoint("default-all").tool("forget_context", both)
    assert someone.failure == ("not_found", "Document not found: number 1 of ids")
    (*_, last) = await world.engine.store.changes("default", one["id"])
    assert isinstance(last, Tombstone)
    assert last.client == "default"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "Provide ids, or filters, or all as true: one of the three"),
        ({"all": False}, "Provide ids, or filters, or all as true: one of the three"),
        (
            {"all": True, "filter_topic": "x"},
            "Provide ids, or filters, or all as true: one of the three",
        ),
        (
            {"ids": ["x"], "all": True},
            "Provide ids alone, without filters, all or confirmation",
        ),
        (
            {"ids": ["x"], "session_id": "s"},
            "Provide ids alone, without filters, all or confirmation",
        ),
        (
            {"ids": ["x"], "confirmation": "c"},
            "Provide ids alone, without filters, all or confirmation",
        ),
        ({"ids": [f"m{n}" for n in range(MOST_IDS + 1)]}, "ids must name 1 to 100 memories"),
    ],
)
async def test_what_is_not_clear_forgets_nothing(
    admin: Endpoint, arguments: Json, sentence: str
) -> None:
    await admin.save("The pump.")
    outcome = await admin.tool("forget_context", arguments)
    assert outcome.failure == ("invalid_input", sentence)
    assert len(await listed(admin)) == 1


async def test_what_was_cut_off_is_finished_by_the_same_call(world: World, admin: Endpoint) -> None:
    ids = [(await admin.save(f"The pump {n}.", topic="pumps"))["id"] for n in range(5)]
    await admin.deprecate(ids[0], ids[4])
    token = (await preview(admin, filter_topic="pumps"))["confirmation"]
    world.clock.at += 1
    # What a call that did not come to its end has left behind.
    how = Forgetting(b"key", "default", world.clock.at)
    await world.engine.store.forget("default", ids[3:], how)
    confirmed = {"filter_topic": "pumps", "confirmation": token}
    assert await preview(admin, **confirmed) == {"forgotten": 3}
    assert (await admin.tool("memory_stats", {})).success["memories"] == 0


async def test_any_number_is_forgotten_by_one_confirmation(world: World, admin: Endpoint) -> None:
    many = PAGE + MOST_IDS + 1
    for n in range(many):
        memory = a_memory(f"m{n}", recorded_at=START, updated_at=START, created_at=START - n)
        await add(world.engine.store, memory, tenant="default")
    told = await preview(admin, all=True)
    assert (told["matching"], told["ids"][0]) == (many, "m0")
    confirmed = await preview(admin, all=True, confirmation=told["confirmation"])
    assert confirmed == {"forgotten": many}
