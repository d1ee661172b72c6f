"""Values: which two of one predicate contradict each other, and in what way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stated import among, kinds, stated


@pytest.mark.parametrize(
    ("predicate", "one", "other"),
    [
        ("timeout", "10 s", "10 seconds"),
        ("timeout", "1h 30min", "90 minutes"),
        ("timeout_seconds", "10", "10 s"),
        ("timeout_ms", "500", "0.5 s"),
        ("timeout", "10", "10 s"),
        ("limit", "1.0", "1"),
        ("limit", "1,000", "1000"),
        ("limit", "1.000", "1000"),
        ("limit", "1,234,567", "1.234.567,0"),
        ("limit", "1.234.567", "1.234.567"),
        ("limit", "1e-3", "0.001"),
        ("limit", ".5", "50 %"),
        ("limit", "½", "0.5"),
        ("limit", "1½", "1.5"),
        ("limit", "2 ¾ GB", "2.75 GB"),
        ("limit", "⅓", "1/3"),
        ("limit", "-½", "-0.5"),
        ("limit", "1 1/2 h", "90 min"),
        ("limit", "\uff10.\uff15", "½"),
        ("limit", "³/₄", "75 %"),
        ("limit", "24/7", "24/7"),
        ("limit", "3k", "3 thousand"),
        ("limit", "three", "3"),
        ("limit", "at least 3", "5"),
        ("limit", "3+", "5"),
        ("limit", "up to 10", "8"),
        ("limit", "about 100", "95"),
        ("limit", "10-20", "15"),
        ("limit", "3 replicas", "3"),
        ("size", "1 GB", "1024 MB"),
        ("price", "$5", "5 USD"),
        ("price", "1.234,56 €", "1234.56 EUR"),
        ("rate", "60 requests per minute", "1 request/s"),
        ("height", "6 ft", "1.83 m"),
        ("temperature", "20 °C", "68 °F"),
        ("size", "10 kg", "10 l"),
        ("version", "v2.1.0", "2.1"),
        ("released", "2026-08", "2026-08-14"),
        ("released", "14 August 2026", "2026-08-14"),
        ("released", "August 14, 2026", "14.08.2026"),
        ("released", "2026/08/14", "14.8.2026"),
        ("released", "Q3 2026", "2026-08"),
        ("released", "2026", "2026-08-14T10:00:00Z"),
        ("released", "late 2026", "October 2026"),
        ("released", "early in the 2026", "February 2026"),
        ("ended", "2026-03-01T23:30:00Z", "2026-03-02T00:30:00+01:00"),
        ("holiday_begins", "14 August", "August"),
        ("joined", "since 2019", "2019-05-01"),
        ("meeting", "Monday 9:00", "monday 9 am"),
        ("meeting", "12 am", "0:00"),
        ("owner", "Ana", "ANA"),
        ("owner", "team red", "team_red"),
        ("database", "Postgres", "PostgreSQL 16"),
        ("cloud", "AWS", "Amazon Web Services"),
        ("city", "Muenchen", "München"),
        ("city", "Berlin", "Berlin, Germany"),
        ("status", "not enabled", "disabled"),
        ("status", "not red", "not blue"),
        ("status", "not red", "blue"),
        ("encrypted", "true", "encrypted"),
        ("encrypted", "false", "not encrypted"),
        ("pet", "none", "no"),
        ("open_to_visitors", "ne ferme pas", "ne ferme plus"),
        ("note", "a restart is not needed when the file changes", "hot reload works since May"),
        ("policy", "deploy twice a day at most", "never deploy on a Friday before a holiday"),
        ("policy", "one two three red green blue", "some other words of the same length here"),
        ("tested_with", "3.11", "3.12"),
        ("tags", "public", "private"),
        ("can_play", "violin", "piano"),
        ("works_with", "Ana", "Ben"),
        ("ports", "grpc", "http"),
    ],
)
def test_values_that_can_both_be_true_are_no_contradiction(
    predicate: str, one: str, other: str
) -> None:
    assert kinds(predicate, one, other) == []
    assert kinds(predicate, other, one) == []


@pytest.mark.parametrize(
    ("kind", "predicate", "one", "other"),
    [
        ("number", "timeout", "10 s", "20 s"),
        ("number", "timeout", "30", "10 s"),
        ("number", "workers", "10-20", "25"),
        ("number", "max_retries", "3", "5"),
        ("number", "limit", "at most 3", "5"),
        ("number", "limit", "1.000", "2000"),
        ("number", "price", "5 €", "6 EUR"),
        ("number", "database", "PostgreSQL 14", "PostgreSQL 16"),
        ("number", "version", "3.11", "3.12"),
        ("number", "version", "v2.1.0", "v2.2.0"),
        ("number", "escalation", "page after 5 minutes", "page after 10 minutes"),
        ("date", "released", "2026-08", "2026-09-14"),
        ("date", "founded", "1998", "1999"),
        ("date", "joined", "since 2019", "since 2020"),
        ("date", "released", "early 2026", "October 2026"),
        ("date", "meeting", "Monday 9:00", "Tuesday 9:00"),
        ("date", "meeting", "9:00", "9 pm"),
        ("date", "holiday_begins", "14 August", "15 August"),
        ("negation", "status", "enabled", "not enabled"),
        ("negation", "status", "doesn't restart", "restarts"),
        ("negation", "encrypted", "yes", "no"),
        ("negation", "io", "blocking", "non-blocking"),
        ("negation", "pets", "none", "a dog"),
        ("negation", "supports", "TLS 1.0", "not TLS 1.0"),
        ("antonym", "status", "enabled", "disabled"),
        ("antonym", "state_kept", "immutable", "mutable"),
        ("antonym", "estado", "activada", "desactivado"),
        ("antonym", "access", "public", "strictly private"),
        ("multi_value", "owner", "Ana", "Ben"),
        ("multi_value", "region", "us-east-1", "us-east-2"),
        ("multi_value", "address", "10.0.0.1", "10.0.0.2"),
        ("multi_value", "cloud", "AWS", "Amazing Wide Sails"[:12]),
        ("multi_value", "size", "10 kg", "ten pounds of flour"[-5:]),
    ],
)
def test_values_that_exclude_each_other_are_told_by_their_kind(
    kind: str, predicate: str, one: str, other: str
) -> None:
    assert kinds(predicate, one, other) == [kind]
    assert kinds(predicate, other, one) == [kind]


@pytest.mark.parametrize("value", ["31 February 2026", "2026-13", "29.02.2025", "100:99"])
def test_a_date_that_does_not_exist_is_a_value_as_any_other(value: str) -> None:
    assert kinds("released", value, value) == []


def test_entities_are_compared_by_their_ids() -> None:
    one = stated("owner", "Team 1", id_="f1", entity="ent_1")
    same = stated("owner", "the first team", id_="f2", entity="ent_1")
    other = stated("owner", "Team 2", id_="f3", entity="ent_2")
    named = stated("owner", "team 1", id_="f4")
    assert among(one, same) == ()
    assert [found.kind for found in among(one, other)] == ["multi_value"]
    assert among(one, named) == ()


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_values_are_compared_alike_in_either_order(one: str, other: str) -> None:
    assert kinds("owner", one, other) == kinds("owner", other, one)
    assert kinds("owner", one, one) == []
