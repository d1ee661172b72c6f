"""Events as they are kept and printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.event import Event, EventStatus, EventType, preview, without_nulls
from metacortex.domain.json import JSON


@pytest.mark.rule("C104")
@pytest.mark.parametrize("value", [None, {"inner": None}, {"inner": {"innermost": None}}])
def test_nulls_are_left_out_at_every_level(value: JSON) -> None:
    body = without_nulls({"kept": {"one": 1, "list": [None]}, "value": value, "zero": 0})
    assert body["kept"] == {"one": 1, "list": [None]}
    assert "None" not in str({key: body[key] for key in body if key != "kept"})


@pytest.mark.rule("C101", "C104")
def test_an_event_expires_ninety_days_after_it_happened() -> None:
    event = Event("e", EventType.REQUEST, 0, "web", EventStatus.REJECTED, 3, {"reason": "x"})
    assert event.as_json() == {
        "event_id": "e",
        "event_type": "request",
        "timestamp": 0,
        "expires_at": "1970-04-01T00:00:00.000Z",
        "client_id": "web",
        "status": "rejected",
        "latency_ms": 3,
        "reason": "x",
    }


@pytest.mark.rule("C105", "C107", "C62")
@given(st.text(max_size=400))
def test_a_preview_shows_a_hundred_and_sixty_code_points(query: str) -> None:
    shown = preview(query)
    assert shown == query if len(query) <= 160 else shown == query[:160] + "..."
