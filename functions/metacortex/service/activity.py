"""What was asked and answered: one event for each tool call and each rejection at the door.

Each is stored before the answer leaves. A tool call leaves a line in the log too, and is told to
whoever collects traces.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from uuid import uuid4

from metacortex.domain.errors import MetaCortexError
from metacortex.domain.event import (
    NAME_LENGTH,
    PREVIEW_LENGTH,
    Event,
    EventFilter,
    EventStatus,
    EventType,
    preview,
    without_nulls,
)
from metacortex.domain.json import JSON
from metacortex.domain.moment import Milliseconds
from metacortex.domain.redaction import redact
from metacortex.model_ports import SecretScanner
from metacortex.ports import Clock, EventLog, Tracing
from metacortex.service.rejections import MINUTE, Rejection, Throttle
from metacortex.service.use import UseCounter

logger = logging.getLogger(__name__)
calls = logging.getLogger("metacortex.calls")

_HEX = re.compile("[0-9a-f]{1,64}")

LABELS_KNOWN = 1_000
SCANNED = 4_096
"""How much of a text is looked through for secrets before its beginning is shown."""


@dataclass(slots=True)
class Call:
    """One tool call while it runs. Who answers it fills in what may be told of it."""

    tool_name: str
    started: Milliseconds
    request: Mapping[str, JSON] = field(default_factory=dict)
    response: Mapping[str, JSON] | None = None
    error: Mapping[str, JSON] | None = None
    shown: tuple[str, ...] = ()
    """The ids of the memories that came back in the answer."""
    followed: Callable[[Event], Awaitable[None]] | None = None
    """Ends the trace of the call, where there is one."""


class Activity:
    """Records events. A failure to store one is logged and changes no answer."""

    def __init__(
        self,
        log: EventLog,
        use: UseCounter,
        scanner: SecretScanner,
        clock: Clock,
        tracing: Tracing | None = None,
    ) -> None:
        self._log = log
        self._use = use
        self._scanner = scanner
        self._clock = clock
        self._tracing = tracing
        self._throttle = Throttle()
        self._known_label = lru_cache(LABELS_KNOWN)(self._without_secrets)
        self._minute: asyncio.TimerHandle | None = None
        self._flushes: set[asyncio.Task[None]] = set()

    def open(self, tool_name: str) -> Call:
        """Begin to observe a tool call."""
        followed = self._tracing.begin() if self._tracing is not None else None
        return Call(tool_name[:NAME_LENGTH], self._clock.now(), followed=followed)

    def preview(self, query: str) -> str:
        """Return what an event may show of a query: its first 160 code points, without secrets."""
        shown = self._without_secrets(query)
        return preview(shown) if len(query) <= SCANNED else shown[:PREVIEW_LENGTH] + "..."

    def label(self, text: str, length: int = NAME_LENGTH) -> str:
        """Return what an event may show of a name that a caller made up."""
        # What looks like a digest or one of our ids is no secret, and most names are ids. Of the
        # rest most are topics, which come again and again.
        return text if _HEX.fullmatch(text) else self._known_label(text[: SCANNED + 1])[:length]

    async def close(self, tenant: str, client_id: str, call: Call) -> None:
        """Store the event of a tool call that has ended, and tell of it."""
        status = EventStatus.SUCCESS if call.error is None else EventStatus.ERROR
        body: dict[str, JSON] = {"tool_name": call.tool_name, "request": call.request}
        error = None
        if call.error is None:
            body["response"] = call.response or {}
        else:
            # Only what failed can bear names that the caller made up.
            body["tool_name"] = self.label(call.tool_name)
            error = {**call.error, "message": self.label(str(call.error["message"]), 1_000)}
            body["error"] = error
        kind = EventType.TOOL_CALL
        recording = self._record(tenant, client_id, kind, status, call.started, body)
        if self._use.note(tenant, call.shown):
            using = self._stored("The use of memories", self._use.flush(tenant))
            event, _ = await asyncio.gather(recording, using)
        else:
            event = await recording
        _log_call(event, error)
        if call.followed is not None:
            await call.followed(event)

    async def reject(self, rejection: Rejection, latency: Milliseconds) -> None:
        """Store the event of a rejection: at most 60 a minute for one client and reason, and one
        that counts the rest.
        """
        now = self._clock.now()
        await self.flush()
        if self._throttle.admits(rejection, now):
            await self._record_rejection(rejection, now - latency)
        else:
            self._flush_later()

    async def flush(self, *, all_of_them: bool = False) -> None:
        """Store the events that count what was left out in minutes that have ended; with
        `all_of_them`, in every one.
        """
        for rejection, repeated in self._throttle.ended(None if all_of_them else self._clock.now()):
            await self._record_rejection(rejection, self._clock.now(), repeated)

    async def list(self, tenant: str, where: EventFilter, limit: int) -> tuple[Event, ...]:
        """Return the newest `limit` events of a tenant that pass `where`, oldest first."""
        return await self._log.list(tenant, where, limit)

    async def aclose(self) -> None:
        """Store what is still uncounted, of rejections and of uses, and stop waiting for the end of
        the minute.
        """
        if self._minute is not None:
            self._minute.cancel()
            self._minute = None
        await self.flush(all_of_them=True)
        await asyncio.gather(*self._flushes)
        await self._use.aclose()

    def _flush_later(self) -> None:
        if self._minute is None:
            self._minute = asyncio.get_running_loop().call_later(
                MINUTE / 1000 + 1, self._start_flush
            )

    def _start_flush(self) -> None:
        self._minute = None
        task = asyncio.ensure_future(self.flush())
        self._flushes.add(task)
        task.add_done_callback(self._flushes.discard)

    async def _record_rejection(
        self, rejection: Rejection, started: Milliseconds, repeated: int | None = None
    ) -> None:
        body: dict[str, JSON] = {
            "method": rejection.method[:NAME_LENGTH],
            "path": self.label(rejection.path, 2 * NAME_LENGTH),
            "status_code": rejection.status_code,
            "reason": rejection.reason,
            "repeated": repeated,
        }
        await self._record(
            rejection.tenant,
            self.label(rejection.client_id),
            EventType.REQUEST,
            EventStatus.REJECTED,
            started,
            body,
        )

    def _without_secrets(self, text: str) -> str:
        """Return the beginning of `text` without secrets: of a long one, whole words only, so that
        no secret is cut in two and its first half overlooked.
        """
        head = text if len(text) <= SCANNED else text[:SCANNED].rsplit(None, 1)[0]
        return redact(head, self._scanner.scan(head)).text

    async def _record(
        self,
        tenant: str,
        client_id: str,
        kind: EventType,
        status: EventStatus,
        started: Milliseconds,
        body: Mapping[str, JSON],
    ) -> Event:
        latency = max(0, self._clock.now() - started)
        event = Event(str(uuid4()), kind, started, client_id, status, latency, without_nulls(body))
        await self._stored("An event", self._log.record(tenant, event))
        return event

    async def _stored(self, what: str, storing: Awaitable[None]) -> None:
        """Wait until something is stored; whatever becomes of it, no answer depends on it."""
        try:
            await storing
        except MetaCortexError as error:
            logger.error("%s could not be stored: %s", what, error.sentence)
        except Exception:
            # The boundary: a store's unexpected fault is for the log alone.
            logger.exception("%s could not be stored", what)


def _log_call(event: Event, error: Mapping[str, JSON] | None) -> None:
    """Log a tool call: never what was asked or answered, and names that were made up only as the
    event shows them.
    """
    labels = {
        "tool": str(event.body["tool_name"]),
        "client": event.client_id,
        "status": event.status.value,
    }
    level, reason = logging.INFO, ""
    if error is not None:
        labels["error"] = str(error["name"])
        if _is_ours(error):
            level, reason = logging.WARNING, f"; {error['message']}"
    calls.log(
        level,
        "%s by %s: %s, %d ms%s",
        labels["tool"],
        labels["client"],
        labels.get("error", labels["status"]),
        event.latency,
        reason,
        extra={"labels": labels, "latency_ms": event.latency},
    )


def _is_ours(error: Mapping[str, JSON]) -> bool:
    """Whether a failure is the server's rather than the caller's."""
    status = error["status_code"]
    return isinstance(status, int) and status >= 500
