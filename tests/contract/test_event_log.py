"""What `EventLog` promises."""

from typing import Any

import pytest

from metacortex.domain.event import RETENTION, Event, EventFilter, EventStatus, EventType
from metacortex.ports import EventLog
from tests.samples import NOW, TENANT


def an_event(id_: str, **varied: Any) -> Event:
    fields: dict[str, Any] = {
        "id": id_,
        "type": EventType.TOOL_CALL,
        "timestamp": NOW,
        "client_id": "claude-web",
        "status": EventStatus.SUCCESS,
        "latency": 12,
        "body": {
            "tool_name": "search_context",
            "request": {"query_preview": "Écran \x00 🙂", "limit": 5},
            "response": {"result_count": 1, "result_ids": ["m1"]},
        },
    }
    return Event(**(fields | varied))


async def ids(log: EventLog, tenant: str = TENANT, limit: int = 99, **parts: Any) -> list[str]:
    return [event.id for event in await log.list(tenant, EventFilter(**parts), limit)]


async def test_an_event_comes_back_equal(event_log: EventLog) -> None:
    event = an_event("e1")
    await event_log.record(TENANT, event)
    assert await event_log.list(TENANT, EventFilter(), 1) == (event,)


async def test_the_newest_are_chosen_and_stand_oldest_first(event_log: EventLog) -> None:
    for id_, timestamp in [("e1", NOW + 1), ("e2", NOW + 3), ("e3", NOW + 2), ("e4", NOW)]:
        await event_log.record(TENANT, an_event(id_, timestamp=timestamp))
    assert await ids(event_log, limit=3) == ["e1", "e3", "e2"]


async def test_events_of_one_moment_stand_in_order_of_arrival(event_log: EventLog) -> None:
    for id_ in ("c", "a", "d", "b"):
        await event_log.record(TENANT, an_event(id_))
    assert await ids(event_log) == ["c", "a", "d", "b"]
    assert await ids(event_log, limit=2) == ["d", "b"]


async def test_an_event_of_one_tenant_does_not_exist_for_another(event_log: EventLog) -> None:
    await event_log.record(TENANT, an_event("e1"))
    assert await ids(event_log, "other") == []


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"client_id": "cli"}, ["e2"]),
        ({"type": EventType.REQUEST}, ["e3"]),
        ({"status": EventStatus.ERROR}, ["e4"]),
        ({"tool_name": "fetch_context"}, ["e5"]),
        ({"since": NOW + 4}, ["e4", "e5"]),
        ({"client_id": "claude-web", "since": NOW + 5}, ["e5"]),
        ({"client_id": ""}, []),
        ({"tool_name": ""}, []),
        ({"client_id": "' OR 1=1 --"}, []),
    ],
    ids=repr,
)
async def test_every_part_of_a_filter_acts_before_the_limit(
    event_log: EventLog, parts: dict[str, Any], expected: list[str]
) -> None:
    for event in (
        an_event("e1", timestamp=NOW + 1),
        an_event("e2", timestamp=NOW + 2, client_id="cli"),
        an_event(
            "e3",
            timestamp=NOW + 3,
            type=EventType.REQUEST,
            status=EventStatus.REJECTED,
            body={"method": "POST", "path": "/mcp"},
        ),
        an_event("e4", timestamp=NOW + 4, status=EventStatus.ERROR),
        an_event("e5", timestamp=NOW + 5, body={"tool_name": "fetch_context"}),
    ):
        await event_log.record(TENANT, event)
    assert await ids(event_log, limit=2, **parts) == expected


async def test_purging_deletes_the_expired_of_all_tenants(event_log: EventLog) -> None:
    for tenant in (TENANT, "other"):
        await event_log.record(tenant, an_event("old", timestamp=NOW - RETENTION))
        await event_log.record(tenant, an_event("new", timestamp=NOW - RETENTION + 1))
    assert await event_log.purge(NOW) == 2
    assert await event_log.purge(NOW) == 0
    assert await ids(event_log) == ["new"]
    assert await ids(event_log, "other") == ["new"]


@pytest.mark.parametrize("name", ["\ud800", "x\x00y", "🙂" * 64], ids=ascii)
async def test_a_made_up_name_never_costs_the_event(event_log: EventLog, name: str) -> None:
    await event_log.record(TENANT, an_event("e1", client_id=name, body={"tool_name": name}))
    assert await ids(event_log) == ["e1"]
    assert await ids(event_log, client_id=name, tool_name=name) == ["e1"]
