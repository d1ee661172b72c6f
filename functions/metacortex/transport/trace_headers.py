"""The trace that a request says it belongs to: `traceparent` (W3C Trace Context, level 1), else
`X-Cloud-Trace-Context` of Google's front ends.
"""

import re

from starlette.types import Scope

from metacortex.trace_context import TraceContext

# A later version may append to what this one has. Ids of nothing but zeros are none.
_TRACEPARENT = re.compile(
    rb"(?!ff)(?P<version>[0-9a-f]{2})-(?!0{32})(?P<trace>[0-9a-f]{32})"
    rb"-(?!0{16})(?P<span>[0-9a-f]{16})-(?P<flags>[0-9a-f]{2})(?P<more>-.*)?"
)
_CLOUD_TRACE = re.compile(
    rb"(?!0{32})(?P<trace>[0-9a-fA-F]{32})/(?P<span>[0-9]{1,20})(;o=(?P<options>[0-9]))?"
)
_SAMPLED = 1
_LARGEST_SPAN = 2**64 - 1


def trace_of(scope: Scope) -> TraceContext | None:
    """Return the trace of a request, or None. What is malformed or there twice is not there."""
    parent, cloud = _only(scope, b"traceparent"), _only(scope, b"x-cloud-trace-context")
    return (_from_traceparent(parent) if parent else None) or (
        _from_cloud_trace(cloud) if cloud else None
    )


def _only(scope: Scope, wanted: bytes) -> bytes | None:
    values = [value for name, value in scope["headers"] if name == wanted]
    return values[0] if len(values) == 1 else None


def _from_traceparent(value: bytes) -> TraceContext | None:
    found = _TRACEPARENT.fullmatch(value)
    if found is None or (found["version"] == b"00" and found["more"]):
        return None
    sampled = bool(int(found["flags"], 16) & _SAMPLED)
    return TraceContext(found["trace"].decode(), found["span"].decode(), sampled)


def _from_cloud_trace(value: bytes) -> TraceContext | None:
    found = _CLOUD_TRACE.fullmatch(value)
    if found is None or not 0 < int(found["span"]) <= _LARGEST_SPAN:
        return None
    sampled = bool(int(found["options"] or b"0") & _SAMPLED)
    return TraceContext(found["trace"].decode().lower(), f"{int(found['span']):016x}", sampled)
