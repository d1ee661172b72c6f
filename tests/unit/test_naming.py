"""Names in texts: which are known by how they are written, and where known ones stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.knowledge.entity import (
    Entity,
    EntityType,
    entity_id,
    folded_name,
    is_entity_id,
)
from metacortex.domain.knowledge.naming import (
    MOST_BEGINNINGS,
    MOST_FOUND,
    MOST_READ,
    beginning_of,
    beginnings,
    mentioned,
    names_in,
    type_of,
    words_of,
)
from metacortex.domain.words.terms import terms_of

ACRONYM, FILE, IDENTIFIER, NAME = EntityType


def an_entity(name: str) -> Entity:
    return Entity(entity_id("default", name), "default", name, NAME, 0)


def found(text: str, *names: str) -> list[str]:
    """Return the names of the known entities that a text mentions."""
    known = {entity_id("default", name): name for name in names}
    return [known[id_] for id_ in mentioned(words_of(text), map(an_entity, names))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ask QXRT, or auth_service.", {"QXRT": ACRONYM, "auth_service": IDENTIFIER}),
        ("PaymentLedger.close() is slow.", {"PaymentLedger": IDENTIFIER}),
        ("JIRA-1234 is about RS256.", {"JIRA-1234": IDENTIFIER, "RS256": ACRONYM}),
        ("See src/pay.py and docs\\a.md.", {"src/pay.py": FILE, "docs\\a.md": FILE}),
        ("auth_service, AUTH_SERVICE", {"auth_service": IDENTIFIER}),
        ("https://x.test/QXRT.html and QXRT@x.test", {}),
        ("DO NOT TOUCH THE PUMP", {}),
        ("IT IS OR.", {}),
        ("A, B2, and the pump of 2026-03-01 v1.2", {}),
        ("The key [redacted aws-access-key] is old.", {}),
        ("Calico's QXRT's", {"QXRT": ACRONYM}),
        (f"a_{'b' * 90} and {'aB' * 30}", {}),
        ("", {}),
    ],
)
def test_names_are_known_by_the_way_they_are_written(
    text: str, names: dict[str, EntityType]
) -> None:
    assert names_in(words_of(text)) == names


def test_one_text_brings_in_so_many_names() -> None:
    text = " ".join(f"name_{n}" for n in range(MOST_FOUND + 5))
    assert [*names_in(words_of(text))] == text.split()[:MOST_FOUND]


@pytest.mark.parametrize(
    ("name", "type_"),
    [("QXRT", ACRONYM), ("a.py", FILE), ("a_b", IDENTIFIER), ("Ana Lopez", NAME), ("IT", NAME)],
)
def test_a_given_name_has_a_type_too(name: str, type_: EntityType) -> None:
    assert type_of(name) is type_


@pytest.mark.case("K40")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Cal compared the Calico printer with the Cal-9 sensor.", ["Cal", "Calico", "Cal-9"]),
        ("The scale is broken.", []),
        ("CAL'S scale", ["Cal"]),
        ("the Cal-based scale", []),
        ("\uff23\uff41\uff4c wrote", ["Cal"]),
        ("Cal/Calico", ["Cal", "Calico"]),
        ("", []),
    ],
)
def test_a_known_name_is_found_as_a_whole_word(text: str, names: list[str]) -> None:
    assert found(text, "Cal", "Calico", "Cal-9") == names


def test_of_names_that_overlap_the_longest_counts() -> None:
    names = ("Ana", "Ana Lopez", "Lopez Street", "Street")
    assert found("Ana Lopez Street", *names) == ["Ana Lopez", "Street"]
    assert found("Ana, Lopez Street", *names) == ["Ana", "Lopez Street"]
    assert found("Ana. Lopez (Street)", *names) == ["Ana", "Street"]
    assert found("the Ana", *names) == ["Ana"]


def test_a_name_may_hold_marks() -> None:
    names = ("Acme, Inc.", "St. Gallen", "(core)")
    assert found("Acme, Inc. is in St. Gallen; core", *names) == [*names]
    assert found("Acme Inc", *names) == []
    assert found("in the hague", "The Hague") == ["The Hague"]


def test_a_name_like_a_common_word_is_found_only_as_it_is_written() -> None:
    assert found("it is so", "IT") == []
    assert found("Ask IT, or core/IT.", "IT") == ["IT"]
    assert found("core/it", "IT", "core") == ["core"]
    assert beginnings(words_of("it is IT")) == ["it"]


def test_so_many_words_are_looked_for() -> None:
    text = " ".join(f"w{n}" for n in range(MOST_BEGINNINGS + 5))
    assert beginnings(words_of(text)) == text.split()[:MOST_BEGINNINGS]
    assert beginnings(words_of("the pump. Of a/the/Pump.py!")) == [
        "pump",
        "of",
        "a/the/pump.py",
        "py",
    ]


def test_a_text_is_read_to_a_bound() -> None:
    assert words_of("x " * MOST_READ)[-1].written == "x"
    assert len(words_of("x " * MOST_READ)) == MOST_READ // 2


def test_a_name_without_a_word_begins_with_none() -> None:
    assert beginning_of("C++ lib") == "c++"
    assert beginning_of("(core)") == "core"
    assert beginning_of("The Hague") == "hague"
    assert beginning_of("IT") == "it"
    assert beginning_of("?!") == ""


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_name_between_spaces_is_found_in_any_text(before: str, after: str) -> None:
    text = f"{before} . Qxrt Works . {after}"
    assert "Qxrt Works" in found(text, "Qxrt Works")


@given(st.text())
def test_any_text_has_names_that_are_in_it(text: str) -> None:
    words = words_of(text)
    written = {word.written for word in words} | {part for word in words for part in word.parts}
    assert set(names_in(words)) <= written
    assert terms_of(text) is not None


@given(st.text(min_size=1))
def test_ids_are_told_from_names(name: str) -> None:
    assert is_entity_id(entity_id("default", folded_name(name).encode("utf-8", "ignore").decode()))
    assert not is_entity_id(f"ent_{name}")
