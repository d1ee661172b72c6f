"""Names that are like another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.knowledge.entity import Entity, EntityType, entity_id
from metacortex.domain.knowledge.likeness import (
    LIKE,
    Near,
    Stage,
    are_two_codes,
    beginning_key,
    doubles,
    keys_of,
    likeness_keys,
    proposals,
)

names = st.text(st.sampled_from("abcxyz _-"), min_size=1, max_size=40)


def an_entity(name: str) -> Entity:
    return Entity(entity_id("default", name), "default", name, EntityType.NAME, 0)


def proposed(name: str, *known: str) -> list[tuple[str, float]]:
    found = proposals(name, map(an_entity, known))
    return [(each.entity.name, each.score) for each in found]


@pytest.mark.parametrize(
    ("name", "known", "like"),
    [
        ("payment ledger", "PaymentLedger", [("PaymentLedger", 1.0)]),
        ("auth_service", "auth_servise", [("auth_servise", 0.909)]),
        ("Alice", "Alice Chen", [("Alice Chen", 0.714)]),
        ("auth", "auth_service", [("auth_service", 0.533)]),
        ("ledger", "PaymentLedger", [("PaymentLedger", 0.632)]),
        ("Alice Chen", "Alice", []),
        ("QXRT", "QXRS", []),
        ("Cal", "Calico", []),
        ("Calico", "CALICO", []),
        ("Calico", "Cbljcp", []),
        ("Calico", "ocilaC", []),
    ],
)
def test_names_that_are_spelled_alike_or_hold_it_are_proposed(
    name: str, known: str, like: list[tuple[str, float]]
) -> None:
    assert proposed(name, known) == like


def test_the_most_alike_come_first() -> None:
    like = proposed("auth service", "auth servise", "auth_service", "auth servive", "pump")
    assert [score for _, score in like] == [1.0, 0.909, 0.909]


def test_a_name_has_keys_of_its_first_word_and_of_its_letters() -> None:
    assert keys_of("Pay Ledger") == (
        *("=pay", "~pay", "~ayl", "~yle", "~led", "~edg", "~dge", "~ger"),
    )
    assert keys_of("X") == ("=x", "~x")
    assert keys_of("?") == ()
    assert len(beginning_key("x" * 300)) == 65


@given(names, names)
def test_what_is_proposed_shares_a_key(name: str, other: str) -> None:
    if proposed(name, other) and len(likeness_keys(name)) > 5:
        assert set(likeness_keys(name)) & set(likeness_keys(other))


@given(names, names)
def test_no_less_is_proposed_than_is_alike_or_holds_the_name(name: str, other: str) -> None:
    holds = "".join(filter(str.isalnum, name)) in "".join(filter(str.isalnum, other))
    assert all(score <= 1 and (holds or score >= LIKE) for _, score in proposed(name, other))


@pytest.mark.parametrize(
    ("name", "other", "apart"),
    [
        ("QXRT", "QXRS", True),
        ("QXRT", "qxrs", True),
        ("QXRT", "QX-RT", False),
        ("PG", "PostgreSQL", False),
        ("JIRA-1234", "JIRA-1235", True),
        ("JIRA-1234", "JIRB-1234", True),
        ("TLS 1.2", "TLS 1.3", True),
        ("PAYMENT LEDGER", "PAYMENTS LEDGER", False),
        ("src/tokens.py", "src/token.py", True),
        ("src/auth/tokens.py", "src\\login\\tokens.py", False),
        ("auth_service", "auth_servise", False),
        ("backend_a", "backend_b", True),
        ("CustomerA", "CustomerB", True),
        ("CustomerA", "customer a", False),
        ("backend", "backend_b", False),
        ("backend_ab", "backend_b", False),
        ("?a", "?", False),
    ],
)
def test_codes_that_differ_are_two(name: str, other: str, apart: bool) -> None:
    assert are_two_codes(name, other) is are_two_codes(other, name) is apart


def test_what_means_the_same_is_counted_from_what_has_nothing_in_common() -> None:
    near = [Near(an_entity(name), cosine) for name, cosine in (("ledger", 0.97), ("pump", 0.9))]
    (found,) = doubles("book", [], near, 0.76)
    assert (found.entity.name, found.score, found.stage) == ("ledger", 0.875, Stage.EMBEDDING)
    assert doubles("QXRT", [], [Near(an_entity("QXRS"), 1.0)], 0.76) == []


def test_where_spelling_and_meaning_both_tell_it_spelling_does_since_it_comes_first() -> None:
    entity = an_entity("auth_service")
    for cosine in (0.95, 0.87):
        (found,) = doubles("auth_servise", [entity], [Near(entity, cosine)], 0.0)
        assert (found.stage, found.score) == (Stage.FUZZY, 0.909)


def test_a_name_that_is_only_held_is_told_by_its_meaning_where_that_is_near() -> None:
    entity = an_entity("auth_service")
    (found,) = proposals("auth", [entity], [Near(entity, 0.95)])
    assert (found.stage, found.score) == (Stage.EMBEDDING, 0.95)
    near = [Near(entity, cosine) for cosine in (0.9, 0.95, 0.92)]
    (found,) = proposals("auth", [entity], near)
    assert found.score == 0.95
