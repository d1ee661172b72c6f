"""Searches by words in Firestore where more memories pass than are read whole: which candidates are
looked at, when that may lack something, and what is known of how common words are.
"""

from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient

from bench.firestore_relay import Relay
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.parts import parts
from metacortex.adapters.firestore.statistics import KEPT_SECONDS, Figures, Statistics
from metacortex.adapters.firestore.terms import MOST_TERMS, dump_terms, held_terms, term_key
from metacortex.adapters.firestore.whole import FEW
from metacortex.adapters.firestore.words import MOST_ASKED, MOST_CANDIDATES
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.moment import Moment
from metacortex.domain.question import Found
from metacortex.domain.words.terms import query_terms
from metacortex.engine_settings import DEFAULT_COLLECTION
from metacortex.engines import Engine
from tests.firestore_bulk import Held, put
from tests.firestore_engines import opened
from tests.questions import a_question, found
from tests.samples import NOW, TENANT, a_filter, a_memory, a_vector, add

X, Y = a_vector(1, 0, 0), a_vector(0, 1, 0)
(RELAY,) = query_terms("relay")


@pytest.fixture
async def engine(client: AsyncClient, project: str) -> AsyncIterator[Engine]:
    """An engine whose tenant holds more than is read whole."""
    await put(client, saying("A pump.", FEW, "pump"))
    async with opened(project) as engine:
        yield engine


def saying(content: str, count: int, prefix: str, **varied: object) -> list[Held]:
    return [
        (a_memory(f"{prefix}{n:03d}", content=content, created_at=NOW - n, **varied), [Y])
        for n in range(count)
    ]


def ids(found: Found) -> list[str]:
    return [match.memory.id for match in found.matches]


async def test_the_rarest_words_choose_the_candidates_and_all_are_weighed(
    engine: Engine, client: AsyncClient
) -> None:
    await put(client, saying("The relay stopped.", 2 * MOST_CANDIDATES, "relay"))
    await put(client, saying("On Sunday.", 20, "sunday"))
    await put(client, saying("The relay stopped on Sunday.", 3, "both"))
    answer = await engine.store.find(TENANT, a_question(text="relay Sunday"), a_filter(), 3)
    assert (ids(answer), answer.incomplete) == (["both000", "both001", "both002"], False)


async def test_candidates_that_were_left_out_and_might_match_make_a_result_incomplete(
    engine: Engine, client: AsyncClient
) -> None:
    await put(client, saying("The relay stopped.", 2 * MOST_CANDIDATES, "relay"))
    await put(client, saying("On Sunday.", 2, "sunday"))
    answer = await engine.store.find(TENANT, a_question(text="relay Sunday"), a_filter(), 3)
    assert (ids(answer), answer.incomplete) == (["sunday000", "sunday001"], True)


async def test_where_even_the_rarest_word_is_common_some_of_what_holds_it_is_found(
    engine: Engine, client: AsyncClient
) -> None:
    await put(client, saying("The relay of a pump.", 2 * MOST_CANDIDATES, "relay"))
    question = a_question(text="relay pump nothing")
    answer = await engine.store.find(TENANT, question, a_filter(), 9)
    assert answer.incomplete
    assert {match.memory.content for match in answer.matches} == {"The relay of a pump."}


async def test_meaning_brings_candidates_that_words_left_out(
    engine: Engine, client: AsyncClient
) -> None:
    await put(client, saying("The relay stopped.", 3 * MOST_CANDIDATES, "relay"))
    await add(engine.store, a_memory("z-near", content="The relay hums."), X)
    answer = await engine.store.find(TENANT, a_question(X, "relay"), a_filter(), 1)
    assert ids(answer) == ["z-near"]


async def test_of_a_long_query_the_longest_words_are_looked_for(
    engine: Engine, client: AsyncClient
) -> None:
    long = [f"longer{'abcdefghijklmno'[n]}" for n in range(MOST_ASKED)]
    await put(client, [(a_memory("long", content=long[-1]), [Y])])
    await put(client, [(a_memory("short", content="zig"), [Y])])
    assert list(await found(engine.store, text=" ".join(["zig", *long]))) == ["long"]


async def test_a_filter_is_told_to_words_too(engine: Engine, client: AsyncClient) -> None:
    others: dict[str, dict[str, object]] = {
        "topic": {"topic": "other"},
        "state": {"branch_state": BranchState.WIP},
        "namespace": {"namespace": "other"},
        "ended": {"valid_until": Moment(NOW)},
    }
    for prefix, varied in others.items():
        await put(client, saying("The relay.", 10, prefix, **varied))
    await put(client, saying("The relay.", 1, "passes"))
    await put(client, saying("The relay.", 9, "foreign"), tenant="other")
    question, where = (
        a_question(text="relay"),
        a_filter(topic="general", namespaces=("default", "c")),
    )
    assert ids(await engine.store.find(TENANT, question, where, 9)) == ["passes000"]


async def test_neighbours_are_found_on_both_sides_among_what_passes(
    engine: Engine, client: AsyncClient
) -> None:
    contents = ["far", "before", "gone", "beside", "The relay.", "wip", "after", "past", "far"]
    varied: dict[int, dict[str, Any]] = {
        5: {"branch_state": BranchState.WIP},
        2: {"valid_until": Moment(NOW)},
    }
    session = [
        a_memory(f"m{n}", content=text, session_id="s", created_at=NOW + n, **varied.get(n, {}))
        for n, text in enumerate(contents)
    ]
    await put(client, [(memory, [Y]) for memory in session])
    # What valid time leaves out is not replaced by what stands beyond it.
    assert sorted(await found(engine.store, text="relay")) == ["m3", "m4", "m6", "m7"]


async def test_what_others_have_just_written_is_found_at_once(engine: Engine, project: str) -> None:
    assert await found(engine.store, text="zebra") == {}
    async with opened(project) as other:
        await add(other.store, a_memory("new", content="A zebra."), Y)
    assert list(await found(engine.store, text="zebra")) == ["new"]


async def test_a_memory_that_others_have_made_large_is_not_read_whole(
    client: AsyncClient, project: str
) -> None:
    async with opened(project) as engine:
        assert await found(engine.store, X, "relay") == {}
        await put(client, saying("A pump.", 3 * FEW, "pump"))
        await put(client, saying("The relay.", 2, "relay"))
        assert list(await found(engine.store, X, "relay")) == ["relay000", "relay001"]


async def test_figures_are_counted_once_until_this_process_writes(
    client: AsyncClient, project: str, relay: Relay
) -> None:
    await put(client, saying("A pump.", FEW + 1, "pump"))
    async with opened(project) as engine:
        counts = []
        for _ in range(2):
            for text in ("pump relay", "relay"):
                async with relay.counted() as traffic:
                    await engine.store.find(TENANT, a_question(text=text), a_filter(), 5)
                counts.append(traffic.calls["RunAggregationQuery"])
            await add(engine.store, a_memory("m1", content="A relay."))
    size, pump, relay_ = 1, 1, 1
    assert counts == [size + pump + relay_, 0] * 2


async def test_figures_are_kept_for_ten_minutes(client: AsyncClient) -> None:
    moment = [0.0]
    statistics = Statistics(lambda: moment[0])
    tenant = Tenant(client, TENANT, DEFAULT_COLLECTION)
    over = [*parts(tenant, a_filter(namespaces=("default", "team")), with_vectors=False)]
    key = term_key(RELAY)
    await put(client, saying("The relay.", 2, "relay"))
    counted = Figures(2, 2.0, {key: 2})
    assert await statistics.of(over, [key]) == counted
    await put(client, saying("A relay of the other team.", 2, "team", namespace="team"))
    moment[0] = KEPT_SECONDS - 1
    assert await statistics.of(over, [key]) == counted
    moment[0] = KEPT_SECONDS
    assert await statistics.of(over, [key]) == Figures(4, 4.0, {key: 4})


def test_of_too_many_terms_the_longest_are_kept() -> None:
    chance = Random(5)
    words = {"".join(chance.choices("bcdfg", k=7)) for _ in range(MOST_TERMS + 500)}
    kept = dump_terms(" ".join(["a zig", *words, "magnificently"]))
    assert len(kept["terms"]) == MOST_TERMS
    assert term_key("zig") not in kept["terms"]
    assert len(set(kept["terms"])) == MOST_TERMS


def test_a_record_tells_how_often_it_holds_a_term() -> None:
    stored = dump_terms("The relay, a relay and max_tokens.")
    held = held_terms(stored, [RELAY, "token", "pump"])
    assert (held.counts, held.length) == ({RELAY: 2, "token": 1}, stored["length"])
