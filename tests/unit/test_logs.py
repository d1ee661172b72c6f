"""Logs say what happened and where, and never what was said."""

import io
import json
import logging
import warnings
from collections.abc import Iterator

import pytest

from metacortex import logs
from metacortex.trace_context import TraceContext, present

SECRET = "the text of a memory"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    """The root logger, which gets back what it had."""
    logger = logging.getLogger()
    handlers, level = logger.handlers[:], logger.level
    yield logger
    logger.handlers[:] = handlers
    logger.setLevel(level)
    logging.captureWarnings(False)


@pytest.fixture
def stream(root: logging.Logger) -> io.StringIO:
    """Where JSON logs go."""
    written = io.StringIO()
    logs.configure(written, human=False)
    return written


@pytest.fixture
def terminal(root: logging.Logger) -> io.StringIO:
    """Where logs for people go."""
    written = io.StringIO()
    logs.configure(written, human=True)
    return written


def fail() -> None:
    """Fail with an exception that quotes a memory, because of another that does."""
    try:
        raise KeyError(SECRET)
    except KeyError as error:
        raise ValueError(SECRET) from error


def log_failure(logger: str) -> None:
    """Log an exception as the boundaries do."""
    try:
        fail()
    except ValueError:
        logging.getLogger(logger).exception("A call failed", extra={"request_id": "42"})


def test_a_line_is_one_json_object_with_the_keys_of_collectors(stream: io.StringIO) -> None:
    logging.getLogger("metacortex.transport").info("Ready in %s", "Köln")
    line = json.loads(stream.getvalue())
    assert line.pop("time").endswith("Z")
    assert line == {
        "severity": "INFO",
        "logger": "metacortex.transport",
        "message": "Ready in Köln",
    }


def test_a_request_id_is_a_key_of_its_own(stream: io.StringIO) -> None:
    logging.getLogger("metacortex").error("Failed", extra={"request_id": "42"})
    assert json.loads(stream.getvalue())["request_id"] == "42"


def test_labels_and_latency_are_keys_of_their_own(stream: io.StringIO) -> None:
    labels = {"tool": "fetch_context", "client": "web", "status": "success"}
    logging.getLogger("metacortex").info("Done", extra={"labels": labels, "latency_ms": 0})
    line = json.loads(stream.getvalue())
    assert (line["logging.googleapis.com/labels"], line["latency_ms"]) == (labels, 0)


@pytest.mark.parametrize(
    ("project", "trace"), [("a-project", f"projects/a-project/traces/{TRACE}"), (None, TRACE)]
)
def test_a_line_of_a_request_names_its_trace_as_cloud_logging_wants_it(
    root: logging.Logger, project: str | None, trace: str
) -> None:
    written = io.StringIO()
    logs.configure(written, human=False, project=project)
    token = present.set(TraceContext(TRACE, "00f067aa0ba902b7", sampled=True))
    logging.getLogger("metacortex").info("Done")
    present.reset(token)
    line = json.loads(written.getvalue())
    assert {key: line[key] for key in line if key.startswith("logging.googleapis.com/")} == {
        "logging.googleapis.com/trace": trace,
        "logging.googleapis.com/spanId": "00f067aa0ba902b7",
        "logging.googleapis.com/trace_sampled": True,
    }


def test_an_exception_is_its_types_and_frames_without_its_message(stream: io.StringIO) -> None:
    log_failure("metacortex")
    assert SECRET not in stream.getvalue()
    error = json.loads(stream.getvalue())["error"]
    assert [line for line in error if ":" not in line] == ["ValueError", "KeyError"]
    assert any(line.endswith("in fail") for line in error)


def test_an_exception_in_a_terminal_is_without_its_message_too(terminal: io.StringIO) -> None:
    log_failure("uvicorn.error")
    assert SECRET not in terminal.getvalue()
    first, *rest = terminal.getvalue().splitlines()
    assert first.endswith("error: A call failed (request 42)")
    assert rest[0] == "    ValueError"


def test_a_hidden_context_and_a_loop_of_causes_end(stream: io.StringIO) -> None:
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first
    assert list(logs.outline(first)) == ["ValueError", "KeyError"]
    second.__cause__, second.__context__, second.__suppress_context__ = None, first, True
    assert list(logs.outline(second)) == ["KeyError"]


def test_what_a_library_says_is_withheld_but_not_where_it_said_it(stream: io.StringIO) -> None:
    logging.getLogger("mcp.server").warning("Validation failed: %s", SECRET)
    message = json.loads(stream.getvalue())["message"]
    assert message.startswith("A message of mcp.server, test_logs line ")
    assert SECRET not in message


def test_warnings_are_logged_without_what_they_quote(stream: io.StringIO) -> None:
    with warnings.catch_warnings():
        # What pytest replaced in order to record warnings is what Python has outside of it.
        logging.captureWarnings(False)
        logging.captureWarnings(True)
        warnings.simplefilter("always")
        warnings.warn(SECRET, stacklevel=1)
    assert json.loads(stream.getvalue())["logger"] == "py.warnings"
    assert SECRET not in stream.getvalue()


def test_libraries_are_heard_from_warnings_on(stream: io.StringIO) -> None:
    logging.getLogger("httpx").info("GET https://example.com/?auth_token=x")
    assert stream.getvalue() == ""


def test_the_servers_log_of_addresses_is_silent(stream: io.StringIO) -> None:
    logging.getLogger("uvicorn.access").critical("GET /clients/desk/mcp?auth_token=%s", SECRET)
    assert stream.getvalue() == ""


def test_a_program_that_serves_nobody_leaves_no_lines_of_calls(root: logging.Logger) -> None:
    written = io.StringIO()
    logs.configure(written, human=False, calls=False)
    logging.getLogger("metacortex.calls").warning("Not told")
    logs.configure(written, human=True)
    logging.getLogger("metacortex.calls").info("Told")
    assert written.getvalue().endswith(" Told\n")
    assert "Not told" not in written.getvalue()


def test_roots_of_what_is_not_kept_leave_no_lines(root: logging.Logger) -> None:
    written = io.StringIO()
    logs.configure(written, human=False, roots=False)
    logging.getLogger("metacortex.roots").info("Not told")
    logs.configure(written, human=True)
    logging.getLogger("metacortex.roots").info("Told")
    assert written.getvalue().endswith(" Told\n")
    assert "Not told" not in written.getvalue()


def test_a_plain_line_in_a_terminal_is_a_time_and_a_sentence(terminal: io.StringIO) -> None:
    logging.getLogger("metacortex").info("Stopped")
    time, sentence = terminal.getvalue().split(" ", 1)
    assert len(time) == len("12:00:00")
    assert sentence == "Stopped\n"


def test_log_lines_end_at_their_end(stream: io.StringIO) -> None:
    logging.getLogger("metacortex").info("two\nlines")
    assert stream.getvalue().count("\n") == 1
