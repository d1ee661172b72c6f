"""Memories on their way through the whole program to a judge behind Gemini on loopback, and what
stays when that fails.
"""

from collections.abc import AsyncIterator, Iterator

import pytest

from metacortex.adapters.gemini.connection import USUAL, Limits
from metacortex.adapters.gemini.judge import GeminiJudge
from tests.endpoint import ERAS, Json, framed
from tests.gemini_connections import WRITER, Pauses, with_key
from tests.gemini_endpoint import (
    GeminiEndpoint,
    MakeAnswer,
    described,
    dropped,
    of_status,
    serve_gemini,
)
from tests.trace_collector import serve_traces
from tests.world import MakeWorld, World, environment

DRAFTS = ("The pump leaks at flange 12.", "Flange 12 was tightened on 2026-02-03.")
MERGED = "Flange 12 of the pump leaked until it was tightened on 2026-02-03."


def judge_of(gemini: GeminiEndpoint, limits: Limits = USUAL) -> GeminiJudge:
    """Return what asks `gemini` to merge."""
    return GeminiJudge(with_key(gemini.url, limits=limits, pause=Pauses()), WRITER)


async def save_drafts(world: World) -> list[Json]:
    """Remember the drafts of one topic, oldest first."""
    saved = []
    for text in DRAFTS:
        saved.append(await world.endpoint().save(text, topic="pump", draft=True))
        world.clock.at += 1_000
    return saved


@pytest.fixture
def gemini() -> Iterator[GeminiEndpoint]:
    """An endpoint that merges, unless it is told otherwise."""
    with serve_gemini() as served:
        served.answers = [lambda asked: described(MERGED)]
        yield served


@pytest.fixture
async def judging(gemini: GeminiEndpoint, make_world: MakeWorld) -> AsyncIterator[World]:
    """A program whose judge is behind `gemini`."""
    judge = judge_of(gemini)
    yield make_world(judge=judge)
    await judge.aclose()


async def test_what_the_judge_writes_takes_the_place_of_the_drafts(
    gemini: GeminiEndpoint, judging: World
) -> None:
    drafts = await save_drafts(judging)
    answer = (await judging.endpoint().consolidate(topic="pump")).success
    assert answer["item"]["content"] == MERGED
    assert answer["source_ids"] == [draft["id"] for draft in drafts]
    assert await judging.endpoint().found("pump flange") == [answer["item"]["id"]]
    (asked,) = gemini.asked
    assert asked.texts[0].index(DRAFTS[0]) < asked.texts[0].index(DRAFTS[1])


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([of_status(503)] * 3, "failed with status 503"),
        ([of_status(403)], "check GEMINI_API_KEY"),
        ([dropped] * 3, "broke off its answer"),
        ([lambda asked: described(reason="SAFETY")], "declined to merge"),
        ([lambda asked: described(MERGED[:20], reason="MAX_TOKENS")], "merge fewer at once"),
        ([lambda asked: described(" ")], "wrote nothing"),
    ],
    ids=["503", "403", "dropped", "blocked", "cut off", "empty"],
)
async def test_what_is_not_merged_stays_as_it_was_and_an_event_says_why(
    gemini: GeminiEndpoint, judging: World, answers: list[MakeAnswer], told: str
) -> None:
    drafts = await save_drafts(judging)
    gemini.answers = [*answers]
    code, sentence = (await judging.endpoint().consolidate(topic="pump")).failure
    assert code == "unavailable"
    assert told in sentence
    assert sentence.endswith("; nothing was saved")
    event = (await judging.events())[-1]
    assert event["error"] == {"name": "unavailable", "message": sentence, "status_code": 503}
    assert [await judging.endpoint().item(draft["id"]) for draft in drafts] == drafts
    assert await judging.store.count("default") == len(drafts)


async def test_a_judge_that_takes_too_long_is_not_waited_for(
    gemini: GeminiEndpoint, make_world: MakeWorld
) -> None:
    gemini.answers = [gemini.hang]
    judge = judge_of(gemini, Limits(0.5, 25.0))
    world = make_world(judge=judge)
    await save_drafts(world)
    assert (await world.endpoint().consolidate(topic="pump")).failure == (
        "unavailable",
        "Gemini did not answer in time; try again later; nothing was saved",
    )
    await judge.aclose()


async def test_the_judge_is_a_step_of_the_call_that_asks_it(
    gemini: GeminiEndpoint, make_world: MakeWorld
) -> None:
    judge = judge_of(gemini)
    with serve_traces() as collector:
        env = environment(
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            FUNCTION_TARGET="metaCortexMcp",
            METACORTEX_ENGINE="sqlite",
        )
        world = make_world(env, judge=judge)
        await save_drafts(world)
        call = {"name": "consolidate_context", "arguments": {"topic": "pump"}}
        headers, content = framed("tools/call", call, ERAS[0])
        await world.endpoint().send(content=content, headers=headers)
        step = collector.named("judge.merge")
        assert step.parent_id == collector.named("tools/call consolidate_context").span_id
        assert step.told == {}
    await judge.aclose()


@pytest.mark.parametrize(
    ("answers", "merged"),
    [
        ([lambda asked: described("same")], True),
        ([lambda asked: described("unsure")], False),
        ([of_status(503)] * 3, False),
        ([lambda asked: described(reason="SAFETY")], False),
    ],
    ids=["same", "unsure", "503", "blocked"],
)
async def test_what_the_judge_says_of_a_new_name_decides_whether_it_is_merged(
    gemini: GeminiEndpoint, judging: World, answers: list[MakeAnswer], merged: bool
) -> None:
    admin = judging.endpoint()
    await admin.state("auth_service", "owned_by", "Ana")
    gemini.answers = [*answers]
    given = {"subject_id": "auth_servise", "predicate": "runs_on", "object_value": "port 80"}
    answer = (await admin.tool("upsert_fact", given)).success
    assert [each["merged"] for each in answer["proposals"]] == [merged]
    view = (await admin.tool("query_entity", {"entity": "auth_service"})).success
    assert (answer["fact"]["id"] in [each["id"] for each in view["active_facts"]]) is merged
    assert '"second_texts": ["auth_service owned by Ana"]' in gemini.asked[0].texts[0]
