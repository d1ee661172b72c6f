"""Where traces are sent, by the names that OpenTelemetry gives its settings.

What else has a name there, such as headers, timeouts and the sampler, its library finds in the
environment by itself.
"""

from dataclasses import dataclass

from metacortex.reading import Reader

PROTOCOLS = ("http/protobuf",)


@dataclass(frozen=True, slots=True)
class TraceSettings:
    """A collector that speaks OTLP. `awaited` tells that spans are to be sent before an answer
    leaves, since the process may be frozen right after it.
    """

    url: str
    awaited: bool


def trace_settings(read: Reader) -> TraceSettings | None:
    """Return where traces are sent, or None where no collector is named."""
    base = read.http_url("OTEL_EXPORTER_OTLP_ENDPOINT")
    url = read.http_url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    if url is None and base is not None:
        url = f"{base.rstrip('/')}/v1/traces"
    if url is None or read.text("OTEL_TRACES_EXPORTER") == "none":
        return None
    if read.text("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") is not None:
        read.one_of("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", PROTOCOLS, PROTOCOLS[0])
    else:
        read.one_of("OTEL_EXPORTER_OTLP_PROTOCOL", PROTOCOLS, PROTOCOLS[0])
    return TraceSettings(url, awaited=read.text("FUNCTION_TARGET") is not None)
