"""The documents that each tool call that writes reads and writes in Firestore, counted at the wire:
the table in docs/architecture.md holds.
"""

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient

from bench.firestore_relay import Relay
from metacortex.service.resemblances import CANDIDATES
from tests.endpoint import Endpoint, Json
from tests.fakes import BAG_OF_WORDS
from tests.firestore_bulk import put
from tests.firestore_costs import EVENT, cost, rows
from tests.world import World

NAMES = 1
"""The one query for known names of a text that has at most 30 different words to begin one with."""
NAMES_IN_LONG = 10
LONG = " ".join(f"gauge{n} reads bar{n}." for n in range(300))


async def test_a_write_costs_its_windows_and_three_more(
    world: World, archivist: Endpoint, relay: Relay
) -> None:
    short = await cost(relay, archivist, "remember_context", content="The ferry is late.")
    assert short == (1 + NAMES, 3 + EVENT)
    world.embedder.passages.clear()
    long = await cost(relay, archivist, "remember_context", content=LONG)
    windows = len(world.embedder.passages)
    assert windows > 10
    assert long == (1 + NAMES_IN_LONG, windows + 2 + EVENT)
    episode = {"title": "A delay", "content": "It is late.", "files_touched": ["a.py"]}
    like = 2
    told = await cost(relay, archivist, "record_episode", **episode)
    assert told == (1 + NAMES + like, 3 + 1 + EVENT)


@pytest.mark.parametrize(
    ("client_id", "held", "looked"),
    [
        ("chatgpt-web", 0, 1),
        ("chatgpt-web", 7, CANDIDATES + 1),
        ("default", 0, 3),
        ("default", 7, CANDIDATES + 1 + 2),
        ("team", 7, 6),
    ],
)
async def test_what_it_resembles_costs_six_reads_at_most_for_each_state_and_namespace(
    world: World, relay: Relay, client: AsyncClient, client_id: str, held: int, looked: int
) -> None:
    await put(client, rows(held), tenant="default", space=BAG_OF_WORDS)
    endpoint = world.endpoint(client_id)
    written = await cost(relay, endpoint, "remember_context", content="The ferry is late.")
    assert written == (1 + NAMES + looked, 3 + EVENT)


async def test_an_equal_write_costs_two_reads(admin: Endpoint, relay: Relay) -> None:
    await admin.save("The ferry is late.")
    equal = await cost(relay, admin, "remember_context", content="The ferry is late.")
    assert equal == (2, EVENT)


async def test_a_write_whose_fingerprint_is_there_and_too_old_costs_four_reads(
    world: World, archivist: Endpoint, relay: Relay
) -> None:
    await archivist.save("The ferry is late.")
    world.clock.at += world.settings.idempotency_window + 1
    again = await cost(relay, archivist, "remember_context", content="The ferry is late.")
    assert again == (4 + NAMES, 3 + EVENT)


async def test_what_a_write_supersedes_costs_two_reads_and_two_writes(
    world: World, archivist: Endpoint, relay: Relay
) -> None:
    short, long = [(await archivist.save(text))["id"] for text in ("The ferry is late.", LONG)]
    windows = len(world.embedder.passages) - 1

    async def correction(content: str, replaced: str) -> tuple[int, int]:
        arguments = {"content": content, "supersedes": replaced}
        return await cost(relay, archivist, "remember_context", **arguments)

    assert await correction("It sailed.", short) == (1 + NAMES + 2, 3 + 2 + EVENT)
    assert await correction("It arrived.", long) == (1 + NAMES + 2, 3 + windows + 1 + EVENT)
    assert await correction("It arrived.", long) == (2, EVENT)


async def test_a_consolidation_reads_its_sources_twice_and_changes_each(
    admin: Endpoint, relay: Relay
) -> None:
    texts = [f"Ferry {n} is late." for n in range(3)]
    ids = [(await admin.save(text, topic="ferry", draft=True))["id"] for text in texts]
    shown = await cost(relay, admin, "consolidate_context", ids=ids)
    queue = await cost(relay, admin, "consolidate_context", topic="ferry")
    written = await cost(relay, admin, "consolidate_context", ids=ids, content="All are late.")
    assert (shown, queue) == ((3, EVENT), (3, EVENT))
    # Beside it each of three states is looked at, as it is then, for what the merged one resembles.
    reads, writes = written
    assert 3 <= reads - (2 * 3 + 1 + NAMES) <= 3 + 3
    assert writes == 3 + 2 * 3 + EVENT


async def test_a_deprecation_costs_its_windows_and_the_chain_of_its_replacement(
    world: World, admin: Endpoint, archivist: Endpoint, relay: Relay
) -> None:
    texts = ["The ferry is late.", "It sailed.", "It arrived.", LONG]
    first, second, third, long = [(await archivist.save(text))["id"] for text in texts]
    windows = len(world.embedder.passages) - 3

    async def deprecation(old: str, new: str) -> tuple[int, int]:
        return await cost(
            relay, admin, "deprecate_context", document_id=old, superseding_document_id=new
        )

    assert await deprecation(second, third) == (4, 3 + EVENT)
    assert await deprecation(first, second) == (4 + 1, 3 + 1 + EVENT)
    assert await deprecation(long, first) == (4 + 2, windows + 2 + 2 + EVENT)
    assert await deprecation(long, first) == (4 + 2, EVENT)


async def test_a_promotion_costs_its_windows_and_two_reads(
    world: World, admin: Endpoint, archivist: Endpoint, relay: Relay
) -> None:
    short = await archivist.save("The ferry is late.", draft=True)
    world.embedder.passages.clear()
    long = await archivist.save(LONG, draft=True)
    windows = len(world.embedder.passages)

    async def promotion(item: Json) -> tuple[int, int]:
        return await cost(relay, admin, "promote_context", document_id=item["id"])

    assert await promotion(short) == (2, 2 + EVENT)
    assert await promotion(long) == (2, windows + 1 + EVENT)
    assert await promotion(long) == (2, EVENT)
