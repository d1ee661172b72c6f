"""The documents that the tools of facts read and write in Firestore, counted at the wire: the table
in docs/architecture.md holds.
"""

from bench.firestore_relay import Relay
from metacortex.domain.moment import iso
from tests.endpoint import Endpoint
from tests.firestore_costs import EVENT, cost
from tests.world import World

DAY = 86_400_000
HEAD = 1
NAMED = 1
"""The entity that is named."""
CALLED = 2 * NAMED
"""It is read before the fact is written, and after."""
NONE = 1
"""A query that finds nothing."""
ALIASES = NONE
FAMILY = 1 + ALIASES
"""The subject once more, as it stands when the model has answered, and its aliases."""
OBJECT = 1
"""An object that is an entity, beside it."""
LIKE = 2
"""The new name itself, by its spelling and by its meaning."""


async def stating(relay: Relay, endpoint: Endpoint, value: str, **more: object) -> tuple[int, int]:
    """Return what it costs to say what Noor drinks."""
    stated = {"subject_id": "Noor", "predicate": "drinks", "object_value": value}
    return await cost(relay, endpoint, "upsert_fact", **(stated | more))


async def test_a_fact_costs_what_has_a_say_and_what_it_ends(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    assert await stating(relay, admin, "espresso") == (
        CALLED + LIKE + FAMILY + HEAD + NONE + NONE,
        NAMED + 3 + EVENT,
    )
    assert await stating(relay, admin, "espresso") == (CALLED + FAMILY + HEAD + 1 + NONE, EVENT)
    for day in range(1, 9):
        world.clock.at += DAY
        assert await stating(relay, admin, f"tea {day}") == (
            CALLED + FAMILY + HEAD + 1 + NONE,
            3 + 2 + EVENT,
        )
    ended = await stating(relay, admin, "tea 8", valid_until=iso(world.clock.at + DAY))
    assert ended == (CALLED + FAMILY + HEAD + 1 + NONE, HEAD + 2 + EVENT)


async def test_a_late_fact_costs_all_that_has_ended_since(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    start = world.clock.at
    for day in range(6):
        await stating(relay, admin, f"tea {day}", valid_from=iso(start + day * DAY))
    late = await stating(relay, admin, "mate", valid_from=iso(start + 3 * DAY + 1))
    ended, open_ = 2, 1
    held = 1
    assert late == (CALLED + FAMILY + HEAD + open_ + ended, 3 + 2 + held + EVENT)


async def test_facts_beside_each_other_cost_all_that_are_open(
    admin: Endpoint, relay: Relay
) -> None:
    for n in range(5):
        cost_of_one = await stating(relay, admin, f"tea {n}", singular=False)
        like, made = (0, 0) if n else (LIKE, NAMED)
        read = CALLED + like + FAMILY + HEAD + max(1, n) + NONE
        assert cost_of_one == (read, made + 3 + EVENT)


async def test_a_subject_of_two_names_costs_the_past_of_both(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    for name, values in (("Noor", ("espresso", "mate", "tea")), ("Nora", ("cocoa", "water"))):
        for value in values:
            world.clock.at += DAY
            await admin.state(name, "drinks", value)
    await admin.tool("merge_entities", {"from": "Nora", "into": "Noor"})
    world.clock.at += DAY
    family, heads, is_open, ending, ended = 2 + NONE, 2, 1 + 1, NONE + NONE, 2 + 1
    # One of each name ends where one of the other starts, of which one does not end itself.
    joined, named, replaced = 2, 1, 1
    assert await stating(relay, admin, "milk") == (
        CALLED + family + heads + is_open + ending + ended,
        heads + 2 + 2 * (joined + replaced) + named + EVENT,
    )
    world.clock.at += DAY
    assert await stating(relay, admin, "juice") == (
        CALLED + family + heads + (1 + NONE) + ending + (3 + 2),
        heads + 2 + 2 + EVENT,
    )


async def test_what_a_fact_was_drawn_from_is_read_twice_and_held(
    admin: Endpoint, relay: Relay
) -> None:
    episode = await admin.save("Noor said so.", kind="episode")
    told = await stating(relay, admin, "espresso", source_episode_id=episode["id"])
    assert told == (2 + CALLED + LIKE + FAMILY + HEAD + NONE + NONE, NAMED + 1 + 3 + EVENT)


async def test_a_context_costs_its_timeline_and_its_changes(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    episode = await admin.save("Noor said so.", kind="episode")
    told = await admin.state("Noor", "drinks", "espresso", source_episode_id=episode["id"])
    world.clock.at += DAY
    await admin.state("Noor", "drinks", "tea")
    for value in ("figs", "rice", "beans"):
        await admin.state("Noor", "eats", value)
    changes, timeline, source = 3, 2, 1
    reads = 1 + NAMED + ALIASES + timeline + source + changes
    await cost(relay, admin, "fact_context", fact_id=told["id"])  # After it, use waits.
    assert await cost(relay, admin, "fact_context", fact_id=told["id"]) == (reads, EVENT)


async def test_forgetting_a_fact_costs_its_timeline(admin: Endpoint, relay: Relay) -> None:
    fact, other = [await admin.state("Noor", "likes", each, singular=False) for each in "ab"]
    secret = 1
    drawn = 2
    entity, merged, mentions = 1, 1, 1
    memory = 2 + drawn + 1 + 1 + entity + merged + mentions
    timeline, findings = 2, 1
    told = memory + timeline + findings
    first = await cost(relay, admin, "forget_context", ids=[fact["id"]])
    assert first == (told + secret, 3 + 1 + HEAD + secret + EVENT)
    last = await cost(relay, admin, "forget_context", ids=[other["id"]])
    assert last == (told + NAMED, 3 + 1 + HEAD + NAMED + EVENT)


async def test_what_is_called_by_its_id_costs_a_count_of_what_mentions_it(
    admin: Endpoint, relay: Relay
) -> None:
    fact = await admin.state("Noor", "drinks", "espresso")
    pump = await admin.state("pump", "has", object_id="motor")
    mentions = 1
    by_id, timeline = CALLED + ALIASES + mentions + FAMILY, HEAD + 1 + NONE
    told = await stating(relay, admin, "espresso", subject_id=fact["subject_id"])
    assert told == (by_id + timeline, EVENT)
    told = await stating(relay, admin, "", object_value=None, object_id=pump["object_id"])
    assert told[0] == CALLED + by_id + OBJECT + timeline
    beside = {"subject_id": fact["subject_id"], "object_value": None, "object_id": "a new cup"}
    told = await stating(relay, admin, "", **beside)
    others_with_a_vector = 3
    like = LIKE + others_with_a_vector
    assert told[0] == by_id + OBJECT + timeline + CALLED + like
