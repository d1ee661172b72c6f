"""What callers made up comes to rest without secrets, on one line, and claims nothing."""

import json

import pytest

from metacortex.domain.text import printable
from tests.world import World

KEY_ID = "AKIA" + "IOSFODNN7EXAMPLE"


@pytest.mark.rule("C60a", "C105")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("fetch_context", {"document_id": KEY_ID}),
        ("deprecate_context", {"document_id": "a", "superseding_document_id": KEY_ID}),
        ("search_context", {"query": KEY_ID, "filter_topic": KEY_ID}),
        ("search_context", {"query": "x", KEY_ID: 1}),
        ("remember_context", {"content": "x", "topic": KEY_ID}),
        ("remember_context", {"image_base64": "QUJD", "image_mime_type": KEY_ID}),
        (KEY_ID, {}),
    ],
)
async def test_no_event_holds_a_secret_wherever_it_was_written(
    world: World, tool: str, arguments: dict[str, object]
) -> None:
    await world.endpoint().tool(tool, arguments)
    events = await world.events()
    assert len(events) == 1
    assert KEY_ID not in str(events)


@pytest.mark.rule("C101")
async def test_a_notification_runs_no_tool_and_leaves_no_event(world: World) -> None:
    params = {"name": "remember_context", "arguments": {"content": "nobody waits for this"}}
    message = {"jsonrpc": "2.0", "method": "tools/call", "params": params}
    answer = await world.endpoint().send(content=json.dumps(message))
    assert answer.status_code == 202
    assert await world.events() == []


@pytest.mark.rule("C50")
def test_a_name_is_shown_on_one_line() -> None:
    assert printable("a\nb\u2028c\ud83d", 80) == "a b c?"
    assert printable("\u202eexe.\u2066gpj\u2069\u202c", 80) == "exe.gpj"
