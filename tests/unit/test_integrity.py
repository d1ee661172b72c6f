"""Canonical JSON (RFC 8785) and digests over it."""

import json
import re
from collections import UserList
from hashlib import sha256
from math import inf, nan
from types import MappingProxyType
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.integrity import canonical, digest
from metacortex.domain.json import JSON

WHOLE = st.integers(-(2**53), 2**53)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | WHOLE | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-7, "-7"),
        (2**53, "9007199254740992"),
        (4.35, "4.35"),
        (0.1 + 0.2, "0.30000000000000004"),
        (333333333.33333329, "333333333.3333333"),
        (1e15 + 0.5, "1000000000000000.5"),
        (1e16, "10000000000000000"),
        (2.0**60, "1152921504606847000"),
        (2.0**69, "590295810358705700000"),
        (999999999999999900000.0, "999999999999999900000"),
        (1e21, "1e+21"),
        (-1.5e300, "-1.5e+300"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (0.000015, "0.000015"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (-1.25e-9, "-1.25e-9"),
        (5e-324, "5e-324"),
    ],
)
def test_numbers_are_printed_as_ecmascript_prints_them(number: float, printed: str) -> None:
    assert canonical(number) == printed


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_keeps_the_laws_of_ecmascript(number: float) -> None:
    text = canonical(number)
    assert float(text) == number
    if number == 0:
        assert text == "0"
        return
    has_exponent = not 1e-6 <= abs(number) < 1e21
    form = r"-?\d(\.\d*[1-9])?e[+-][1-9]\d*" if has_exponent else r"-?(0|[1-9]\d*)(\.\d*[1-9])?"
    assert re.fullmatch(form, text)
    digits = re.sub(r"e.*|[-.]", "", text).strip("0")
    one_digit_less = f"{number:.{max(len(digits) - 2, 0)}e}"
    assert len(digits) == 1 or float(one_digit_less) != number


@pytest.mark.parametrize("number", [2**53 + 1, -(2**60), inf, -inf, nan])
def test_a_number_that_json_cannot_say_exactly_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match=r"canonical form|infinities"):
        canonical(number)


def test_other_sequences_and_mappings_are_written_as_lists_and_dictionaries_are() -> None:
    value: JSON = MappingProxyType({"b": range(3), "a": UserList([])})
    assert canonical(value) == '{"a":[],"b":[0,1,2]}'


def test_what_is_not_json_is_refused() -> None:
    with pytest.raises(ValueError, match="set is not JSON"):
        canonical(cast("JSON", {1, 2}))


def test_keys_are_sorted_by_their_utf_16_code_units() -> None:
    keys = ["\ue000", "\U0001f600", "b", "a", "", "ä", "\r", "1", "10", "B"]
    members = ["", "\\r", "1", "10", "B", "a", "b", "ä", "\U0001f600", "\ue000"]
    expected = ",".join(f'"{name}":0' for name in members)
    assert canonical(dict.fromkeys(keys, 0)) == "{" + expected + "}"


def test_only_what_must_be_escaped_is_escaped() -> None:
    text = '\x00\x07\b\t\n\x0b\f\r\x1b "\\/\x7f\u2028é€🧠'
    expected = '"\\u0000\\u0007\\b\\t\\n\\u000b\\f\\r\\u001b \\"\\\\/\x7f\u2028é€🧠"'
    assert canonical(text) == expected


def test_a_whole_object_has_its_known_form_and_digest() -> None:
    value: JSON = {
        "z": [1, 2.50, True, None, "é"],
        "a": {"y": {}, "x": []},
        "B": -0.0,
        "tuple": (1, "2"),
    }
    text = '{"B":0,"a":{"x":[],"y":{}},"tuple":[1,"2"],"z":[1,2.5,true,null,"é"]}'
    assert canonical(value) == text
    assert digest(value) == sha256(text.encode()).hexdigest()


@given(VALUES)
def test_the_canonical_form_reads_back_and_is_its_own_canonical_form(value: JSON) -> None:
    text = canonical(value)
    again = json.loads(text, parse_int=_number)
    assert again == value
    assert canonical(again) == text


@given(st.dictionaries(TEXT, SCALARS, min_size=2, max_size=6))
def test_the_order_of_keys_does_not_matter(members: dict[str, JSON]) -> None:
    assert digest(dict(reversed(members.items()))) == digest(members)


def _number(text: str) -> int | float:
    """Read a whole number as a double where an integer would not be exact."""
    return int(text) if abs(int(text)) <= 2**53 else float(text)
