"""What a collector of traces is told of a tool call, over the wire that it speaks."""

import sys
from collections.abc import Iterator

import pytest

from metacortex.config import Settings
from metacortex.domain.errors import ConfigurationError, Unavailable
from tests.endpoint import ERAS, Endpoint, framed
from tests.fakes import FakeReranker
from tests.trace_collector import TraceCollector, serve_traces
from tests.world import TOOL_NAMES, MakeWorld, World, environment

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
WORDS = "the relay restarts on Sunday"
KEY_ID = "AKIA" + "IOSFODNN7EXAMPLE"
SERVER = 2


@pytest.fixture
def collector() -> Iterator[TraceCollector]:
    """A collector that answers."""
    with serve_traces() as served:
        yield served


def function_of(collector: TraceCollector) -> dict[str, str]:
    """Return the environment of a function that sends its traces to a collector."""
    # Whether the answer waits is all that the target decides, once an engine is named.
    return environment(
        OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
        FUNCTION_TARGET="metaCortexMcp",
        METACORTEX_ENGINE="sqlite",
    )


@pytest.fixture
def traced_world(make_world: MakeWorld, collector: TraceCollector) -> World:
    """A function that sends its traces to `collector` before it answers."""
    return make_world(function_of(collector))


@pytest.fixture
def traced_client(traced_world: World) -> Endpoint:
    """The endpoint of a client of `traced_world`."""
    return traced_world.endpoint("chatgpt-web")


async def call(endpoint: Endpoint, era: str, name: str, flags: str, **arguments: str) -> None:
    """Call a tool as part of a trace."""
    headers, content = framed("tools/call", {"name": name, "arguments": arguments}, era)
    trace = {"traceparent": f"00-{TRACE}-{CALLER}-{flags}"}
    response = await endpoint.send(content=content, headers={**headers, **trace})
    assert response.status_code == 200


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_is_a_span_of_its_requests_trace_and_its_steps_are_within(
    traced_client: Endpoint, collector: TraceCollector, era: str
) -> None:
    await call(traced_client, era, "remember_context", "01", content=WORDS)
    span = collector.named("tools/call remember_context")
    assert (span.trace_id, span.parent_id, span.kind, span.failed) == (TRACE, CALLER, SERVER, False)
    assert span.told == {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "remember_context",
        "metacortex.client": "chatgpt-web",
        "metacortex.status": "success",
    }
    assert span.resource["service.name"] == "metacortex"
    steps = [other for other in collector.spans if other != span]
    assert {step.name for step in steps} == {
        "store.find_written",
        "entities.beginning",
        "embedder.embed_passages",
        "store.nearest",
        "store.add",
        "events.record",
    }
    assert {(step.trace_id, step.parent_id) for step in steps} == {(TRACE, span.span_id)}


async def test_what_is_read_and_rendered_is_a_span_of_its_method(
    traced_client: Endpoint, collector: TraceCollector
) -> None:
    item = await traced_client.save(WORDS)
    await traced_client.read(f"metacortex://memories/{item['id']}")
    await traced_client.prompted("architecture-briefing", component=WORDS)
    for method in ("resources/read", "prompts/get"):
        assert collector.named(method).told == {
            "mcp.method.name": method,
            "metacortex.client": "chatgpt-web",
            "metacortex.status": "success",
        }
    assert WORDS.encode() not in b"".join(collector.bodies)


async def test_a_reranker_is_a_step_of_its_search(
    make_world: MakeWorld, collector: TraceCollector
) -> None:
    client = make_world(function_of(collector), reranker=FakeReranker()).endpoint("chatgpt-web")
    for text in (WORDS, f"{WORDS} too"):
        await client.remember(text)
    await call(client, ERAS[0], "search_context", "01", query=WORDS)
    step = collector.named("reranker.rerank")
    assert (step.parent_id, step.told) == (
        collector.named("tools/call search_context").span_id,
        {},
    )


async def test_a_call_of_no_trace_begins_one(
    traced_client: Endpoint, collector: TraceCollector
) -> None:
    await traced_client.search(WORDS)
    await traced_client.search(WORDS)
    first, second = [span for span in collector.spans if span.name.startswith("tools/call")]
    assert first.trace_id != second.trace_id
    assert (first.parent_id, second.parent_id) == ("", "")


async def test_a_name_that_the_environment_gives_the_service_is_its_name(
    traced_client: Endpoint, collector: TraceCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "memory-of-acme")
    await traced_client.search(WORDS)
    assert collector.spans[0].resource["service.name"] == "memory-of-acme"


async def test_of_a_trace_that_is_not_kept_nothing_is_sent(
    traced_client: Endpoint, collector: TraceCollector
) -> None:
    await call(traced_client, ERAS[0], "search_context", "00", query=WORDS)
    await traced_client.search(WORDS)
    assert {span.trace_id for span in collector.spans}.isdisjoint({TRACE})


async def test_a_failure_is_told_by_its_code_and_where_it_came_from(
    traced_world: World, traced_client: Endpoint, collector: TraceCollector
) -> None:
    traced_world.embedder.fault = Unavailable(WORDS)
    await traced_client.tool("search_context", {"query": WORDS, "mode": "meaning"})
    span, step = (
        collector.named("tools/call search_context"),
        collector.named("embedder.embed_passages"),
    )
    assert (span.failed, span.told["error.type"]) == (True, "unavailable")
    assert (step.failed, step.told) == (True, {"error.type": "Unavailable"})


async def test_no_span_holds_what_was_said_or_a_token_or_a_made_up_secret(
    traced_world: World, traced_client: Endpoint, collector: TraceCollector
) -> None:
    saved = await traced_client.save(WORDS)
    await traced_client.search(WORDS)
    await traced_client.fetch(saved["id"])
    await traced_client.tool(KEY_ID, {"query": WORDS})
    traced_world.embedder.fault = RuntimeError(WORDS)
    await traced_client.tool("search_context", {"query": WORDS})
    sent = b"".join(collector.bodies)
    assert len([span for span in collector.spans if span.name.startswith("tools/call")]) == 5
    for said in (WORDS, traced_client.token, KEY_ID):
        assert said.encode() not in sent


async def test_what_is_no_tool_call_leaves_no_span(
    traced_client: Endpoint, collector: TraceCollector
) -> None:
    await traced_client.tools()
    await traced_client.ping(token="Bearer wrong")
    await traced_client.search(WORDS)
    assert {span.trace_id for span in collector.spans} == {collector.spans[0].trace_id}


async def test_a_collector_that_does_not_answer_keeps_no_call_from_its_answer(
    traced_client: Endpoint, collector: TraceCollector
) -> None:
    collector.answers.clear()
    assert await traced_client.search(WORDS) == []
    assert await traced_client.search(WORDS) == []
    assert collector.came.is_set()
    assert len(collector.bodies) == 1


async def test_a_server_that_goes_on_sends_its_spans_by_and_by(
    make_world: MakeWorld, collector: TraceCollector
) -> None:
    world = make_world(environment(OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=f"{collector.url}/v1/traces"))
    assert await world.endpoint().search(WORDS) == []
    assert world.tracing is not None
    await world.tracing.aclose()
    assert collector.named("tools/call search_context").told["metacortex.client"] == "default"


async def test_a_collector_that_is_not_there_keeps_no_server_from_its_end(
    make_world: MakeWorld,
) -> None:
    with serve_traces() as collector:
        env = function_of(collector)
    world = make_world(env)
    assert await world.endpoint().search(WORDS) == []


@pytest.mark.parametrize("missing", ["opentelemetry.sdk", "opentelemetry.exporter.otlp.proto"])
async def test_traces_that_nothing_can_send_are_a_problem_of_the_configuration(
    make_world: MakeWorld,
    collector: TraceCollector,
    missing: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "opentelemetry.exporter.otlp.proto.http", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ConfigurationError, match="install the extra 'traces'"):
        make_world(function_of(collector))


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, "http://c:4318/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/"}, "http://c:4318/v1/traces"),
        (
            {
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://d/here",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
            },
            "https://d/here",
        ),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317", "OTEL_TRACES_EXPORTER": "none"},
            None,
        ),
    ],
)
def test_the_settings_of_opentelemetry_say_where_traces_go(
    given: dict[str, str], url: str | None
) -> None:
    traces = Settings.from_env({**environment(), **given}, TOOL_NAMES).traces
    assert (traces and traces.url) == url


@pytest.mark.parametrize(
    "name", ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"]
)
def test_a_protocol_that_is_not_spoken_is_a_problem(name: str) -> None:
    env = {**environment(OTEL_EXPORTER_OTLP_ENDPOINT="http://c:4317"), name: "grpc"}
    with pytest.raises(ConfigurationError, match=f"{name} must be one of http/protobuf"):
        Settings.from_env(env, TOOL_NAMES)


async def test_a_library_that_refuses_its_settings_stops_no_call_and_is_logged_once(
    traced_client: Endpoint,
    collector: TraceCollector,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "-4")
    saved = await traced_client.save(WORDS)
    assert (await traced_client.fetch(saved["id"])).success["item"]["content"] == WORDS
    assert caplog.text.count("No traces are sent") == 1
    assert collector.bodies == []
