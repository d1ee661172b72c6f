"""Dates as they are written: what each form covers, what is refused, and how moments are shown."""

import time
from collections.abc import Iterator
from datetime import UTC

import pytest

from metacortex.domain.dates.parsing import as_written, as_written_until, parse_period
from metacortex.domain.dates.period import FIRST, LAST
from metacortex.domain.dates.zone import zone_of
from metacortex.domain.errors import InvalidInput
from metacortex.domain.moment import Milliseconds, Moment, Precision, iso

NOW: Milliseconds = 1_786_529_730_123
"""2026-08-12T10:15:30.123Z, a Wednesday."""


def covered(text: str, zone: str = "UTC") -> tuple[str, str, str]:
    """Return start, end and precision of what a text covers."""
    period = parse_period("as_of", text, NOW, zone_of(zone))
    return iso(period.start), iso(period.end), period.precision.value


def refusal(text: str) -> str:
    with pytest.raises(InvalidInput) as refused:
        parse_period("as_of", text, NOW, UTC)
    return refused.value.sentence


@pytest.fixture(params=["Asia/Tokyo", "America/Los_Angeles", "UTC"])
def host_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The host's clocks stand in this zone."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("text", "start", "end", "precision"),
    [
        ("2026", "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "year"),
        ("2026-08", "2026-08-01T00:00:00.000Z", "2026-09-01T00:00:00.000Z", "month"),
        ("2026-12", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "month"),
        ("2026-Q3", "2026-07-01T00:00:00.000Z", "2026-10-01T00:00:00.000Z", "month"),
        ("2026-W32", "2026-08-03T00:00:00.000Z", "2026-08-10T00:00:00.000Z", "day"),
        ("2026-W53-7", "2027-01-03T00:00:00.000Z", "2027-01-04T00:00:00.000Z", "day"),
        ("2026-08-03", "2026-08-03T00:00:00.000Z", "2026-08-04T00:00:00.000Z", "day"),
        ("2026-08-03T10", "2026-08-03T10:00:00.000Z", "2026-08-03T11:00:00.000Z", "hour"),
        ("2026-08-03T10:15", "2026-08-03T10:15:00.000Z", "2026-08-03T10:16:00.000Z", "minute"),
        ("2026-08-03T10:15:30", "2026-08-03T10:15:30.000Z", "2026-08-03T10:15:31.000Z", "second"),
        ("2026-08-03T10:15:30.1239", "2026-08-03T10:15:30.123Z", "2026-08-03T10:15:30.124Z", "ms"),
        ("2026-08-03T24:00", "2026-08-04T00:00:00.000Z", "2026-08-04T00:01:00.000Z", "minute"),
        ("August 2026", "2026-08-01T00:00:00.000Z", "2026-09-01T00:00:00.000Z", "month"),
        ("q3 2026", "2026-07-01T00:00:00.000Z", "2026-10-01T00:00:00.000Z", "month"),
    ],
)
def test_a_date_covers_all_that_it_leaves_open(
    text: str, start: str, end: str, precision: str
) -> None:
    assert covered(text) == (start, end, precision)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("20260803", "2026-08-03"),
        ("2026/8/3", "2026-08-03"),
        ("2026w321", "2026-08-03"),
        ("3 August 2026", "2026-08-03"),
        (" 3rd of  aug 2026\n", "2026-08-03"),
        ("3. August 2026", "2026-08-03"),
        ("03-Aug-2026", "2026-08-03"),
        ("Aug 3, 2026", "2026-08-03"),
        ("August 3rd, 2026", "2026-08-03"),
        ("Monday, 3 August 2026", "2026-08-03"),
        ("2026-08-03 10", "2026-08-03T10Z"),
        ("2026-08-03t10:15z", "2026-08-03T10:15Z"),
        ("2026-08-03 10:15:30,123 UTC", "2026-08-03T10:15:30.123Z"),
        ("20260803T101530+0200", "2026-08-03T08:15:30Z"),
        ("2026-08-03T10:15+02", "2026-08-03T08:15Z"),
        ("2026-08-03T10:15\u221205:30", "2026-08-03T15:45Z"),
        ("2026-08-03T00:30:00+02:00", "2026-08-02T22:30:00Z"),
        ("Mon, 03 Aug 2026 10:15:00 +0200", "2026-08-03T08:15:00Z"),
        ("Aug 3, 2026 at 10:15 p.m.", "2026-08-03T22:15"),
        ("3 August 2026, 12 am", "2026-08-03T00"),
    ],
)
def test_one_date_may_be_written_in_many_ways(text: str, same: str) -> None:
    assert covered(text) == covered(same)


@pytest.mark.parametrize(
    "text", ["03/04/2026", "12.12.2026", "3-4-26", "25-12-26", "03/04/2026 10:15"]
)
def test_what_could_be_read_in_two_ways_is_refused(text: str) -> None:
    assert refusal(text) == (
        "as_of could be read in two ways; write the year first, such as 2026-08-03"
    )


@pytest.mark.parametrize("text", ["13/08/2026", "8/13/2026", "31.12.2026", "25-12-2026 10:15"])
def test_a_year_at_the_end_is_refused_by_its_own_reason(text: str) -> None:
    assert refusal(text) == "as_of must be written with the year first, such as 2026-08-03"


@pytest.mark.parametrize("text", ["1786529730", "1786529730123", "-1.5", "202608", "12"])
def test_a_number_is_no_date(text: str) -> None:
    assert refusal(text) == (
        "as_of must be a date such as 2026-08 or 2026-08-03T10:00:00Z, not a number"
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "Monday", "Augst 2026", "3 August", "10:15", "2026-08 10:15"),
        *("last week at 10:15", "next friday", "this 3 days", "٢٠٢٦", "monday, august 2026"),
        *("monday, soon", "2026-08-03Z", "2026-08-03 1015", "\ud800", "2026-08\0"),
        "2026" + " " * 61,
    ],
)
def test_what_is_no_date_is_answered_with_how_to_write_one(text: str) -> None:
    assert refusal(text) == "as_of must be a date such as 2026-08 or 2026-08-03T10:00:00Z"


@pytest.mark.parametrize(
    "text",
    [
        *("2026-13", "2026-02-29", "20261301", "30 February 2026", "2026-W54", "0000"),
        *("2026-08-03T25", "2026-08-03T24:01", "2026-08-03T23:59:60Z", "2026-08-03 13:00 pm"),
        *("2026-08-03T10+25:00", "2026-08-03T10+02:75", "tue 3 aug 2026"),
    ],
)
def test_a_day_that_does_not_exist_is_not_moved_to_one_that_does(text: str) -> None:
    assert refusal(text) == "as_of is a day or time that does not exist"


@pytest.mark.parametrize(
    "text",
    [
        *("9999-12-31T23:59:59-01:00", "0001-01-01T00:00+01:00", "9999-12-31T24:00"),
        *("in 999999 months", "999999 days ago", "9000 years ago", "in 999999 weeks"),
    ],
)
def test_no_date_lies_beyond_the_years_that_can_be_shown(text: str) -> None:
    assert refusal(text) == "as_of must lie in the years 0001 to 9999"


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York", "Europe/Berlin"])
@pytest.mark.parametrize("text", ["0001", "0001-01-01", "9999-12-31", "9999-12", "9999-W52"])
def test_the_first_and_the_last_day_are_dates_in_every_zone(text: str, zone: str) -> None:
    period = parse_period("valid_until", text, NOW, zone_of(zone))
    assert FIRST <= period.begins.at < period.ends.at <= LAST
    assert parse_period("", as_written(period.begins), NOW, UTC).begins.at == period.begins.at


def test_a_date_is_read_on_the_clocks_of_the_reader_unless_it_names_its_own() -> None:
    assert covered("2026-08", "Europe/Berlin")[:2] == (
        "2026-07-31T22:00:00.000Z",
        "2026-08-31T22:00:00.000Z",
    )
    assert covered("2026-08-03T10", "Asia/Kolkata")[0] == "2026-08-03T04:30:00.000Z"
    assert covered("2026-08-03T10Z", "Asia/Kolkata")[0] == "2026-08-03T10:00:00.000Z"
    assert covered("2011-12-30T10Z", "Pacific/Apia")[0] == "2011-12-30T10:00:00.000Z"


def test_a_time_that_was_skipped_is_later_by_as_much_as_was_skipped() -> None:
    assert covered("2026-03-29T02:30", "Europe/Berlin") == covered("2026-03-29T01:30Z")
    assert covered("2018-11-04", "America/Sao_Paulo")[0] == "2018-11-04T03:00:00.000Z"
    assert covered("2011-12-30", "Pacific/Apia") == covered("2011-12-31", "Pacific/Apia")


def test_a_time_that_came_twice_is_the_first_of_the_two() -> None:
    assert covered("2026-10-25T02:30", "Europe/Berlin") == covered("2026-10-25T00:30Z")
    assert covered("2026-11-01", "America/Havana")[0] == "2026-11-01T04:00:00.000Z"


@pytest.mark.case("K30")
@pytest.mark.usefixtures("host_zone")
def test_the_zone_of_the_host_does_not_matter() -> None:
    written_at = parse_period("", "2026-03-01T23:30:00Z", NOW, UTC).begins.at
    day = parse_period("", "2026-03-01", written_at, UTC)
    assert parse_period("", "today", written_at, UTC) == parse_period(
        "", "this day", written_at, UTC
    )
    assert (iso(day.start), iso(day.end)) == (
        "2026-03-01T00:00:00.000Z",
        "2026-03-02T00:00:00.000Z",
    )
    assert day.start <= written_at < day.end
    assert as_written(Moment(written_at, Precision.MINUTE)) == "2026-03-01T23:30Z"


def test_what_is_no_day_of_a_zone_is_written_to_the_second() -> None:
    august = parse_period("", "2026-08", NOW, zone_of("Europe/Berlin"))
    assert as_written(august.begins) == "2026-07-31T22:00:00Z"
    assert as_written_until(august.ends) == "2026-08-31T22:00:00Z"


@pytest.mark.parametrize("name", ["Europe", "Berlin", "", "..", "/etc/localtime", "localtime"])
def test_a_zone_that_is_not_in_the_database_is_refused(name: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"^timezone must be a name such as Europe/Berlin or UTC$"
    ):
        zone_of(name)


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Kiritimati"])
def test_the_ends_of_time_are_written_in_every_zone(zone: str) -> None:
    for at in (FIRST, LAST):
        moment = Moment(at)
        assert parse_period("date", as_written(moment, zone_of(zone)), at, UTC).begins == moment
