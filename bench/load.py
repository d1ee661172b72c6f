"""Tool calls from a client that costs little itself: prepared requests over open connections."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from bench.servers import message


@dataclass(frozen=True)
class Answer:
    """The result of one tool call, and how long it took."""

    seconds: float
    result: dict[str, Any]


def tool_call(name: str, arguments: dict[str, Any], era: str) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of a tool call."""
    return message("tools/call", {"name": name, "arguments": arguments}, era)


async def answers(
    url: str, requests: Sequence[tuple[dict[str, str], bytes]], at_once: int
) -> list[Answer]:
    """Make all calls, `at_once` at a time and each on the first connection that is free; return
    their answers in the order of the calls.
    """
    place = urlsplit(url)
    prepared = [_bytes(place.netloc, place.path, *request) for request in requests]
    given: dict[int, Answer] = {}
    waiting = iter(enumerate(prepared))

    async def connection() -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        for number, request in waiting:
            started = time.perf_counter()
            writer.write(request)
            body = await _body(reader)
            given[number] = Answer(time.perf_counter() - started, _result(body))
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(connection() for _ in range(at_once)))
    return [given[number] for number in range(len(requests))]


def _bytes(host: str, path: str, headers: dict[str, str], body: bytes) -> bytes:
    sent = {**headers, "Host": host, "Content-Length": str(len(body))}
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def _body(reader: asyncio.StreamReader) -> bytes:
    status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
    headers = dict(line.lower().split(": ", 1) for line in lines if line)
    body = await reader.readexactly(int(headers["content-length"]))
    assert " 200 " in status, (status, body)
    return body


def _result(body: bytes) -> dict[str, Any]:
    result = json.loads(body)["result"]
    assert not result.get("isError"), result
    return dict(result)
