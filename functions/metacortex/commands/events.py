"""`events`: what was asked and answered, filtered, and followed as it happens."""

import asyncio
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from metacortex.commands.choices import one_of, words
from metacortex.commands.console import note, print_json, print_text
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.domain.client import check_tenant
from metacortex.domain.event import Event, EventFilter, EventStatus, EventType
from metacortex.domain.json import JSON
from metacortex.domain.moment import Milliseconds, iso

if TYPE_CHECKING:
    from metacortex.service.activity import Activity

POLL_SECONDS = 1
LATE: Milliseconds = 60_000
"""An event bears the time at which its call began, and so may come after later ones by as much."""
AT_ONCE = 100_000

_UNITS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SPAN = re.compile(r"([0-9]{1,6})([smhd])")


def events(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 50,
    client: Annotated[str | None, typer.Option(help="Only of this client.")] = None,
    status: Annotated[
        EventStatus | None,
        typer.Option(
            parser=one_of(EventStatus),
            metavar="STATUS",
            help=f"Only with this outcome: {words(EventStatus)}.",
        ),
    ] = None,
    kind: Annotated[
        EventType | None,
        typer.Option(
            "--type",
            parser=one_of(EventType),
            metavar="TYPE",
            help=f"Only of this type: {words(EventType)}.",
        ),
    ] = None,
    tool: Annotated[str | None, typer.Option(help="Only calls of this tool.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Only from then on: 90s, 30m, 2h, 7d or an ISO-8601 time.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new ones.")] = False,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """List events, newest last."""
    where = EventFilter(client, kind, status, tool, _moment(since) if since else None)
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_events(invocation, tenant, where, limit, follow=follow))


async def _events(
    invocation: Invocation, tenant: str, where: EventFilter, limit: int, *, follow: bool
) -> None:
    check_tenant(tenant)
    settings = invocation.settings()
    invocation.check_readable(settings)
    async with invocation.program(settings) as program:
        activity = program.services.activity
        listed = await activity.list(tenant, where, limit)
        _show(listed, as_json=invocation.as_json)
        if follow:
            await _follow(activity, tenant, where, listed, as_json=invocation.as_json)
        elif not listed and not invocation.as_json:
            note("No events")


async def _follow(
    activity: "Activity",
    tenant: str,
    where: EventFilter,
    listed: Iterable[Event],
    *,
    as_json: bool,
) -> None:
    from metacortex.bootstrap import SystemClock

    clock = SystemClock()
    started = clock.now()
    shown = {event.id: event.timestamp for event in listed}
    while True:
        since = max(where.since or 0, clock.now() - LATE)
        recent = EventFilter(where.client_id, where.type, where.status, where.tool_name, since)
        found = await activity.list(tenant, recent, AT_ONCE)
        # Those of before, which the limit left out, stay out.
        new = [
            event
            for event in found
            if event.id not in shown and event.timestamp + event.latency >= started
        ]
        _show(new, as_json=as_json)
        shown = {id_: at for id_, at in shown.items() if at >= since}
        shown |= {event.id: event.timestamp for event in new}
        await asyncio.sleep(POLL_SECONDS)


def _show(listed: Iterable[Event], *, as_json: bool) -> None:
    for event in listed:
        if as_json:
            print_json(event.as_json())
        else:
            print_text(_line(event))


def _line(event: Event) -> str:
    body = event.body
    name = body.get("tool_name") or f"{body.get('method')} {body.get('path')}"
    return (
        f"{iso(event.timestamp)}  {event.client_id:<14} {name!s:<18} {event.status.value:<8}"
        f" {event.latency:>6} ms  {_outcome(body)}"
    ).rstrip()


def _outcome(body: Mapping[str, JSON]) -> str:
    """Return the most telling part of an event in a few words."""
    error, response = body.get("error"), body.get("response")
    if isinstance(error, Mapping):
        return str(error.get("message"))
    if isinstance(response, Mapping):
        count = response.get("result_count")
        return f"{count} found" if count is not None else str(response.get("document_id", ""))
    repeated = f", {body['repeated']} more" if "repeated" in body else ""
    return f"{body.get('status_code')} {body.get('reason')}{repeated}"


def _moment(text: str) -> Milliseconds:
    from metacortex.bootstrap import SystemClock

    if span := _SPAN.fullmatch(text.strip()):
        return SystemClock().now() - int(span[1]) * _UNITS[span[2]]
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise typer.BadParameter(
            "must be a span such as 90s, 30m, 2h or 7d, or a time such as 2026-03-14T12:00:00Z",
            param_hint="--since",
        ) from None
    # A time without a zone is in UTC, whatever the zone of this machine.
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)
