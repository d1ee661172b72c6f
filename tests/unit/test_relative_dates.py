"""Dates told from now, and what each argument makes of a date."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.dates.parsing import as_written_until, parse_period
from metacortex.domain.dates.period import Period, Unit, shifted
from metacortex.domain.dates.zone import wall_clock, zone_of
from metacortex.domain.moment import Milliseconds, iso

WEDNESDAY = "2026-08-12T10:15:30.123Z"


def moment(text: str) -> Milliseconds:
    return parse_period("", text, 0, zone_of("UTC")).begins.at


def period(text: str, now: str = WEDNESDAY, zone: str = "UTC") -> Period:
    return parse_period("as_of", text, moment(now), zone_of(zone))


def covered(text: str, now: str = WEDNESDAY, zone: str = "UTC") -> tuple[str, str, str]:
    """Return start, end and precision, without what is zero on both."""
    found = period(text, now, zone)
    start, end = (iso(at).removesuffix(":00.000Z") for at in (found.start, found.end))
    midnights = start.endswith("T00:00") and end.endswith("T00:00")
    return start[:10] if midnights else start, end[:10] if midnights else end, found.precision


@pytest.mark.parametrize(
    ("text", "start", "end", "precision"),
    [
        ("now", "2026-08-12T10:15:30.123Z", "2026-08-12T10:15:30.124Z", "ms"),
        ("Today", "2026-08-12", "2026-08-13", "day"),
        ("yesterday", "2026-08-11", "2026-08-12", "day"),
        ("tomorrow", "2026-08-13", "2026-08-14", "day"),
        ("3 days ago", "2026-08-09", "2026-08-10", "day"),
        ("in 2 weeks", "2026-08-24", "2026-08-31", "day"),
        ("two months ago", "2026-06-01", "2026-07-01", "month"),
        ("a year ago", "2025-01-01", "2026-01-01", "year"),
        ("3 days from now", "2026-08-15", "2026-08-16", "day"),
        ("this hour", "2026-08-12T10:00", "2026-08-12T11:00", "hour"),
        ("last week", "2026-08-03", "2026-08-10", "day"),
        ("this month", "2026-08-01", "2026-09-01", "month"),
        ("the previous quarter", "2026-04-01", "2026-07-01", "month"),
        ("next year", "2027-01-01", "2028-01-01", "year"),
        ("previous day", "2026-08-11", "2026-08-12", "day"),
        ("last Monday", "2026-08-10", "2026-08-11", "day"),
        ("last Wednesday", "2026-08-05", "2026-08-06", "day"),
        ("last Friday", "2026-08-07", "2026-08-08", "day"),
        ("last Friday at 9:30", "2026-08-07T09:30", "2026-08-07T09:31", "minute"),
        ("tomorrow 10 am", "2026-08-13T10:00", "2026-08-13T11:00", "hour"),
    ],
)
def test_what_is_some_units_of_the_calendar_away_is_the_whole_unit(
    text: str, start: str, end: str, precision: str
) -> None:
    assert covered(text) == (start, end, precision)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("1 hour ago", "2026-08-12T09:15:30.123Z"),
        ("10 mins ago", "2026-08-12T10:05:30.123Z"),
        ("in 24 hours", "2026-08-13T10:15:30.123Z"),
        ("30 seconds from now", "2026-08-12T10:16:00.123Z"),
    ],
)
def test_what_is_some_hours_minutes_or_seconds_away_is_an_instant(text: str, start: str) -> None:
    at, found = moment(start), period(text)
    assert (found.begins.at, found.ends.at, found.as_of(moment(WEDNESDAY))) == (at, at, at)


@pytest.mark.parametrize(
    ("text", "start", "end", "precision"),
    [
        ("last 7 days", "2026-08-05", "2026-08-13", "day"),
        ("the past week", "2026-08-05", "2026-08-13", "day"),
        ("last day", "2026-08-11", "2026-08-13", "day"),
        ("last 3 months", "2026-05-12", "2026-08-13", "day"),
        ("next 2 weeks", "2026-08-12", "2026-08-27", "day"),
        ("past 24 hours", "2026-08-11T10:15", "2026-08-12T10:16", "minute"),
        ("last hour", "2026-08-12T09:15", "2026-08-12T10:16", "minute"),
        ("last 5 minutes", "2026-08-12T10:10:30.000Z", "2026-08-12T10:15:31.000Z", "second"),
    ],
)
def test_a_stretch_holds_now_and_is_never_shorter_than_asked(
    text: str, start: str, end: str, precision: str
) -> None:
    assert covered(text) == (start, end, precision)


def test_months_and_years_are_counted_on_the_calendar() -> None:
    assert covered("a month ago", "2026-03-31T12:00Z") == ("2026-02-01", "2026-03-01", "month")
    assert covered("past month", "2026-03-31T12:00Z")[0] == "2026-02-28"
    assert covered("last year", "2028-02-29T12:00Z") == ("2027-01-01", "2028-01-01", "year")
    assert covered("past year", "2028-02-29T12:00Z")[0] == "2027-02-28"
    assert covered("last week", "2027-01-03T23:59Z") == ("2026-12-21", "2026-12-28", "day")
    assert covered("yesterday", "2026-01-01T00:00Z")[0] == "2025-12-31"


def test_today_is_that_of_the_reader() -> None:
    assert period("today", "2026-03-01T23:30Z", "Asia/Tokyo").begins.at == moment(
        "2026-03-01T15:00Z"
    )
    assert period("this year", "2025-12-31T23:30Z", "Europe/Berlin").start == moment(
        "2025-12-31T23:00Z"
    )


def test_a_day_that_the_clocks_changed_in_has_its_own_length() -> None:
    hour = 3_600_000
    berlin = "Europe/Berlin"
    spring = period("yesterday", "2026-03-30T10:00Z", berlin)
    autumn = period("yesterday", "2026-10-26T10:00Z", berlin)
    assert (spring.end - spring.start, autumn.end - autumn.start) == (23 * hour, 25 * hour)
    # Hours are counted on the time axis: an hour before 03:30 the clocks showed 01:30.
    assert period("1 hour ago", "2026-03-29T01:30Z", berlin).start == moment("2026-03-29T00:30Z")
    assert period("1 hour ago", "2026-10-25T01:30Z", berlin).start == moment("2026-10-25T00:30Z")


@given(
    st.sampled_from(["day", "week", "month", "quarter", "year"]),
    st.integers(1, 400),
    st.datetimes().filter(lambda wall: 1000 <= wall.year <= 9000),
    st.sampled_from(["UTC", "Europe/Berlin", "America/Havana", "Pacific/Kiritimati"]),
)
def test_ago_and_ahead_are_the_units_that_follow_each_other(
    unit: str, count: int, wall: date, zone_name: str
) -> None:
    now, zone = f"{wall.isoformat()[:16]}Z", zone_name
    one, other = period(f"{count} {unit}s ago", now, zone), period(f"in {count} {unit}s", now, zone)
    assert one.end <= moment(now) < other.start
    assert period(f"{count + 1} {unit}s ago", now, zone).end == one.start
    assert period(f"in {count + 1} {unit}s", now, zone).start == other.end
    day = wall_clock(one.start, zone_of(zone)).date()
    assert day <= shifted(Unit(unit), wall_clock(moment(now), zone_of(zone)).date(), -count)
    last = period(f"last {count} {unit}s", now, zone)
    assert one.start <= last.start < one.end
    assert last.start < moment(now) < last.end


@pytest.mark.case("K32")
def test_after_a_year_begins_where_it_ends_and_before_it_ends_where_it_begins() -> None:
    assert period("2023").after == moment("2024-01-01T00Z")
    assert period("2023").before == moment("2023-01-01T00Z")
    assert moment("2023-12-31T00Z") < period("2023").after <= moment("2024-01-01T00Z")


@pytest.mark.case("K30")
def test_a_time_of_day_bounds_as_the_instant_that_it_is() -> None:
    midnight = period("2026-03-02T00:00:00Z")
    assert midnight.after == midnight.before == midnight.ends.at == midnight.start


@pytest.mark.parametrize("text", ["yesterday", "last week", "last 7 days", "3 months ago", "now"])
def test_after_what_is_told_from_now_begins_with_it(text: str) -> None:
    assert period(text).after == period(text).start


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("2026-08", "2026-09-01T00:00:00.000Z"),
        ("2026-08-03", "2026-08-04T00:00:00.000Z"),
        ("2026-08-03T10:15", "2026-08-03T10:15:00.000Z"),
        ("next 24 hours", "2026-08-13T10:16:00.000Z"),
        ("9999-12-31", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_until_a_date_takes_in_its_last_day_and_until_a_time_ends_there(
    text: str, end: str
) -> None:
    ends = period(text).ends
    assert iso(ends.at) == end
    assert period(as_written_until(ends)).ends.at == ends.at


@pytest.mark.case("K35")
@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("2026-07-09T08:30:00.000Z", "2026-07-09T08:30:00.000Z"),
        ("2026-07-09T08:29:59.999Z", "2026-07-09T08:29:59.999Z"),
        ("2026-07-09T08:30Z", "2026-07-09T08:30:00.000Z"),
        ("2026-07-09", "2026-07-09T23:59:59.999Z"),
        ("2025", "2025-12-31T23:59:59.999Z"),
        ("2027", "2027-12-31T23:59:59.999Z"),
        ("2026", WEDNESDAY),
        ("this month", WEDNESDAY),
        ("today", WEDNESDAY),
    ],
)
def test_as_of_a_date_is_how_things_stood_when_it_ended_or_stand_now(text: str, seen: str) -> None:
    assert iso(period(text).as_of(moment(WEDNESDAY))) == seen


def test_a_weekday_is_within_the_seven_days_before_today() -> None:
    for day in (date(2026, 8, 1) + timedelta(days=n) for n in range(14)):
        monday = period("last monday", f"{day}T12:00Z")
        assert date(1970, 1, 1) + timedelta(milliseconds=monday.start) < day
        assert moment(f"{day}T00Z") - monday.start <= 7 * 86_400_000
        assert iso(monday.start)[:10] in ("2026-07-27", "2026-08-03", "2026-08-10")


def test_now_is_still_the_present_a_moment_later() -> None:
    at = moment(WEDNESDAY)
    assert period("now").as_of(at + 7) == at + 7
    assert period("5 minutes ago").as_of(at + 7) == period("5 minutes ago").start
