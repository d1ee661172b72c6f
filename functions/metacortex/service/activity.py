"""What was asked and answered: one event for each tool call and each rejection at the door.

Each is stored before the answer leaves.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from metacortex.domain.errors import MetaCortexError
from metacortex.domain.event import (
    NAME_LENGTH,
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
from metacortex.ports import Clock, EventLog, SecretScanner

logger = logging.getLogger(__name__)

REJECTIONS_A_MINUTE = 60
MINUTE: Milliseconds = 60_000
KEYS_KEPT = 1_000
"""More clients and reasons than this in one minute are an attack with made-up ids; they share one
count.
"""
SCANNED = 4_096
"""How much of a query is looked through for secrets before its first 160 characters are shown."""


@dataclass(slots=True)
class Call:
    """One tool call while it runs. Who answers it fills in what may be told of it."""

    tool_name: str
    started: Milliseconds
    request: Mapping[str, JSON] = field(default_factory=dict)
    response: Mapping[str, JSON] | None = None
    error: Mapping[str, JSON] | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    """A request that was turned away at the door."""

    tenant: str
    client_id: str
    method: str
    path: str
    status_code: int
    reason: str


class Activity:
    """Records events. A failure to store one is logged and changes no answer."""

    def __init__(self, log: EventLog, scanner: SecretScanner, clock: Clock) -> None:
        self._log = log
        self._scanner = scanner
        self._clock = clock
        self._throttle = _Throttle()
        self._minute: asyncio.TimerHandle | None = None
        self._flushes: set[asyncio.Task[None]] = set()

    def open(self, tool_name: str) -> Call:
        """Begin to observe a tool call."""
        return Call(tool_name[:NAME_LENGTH], self._clock.now())

    def preview(self, query: str) -> str:
        """Return what an event may show of a query: its first 160 code points, without secrets."""
        return preview(self.shown(query[:SCANNED]) + query[SCANNED:])

    def shown(self, text: str) -> str:
        """Return `text` as an event may show it: without secrets."""
        return redact(text, self._scanner.scan(text)).text

    async def close(self, tenant: str, client_id: str, call: Call) -> None:
        """Store the event of a tool call that has ended."""
        status = EventStatus.SUCCESS if call.error is None else EventStatus.ERROR
        body: dict[str, JSON] = {"tool_name": call.tool_name, "request": call.request}
        if call.error is None:
            body["response"] = call.response or {}
        else:
            body["error"] = call.error
        await self._record(tenant, client_id, EventType.TOOL_CALL, status, call.started, body)

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

    async def aclose(self) -> None:
        """Store what is still uncounted, and stop waiting for the end of the minute."""
        if self._minute is not None:
            self._minute.cancel()
            self._minute = None
        await self.flush(all_of_them=True)
        await asyncio.gather(*self._flushes)

    async def _record_rejection(
        self, rejection: Rejection, started: Milliseconds, repeated: int | None = None
    ) -> None:
        body: dict[str, JSON] = {
            "method": rejection.method[:NAME_LENGTH],
            "path": self.shown(rejection.path[:SCANNED])[: 2 * NAME_LENGTH],
            "status_code": rejection.status_code,
            "reason": rejection.reason,
            "repeated": repeated,
        }
        client_id = self.shown(rejection.client_id[:SCANNED])[:NAME_LENGTH]
        await self._record(
            rejection.tenant, client_id, EventType.REQUEST, EventStatus.REJECTED, started, body
        )

    async def _record(
        self,
        tenant: str,
        client_id: str,
        kind: EventType,
        status: EventStatus,
        started: Milliseconds,
        body: Mapping[str, JSON],
    ) -> None:
        latency = max(0, self._clock.now() - started)
        event = Event(str(uuid4()), kind, started, client_id, status, latency, without_nulls(body))
        try:
            await self._log.record(tenant, event)
        except MetaCortexError as error:
            logger.error("An event could not be stored: %s", error.sentence)


@dataclass(slots=True)
class _Minute:
    first: Rejection
    ends: Milliseconds
    admitted: int = 0
    left_out: int = 0


class _Throttle:
    """Counts rejections by client and reason in minutes that begin with the first one."""

    def __init__(self) -> None:
        self._minutes: dict[tuple[str, str, str], _Minute] = {}

    def admits(self, rejection: Rejection, now: Milliseconds) -> bool:
        """Count a rejection, and tell whether it gets an event of its own."""
        key = (rejection.tenant, rejection.client_id, rejection.reason)
        if key not in self._minutes and len(self._minutes) >= KEYS_KEPT:
            key = (rejection.tenant, "", rejection.reason)
        minute = self._minutes.setdefault(key, _Minute(rejection, now + MINUTE))
        admitted = minute.admitted < REJECTIONS_A_MINUTE
        minute.admitted += admitted
        minute.left_out += not admitted
        return admitted

    def ended(self, now: Milliseconds | None) -> list[tuple[Rejection, int]]:
        """Forget the minutes that have ended, all where `now` is None; return those that left
        something out.
        """
        over = [key for key, minute in self._minutes.items() if now is None or minute.ends <= now]
        minutes = [self._minutes.pop(key) for key in over]
        return [(minute.first, minute.left_out) for minute in minutes if minute.left_out]
