"""Entities have stable ids, made from their names."""

from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.knowledge.entity import entity_id, folded_name


def test_an_entity_is_the_same_in_every_spelling_of_its_name() -> None:
    assert entity_id("default", "Auth  Service") == entity_id("default", "auth service")
    assert entity_id("default", "Z\u00fcrich") == entity_id("default", "Zu\u0308rich")


def test_accents_and_namespaces_tell_entities_apart() -> None:
    assert entity_id("default", "Ana") != entity_id("default", "A\u00f1a")
    assert entity_id("default", "Ana") != entity_id("team", "Ana")


@given(st.text())
def test_a_folded_name_is_folded(name: str) -> None:
    assert folded_name(folded_name(name)) == folded_name(name)
