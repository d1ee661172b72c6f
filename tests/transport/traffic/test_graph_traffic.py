"""The documents that reading the graph costs in Firestore, counted at the wire: the table in
docs/architecture.md holds.
"""

from bench.firestore_relay import Relay
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.moment import iso
from tests.endpoint import Endpoint
from tests.firestore_costs import EVENT, cost
from tests.world import World

DAY = 86_400_000
NONE = 1
"""A query that finds nothing."""
CALLED = 1 + NONE + 1
"""The entity, that nothing was merged into it, and how many memories mention it."""


async def a_chain(admin: Endpoint) -> None:
    """State four entities in a row, with a value on the first."""
    await admin.state("auth", "port", "443")
    for one, other in (("auth", "ledger"), ("ledger", "vault"), ("vault", "disk")):
        await admin.state(one, "relies_on", object_id=other)


def met(entities: int) -> int:
    """Return what it costs to know entities that were met at one distance."""
    return entities + NONE


async def test_an_entity_costs_its_facts_and_those_of_what_is_near(
    admin: Endpoint, relay: Relay
) -> None:
    await a_chain(admin)

    async def asked(hops: int) -> tuple[int, int]:
        return await cost(relay, admin, "query_entity", entity="auth", max_hops=hops)

    await asked(0)  # After it, use waits.
    own, episodes = 2, NONE
    assert await asked(1) == (CALLED + own + episodes + met(1), EVENT)
    assert await asked(2) == (CALLED + own + episodes + met(1) + 2 + met(1), EVENT)


async def test_a_path_costs_the_hops_that_it_has(admin: Endpoint, relay: Relay) -> None:
    await a_chain(admin)

    async def asked(to: str) -> tuple[int, int]:
        return await cost(relay, admin, "traverse_graph", entity="auth", mode="path", to=to)

    await asked("ledger")  # After it, use waits.
    assert await asked("ledger") == (2 * CALLED + 2 + met(1), EVENT)
    assert await asked("vault") == (2 * CALLED + 2 + met(1) + 2 + met(1), EVENT)


async def test_a_moment_costs_all_facts_and_the_changes_since_it_was_known(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    await a_chain(admin)
    before = iso(world.clock.at)
    await cost(relay, admin, "time_travel", as_of="now")  # After it, use waits.
    assert await cost(relay, admin, "time_travel", as_of="now") == (4 + NONE, EVENT)
    episodes = [NONE] * len(BranchState)
    of_one = await cost(relay, admin, "time_travel", as_of="now", entity="vault")
    assert of_one == (CALLED + 2 + sum(episodes), EVENT)
    world.clock.at += DAY
    await admin.state("auth", "port", "8443")
    known = await cost(relay, admin, "time_travel", as_of=before, known_at=before)
    changes = 2
    assert known[0] == 5 + NONE + changes


async def test_a_context_looks_names_up_and_reads_facts_of_those_that_are_named(
    admin: Endpoint, relay: Relay
) -> None:
    async def asked(query: str) -> int:
        return (await cost(relay, admin, "compile_context", query=query))[0]

    await admin.save("The pump is in the cellar.")
    await a_chain(admin)
    await asked("the pump")  # After it, figures are known and use waits.
    unnamed, named = await asked("the pump"), await asked("the pump auth")
    look_up, merged, own, near = 1, NONE, 2 + met(1), 2
    assert named - unnamed == look_up + merged + own + near - NONE
