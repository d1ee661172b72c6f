"""What a caller hears when the server stops while it waits."""

import asyncio
import json

import pytest
from starlette.types import Message

from tests.fakes import FakeEmbedder
from tests.world import World, token_of

CALL = {"name": "remember_context", "arguments": {"content": "nobody waits for this"}}


@pytest.mark.rule("C7", "C10")
async def test_a_call_that_is_cut_off_is_answered_in_json(
    world: World, embedder: FakeEmbedder
) -> None:
    embedder.gate = asyncio.Event()
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}).encode()
    answers: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        answers.append(message)

    token = f"Bearer {token_of('default')}".encode()
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "query_string": b"",
        "headers": [(b"authorization", token), (b"content-type", b"application/json")],
    }
    call = asyncio.ensure_future(world.app(scope, receive, send))
    async with asyncio.timeout(10):
        while not embedder.passages:
            await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    embedder.gate.set()
    start, end = answers
    assert start["status"] == 503
    assert json.loads(end["body"])["error"] == "Service unavailable"
