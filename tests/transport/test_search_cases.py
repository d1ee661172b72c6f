"""Searches that have gone wrong elsewhere, through the whole program."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from metacortex.domain.errors import Unavailable
from tests.endpoint import Endpoint
from tests.fakes import FakeEmbedder, FixedClock
from tests.samples import a_memory, a_vector, add
from tests.world import World

DAY = 24 * 3_600_000
DOWN = Unavailable("The embedding model did not answer; try again")


@pytest.mark.case("K19")
async def test_what_no_word_and_no_meaning_reaches_is_told_with_the_best_score(
    client: Endpoint,
) -> None:
    await client.save("The staging cluster is rebuilt every Sunday night.")
    query = {"query": "when do we reprovision pre-production?"}
    found = (await client.tool("search_context", query)).success
    assert found["matches"] == []
    assert "the best score was 0.0" in found["hint"]


@pytest.mark.case("K20")
async def test_nothing_relevant_is_no_match(client: Endpoint) -> None:
    await client.save("Knead the rye dough for eight minutes, then rest it under a towel.")
    query = {"query": "Which terminal does the ferry to Skagen leave from?"}
    found = (await client.tool("search_context", query)).success
    assert found["matches"] == []
    assert found["hint"].startswith("Nothing came near")


@pytest.mark.case("K21")
async def test_a_memory_is_found_under_a_thousand_newer_ones(world: World) -> None:
    client, clock = world.endpoint(), world.clock
    key = await client.save("The spare key for the Harbour Street archive is in locker 41.")
    space, vector = world.embedder.space, a_vector(*[0] * 255, 1)

    def newer(n: int) -> str:
        return f"Note {n} of the day: the harvest of field {n} was brought in before the rain."

    await asyncio.gather(
        *(
            add(
                world.store,
                a_memory(f"m{n}", content=newer(n), created_at=clock.now() + n),
                vector,
                tenant="default",
                space=space,
            )
            for n in range(1_200)
        )
    )
    for parts in ({}, {"filter_topic": "general"}, {"mode": "words"}, {"mode": "meaning"}):
        assert (await client.found("archive key locker", **parts))[0] == key["id"]


@pytest.mark.case("K22")
async def test_words_of_scripts_without_spaces_are_found(client: Endpoint) -> None:
    queries_by_text = {
        "昨日は社内勉強会で俳句を詠んだ": ["俳句"],
        "周三下午把发票交给财务部": ["发票"],
        "회의에서 예산안을 확정했다": ["예산안"],
        "重新跑ab-sync后多出30行": ["ab-sync", "30行"],
    }
    for text, queries in queries_by_text.items():
        item = await client.save(text)
        queries_by_text[text] = [item["id"], *queries]
    for id_, *queries in queries_by_text.values():
        for query in queries:
            assert await client.found(query, mode="words") == [id_]


FRAGMENTS = (
    *("pre-edit", "don't", r"C:\repo\src", "--fail-on-warn", "GB/s", "a|b", "*", "NEAR(x y)"),
    *('"quoted', "col:val", "50%_off"),
)


@pytest.mark.rule("C84")
@pytest.mark.case("K23")
@pytest.mark.parametrize("query", FRAGMENTS)
@pytest.mark.parametrize("mode", ["hybrid", "words"])
async def test_signs_and_operators_are_found_as_they_stand(
    client: Endpoint, query: str, mode: str
) -> None:
    item = await client.save(" ".join(FRAGMENTS))
    await client.save("Something else entirely.")
    assert (await client.found(query, mode=mode))[0] == item["id"]


@pytest.mark.rule("C84")
@pytest.mark.case("K23")
@pytest.mark.parametrize("query", ["AND", "(", "'; DROP TABLE memories; --"])
@pytest.mark.parametrize("mode", ["hybrid", "words", "meaning"])
async def test_operators_alone_are_served(client: Endpoint, query: str, mode: str) -> None:
    item = await client.save("The relay is in rack C.")
    await client.search(query, mode=mode)
    assert await client.found("relay", mode=mode) == [item["id"]]


@pytest.mark.case("K24")
@pytest.mark.parametrize("mode", ["hybrid", "words"])
async def test_two_spellings_of_an_accent_meet(client: Endpoint, mode: str) -> None:
    texts = ("Das B\u00fcro in Z\u00fcrich zieht um", "La fac\u0327ade nord est fissure\u0301e")
    office, front = [(await client.save(text))["id"] for text in texts]
    for query in ("Zu\u0308rich", "Zurich"):
        assert await client.found(query, mode=mode) == [office]
    for query in ("fa\u00e7ade", "facade"):
        assert await client.found(query, mode=mode) == [front]
    for id_, text in zip((office, front), texts, strict=True):
        fetched = (await client.tool("fetch_context", {"document_id": id_})).success
        assert fetched["item"]["content"] == text


@pytest.mark.case("K25")
@pytest.mark.parametrize("mode", ["hybrid", "words", "meaning"])
async def test_the_fact_at_the_end_of_a_long_text_is_found_once(
    client: Endpoint, mode: str
) -> None:
    notes = " ".join(f"note{n}" for n in range(6_000))
    item = await client.save(f"{notes} The vault rotation code word is heliotrope.")
    await client.save("Gardens open in May.")
    for query in ("heliotrope", "what is the code word for the vault rotation?"):
        assert await client.found(query, mode=mode) == [item["id"]]


@pytest.mark.rule("C81")
@pytest.mark.case("K26")
@pytest.mark.parametrize("mode", ["hybrid", "words", "meaning"])
async def test_scores_mean_one_thing_in_every_mode(client: Endpoint, mode: str) -> None:
    things = ("relay", "pump", "valve", "rack", "door")
    for n in range(30):
        await client.save(f"{things[n % 5]} {n} stands beside {things[n % 3]} {n // 3}")
    for thing in things:
        scores = [match["score"] for match in await client.search(f"{thing} 3", mode=mode)]
        assert all(0 <= later <= earlier <= 1 for earlier, later in pairwise(scores))
        assert len(set(scores)) > 1


@pytest.mark.rule("C77a")
@pytest.mark.case("K15", "K27")
async def test_without_its_model_a_search_goes_by_words_and_says_so(
    client: Endpoint, embedder: FakeEmbedder
) -> None:
    item = await client.save("Valve 12 sticks in frost.")
    embedder.fault = DOWN
    query = {"query": "which valve gets stuck when it is freezing?"}
    found = (await client.tool("search_context", query)).success
    assert [match["id"] for match in found["matches"]] == [item["id"]]
    assert found["degraded"] == ["meaning"]


@pytest.mark.rule("C51", "C78")
@pytest.mark.case("K15", "K27")
@pytest.mark.parametrize("arguments", [{"query": "valve", "mode": "meaning"}, {"query": "()"}])
async def test_where_no_leg_can_answer_a_search_is_unavailable(
    client: Endpoint, embedder: FakeEmbedder, arguments: dict[str, Any]
) -> None:
    await client.save("Valve 12 sticks in frost.")
    embedder.fault = DOWN
    outcome = await client.tool("search_context", arguments)
    assert outcome.failure == ("unavailable", "The embedding model did not answer; try again")


@pytest.mark.case("K29")
@pytest.mark.parametrize("importances", [(None, None), (0.1, 1.0)])
async def test_recency_and_importance_break_ties_and_nothing_more(
    client: Endpoint, clock: FixedClock, importances: tuple[float | None, float | None]
) -> None:
    text = "The retention of the audit archive is seven years."
    of_old, of_new = importances
    old = await client.save(text, importance=of_old)
    clock.at += 60 * DAY
    for n in range(10):
        await client.save(f"Chatter {n} about the archive.", importance=of_new)
    found = await client.found("What is the retention of the audit archive?")
    assert found[0] == old["id"]


async def test_what_holds_now_comes_first_where_now_is_asked_for(
    world: World,
) -> None:
    client = world.endpoint()
    old = "The Bristol office is at 14 Narrow Quay, third floor."
    new = "We have moved: the Bristol office is at 2 Glass Wharf, ground floor, no buzzer."
    await client.save(old)
    world.clock.at += DAY
    await client.save(new)
    asked = "Where is the Bristol office, on which quay"
    assert [match["summary"] for match in await client.search(asked)] == [old, new]
    assert [match["summary"] for match in await client.search(f"{asked} now")] == [new, old]
    compiled = await client.tool("compile_context", {"query": f"{asked} now", "format": "numbered"})
    text = compiled.success["context"]
    assert text.index("2 Glass Wharf") < text.index("14 Narrow Quay")
