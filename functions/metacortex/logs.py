"""Logs: one JSON object a line on a server, plain lines in a terminal.

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

TRUSTED = ("metacortex", "uvicorn")
"""Loggers whose messages are known to hold no content."""


def configure(stream: TextIO, *, human: bool) -> None:
    """Send all logs to `stream`: of the product from INFO on, of libraries from WARNING on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(HumanFormatter() if human else JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("metacortex").setLevel(logging.INFO)
    logging.captureWarnings(True)


class JsonFormatter(logging.Formatter):
    """One JSON object a line, with the keys that log collectors know."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line."""
        line: dict[str, JSON] = {
            "severity": record.levelname,
            "time": iso(int(record.created * 1000)),
            "logger": record.name,
            "message": safe_message(record),
        }
        if (request_id := getattr(record, "request_id", None)) is not None:
            line["request_id"] = str(request_id)
        if record.exc_info and record.exc_info[1]:
            line["error"] = list(outline(record.exc_info[1]))
        return json.dumps(line, ensure_ascii=False)


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
