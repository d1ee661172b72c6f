"""The documents that each tool call reads and writes in Firestore, counted at the wire: the table
in docs/architecture.md holds.
"""

from collections.abc import AsyncIterator, Sequence
from zlib import crc32

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient

from bench.firestore_relay import Relay
from metacortex.adapters.firestore.use import SHARDS
from metacortex.domain.moment import Moment
from metacortex.engine_settings import DEFAULT_DATABASE
from metacortex.service.use import FLUSHED_EVERY
from tests.endpoint import Endpoint, Json
from tests.fakes import BAG_OF_WORDS, START, FakeReranker
from tests.firestore_bulk import Held, put
from tests.firestore_engines import a_project, opened
from tests.samples import a_memory, a_vector
from tests.world import MakeWorld, World

EVENT = 1
LONG = " ".join(f"gauge{n} reads bar{n}." for n in range(300))
X = a_vector(1, *[0] * (BAG_OF_WORDS.dimension - 1))


@pytest.fixture
def project() -> str:
    return a_project()


@pytest.fixture
async def world(make_world: MakeWorld, relay: Relay, project: str) -> AsyncIterator[World]:
    async with opened(project) as engine:
        yield make_world(engine=engine)


@pytest.fixture
def admin(world: World) -> Endpoint:
    """The admin's endpoint, which searches the whole tenant."""
    return world.endpoint()


@pytest.fixture
async def client(relay: Relay, project: str) -> AsyncIterator[AsyncClient]:
    client = AsyncClient(project=project, database=DEFAULT_DATABASE)
    yield client
    await client._firestore_api.transport.close()


async def cost(relay: Relay, endpoint: Endpoint, tool: str, **arguments: object) -> tuple[int, int]:
    """Return how many documents a tool call read and wrote."""
    async with relay.counted() as traffic:
        await endpoint.tool(tool, arguments)
    return traffic.reads, traffic.writes


async def test_a_write_costs_its_windows_and_three_more(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    short = await cost(relay, admin, "remember_context", content="The ferry is late.")
    assert short == (1, 3 + EVENT)
    world.embedder.passages.clear()
    long = await cost(relay, admin, "remember_context", content=LONG)
    windows = len(world.embedder.passages)
    assert windows > 10
    assert long == (1, windows + 2 + EVENT)


async def test_an_equal_write_costs_two_reads(admin: Endpoint, relay: Relay) -> None:
    await admin.save("The ferry is late.")
    equal = await cost(relay, admin, "remember_context", content="The ferry is late.")
    assert equal == (2, EVENT)


async def test_a_write_whose_fingerprint_is_there_and_too_old_costs_four_reads(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    await admin.save("The ferry is late.")
    world.clock.at += world.settings.idempotency_window + 1
    again = await cost(relay, admin, "remember_context", content="The ferry is late.")
    assert again == (4, 3 + EVENT)


async def test_what_a_write_supersedes_costs_two_reads_and_two_writes(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    short, long = [(await admin.save(text))["id"] for text in ("The ferry is late.", LONG)]
    windows = len(world.embedder.passages) - 1

    async def correction(content: str, replaced: str) -> tuple[int, int]:
        return await cost(relay, admin, "remember_context", content=content, supersedes=replaced)

    assert await correction("It sailed.", short) == (1 + 2, 3 + 2 + EVENT)
    assert await correction("It arrived.", long) == (1 + 2, 3 + windows + 1 + EVENT)
    assert await correction("It arrived.", long) == (2 + 1, EVENT)


async def test_a_consolidation_reads_its_sources_twice_and_changes_each(
    admin: Endpoint, relay: Relay
) -> None:
    texts = [f"Ferry {n} is late." for n in range(3)]
    ids = [(await admin.save(text, topic="ferry", draft=True))["id"] for text in texts]
    shown = await cost(relay, admin, "consolidate_context", ids=ids)
    queue = await cost(relay, admin, "consolidate_context", topic="ferry")
    written = await cost(relay, admin, "consolidate_context", ids=ids, content="All are late.")
    assert (shown, queue) == ((3, EVENT), (3, EVENT))
    assert written == (2 * 3 + 1, 3 + 2 * 3 + EVENT)


async def test_a_fetch_costs_one_read(admin: Endpoint, relay: Relay) -> None:
    item = await admin.save("The ferry is late.")
    await admin.item(item["id"])
    known = await cost(relay, admin, "fetch_context", document_id=item["id"])
    unknown = await cost(relay, admin, "fetch_context", document_id="unknown")
    no_id = await cost(relay, admin, "fetch_context", document_id="no id")
    assert (known, unknown, no_id) == ((1, EVENT), (1, EVENT), (0, EVENT))


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


async def test_a_deprecation_costs_its_windows_and_the_chain_of_its_replacement(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    texts = ["The ferry is late.", "It sailed.", "It arrived.", LONG]
    first, second, third, long = [(await admin.save(text))["id"] for text in texts]
    windows = len(world.embedder.passages) - 3

    async def deprecation(old: str, new: str) -> tuple[int, int]:
        return await cost(
            relay, admin, "deprecate_context", document_id=old, superseding_document_id=new
        )

    assert await deprecation(second, third) == (4, 3 + EVENT)
    assert await deprecation(first, second) == (4 + 1, 3 + 1 + EVENT)
    assert await deprecation(long, first) == (4 + 2, windows + 2 + 1 + EVENT)
    assert await deprecation(long, first) == (4 + 2, EVENT)


async def test_a_promotion_costs_its_windows_and_two_reads(
    world: World, admin: Endpoint, relay: Relay
) -> None:
    short = await admin.save("The ferry is late.", draft=True)
    world.embedder.passages.clear()
    long = await admin.save(LONG, draft=True)
    windows = len(world.embedder.passages)

    async def promotion(item: Json) -> tuple[int, int]:
        return await cost(relay, admin, "promote_context", document_id=item["id"])

    assert await promotion(short) == (2, 2 + EVENT)
    assert await promotion(long) == (2, windows + 1 + EVENT)
    assert await promotion(long) == (2, EVENT)


def rows(count: int, *, ended: bool = False) -> list[Held]:
    """Return memories, each nearer to X than the one after it."""
    until = Moment(START) if ended else None
    prefix = "ended" if ended else "m"
    rest = [0.0] * (BAG_OF_WORDS.dimension - 2)
    return [
        (a_memory(f"{prefix}{n}", valid_until=until), [a_vector(1.0, n / 50, *rest)])
        for n in range(count)
    ]


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
    counts, spaces = 4 + 2 + 1 + 2, 2
    item, *_ = [await admin.save(f"The ferry {number} is late.") for number in range(3)]
    assert await cost(relay, admin, "memory_stats") == (counts + spaces + 3 + 1, EVENT)
    # Two namespaces, which are counted one by one, and hold nothing.
    team = 2 * (4 + 2 + 1 + 2) + 2 + spaces + 2
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
