"""compile_context brings along what is linked to the entities that a query names."""

from typing import Any

import pytest

from metacortex.adapters.local.tokens import O200kTokenCounter
from metacortex.domain.errors import Unavailable
from tests.endpoint import Endpoint
from tests.merging import merged
from tests.world import World

COUNT = O200kTokenCounter().count
DAY = 86_400_000


async def compiled(world: World, query: str, client: str = "default", **arguments: Any) -> str:
    """Return what is told of a query where words alone find anything."""
    given = {"query": query, "max_tokens": 2_000, **arguments}
    world.embedder.fault = Unavailable("The model sleeps.")
    outcome = await world.endpoint(client).tool("compile_context", given)
    world.embedder.fault = None
    return str(outcome.success["context"])


async def a_chain(admin: Endpoint) -> None:
    """State that checkout relies on the ledger, and what is so of the ledger."""
    await admin.state("CheckoutFlow", "relies_on", object_id="LedgerCore")
    await admin.state("LedgerCore", "isolation_level", "SERIALIZABLE")
    await admin.state("BillingJob", "isolation_level", "SNAPSHOT")


async def test_what_is_linked_to_a_named_entity_comes_along(world: World) -> None:
    await a_chain(world.endpoint())

    told = await compiled(world, "why does CheckoutFlow hang")

    assert "LedgerCore isolation_level SERIALIZABLE" in told
    assert "BillingJob" not in told


async def test_a_part_of_a_name_names_nothing(world: World) -> None:
    await a_chain(world.endpoint())

    assert "SERIALIZABLE" not in await compiled(world, "why does CheckoutFlowers hang")


async def test_what_words_found_comes_before_what_is_linked_to_it(world: World) -> None:
    await a_chain(world.endpoint())

    told = await compiled(world, "CheckoutFlow relies_on what")

    assert told.index("CheckoutFlow relies_on LedgerCore") < told.index("SERIALIZABLE")


async def test_only_what_holds_comes_along(world: World) -> None:
    admin = world.endpoint()
    await a_chain(admin)
    world.clock.at += DAY
    await admin.state("LedgerCore", "isolation_level", "SNAPSHOT2")
    world.clock.at += DAY

    told = await compiled(world, "why does CheckoutFlow hang")
    assert "SNAPSHOT2" in told
    assert "SERIALIZABLE" not in told
    past = await compiled(world, "why does CheckoutFlow hang", as_of="2026-03-01T23:59:00Z")
    assert "SERIALIZABLE" in past
    assert "SNAPSHOT2" not in past


@pytest.mark.parametrize("form", ["markdown", "numbered", "compact", "json"])
async def test_what_comes_along_stays_under_the_budget(world: World, form: str) -> None:
    admin = world.endpoint()
    for number in range(12):
        await admin.state("CheckoutFlow", f"step_{number}", "word " * 20)

    for most in (100, 200, 400):
        given = {"query": "tell of CheckoutFlow", "max_tokens": most, "format": form}
        outcome = await admin.tool("compile_context", given)
        assert outcome.success["used"] == COUNT([outcome.text])[0] <= most


async def test_other_namespaces_and_kinds_stay_out(world: World) -> None:
    everything = world.endpoint("default-all")
    await everything.state("CheckoutFlow", "relies_on", object_id="LedgerCore")
    await everything.state("CheckoutFlow", "relies_on", object_id="HiddenCore", namespace="team")
    await everything.state("HiddenCore", "port", "HIDDENPORT", namespace="team")
    query = "why does CheckoutFlow hang"

    assert "HIDDENPORT" not in await compiled(world, query, "nowhere")
    assert "HIDDENPORT" in await compiled(world, query, "default-all")
    assert "relies_on" not in await compiled(world, query, kinds=["note"])
    assert "relies_on" not in await compiled(world, query, topic="racks")


async def test_an_alias_stands_for_its_entity(world: World) -> None:
    await a_chain(world.endpoint())
    await world.endpoint().save("The CartThing hangs.")
    await merged(world, "CartThing", "CheckoutFlow")

    told = await compiled(world, "what of CartThing")

    assert "CheckoutFlow relies_on LedgerCore" in told
    assert "LedgerCore isolation_level SERIALIZABLE" in told
