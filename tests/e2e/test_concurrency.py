"""Several server processes on one file, at once."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.e2e import stored
from tests.e2e.forked_servers import ForkedServer, zygote
from tests.endpoint import Endpoint, Outcome

pytestmark = pytest.mark.e2e

WRITES = 250
WRITERS = 10


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[ForkedServer]]:
    """Four processes that share one file, which none has opened yet."""
    with zygote(tmp_path) as forked:
        yield [forked.start() for _ in range(4)]


@pytest.mark.case("K14")
async def test_four_processes_lose_none_of_a_thousand_writes(
    servers: list[ForkedServer], tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        endpoints = await _endpoints(stack, servers)
        saved = await asyncio.gather(
            *(_saved(endpoint, place) for place, endpoint in enumerate(endpoints))
        )
        text_by_id = {memory_id: text for part in saved for memory_id, text in part.items()}
        assert len(text_by_id) == len(servers) * WRITES

        # Each is asked for at another process than the one that wrote it.
        neighbours = zip(saved, [*endpoints[1:], endpoints[0]], strict=True)
        await asyncio.gather(*(_assert_known(part, endpoint) for part, endpoint in neighbours))

    kept = stored.read(tmp_path)
    kept.assert_whole()
    contents = {memory.id: memory.content for memory in kept.memory_by_id.values()}
    assert contents == text_by_id
    assert kept.told_of() == {("remember_context", memory_id): 1 for memory_id in contents}


@pytest.mark.case("K13")
@pytest.mark.rule("C98")
async def test_equal_writes_at_once_to_two_processes_make_one_memory(
    servers: list[ForkedServer], tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        endpoints = await _endpoints(stack, servers[:2])
        for number in range(5):
            text = f"Relay {number} restarts on Sundays."
            answers = await asyncio.gather(
                *(endpoints[place % 2].remember(text) for place in range(20))
            )
            statuses = Counter(answer["write_status"] for answer in answers)
            assert statuses == {"created": 1, "duplicate": 19}
            assert len({answer["item"]["id"] for answer in answers}) == 1
            # A client whose first try timed out does not know of its success.
            repeated = await endpoints[0].remember(text)
            assert repeated == {"item": answers[0]["item"], "write_status": "duplicate"}
    assert len(stored.read(tmp_path).memory_by_id) == 5


@pytest.mark.rule("C76")
async def test_a_search_sees_what_another_process_has_just_written(
    servers: list[ForkedServer],
) -> None:
    async with AsyncExitStack() as stack:
        writer, reader = await _endpoints(stack, servers[:2])
        await reader.search("heron")
        for number in range(20):
            item = await writer.save(f"heron {number} nests by the weir")
            assert item["id"] in await reader.found(item["content"])
            replacement = await reader.save(f"heron {number} has moved to the lake")
            await reader.deprecate(item["id"], replacement["id"])
            assert item["id"] not in await writer.found(item["content"])
            assert replacement["id"] in await writer.found(item["content"])


@pytest.mark.rule("C94")
async def test_of_two_deprecations_at_once_over_two_processes_one_wins(
    servers: list[ForkedServer], tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        endpoints = await _endpoints(stack, servers[:2])
        for number in range(10):
            old, *replacements = [
                (await endpoints[0].save(f"Door {number} opens with key {key}"))["id"]
                for key in range(3)
            ]
            outcomes = await asyncio.gather(
                *(
                    endpoint.deprecate(old, replacement)
                    for endpoint, replacement in zip(endpoints, replacements, strict=True)
                )
            )
            winner = _only(outcomes, failed=False).success["item"]["superseded_by"]
            assert winner in replacements
            assert _only(outcomes, failed=True).failure == (
                "conflict",
                f"Document is already superseded by '{winner}'",
            )
            metadata = (await endpoints[1].item(old))["metadata"]
            assert (metadata["branch_state"], metadata["superseded_by"]) == ("deprecated", winner)
    stored.read(tmp_path).assert_whole()


async def test_statements_of_one_timeline_by_two_processes_see_each_other(
    servers: list[ForkedServer], tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        endpoints = await _endpoints(stack, servers[:2])
        facts = await asyncio.gather(
            *(
                endpoints[day % 2].state(
                    "relay-7", "firmware", f"4.{day}", valid_from=f"2025-01-{day:02}"
                )
                for day in range(1, 25)
            )
        )
        told = (await endpoints[0].tool("fact_context", {"fact_id": facts[0]["id"]})).success
        ends = [(each["object"], each.get("valid_until")) for each in told["history"]]
        assert ends == [
            *((f"4.{day}", f"2025-01-{day + 1:02}") for day in range(1, 24)),
            ("4.24", None),
        ]
    stored.read(tmp_path).assert_whole()


async def _endpoints(stack: AsyncExitStack, servers: Iterable[ForkedServer]) -> list[Endpoint]:
    return [await stack.enter_async_context(server.endpoint()) for server in servers]


async def _saved(endpoint: Endpoint, place: int) -> dict[str, str]:
    """Make one process's share of the writes, several at once; return the texts by their ids."""
    texts = iter([f"gauge{place}x{number} reads bar{number}x{place}" for number in range(WRITES)])
    text_by_id: dict[str, str] = {}

    async def write() -> None:
        for text in texts:
            text_by_id[(await endpoint.save(text))["id"]] = text

    await asyncio.gather(*(write() for _ in range(WRITERS)))
    return text_by_id


async def _assert_known(text_by_id: dict[str, str], endpoint: Endpoint) -> None:
    for memory_id, text in text_by_id.items():
        assert (await endpoint.item(memory_id))["content"] == text
        assert memory_id in await endpoint.found(text, limit=20)


def _only(outcomes: Iterable[Outcome], *, failed: bool) -> Outcome:
    (outcome,) = [each for each in outcomes if bool(each.result.get("isError")) is failed]
    return outcome
