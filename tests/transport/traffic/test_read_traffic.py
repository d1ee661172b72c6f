"""The documents that each tool call that reads reads and writes in Firestore, counted at the wire:
the table in docs/architecture.md holds.
"""

from collections.abc import Sequence
from zlib import crc32

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient

from bench.firestore_relay import Relay
from metacortex.adapters.firestore.use import SHARDS
from metacortex.service.use import FLUSHED_EVERY
from tests.endpoint import Endpoint
from tests.fakes import BAG_OF_WORDS, FakeReranker
from tests.firestore_bulk import put
from tests.firestore_costs import EVENT, X, cost, rows
from tests.firestore_engines import opened
from tests.world import MakeWorld, World


async def test_a_fetch_costs_one_read(admin: Endpoint, relay: Relay) -> None:
    item = await admin.save("The ferry is late.")
    await admin.item(item["id"])
    known = await cost(relay, admin, "fetch_context", document_id=item["id"])
    unknown = await cost(relay, admin, "fetch_context", document_id="unknown")
    no_id = await cost(relay, admin, "fetch_context", document_id="no id")
    assert (known, unknown, no_id) == ((1, EVENT), (1, EVENT), (0, EVENT))


async def test_a_resource_costs_what_its_tool_does_and_a_prompt_no_read(
    admin: Endpoint, relay: Relay
) -> None:
    item = await admin.save("The ferry is late.")
    await admin.item(item["id"])
    costs = []
    for method, params in (
        ("resources/read", {"uri": f"metacortex://memories/{item['id']}"}),
        ("prompts/get", {"name": "architecture-briefing", "arguments": {"component": "ferry"}}),
        ("resources/list", {}),
    ):
        async with relay.counted() as traffic:
            assert "result" in await admin.rpc(method, params)
        costs.append((traffic.reads, traffic.writes))
    assert costs == [(1, EVENT), (0, EVENT), (0, 0)]


async def test_use_costs_a_write_for_each_of_its_documents_every_thirty_seconds(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    items = [await admin.save(f"The ferry {n} is late.") for n in range(20)]
    documents = {crc32(item["id"].encode()) % SHARDS for item in items}
    search = {"query": "the ferry is late", "limit": 20}
    assert (await cost(relay, admin, "search_context", **search))[1] == EVENT + len(documents)
    assert (await cost(relay, admin, "search_context", **search))[1] == EVENT
    world.clock.at += FLUSHED_EVERY
    assert (await cost(relay, admin, "search_context", **search))[1] == EVENT + len(documents)


def read_whole(records: Sequence[int], windows: Sequence[int]) -> int:
    """Return what a search costs that reads all of so few rows, which it has counted first: those
    of each namespace that it asks for.
    """
    counted = 2 * len(records)
    return counted + sum(max(1, rows) for rows in (*records, *windows))


async def searched(world: World, relay: Relay, limit: int, client_id: str = "default") -> int:
    world.embedder.spoil = lambda vectors: [X.tolist() for _ in vectors]
    endpoint = world.endpoint(client_id)
    await world.endpoint().fetch("m0")  # After it, use is not stored for a while.
    reads, writes = await cost(relay, endpoint, "search_context", query="ferry", limit=limit)
    assert writes == EVENT
    return reads


@pytest.mark.parametrize("count", [0, 1, 6, 40])
async def test_a_search_among_few_counts_them_and_reads_them_all(
    world: World, relay: Relay, client: AsyncClient, count: int
) -> None:
    await put(client, rows(count), tenant="default", space=BAG_OF_WORDS)
    assert await searched(world, relay, 5) == read_whole([count], [0])


async def test_each_namespace_is_counted_and_read_by_itself(
    world: World, relay: Relay, client: AsyncClient
) -> None:
    await put(client, rows(40), tenant="default", space=BAG_OF_WORDS)
    assert await searched(world, relay, 5, "team") == read_whole([0, 0], [0, 0])


async def test_further_windows_are_read_as_records_are(
    world: World, relay: Relay, client: AsyncClient
) -> None:
    held = [(memory, [*vectors, X]) for memory, vectors in rows(9)]
    await put(client, held, tenant="default", space=BAG_OF_WORDS)
    assert await searched(world, relay, 2) == read_whole([9], [9])


async def test_what_valid_time_drops_is_read_with_the_rest(
    world: World, relay: Relay, client: AsyncClient
) -> None:
    await put(client, rows(50, ended=True), tenant="default", space=BAG_OF_WORDS)
    await put(client, rows(10), tenant="default", space=BAG_OF_WORDS)
    assert await searched(world, relay, 15) == read_whole([60], [0])


async def test_counting_costs_its_formula(world: World, admin: Endpoint, relay: Relay) -> None:
    counts, spaces = 4 + 3 + 1 + 2, 2
    item, *_ = [await admin.save(f"The ferry {number} is late.") for number in range(3)]
    assert await cost(relay, admin, "memory_stats") == (counts + spaces + 3 + 1, EVENT)
    # Two namespaces, which are counted one by one, and hold nothing.
    team = 2 * (4 + 3 + 1 + 2) + 2 + spaces + 2
    assert await cost(relay, world.endpoint("team"), "memory_stats") == (team + 1, EVENT)
    await admin.item(item["id"])
    used, out_of_reach = 1, 1
    assert await cost(relay, admin, "memory_stats") == (counts + spaces + 3 + 1 + used, EVENT)
    reads = team + 1 + out_of_reach
    assert await cost(relay, world.endpoint("team"), "memory_stats") == (reads, EVENT)


async def test_a_search_with_a_reranker_reads_as_one_for_thirty_does(
    make_world: MakeWorld, relay: Relay, client: AsyncClient, project: str
) -> None:
    await put(client, rows(150), tenant="default", space=BAG_OF_WORDS)
    async with opened(project) as engine:
        plain = make_world(engine=engine)
        await searched(plain, relay, 15)
        without = await searched(plain, relay, 15)
    async with opened(project) as engine:
        reranking = make_world(engine=engine, reranker=FakeReranker())
        await searched(reranking, relay, 15)
        assert await searched(reranking, relay, 1) == without


async def listed(relay: Relay, endpoint: Endpoint, **arguments: object) -> int:
    """Return how many documents a page of a list reads, once the secret of the store is known."""
    reads, writes = await cost(relay, endpoint, "list_context", **arguments)
    assert writes == EVENT
    return reads


async def seal_once(endpoint: Endpoint) -> None:
    """Let the program have the secret of the store."""
    await endpoint.tool("list_context", {"limit": 1})


async def test_a_page_costs_one_record_more_than_it_holds(
    admin: Endpoint, relay: Relay, client: AsyncClient
) -> None:
    assert await listed(relay, admin) == 1
    await put(client, rows(40), tenant="default", space=BAG_OF_WORDS)
    await seal_once(admin)
    assert await listed(relay, admin) == 20 + 1
    assert await listed(relay, admin, limit=39) == 39 + 1
    assert await listed(relay, admin, limit=100) == 40


async def test_each_namespace_is_listed_by_itself(world: World, relay: Relay) -> None:
    assert await listed(relay, world.endpoint("team")) == 2


async def test_a_page_of_what_does_not_pass_ends(
    admin: Endpoint, relay: Relay, client: AsyncClient
) -> None:
    await put(client, rows(330, ended=True), tenant="default", space=BAG_OF_WORDS)
    await seal_once(admin)
    first = (await admin.tool("list_context", {"limit": 20})).success
    assert first["items"] == []
    assert await listed(relay, admin, limit=20) == 21 + 100 + 200
    assert await listed(relay, admin, limit=20, cursor=first["next_cursor"]) == 330 - 321


async def test_the_secret_of_the_store_is_read_once_and_written_once(
    admin: Endpoint, relay: Relay, client: AsyncClient
) -> None:
    await put(client, rows(3), tenant="default", space=BAG_OF_WORDS)
    assert await cost(relay, admin, "list_context", limit=1) == (2 + 1, EVENT + 1)
    assert await cost(relay, admin, "list_context", limit=1) == (2, EVENT)


async def test_forgetting_costs_what_belongs_to_the_memories(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    ids = [(await admin.save(f"The ferry {number} is late."))["id"] for number in range(5)]
    await admin.deprecate(ids[0], ids[1])
    # The secret of the store is read once in a process, and made once.
    secret = 1
    first = await cost(relay, admin, "forget_context", ids=[ids[4]])
    drawn = 2
    assert first == (2 + drawn + 1 + 1 + secret, 3 + 1 + 1 + secret + EVENT)
    replacement = await cost(relay, admin, "forget_context", ids=[ids[1]])
    assert replacement == (2 + drawn + 1 + 1, 3 + 1 + 1 + 2 + EVENT)
    both = await cost(relay, admin, "forget_context", ids=ids[2:4])
    assert both[0] == 2 * 2 + drawn + 1 + 2
    assert both[1] in (3 * 2 + 2 + shards + EVENT for shards in (1, 2))


async def test_a_confirmation_costs_what_it_finds_and_the_changes_of_what_is_newer(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    for number in range(3):
        await admin.save(f"The ferry {number} is late.")
    narrowed = {"filter_state": "active"}
    confirmation = (await admin.tool("forget_context", narrowed)).success["confirmation"]
    mark = drawn = 1
    assert await cost(relay, admin, "forget_context", **narrowed) == (3 + mark + drawn, EVENT)
    later = await admin.save("The ferry 3 is late.")
    confirmed = await cost(relay, admin, "forget_context", **narrowed, confirmation=confirmation)
    found, change, orphans, fingerprints = 4, 1, 1, 3
    reads = found + 2 * drawn + found + change + orphans + fingerprints
    assert confirmed[0] == reads
    assert confirmed[1] in (3 * 3 + 3 + shards + EVENT for shards in range(4))
    assert (await admin.tool("list_context", {})).success["items"][0]["id"] == later["id"]


async def test_a_moment_in_the_past_and_a_range_on_the_start_are_searches_of_their_own(
    admin: Endpoint, relay: Relay
) -> None:
    for number in range(5):
        await admin.save(f"Ferry {number} is late.")

    async def reads(tool: str, **arguments: str) -> int:
        return (await cost(relay, admin, tool, query="ferry", **arguments))[0]

    await reads("search_context", valid_at="2025")
    own, nothing, names = 5 + 1, 1 + 1, 1
    assert await reads("search_context") == own
    assert await reads("search_context", valid_at="2025") == own + nothing
    assert await reads("compile_context", as_of="2025") == own + nothing + names
    assert await reads("search_context", started_after="2025") == 2 * own


async def test_a_verification_reads_every_memory_and_every_entry_once(
    admin: Endpoint, relay: Relay
) -> None:
    assert await cost(relay, admin, "verify_integrity") == (3, EVENT)
    items = [await admin.save(f"Ferry {number} is late.") for number in range(3)]
    await admin.save("No ferry is late.", supersedes=items[0]["id"])
    memories, entries = 4, 5
    reads = memories + entries + 3
    assert await cost(relay, admin, "verify_integrity") == (reads, EVENT)
    one = items[0]["id"]
    assert await cost(relay, admin, "verify_integrity", memory_id=one) == (reads + 1, EVENT)


async def test_an_export_reads_the_record_beside_what_it_exports(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    for number in range(3):
        await admin.save(f"Ferry {number} is late.")
    record = 3 + 2
    await cost(relay, admin, "export_sources", all=True)
    assert await cost(relay, admin, "export_sources", all=True) == (3 + record, EVENT)
    assert await cost(relay, world.endpoint("nowhere"), "export_sources", all=True) == (3, EVENT)


async def test_a_later_page_of_an_export_reads_the_record_for_proofs_alone(
    admin: Endpoint, relay: Relay
) -> None:
    for number in range(3):
        await admin.save(f"Ferry {number} is late.")
    first = {"all": True, "limit": 2}
    cursor = (await admin.tool("export_sources", first)).success["next_cursor"]
    later = {**first, "cursor": cursor}
    record = 3 + 2
    assert await cost(relay, admin, "export_sources", **later) == (1, EVENT)
    assert await cost(relay, admin, "export_sources", proofs=True, **later) == (1 + record, EVENT)
