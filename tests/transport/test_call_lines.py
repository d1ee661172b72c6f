"""The line that each tool call leaves in the log, as a server writes it."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from metacortex import logs
from metacortex.domain.errors import Unavailable
from tests.endpoint import HANDSHAKE, STATELESS, Endpoint, Json, framed
from tests.trace_collector import serve_traces
from tests.world import MakeWorld, World, environment

KEY_ID = "AKIA" + "IOSFODNN7EXAMPLE"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
LABELS = "logging.googleapis.com/labels"
WORDS = "the relay restarts on Sunday"


class Written(io.StringIO):
    """A log in memory."""

    @property
    def lines(self) -> list[Json]:
        """What was written, a line each."""
        return [json.loads(line) for line in self.getvalue().splitlines()]

    @property
    def line(self) -> Json:
        """The only line there is."""
        (line,) = self.lines
        return dict(line)


@pytest.fixture
def log() -> Iterator[Written]:
    """The log of a server, while the test runs."""
    root, written = logging.getLogger(), Written()
    handlers, level = root.handlers[:], root.level
    logs.configure(written, human=False, project="a-project")
    yield written
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)


async def test_a_call_leaves_one_line_that_tells_tool_client_status_and_time(
    world: World, client: Endpoint, log: Written
) -> None:
    await client.tool("remember_context", {"content": WORDS, "topic": "relays"})
    line = log.line
    assert line.pop("time").endswith("Z")
    assert line == {
        "severity": "INFO",
        "logger": "metacortex.calls",
        "message": "remember_context by chatgpt-web: success, 0 ms",
        "latency_ms": 0,
        LABELS: {"tool": "remember_context", "client": "chatgpt-web", "status": "success"},
    }


async def test_a_failure_of_the_caller_is_told_by_its_code(client: Endpoint, log: Written) -> None:
    await client.tool("fetch_context", {"document_id": "unknown"})
    assert log.line["severity"] == "INFO"
    assert log.line["message"] == "fetch_context by chatgpt-web: not_found, 0 ms"
    assert log.line[LABELS] == {
        "tool": "fetch_context",
        "client": "chatgpt-web",
        "status": "error",
        "error": "not_found",
    }


async def test_a_failure_of_the_server_is_a_warning_and_says_why(
    world: World, client: Endpoint, log: Written
) -> None:
    world.embedder.fault = Unavailable("The model did not answer")
    await client.tool("search_context", {"query": WORDS, "mode": "meaning"})
    assert (log.line["severity"], log.line[LABELS]["error"]) == ("WARNING", "unavailable")
    assert log.line["message"] == (
        "search_context by chatgpt-web: unavailable, 0 ms; The model did not answer"
    )


async def test_a_search_by_words_alone_says_why_and_then_its_call(
    world: World, client: Endpoint, log: Written
) -> None:
    world.embedder.fault = Unavailable("The model did not answer")
    await client.tool("search_context", {"query": WORDS})
    reason, call = log.lines
    assert (reason["severity"], call[LABELS]["status"]) == ("WARNING", "success")
    assert reason["message"] == "Searched by words alone: The model did not answer"


async def test_a_fault_of_our_own_is_an_error_beside_its_call(
    world: World, client: Endpoint, log: Written
) -> None:
    world.embedder.fault = RuntimeError(WORDS)
    await client.tool("search_context", {"query": WORDS})
    call, fault = log.lines
    assert (fault["severity"], fault["message"]) == ("ERROR", "A request failed unexpectedly")
    assert call[LABELS]["error"] == "internal"


async def test_no_line_holds_what_was_said_or_a_token_or_a_made_up_secret(
    client: Endpoint, log: Written
) -> None:
    saved = await client.save(WORDS)
    await client.search(WORDS)
    await client.fetch(saved["id"])
    await client.tool(KEY_ID, {"query": WORDS})
    assert len(log.lines) == 4
    for said in (WORDS, client.token, KEY_ID):
        assert said not in log.getvalue()
    assert log.lines[-1][LABELS]["tool"] == "[redacted aws-access-key]"


@pytest.mark.parametrize("era", [HANDSHAKE, STATELESS])
async def test_the_line_of_a_call_names_the_trace_of_its_request(
    world: World, era: str, log: Written
) -> None:
    endpoint = world.endpoint("chatgpt-web")
    call = {"name": "fetch_context", "arguments": {"document_id": "unknown"}}
    for traced in (True, False):
        headers, content = framed("tools/call", call, era)
        trace = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"} if traced else {}
        await endpoint.send(content=content, headers={**headers, **trace})
    of_a_trace, of_none = log.lines
    assert of_a_trace["logging.googleapis.com/trace"] == f"projects/a-project/traces/{TRACE}"
    assert of_a_trace["logging.googleapis.com/spanId"] == "00f067aa0ba902b7"
    assert "logging.googleapis.com/trace" not in of_none


async def test_the_line_of_a_traced_call_names_the_span_of_the_call(
    make_world: MakeWorld, log: Written
) -> None:
    with serve_traces() as collector:
        world = make_world(environment(OTEL_EXPORTER_OTLP_ENDPOINT=collector.url))
        await world.endpoint().search(WORDS)
        await world.aclose()
    span = collector.named("tools/call search_context")
    assert log.line["logging.googleapis.com/trace"] == f"projects/a-project/traces/{span.trace_id}"
    assert log.line["logging.googleapis.com/spanId"] == span.span_id


async def test_what_is_no_tool_call_leaves_no_line(client: Endpoint, log: Written) -> None:
    await client.tools()
    await client.ping(token="Bearer wrong")
    assert log.lines == []
