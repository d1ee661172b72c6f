"""Reranking: what a reranker is shown, what it decides, and what is left where it does not."""

import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.errors import Unavailable
from metacortex.domain.question import Found
from metacortex.domain.reranking import LENGTH, passage_for, reordered
from metacortex.domain.search import Match
from metacortex.service.reranking import LEG, REST, Reranking
from tests.fakes import FakeReranker, FixedClock
from tests.samples import a_memory

SCORES = st.floats(allow_nan=False, allow_infinity=False)
FERRY, CRANE, OVEN = "the ferry", "the crane", "the oven"
FOUND = Found(
    tuple(
        Match(a_memory(text, content=text), score)
        for text, score in ((FERRY, 0.9), (CRANE, 0.5), (OVEN, 0.2))
    ),
    best=0.9,
    below=4,
    incomplete=True,
)


def texts_of(found: Found) -> list[str]:
    """Return the texts that were found, in order."""
    return [match.memory.text for match in found.matches]


@given(st.lists(st.tuples(SCORES, SCORES), max_size=30))
def test_a_reranker_decides_the_order_and_no_score(pairs: list[tuple[float, float]]) -> None:
    shown = sorted((score for score, _ in pairs), reverse=True)
    said = [liked for _, liked in pairs]
    matches = [Match(a_memory(str(place)), score) for place, score in enumerate(shown)]
    order = reordered(matches, said)
    assert [match.score for match in order] == shown
    places = [int(match.memory.id) for match in order]
    assert sorted(places) == [*range(len(pairs))]
    assert places == sorted(places, key=lambda place: (-said[place], place))


@pytest.mark.parametrize("text", ["", "short", "x" * LENGTH])
def test_a_text_that_can_be_read_whole_is_read_whole(text: str) -> None:
    assert passage_for("anything", text) == text


def test_of_a_long_text_the_part_that_holds_the_words_of_the_query_is_read() -> None:
    filling = "The budget was discussed again. " * 200
    passage = passage_for("Which LOCKER holds the key?", f"{filling}The key is in locker 41.")
    assert passage.endswith("The key is in locker 41.")
    assert len(passage) <= LENGTH


def test_of_a_long_text_that_holds_no_word_of_the_query_the_beginning_is_read() -> None:
    text = "budget " * 1_000
    assert text.startswith(passage_for("钥匙", text))


async def best(
    reranker: FakeReranker, found: Found = FOUND, limit: int = 2
) -> tuple[Found, tuple[str, ...]]:
    """Return the best by a reranker that has not failed yet."""
    return await Reranking(reranker, FixedClock()).best("a private query", found, limit)


async def test_the_best_are_those_that_the_reranker_likes_most() -> None:
    reranker = FakeReranker(liked=(CRANE, OVEN))
    found, degraded = await best(reranker)
    assert reranker.asked == [("a private query", [FERRY, CRANE, OVEN])]
    assert texts_of(found) == [OVEN, CRANE]
    assert [match.score for match in found.matches] == [0.9, 0.5]
    assert (found.best, found.below, found.incomplete) == (0.9, 4, True)
    assert degraded == ()


@pytest.mark.parametrize("matches", [(), FOUND.matches[:1]])
async def test_where_there_is_nothing_to_order_nobody_is_asked(matches: tuple[Match, ...]) -> None:
    reranker, found = FakeReranker(), Found(matches)
    assert await best(reranker, found) == (found, ())
    assert reranker.asked == []


@pytest.mark.parametrize(
    "reranker",
    [
        FakeReranker(fault=Unavailable("not there")),
        FakeReranker(spoil=lambda scores: scores[1:]),
        FakeReranker(spoil=lambda scores: [math.nan, *scores[1:]]),
        FakeReranker(spoil=lambda scores: [math.inf, *scores[1:]]),
    ],
    ids=["unavailable", "too few", "not a number", "infinite"],
)
async def test_what_a_failing_reranker_leaves_is_the_order_of_the_search(
    reranker: FakeReranker,
) -> None:
    found, degraded = await best(reranker)
    assert found.matches == FOUND.matches[:2]
    assert degraded == (LEG,)


async def test_a_slow_reranker_is_not_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    reranking = Reranking(FakeReranker(gate=asyncio.Event()), FixedClock(), seconds=0)
    assert await reranking.best("a private query", FOUND, 3) == (FOUND, (LEG,))
    assert caplog.messages == ["Searched without the reranker: The reranker did not answer in time"]


async def test_what_has_failed_is_left_alone_for_a_while_and_then_asked_again() -> None:
    reranker, clock = FakeReranker(liked=(OVEN,), fault=Unavailable("not there")), FixedClock()
    reranking = Reranking(reranker, clock)
    await reranking.best("query", FOUND, 3)
    reranker.fault = None
    clock.at += REST - 1
    assert await reranking.best("query", FOUND, 3) == (FOUND, (LEG,))
    assert len(reranker.asked) == 1
    clock.at += 1
    found, degraded = await reranking.best("query", FOUND, 3)
    assert (texts_of(found)[0], degraded) == (OVEN, ())
