"""How what came in as arguments is read."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.transport.mcp.arguments import Argument, Values, read_arguments

LIST = Argument("refs", "array", "")
COUNT = Argument("count", "integer", "", minimum=1, maximum=20)
FLAG = Argument("flag", "boolean", "")
TEXT = Argument("text", "string", "", required=True)
SHARE = Argument("share", "number", "", minimum=0, maximum=1)
STATE = Argument("state", "string", "", choices=("active", "wip"))
ALL = (TEXT, FLAG, COUNT, STATE, LIST)

JSON_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON_VALUES = st.recursive(
    JSON_SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5
)
NAMES = st.sampled_from([argument.name for argument in ALL]) | st.text(max_size=5)


def fault_of(given_: dict[str, Any], *arguments: Argument) -> str | None:
    values = read_arguments(given_, arguments or ALL)
    return values.fault.sentence if values.fault else None


def read(given_: dict[str, Any], argument: Argument) -> object:
    values = read_arguments(given_, [argument])
    assert values.fault is None
    return values.by_name.get(argument.name)


@pytest.mark.rule("C54", "C58", "C59")
def test_the_first_fault_in_the_order_of_the_contract_answers() -> None:
    faulty: dict[str, Any] = {"flag": "x", "refs": 5, "zz": 1, "yy": 2, "count": 99, "state": "y"}
    sentences = []
    for mended in ("zz", "yy", "text", "flag", "count", "state", "refs"):
        sentences.append(fault_of(faulty))
        faulty.pop(mended, None)
        if mended == "text":
            faulty["text"] = "given"
    assert sentences == [
        "Unknown argument 'zz'",
        "Unknown argument 'yy'",
        "text is required",
        "flag must be true or false",
        "count must be a whole number from 1 to 20",
        "state must be one of active, wip",
        "refs must be a list of strings",
    ]
    assert fault_of(faulty) is None


@pytest.mark.rule("C54")
@given(st.dictionaries(NAMES, JSON_VALUES, max_size=6))
def test_unknown_names_come_before_missing_ones_and_those_before_wrong_ones(
    given_: dict[str, Any],
) -> None:
    sentence = fault_of(given_)
    known = [argument.name for argument in ALL]
    unknown = [name for name in given_ if name not in known]
    if unknown:
        assert sentence is not None
        assert sentence.startswith("Unknown argument '")
    elif given_.get("text") is None:
        assert sentence == "text is required"
    elif isinstance(given_["text"], str) and not given_["text"].strip():
        assert sentence == "text must not be empty"
    else:
        alone = [fault_of({a.name: given_[a.name]}, a) for a in ALL if a.name in given_]
        assert sentence == next(filter(None, alone), None)


@pytest.mark.rule("C54", "C57")
@given(st.dictionaries(st.sampled_from(["flag", "count", "state", "refs"]), JSON_VALUES))
def test_every_argument_is_either_read_or_unread_or_as_good_as_absent(
    given_: dict[str, Any],
) -> None:
    values = read_arguments(given_, ALL)
    absent = {
        name
        for name, value in given_.items()
        if value is None or (isinstance(value, str) and not value.strip())
    }
    assert set(values.by_name) | values.unread | absent == set(given_)
    assert not set(values.by_name) & values.unread


@pytest.mark.rule("C55", "C53")
@pytest.mark.parametrize(
    ("name", "shown"),
    [("tenant", "tenant"), ("x" * 200, "x" * 80), ("half \ud83d", "half ?"), ("", "")],
)
def test_an_unknown_name_is_told_in_at_most_eighty_characters(name: str, shown: str) -> None:
    assert fault_of({"text": "x", name: 1}) == f"Unknown argument '{shown}'"


@pytest.mark.rule("C56")
@pytest.mark.case("K01")
@pytest.mark.parametrize(
    ("raw", "members"),
    [
        (["a", " b "], ("a", "b")),
        ('["a", " b "]', ("a", "b")),
        (' ["a"] ', ("a",)),
        ("[]", ()),
        ([], ()),
        ("a", ("a",)),
        ("a, b", ("a, b",)),
        ("[draft] notes", ("[draft] notes",)),
        ("[" * 100_000, ("[" * 100_000,)),
        ('{"a":1}', ('{"a":1}',)),
    ],
)
def test_a_list_may_come_as_a_list_in_a_string_or_as_one_string(
    raw: object, members: tuple[str, ...]
) -> None:
    assert read({"refs": raw}, LIST) == members


@pytest.mark.rule("C58")
@pytest.mark.parametrize("raw", [5, True, {"a": 1}, [1], ["a", None], "[1]", [["a"]]])
def test_anything_else_is_no_list_of_strings(raw: object) -> None:
    assert fault_of({"refs": raw}, LIST) == "refs must be a list of strings"


@pytest.mark.rule("C56", "C80")
@pytest.mark.case("K01")
@pytest.mark.parametrize(
    ("raw", "number"), [(3, 3), ("3", 3), (" 20 ", 20), (3.0, 3), ("3.0", None), ("+3", 3)]
)
def test_a_whole_number_may_come_as_a_string_or_a_whole_float(
    raw: object, number: int | None
) -> None:
    if number is None:
        assert fault_of({"count": raw}, COUNT)
    else:
        assert read({"count": raw}, COUNT) == number


@pytest.mark.rule("C56", "C58", "C80")
@pytest.mark.parametrize(
    "raw",
    [
        *(0, 21, -1, 2.5, 1e300, float("inf"), float("-inf"), float("nan"), 10**40, True, False),
        *("0", "21", "2.5", "two", "1e1", "0x2", "3 4", "²", "٣", "9" * 5_000, "-", "+"),
        *([3], {"a": 3}),
    ],
)
def test_anything_else_is_no_whole_number_from_one_to_twenty(raw: object) -> None:
    assert fault_of({"count": raw}, COUNT) == "count must be a whole number from 1 to 20"


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        (0.5, "0.5"),
        (1, "1.0"),
        ("0.5", "0.5"),
        (" .5", "0.5"),
        ("1.", "1.0"),
        ("5e-1", "0.5"),
        (-0.0, "0.0"),
        ("-0", "0.0"),
    ],
)
def test_a_number_may_come_as_a_string_and_zero_has_no_sign(raw: object, number: str) -> None:
    assert str(read({"share": raw}, SHARE)) == number


@pytest.mark.parametrize(
    "raw",
    [
        -0.1,
        1.5,
        True,
        [0.5],
        "\uff10.\uff15",
        "\u0660",
        "0_1",
        "nan",
        "inf",
        "1e999",
        "0x1",
        ".",
        "",
        " ",
    ],
)
def test_anything_else_is_no_number_from_zero_to_one(raw: object) -> None:
    fault = fault_of({"share": raw}, replace(SHARE, required=True))
    blank = isinstance(raw, str) and not raw.strip()
    sentence = "must not be empty" if blank else "must be a number from 0 to 1"
    assert fault == f"share {sentence}"


@pytest.mark.rule("C56")
@pytest.mark.parametrize(
    ("raw", "flag"),
    [(True, True), (False, False), ("true", True), ("FALSE", False), (" True ", True)],
)
def test_a_boolean_may_come_as_a_word(raw: object, flag: bool) -> None:
    assert read({"flag": raw}, FLAG) is flag


@pytest.mark.rule("C56", "C58")
@pytest.mark.parametrize("raw", [0, 1, 1.0, "1", "yes", "maybe", [True], {}])
def test_anything_else_is_no_boolean(raw: object) -> None:
    assert fault_of({"flag": raw}, FLAG) == "flag must be true or false"


@pytest.mark.rule("C58")
@pytest.mark.parametrize(("raw", "read_"), [("wip", "wip"), (" wip\n", "wip")])
def test_an_enumerated_value_is_compared_after_trimming(raw: str, read_: str) -> None:
    assert read({"state": raw}, STATE) == read_


@pytest.mark.rule("C58")
@pytest.mark.parametrize("raw", ["WIP", "wi p", "active,wip"])
def test_any_other_value_is_told_the_known_ones(raw: str) -> None:
    assert fault_of({"state": raw}, STATE) == "state must be one of active, wip"


@pytest.mark.rule("C58", "C56")
@pytest.mark.parametrize("raw", [5, 1.5, True, ["x"], {"a": 1}])
def test_a_number_is_never_text(raw: object) -> None:
    assert fault_of({"text": raw}, TEXT) == "text must be a string"


@pytest.mark.rule("C57")
@pytest.mark.parametrize("raw", [None, "", "  \n\t "])
def test_null_and_blank_are_the_same_as_absent(raw: object) -> None:
    optional = [FLAG, COUNT, STATE, LIST]
    values = read_arguments({argument.name: raw for argument in optional}, optional)
    assert values == Values()


@pytest.mark.rule("C59")
@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({}, "text is required"),
        ({"text": None}, "text is required"),
        ({"text": " \u3000 "}, "text must not be empty"),
    ],
)
def test_a_required_argument_must_be_there_and_say_something(
    given_: dict[str, Any], sentence: str
) -> None:
    assert fault_of(given_, TEXT) == sentence


@pytest.mark.rule("C61")
@pytest.mark.parametrize(
    ("argument", "raw"), [(TEXT, "half \ud83d"), (STATE, "\udc00"), (LIST, ["a", "\ud83d"])]
)
def test_half_a_surrogate_pair_is_not_text(argument: Argument, raw: object) -> None:
    sentence = f"{argument.name} is not valid Unicode text"
    assert fault_of({argument.name: raw}, argument) == sentence


@pytest.mark.rule("C60")
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_trimmed_and_otherwise_left_alone(text: str) -> None:
    values = read_arguments({"text": text, "refs": [text]}, [TEXT, LIST])
    assert (values.text("text") or "") == text.strip()
    assert values.texts("refs") == (text.strip(),)


def test_an_argument_of_another_type_is_absent_to_who_asks_for_it() -> None:
    values = read_arguments({"text": "x", "flag": True}, ALL)
    assert (values.text("flag"), values.whole("text"), values.flag("text")) == (None, None, None)
    assert values.texts("text") == ()
    assert (values.text("text"), values.flag("flag"), values.whole("count")) == ("x", True, None)
