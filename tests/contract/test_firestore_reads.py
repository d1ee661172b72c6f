"""What a search reads of Firestore, counted at the wire beside the formula of docs/architecture.md,
and its ceiling.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from random import Random

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient

from bench.firestore_relay import Relay
from metacortex.adapters.firestore.statistics import ALWAYS_COUNTED
from metacortex.adapters.firestore.whole import FEW
from metacortex.adapters.firestore.words import MOST_ASKED, MOST_CANDIDATES
from metacortex.domain.neighbours import LENDERS, REACH
from metacortex.domain.ranking import EACH_LEG
from tests.entities import an_entity
from tests.firestore_bulk import Held, put
from tests.firestore_engines import opened
from tests.questions import a_question
from tests.samples import NOW, SPACE, TENANT, a_filter, a_memory, a_vector

CEILING = 250
COMMON = [f"common{'abcdefghijkl'[n]}" for n in range(MOST_ASKED)]
SESSION = 20
RELAYS = range(7, 37, 5)


@dataclass(frozen=True)
class Setting:
    """How many memories and further windows pass the filter, how many of the memories hold each
    term of the query, how many the chosen terms find, and how many memories only windows find.
    """

    memories: int
    windows: int
    frequencies: tuple[int, ...]
    found: int
    only_windows: int = 0


def counting(rows: int) -> int:
    return max(1, ceil(rows / 1_000))


def reads_of_figures(setting: Setting) -> int:
    """Return the reads that are needed once in ten minutes."""
    most = max(ALWAYS_COUNTED, setting.memories // 2)
    terms = sum(counting(min(frequency, most)) for frequency in setting.frequencies)
    return counting(setting.memories) + 1 + terms


def reads_by_legs(setting: Setting) -> int:
    """Return the reads of a search where more than a few memories pass, the five best of which are
    within a session.
    """
    near = min(EACH_LEG + 1, setting.memories) + max(1, min(EACH_LEG + 1, setting.windows))
    words = max(1, min(MOST_CANDIDATES + 1, setting.found))
    return near + setting.only_windows + words + 2 * REACH * LENDERS


def in_sessions(count: int, content: str, windows: int = 0) -> Iterator[Held]:
    """Yield memories in sessions, of which the first few have a further window."""
    chance = Random(count)
    for n in range(count):
        memory = a_memory(
            f"m{n:05d}", content=content, session_id=f"s{n // SESSION}", created_at=NOW - n
        )
        first = a_vector(chance.random(), 1.0, chance.random())
        yield memory, [first, a_vector(1.0, n / count, 0.0)] if n < windows else [first]


async def test_few_memories_are_read_whole(client: AsyncClient, project: str, relay: Relay) -> None:
    await put(client, in_sessions(FEW - 20, "The relay.", windows=20))
    async with opened(project) as engine:
        reads = []
        for _ in range(2):
            async with relay.counted() as traffic:
                await engine.store.find(TENANT, a_question(a_vector(), "relay"), a_filter(), 5)
            reads.append(traffic.reads)
    assert reads == [2 + FEW, FEW]


@pytest.mark.parametrize("windows", [0, 60])
async def test_of_more_a_search_reads_what_the_formula_tells(
    client: AsyncClient, project: str, relay: Relay, windows: int
) -> None:
    # The best are found by words, and far from the ends of their session.
    held = [
        (
            replace(memory, session_id="s", content="The relay." if n in RELAYS else "A pump."),
            vectors,
        )
        for n, (memory, vectors) in enumerate(in_sessions(3 * FEW, "", windows))
    ]
    await put(client, held)
    question = a_question(a_vector(1, 0, 0), "relay")
    async with opened(project) as engine:
        reads = []
        for _ in range(2):
            async with relay.counted() as traffic:
                await engine.store.find(TENANT, question, a_filter(), 5)
            reads.append(traffic.reads)
    by_records = sorted(range(3 * FEW), key=lambda n: -held[n][1][0][0])[: EACH_LEG + 1]
    by_windows = range(min(windows, EACH_LEG + 1))
    setting = Setting(
        3 * FEW, windows, (len(RELAYS),), len(RELAYS), len({*by_windows} - {*by_records})
    )
    assert reads[1] == reads_by_legs(setting)
    assert reads[0] == reads_by_legs(setting) + reads_of_figures(setting)


@pytest.mark.parametrize("text", ["relay", None], ids=["by both", "by meaning alone"])
async def test_one_memory_of_many_windows_costs_no_more_than_the_first_of_them(
    client: AsyncClient, project: str, relay: Relay, text: str | None
) -> None:
    windows = [a_vector(1.0, n / 500, 0.0) for n in range(500)]
    await put(client, [(a_memory("long", content="The relay."), windows)])
    await put(client, [(a_memory(f"short{n}"), [a_vector(0, 1, 0)]) for n in range(9)])
    question = a_question(a_vector(1, 0, 0), text)
    async with opened(project) as engine, relay.counted() as traffic:
        found = await engine.store.find(TENANT, question, a_filter(), 10)
    assert (found.matches[0].memory.id, found.incomplete) == ("long", False)
    figures_and_words = 3 + 1 if text else 0
    assert traffic.reads == 10 + EACH_LEG + 1 + figures_and_words


async def test_words_do_not_wait_for_the_best_window_of_every_long_memory(
    client: AsyncClient, project: str, relay: Relay
) -> None:
    await put(client, [(a_memory("near", content="A relay."), [a_vector(1, 0, 0)] * 400)])
    await put(client, [(a_memory("far", content="A relay."), [a_vector(0, 1, 0)] * 400)])
    question = a_question(a_vector(1, 0, 0), "relay")
    async with opened(project) as engine, relay.counted() as traffic:
        found = await engine.store.find(TENANT, question, a_filter(), 10)
    assert {match.memory.id for match in found.matches} == {"near", "far"}
    assert traffic.reads == 2 + EACH_LEG + 1 + 3 + 2


def test_the_formula_stays_below_its_ceiling_at_ten_thousand_memories() -> None:
    worst = Setting(10_000, 10_000, (10_000,) * MOST_ASKED, 10_000, EACH_LEG + 1)
    assert reads_by_legs(worst) + reads_of_figures(worst) <= CEILING


@pytest.mark.e2e
async def test_the_most_that_a_search_can_read_of_ten_thousand_memories(
    client: AsyncClient, project: str, relay: Relay
) -> None:
    await put(client, in_sessions(10_000, " ".join(COMMON), windows=500))
    question = a_question(a_vector(1, 0, 0), " ".join(COMMON))
    # The emulator goes through all documents for each of the counts.
    async with opened(project, deadline=900) as engine, relay.counted() as traffic:
        await engine.store.find(TENANT, question, a_filter(), 5)
    assert CEILING // 2 <= traffic.reads <= CEILING


async def test_names_without_vectors_are_counted_once_in_however_many_batches(
    client: AsyncClient, project: str, relay: Relay
) -> None:
    async with opened(project) as engine:
        await engine.entities.put(TENANT, [an_entity(name) for name in ("Ana", "Ben", "Cal")])
        async with relay.counted() as traffic:
            batch, after = await engine.names.outside(SPACE, ("", ""), 1), ("", "")
            while batch:
                ((tenant, entity),) = batch
                after = (tenant, entity.id)
                batch = await engine.names.outside(SPACE, after, 1)
    of_all, of_those_with_vectors = 1, 1
    assert traffic.calls["RunAggregationQuery"] == of_all + of_those_with_vectors
