"""Logs: one JSON object a line on a server, plain lines in a terminal.

The keys of the JSON are those that Cloud Logging knows.

No memory text may come to rest in a log, and messages of exceptions and of libraries may quote it.
So of an exception only its type and frames are written, and of a library's record only its place.
"""

import json
import logging
import traceback
from collections.abc import Iterator
from typing import TextIO

from metacortex.domain.json import JSON
from metacortex.domain.moment import iso
from metacortex.trace_context import TraceContext, present

TRUSTED = ("metacortex", "uvicorn")
"""Loggers whose messages are known to hold no content."""
GOOGLE = "logging.googleapis.com"
"""Begins the keys that Cloud Logging takes out of a line and into its own fields."""
ACCESS_LOG = "uvicorn.access"


def configure(
    stream: TextIO,
    *,
    human: bool,
    project: str | None = None,
    calls: bool = True,
    roots: bool = True,
) -> None:
    """Send all logs to `stream`: of the product from INFO on, of libraries from WARNING on.

    `project` is the Google Cloud project that their traces are in, where it is known. `calls` tells
    whether each tool call is to leave its line, `roots` whether each Merkle root is.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(HumanFormatter() if human else JsonFormatter(project))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("metacortex").setLevel(logging.INFO)
    for name, wanted in (("metacortex.calls", calls), ("metacortex.roots", roots)):
        logging.getLogger(name).setLevel(logging.INFO if wanted else logging.CRITICAL)
    # It writes addresses, and in addresses stand tokens.
    logging.getLogger(ACCESS_LOG).addFilter(_nothing)
    logging.captureWarnings(True)


def _nothing(record: logging.LogRecord) -> bool:
    return False


class JsonFormatter(logging.Formatter):
    """One JSON object a line, with the keys that log collectors know."""

    def __init__(self, project: str | None = None) -> None:
        super().__init__()
        self._traces = f"projects/{project}/traces/" if project else ""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line."""
        line: dict[str, JSON] = {
            "severity": record.levelname,
            "time": iso(int(record.created * 1000)),
            "logger": record.name,
            "message": safe_message(record),
        }
        for name in ("request_id", "latency_ms"):
            if (value := getattr(record, name, None)) is not None:
                line[name] = value
        if (labels := getattr(record, "labels", None)) is not None:
            line[f"{GOOGLE}/labels"] = labels
        if (trace := present.get()) is not None:
            line |= self._told(trace)
        if record.exc_info and record.exc_info[1]:
            line["error"] = list(outline(record.exc_info[1]))
        return json.dumps(line, ensure_ascii=False)

    def _told(self, trace: TraceContext) -> dict[str, JSON]:
        return {
            f"{GOOGLE}/trace": self._traces + trace.trace_id,
            f"{GOOGLE}/spanId": trace.span_id,
            f"{GOOGLE}/trace_sampled": trace.sampled,
        }


class HumanFormatter(logging.Formatter):
    """A time and a sentence; the level only where something is wrong."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, followed by those of its exception."""
        level = f"{record.levelname.lower()}: " if record.levelno >= logging.WARNING else ""
        request_id = getattr(record, "request_id", None)
        suffix = f" (request {request_id})" if request_id else ""
        lines = [f"{self.formatTime(record, '%H:%M:%S')} {level}{safe_message(record)}{suffix}"]
        if record.exc_info and record.exc_info[1]:
            lines += [f"    {line}" for line in outline(record.exc_info[1])]
        return "\n".join(lines)


def safe_message(record: logging.LogRecord) -> str:
    """Return the message of a trusted logger, and of any other only the place that it came from."""
    if record.name.split(".")[0] in TRUSTED:
        return record.getMessage()
    return f"A message of {record.name}, {record.module} line {record.lineno}, is withheld"


def outline(error: BaseException) -> Iterator[str]:
    """Yield the type and the frames of an exception and of its causes, outermost call first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield type(current).__name__
        for frame in traceback.extract_tb(current.__traceback__):
            yield f"{frame.filename}:{frame.lineno} in {frame.name}"
        current = current.__cause__ or (
            None if current.__suppress_context__ else current.__context__
        )
