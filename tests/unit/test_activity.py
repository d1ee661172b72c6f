"""Events of rejections, throttled; and what of a query may be shown."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from metacortex.service.rejections import KEYS_KEPT, MINUTE, REJECTIONS_A_MINUTE, Rejection
from tests.world import World

KEY_ID = "AKIA" + "IOSFODNN7EXAMPLE"
LONG = "x" * 200
WRONG_TOKEN = Rejection("default", "web", "POST", "/clients/web/mcp", 401, "unauthorized")


async def repeated(world: World) -> list[object]:
    """Return for each event of a rejection how many it counts, None for one of its own."""
    return [event.get("repeated") for event in await world.events()]


@pytest.mark.rule("C102")
async def test_beyond_sixty_a_minute_one_event_counts_the_rest(world: World) -> None:
    activity = world.services.activity
    for _ in range(REJECTIONS_A_MINUTE + 7):
        await activity.reject(WRONG_TOKEN, 0)
    assert await repeated(world) == [None] * REJECTIONS_A_MINUTE
    world.clock.at += MINUTE - 1
    await activity.flush()
    assert await repeated(world) == [None] * REJECTIONS_A_MINUTE
    world.clock.at += 1
    await activity.flush()
    await activity.flush()
    assert await repeated(world) == [*[None] * REJECTIONS_A_MINUTE, 7]


@pytest.mark.rule("C102")
async def test_the_next_minute_has_sixty_of_its_own(world: World) -> None:
    activity = world.services.activity
    for _ in range(REJECTIONS_A_MINUTE):
        await activity.reject(WRONG_TOKEN, 0)
    world.clock.at += MINUTE
    await activity.reject(WRONG_TOKEN, 0)
    assert await repeated(world) == [None] * (REJECTIONS_A_MINUTE + 1)


@pytest.mark.rule("C102")
async def test_the_end_of_the_program_counts_what_is_left(world: World) -> None:
    activity = world.services.activity
    for _ in range(REJECTIONS_A_MINUTE + 2):
        await activity.reject(WRONG_TOKEN, 0)
    await activity.aclose()
    assert (await repeated(world))[-1] == 2


@pytest.mark.rule("C102")
async def test_the_rest_is_counted_at_the_end_of_the_minute_without_a_further_request(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers: list[tuple[float, Callable[[], None]]] = []
    loop = asyncio.get_running_loop()

    def call_later(delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        timers.append((delay, callback))
        return asyncio.TimerHandle(loop.time() + delay, callback, (), loop)

    activity = world.services.activity
    with monkeypatch.context() as patched:
        for _ in range(REJECTIONS_A_MINUTE):
            await activity.reject(WRONG_TOKEN, 0)
        patched.setattr(loop, "call_later", call_later)
        await activity.reject(WRONG_TOKEN, 0)
        await activity.reject(WRONG_TOKEN, 0)
    ((delay, callback),) = timers
    assert delay == 61
    world.clock.at += MINUTE
    callback()
    await activity.aclose()
    assert (await repeated(world))[-1] == 2


@pytest.mark.rule("C102")
async def test_made_up_ids_beyond_a_thousand_share_one_count(world: World) -> None:
    activity = world.services.activity
    for number in range(KEYS_KEPT + REJECTIONS_A_MINUTE + 3):
        await activity.reject(replace(WRONG_TOKEN, client_id=f"made-up-{number}"), 0)
    assert len(await world.events()) == KEYS_KEPT + REJECTIONS_A_MINUTE
    world.clock.at += MINUTE
    await activity.flush()
    assert (await repeated(world))[-1] == 3


@pytest.mark.rule("C105", "C107", "C60a")
@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("short", "short"),
        ("x" * 161, "x" * 160 + "..."),
        (
            f"key {KEY_ID} " + "x" * 200,
            ("key [redacted aws-access-key] " + "x" * 200)[:160] + "...",
        ),
        ("x" * 150 + " " + KEY_ID, ("x" * 150 + " [redacted aws-access-key]")[:160] + "..."),
        ("x" * 5_000 + KEY_ID, "x" * 160 + "..."),
    ],
)
async def test_a_query_is_shown_in_part_and_without_secrets(
    world: World, query: str, shown: str
) -> None:
    assert world.services.activity.preview(query) == shown


@pytest.mark.rule("C101")
async def test_a_tool_call_is_told_with_the_time_it_took(world: World) -> None:
    activity = world.services.activity
    call = activity.open("n" * 200)
    world.clock.at += 42
    call.request, call.response = {"topic": None, "given": 1}, None
    await activity.close("default", "web", call)
    (event,) = await world.events()
    assert (event["tool_name"], event["latency_ms"]) == ("n" * 128, 42)
    assert (event["request"], event["response"]) == ({"given": 1}, {})
    assert event["timestamp"] == world.clock.at - 42


@pytest.mark.rule("C105")
@pytest.mark.parametrize("before", ["", "what opens with ", "word " * 815])
async def test_a_secret_longer_than_what_is_looked_through_shows_no_part(
    world: World, before: str
) -> None:
    key = "".join(chr(ord("A") + place % 26) for place in range(8_000))
    block = f"-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----"
    shown = world.services.activity.preview(f"{before}{block} and what follows")
    assert not any(key[place : place + 20] in shown for place in range(len(key) - 20))
    assert len(shown) <= 163


async def test_a_name_of_any_length_is_shown_without_secrets_and_cut(world: World) -> None:
    label = world.services.activity.label
    assert label(f"{KEY_ID} " + "y" * 500_000) == "[redacted aws-access-key]"
    assert len(label("y" * 500_000)) == 128
