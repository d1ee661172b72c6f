"""The laws of dates, for any text, moment and zone."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, tzinfo

from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.dates.parsing import as_written, as_written_until, parse_period
from metacortex.domain.dates.period import FIRST, LAST
from metacortex.domain.dates.zone import wall_clock, zone_of
from metacortex.domain.errors import InvalidInput
from metacortex.domain.moment import Milliseconds, Moment, Precision, iso

NOW: Milliseconds = 1_786_529_730_123
DAY, HOUR = 86_400_000, 3_600_000
LENGTHS = {
    Precision.YEAR: (365 * DAY, 366 * DAY),
    Precision.MONTH: (28 * DAY, 31 * DAY),
    Precision.DAY: (DAY, DAY),
    Precision.HOUR: (HOUR, HOUR),
    Precision.MINUTE: (60_000, 60_000),
    Precision.SECOND: (1_000, 1_000),
    Precision.MILLISECOND: (1, 1),
}
CHARACTERS = dict(zip(Precision, (4, 7, 10, 13, 16, 19, 23), strict=True))
VOCABULARY = """
    0 1 3 08 10 24 99 2026 0000 9999 999999 - / . : , + \u2212 \u0663 T Z W Q3 am of at in a the ago
    last past this next now today days week months year hour second Aug May Monday tue utc
"""

MOMENTS = st.integers(FIRST, LAST)
TEXTS = st.text(max_size=70) | st.lists(
    st.sampled_from(re.findall(r"[ \n]+|\S+", VOCABULARY)), max_size=14
).map("".join)
WALLS = st.datetimes().filter(lambda wall: 1 < wall.year < 9999)
ZONES = st.sampled_from(
    [
        # Half hours, half an hour of summer, midnights that come twice, a day that was skipped,
        # the two ends of the day, and an offset that once had seconds.
        *("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"),
        *("America/Havana", "Pacific/Apia", "Pacific/Kiritimati", "Pacific/Pago_Pago"),
        "Africa/Monrovia",
    ]
).map(zone_of)


@given(TEXTS, MOMENTS, ZONES)
def test_any_text_is_a_period_that_can_be_shown_or_is_refused(
    text: str, now: Milliseconds, zone: tzinfo
) -> None:
    with suppress(InvalidInput):
        period = parse_period("as_of", text, now, zone)
        assert FIRST <= period.start < period.end <= LAST + 1
        assert period.before <= period.after <= period.end
        assert period.start <= period.as_of(now) < period.end
        assert period.start <= period.ends.at <= LAST


@given(MOMENTS, st.sampled_from(Precision))
def test_a_date_is_read_and_written_with_its_precision(
    at: Milliseconds, precision: Precision
) -> None:
    text = iso(at)[: CHARACTERS[precision]] + ("Z" if precision in [*Precision][3:] else "")
    period = parse_period("as_of", text, NOW, UTC)
    shortest, longest = LENGTHS[precision]
    assert period.precision is precision
    assert period.start <= at < period.end
    assert shortest <= period.end - period.start <= longest
    assert as_written(period.begins) == text
    assert as_written_until(period.ends) == text


@given(MOMENTS, st.sampled_from(Precision), ZONES)
def test_what_is_written_is_read_as_the_same_millisecond_in_every_zone(
    at: Milliseconds, precision: Precision, zone: tzinfo
) -> None:
    moment = Moment(at, precision)
    assert parse_period("as_of", as_written(moment, zone), NOW, zone).begins.at == at
    assert parse_period("as_of", as_written_until(moment, zone), NOW, zone).ends.at == at


@given(TEXTS, ZONES)
def test_what_was_read_is_written_and_read_again_as_the_same(text: str, zone: tzinfo) -> None:
    with suppress(InvalidInput):
        moment = parse_period("as_of", text, NOW, zone).begins
        assert parse_period("as_of", as_written(moment, zone), NOW, zone).begins == moment


@given(st.dates(date(1, 1, 2), date(9999, 12, 30)), ZONES)
def test_the_days_of_a_zone_follow_each_other(day: date, zone: tzinfo) -> None:
    today, next_day = (
        parse_period("as_of", str(one), NOW, zone) for one in (day, day + timedelta(days=1))
    )
    assert today.end == next_day.start or today == next_day
    # Samoa had one day twice.
    assert 20 * HOUR <= today.end - today.start <= 48 * HOUR


@given(WALLS, ZONES)
def test_the_clocks_show_what_was_read_or_later_where_they_skipped_it(
    wall: datetime, zone: tzinfo
) -> None:
    wall = wall.replace(microsecond=0)
    read = parse_period("as_of", wall.isoformat(), NOW, zone).begins
    shown = wall_clock(read.at, zone).replace(tzinfo=None)
    assert timedelta(0) <= shown - wall <= timedelta(days=1)
