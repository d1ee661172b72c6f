"""Differences: why a text that resembles another may not say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.differences import Difference, differences

TEXTS = st.text(st.sampled_from("abAB12.:-' äñ不日月3ب"), max_size=30) | st.text(max_size=30)


def told(one: str, other: str) -> list[str]:
    """Return the names of what two texts differ in, whichever is the first."""
    found = differences(one, other)
    assert differences(other, one) == found
    return [difference.value for difference in found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Valve 12 is shut.", "Valve 14 is shut."),
        ("Valve 12 is shut.", "Valves are shut."),
        ("It costs 1,250 euros.", "It costs 1,350 euros."),
        ("It is -5 degrees.", "It is 5 degrees."),
        ("Load is at 85%.", "Load is at 90%."),
        ("Seven came.", "Nine came."),
        ("Es kamen sieben Leute.", "Es kamen neun Leute."),
        ("箱30个", "箱50个"),
    ],
)
def test_other_numbers_are_told(one: str, other: str) -> None:
    assert told(one, other) == ["number"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Due on 3 March.", "Due on 4 March."),
        ("Due on 3 March.", "Due on 3 May."),
        ("Due on March 3rd, 2026.", "Due on March 3rd, 2027."),
        ("Due 2026-09-14.", "Due 2026-10-14."),
        ("Due 1/12/2026.", "Due 8/12/2026."),
        ("Closed since 2023.", "Closed since 2024."),
        ("Closed on Monday.", "Closed on Tuesday."),
        ("We meet at 19:30.", "We meet at 19:00."),
        ("We meet at 3pm.", "We meet at 4pm."),
        ("Wir treffen uns um 18 Uhr.", "Wir treffen uns um 19 Uhr."),
        ("Hay reunión el 15 de octubre.", "Hay reunión el 22 de octubre."),
        ("Сдать до 5 мая.", "Сдать до 7 мая."),
        ("定于6月18日", "定于6月20日"),
        ("定于星期一", "定于星期二"),
        ("We leave today.", "We leave tomorrow."),
    ],
)
def test_other_days_and_times_are_told(one: str, other: str) -> None:
    assert told(one, other) == ["date"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The window is alarmed.", "The window is not alarmed."),
        ("Theo has been vaccinated.", "Theo hasn't been vaccinated."),
        ("Dogs are allowed.", "No dogs are allowed."),
        ("Der Aufzug ist frei.", "Der Aufzug ist nicht frei."),
        ("La tienda abre los domingos.", "La tienda no abre los domingos."),
        ("Il aime le chat.", "Il n'aime pas le chat."),
        ("Павел ест мясо.", "Павел не ест мясо."),
        ("支持双面打印", "不支持双面打印"),
        ("施錠されます", "施錠されません"),
        ("카드를 받는다", "카드를 안 받는다"),
        ("यह खुला है", "यह खुला नहीं है"),
    ],
)
def test_a_negation_is_told(one: str, other: str) -> None:
    assert told(one, other) == ["negation"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The invoices go to Oyelaran.", "The invoices go to Castellanos."),
        ("Ingrid waters the plants.", "Magnus waters the plants."),
        ("Table accounts_eu is ours.", "Table accounts_us is ours."),
        ("Call parseHeader first.", "Call parseTrailer first."),
        ("See ticket OPS-481.", "See ticket OPS-418."),
        ("Read docs/plan.", "Read docs/map."),
        ("Der Zug nach Husum ist da.", "Der Zug nach Kiel ist da."),
        ("Это ключи Тамары.", "Это ключи Григория."),
    ],
)
def test_other_names_are_told(one: str, other: str) -> None:
    assert told(one, other) == ["name"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Firmware is at v4.2.0.", "Firmware is at v4.2.1."),
        ("It runs on Python 3.11.", "It runs on Python 3.12."),
        ("It needs version 16.", "It needs version 17."),
        ("It speaks 1.1-rc2.", "It speaks 1.1-rc3."),
        ("使用Redis 7.0.5。", "使用Redis 7.2.1。"),
    ],
)
def test_other_versions_are_told(one: str, other: str) -> None:
    assert told(one, other) == ["version"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The shed is green.", "The shed is blue."),
        ("At dusk the gate is shut.", "The gate is shut at dusk."),
        ("Ana called Ben.", "Ben called Ana."),
        ("You may cancel.", "You could cancel."),
        ("You can't cancel it.", "You cannot cancel it."),
        ("See No. 5.", "See item 5."),
        ("Der Schlüssel ist unter der Matte.", "Der Schlüssel ist unter dem Topf."),
        ("THE SHED IS GREEN", "THE SHED IS BLUE"),
        ("墙是灰色", "墙是绿色"),
        ("5 €", "5 $"),
    ],
)
def test_other_words_are_told_as_no_more_than_that(one: str, other: str) -> None:
    assert told(one, other) == ["wording"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The spare tyre is here.", "the spare  tyre is here"),
        ("Ring twice; then wait!", "Ring twice - then wait"),
        ("发票交给财务部。", "发票交给财务部"),
        ("", "..."),
    ],
)
def test_the_same_text_differs_in_nothing(one: str, other: str) -> None:
    assert told(one, other) == ["nothing"]


def test_several_kinds_are_told_in_one_order() -> None:
    one = "On 3 March Ana paid 30 euros for release 1.2 to Oyelaran."
    other = "On 4 March Ana did not pay 40 euros for release 1.3 to Castellanos."
    assert told(one, other) == ["number", "date", "negation", "name", "version"]


def test_a_number_that_became_a_day_is_told_as_both() -> None:
    assert told("We sold 3 of 4 in May.", "We sold 4 of 9 on 3 May.") == ["number", "date"]


@given(TEXTS, TEXTS)
def test_differences_are_the_same_from_both_sides(one: str, other: str) -> None:
    assert differences(one, other) == differences(other, one)


@given(TEXTS)
def test_a_text_differs_from_itself_in_nothing(text: str) -> None:
    assert differences(text, f"  {text}\n") == (Difference.NOTHING,)
