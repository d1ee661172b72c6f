"""Which trace a request belongs to."""

import pytest

from metacortex.trace_context import TraceContext
from metacortex.transport.trace_headers import trace_of

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
KEPT, NOT_KEPT = TraceContext(TRACE, SPAN, sampled=True), TraceContext(TRACE, SPAN, sampled=False)
W3C, CLOUD = "traceparent", "x-cloud-trace-context"
SPAN_NUMBER = int(SPAN, 16)


def trace(*headers: tuple[str, str]) -> TraceContext | None:
    """Return the trace of a request with these headers."""
    return trace_of({"headers": [(name.encode(), value.encode()) for name, value in headers]})


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (f"00-{TRACE}-{SPAN}-01", KEPT),
        (f"00-{TRACE}-{SPAN}-00", NOT_KEPT),
        (f"00-{TRACE}-{SPAN}-03", KEPT),
        (f"00-{TRACE}-{SPAN}-02", NOT_KEPT),
        (f"cc-{TRACE}-{SPAN}-01", KEPT),
        (f"cc-{TRACE}-{SPAN}-01-what-the-future-will-be-like", KEPT),
    ],
)
def test_a_traceparent_names_the_trace_the_span_and_whether_it_is_kept(
    value: str, read: TraceContext
) -> None:
    assert trace((W3C, value)) == read


@pytest.mark.parametrize(
    "value",
    [
        "",
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE}-{SPAN}-01-more",
        f"00-{TRACE}-{SPAN}-01.",
        f"cc-{TRACE}-{SPAN}-01.what",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE[1:]}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-1",
        f"00-{TRACE}-{SPAN}-0x",
        f" 00-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01\n",
        "é" * 55,
    ],
)
def test_a_malformed_traceparent_is_as_none(value: str) -> None:
    assert trace((W3C, value)) is None
    assert trace((W3C, value), (CLOUD, f"{TRACE}/{SPAN_NUMBER};o=1")) == KEPT


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (f"{TRACE}/{SPAN_NUMBER};o=1", KEPT),
        (f"{TRACE.upper()}/{SPAN_NUMBER};o=1", KEPT),
        (f"{TRACE}/{SPAN_NUMBER};o=0", NOT_KEPT),
        (f"{TRACE}/{SPAN_NUMBER}", NOT_KEPT),
        (f"{TRACE}/{2**64 - 1};o=1", TraceContext(TRACE, "f" * 16, sampled=True)),
        (f"{TRACE}/{2**64};o=1", None),
        (f"{TRACE}/0;o=1", None),
        (f"{TRACE}/{SPAN};o=1", None),
        (TRACE, None),
        (f"{'0' * 32}/{SPAN_NUMBER};o=1", None),
        (f"{TRACE[1:]}/{SPAN_NUMBER};o=1", None),
        ("", None),
    ],
)
def test_the_header_of_google_counts_spans_in_decimals(
    value: str, read: TraceContext | None
) -> None:
    assert trace((CLOUD, value)) == read


def test_the_standard_header_comes_first() -> None:
    assert trace((CLOUD, f"{'a' * 32}/1;o=0"), (W3C, f"00-{TRACE}-{SPAN}-01")) == KEPT


def test_two_of_one_header_are_as_none() -> None:
    assert trace(*[(W3C, f"00-{TRACE}-{SPAN}-01")] * 2) is None


def test_a_request_may_belong_to_no_trace() -> None:
    assert trace() is None
