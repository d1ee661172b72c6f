"""A collector of traces on loopback that speaks OTLP over HTTP, or does not answer at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.loopback import QuietHandler, answering


@dataclass(frozen=True)
class Span:
    """One span as it came over the wire."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: int
    failed: bool
    told: dict[str, str]
    resource: dict[str, str]


@dataclass
class TraceCollector:
    """Keeps what it is sent. While `answers` is clear, it keeps every request waiting."""

    url: str = ""
    spans: list[Span] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    came: Event = field(default_factory=Event)
    answers: Event = field(default_factory=Event)

    def take(self, body: bytes) -> None:
        """Keep one request."""
        self.bodies.append(body)
        request = ExportTraceServiceRequest.FromString(body)
        for group in request.resource_spans:
            resource = _told(group.resource)
            self.spans += [
                _span(span, resource) for scope in group.scope_spans for span in scope.spans
            ]
        self.came.set()

    def named(self, name: str) -> Span:
        """Return the only span of a name."""
        (span,) = [span for span in self.spans if span.name == name]
        return span


def _span(span: Any, resource: dict[str, str]) -> Span:
    return Span(
        name=span.name,
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        kind=span.kind,
        failed=span.status.code == span.status.STATUS_CODE_ERROR,
        told=_told(span),
        resource=resource,
    )


def _told(bearer: Any) -> dict[str, str]:
    return {pair.key: pair.value.string_value for pair in bearer.attributes}


@contextmanager
def serve_traces() -> Iterator[TraceCollector]:
    """Serve a collector for as long as a test takes."""
    collector = TraceCollector()
    collector.answers.set()

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            collector.take(self.rfile.read(int(self.headers["Content-Length"])))
            collector.answers.wait()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

    with answering(Handler) as collector.url:
        try:
            yield collector
        finally:
            collector.answers.set()
