"""A span for each tool call, and within it one for each call of a port.

A span tells names, durations and codes: of an exception its type, never its message. The library is
imported and its threads are started by the first call, so after a server has forked. Its global
tracer is left alone, so that no other library's spans come in.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, TypeVar, cast

from metacortex.domain.errors import ConfigurationError
from metacortex.domain.event import Event
from metacortex.trace_context import TraceContext, present

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer

    from metacortex.adapters.opentelemetry.export import Export

logger = logging.getLogger(__name__)

Port = TypeVar("Port")

NOT_INSTALLED = (
    "OTEL_EXPORTER_OTLP_ENDPOINT asks for traces, and the packages that send them are not"
    " installed; install the extra 'traces', or set OTEL_TRACES_EXPORTER to none"
)


class OtlpTracing:
    """Sends traces to the collector at `url`, before an answer leaves where `awaited`.

    Where the library cannot start, none are sent: that is logged once, and changes no answer.

    Raises:
        ConfigurationError: the library is not installed.
    """

    def __init__(self, url: str, *, awaited: bool) -> None:
        if not _installed():
            raise ConfigurationError([NOT_INSTALLED])
        self._url = url
        self._awaited = awaited
        self._started: Export | None = None
        self._failed = False

    def begin(self) -> Callable[[Event], Awaitable[None]]:
        """See `ports.Tracing`."""
        export = self._export()
        if export is None:
            return _untold
        from opentelemetry.context import attach, detach
        from opentelemetry.trace import SpanKind, set_span_in_context

        span = export.tracer.start_span("tools/call", _parent(), SpanKind.SERVER)
        attached, shown = attach(set_span_in_context(span)), present.set(_place(span))

        async def end(event: Event) -> None:
            present.reset(shown)
            detach(attached)
            kept = span.is_recording()
            _tell(span, event)
            span.end()
            if kept and self._awaited:
                await export.sent()

        return end

    def followed(self, port: Port, name: str) -> Port:
        """Return an adapter whose calls during a tool call leave spans named after `name`."""
        return cast(Port, _Followed(port, name, self._step))

    async def aclose(self) -> None:
        """Send what has ended, and let go of the library's threads."""
        started, self._started = self._started, None
        if started is not None:
            await started.aclose()

    def _export(self) -> "Export | None":
        if self._started is None and not self._failed:
            try:
                from metacortex.adapters.opentelemetry.export import Export

                self._started = Export(self._url)
            except Exception:
                # It reads settings of its own from the environment, and raises what it likes.
                self._failed = True
                logger.exception("No traces are sent: OpenTelemetry's library could not start")
        return self._started

    def _step(self, name: str) -> AbstractContextManager[None]:
        if self._started is None:
            # Before the first tool call, while a server starts, nothing of the library is loaded.
            return nullcontext()
        return _step(self._started.tracer, name)


class _Followed:
    """Stands before an adapter: its coroutines leave spans, all else is its own."""

    def __init__(
        self, port: object, name: str, step: Callable[[str], AbstractContextManager[None]]
    ) -> None:
        self._port = port
        self._name = name
        self._step = step

    def __getattr__(self, name: str) -> object:
        found = getattr(self._port, name)
        if not iscoroutinefunction(found):
            return found

        async def followed(*given: object, **named: object) -> object:
            with self._step(f"{self._name}.{name}"):
                return await found(*given, **named)

        # Found here from now on, and not made again.
        setattr(self, name, followed)
        return followed


async def _untold(_: Event) -> None:
    """End a call that no trace follows."""


def _installed() -> bool:
    try:
        return None not in map(
            find_spec, ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
        )
    except ModuleNotFoundError:
        return False


def _parent() -> "Context":
    """Return the span that the request came from, if it said so."""
    from opentelemetry.context import Context
    from opentelemetry.trace import (
        NonRecordingSpan,
        SpanContext,
        TraceFlags,
        set_span_in_context,
    )

    trace = present.get()
    if trace is None:
        return Context()
    place = SpanContext(
        int(trace.trace_id, 16),
        int(trace.span_id, 16),
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED if trace.sampled else TraceFlags.DEFAULT),
    )
    return set_span_in_context(NonRecordingSpan(place), Context())


def _place(span: "Span") -> TraceContext:
    place = span.get_span_context()
    return TraceContext(
        f"{place.trace_id:032x}", f"{place.span_id:016x}", place.trace_flags.sampled
    )


@contextmanager
def _step(tracer: "Tracer", name: str) -> Iterator[None]:
    from opentelemetry.trace import StatusCode, get_current_span

    if not get_current_span().is_recording():
        yield
        return
    with tracer.start_as_current_span(
        name, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield
        except BaseException as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
            raise


def _tell(span: "Span", event: Event) -> None:
    """Tell what the event tells of the call, by OpenTelemetry's names where it has some."""
    from opentelemetry.trace import StatusCode

    name = str(event.body["tool_name"])
    if "/" in name:
        # No tool has such a name: it is that of the method, which called none.
        span.update_name(name)
        span.set_attribute("mcp.method.name", name)
    else:
        span.update_name(f"tools/call {name}")
        span.set_attributes(
            {
                "mcp.method.name": "tools/call",
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
            }
        )
    span.set_attributes(
        {"metacortex.client": event.client_id, "metacortex.status": event.status.value}
    )
    error = event.body.get("error")
    if isinstance(error, dict):
        span.set_attribute("error.type", str(error["name"]))
        span.set_status(StatusCode.ERROR)
