"""Spreading activation: what is named excites its facts, less the further away and the commoner."""

from math import sqrt

from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.knowledge.activation import (
    LEAST,
    MOST_REACHED,
    WEIGHT,
    Activated,
    activated,
)
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.graph import Graph
from tests.samples import NOW
from tests.statements import a_link, a_value
from tests.unit.test_graph import links


def _scores(found: tuple[Activated, ...]) -> dict[str, float]:
    return {one.fact.id: one.score for one in found}


def test_the_only_fact_of_a_named_entity_has_the_whole_weight() -> None:
    fact = a_value("a", "443")

    assert activated(Graph([fact]), ["a"]) == (Activated(fact, WEIGHT),)


def test_nothing_comes_to_mind_where_nothing_is_named() -> None:
    assert activated(Graph([a_value("a", "443")]), []) == ()
    assert activated(Graph([a_value("a", "443")]), ["b"]) == ()


def test_the_facts_of_one_entity_share_what_it_passes_on() -> None:
    found = activated(Graph([a_value("a", "443"), a_value("a", "tls", "protocol")]), ["a"])

    assert [one.score for one in found] == [round(WEIGHT * sqrt(0.5), 6)] * 2


def test_the_second_step_is_weaker_and_there_is_no_third() -> None:
    chain = [a_link("a", "b"), a_link("b", "c"), a_link("c", "d")]

    scores = _scores(activated(Graph(chain), ["a"]))

    assert list(scores) == [chain[0].id, chain[1].id]
    assert scores[chain[1].id] == round(WEIGHT * sqrt(0.25), 6)


def test_what_two_named_entities_share_comes_first() -> None:
    shared, own = a_link("a", "b"), a_value("a", "443")

    assert [one.fact for one in activated(Graph([own, shared]), ["a", "b"])] == [shared, own]


def test_equally_strong_facts_stand_newest_first() -> None:
    old, new = a_value("a", "443", "port"), a_value("a", "tls", "protocol", at=NOW + 1)

    assert [one.fact for one in activated(Graph([old, new]), ["a"])] == [new, old]


def test_what_everything_is_linked_to_brings_little_to_mind() -> None:
    facts = [a_value("hub", str(number), f"p{number}") for number in range(300)]

    assert activated(Graph(facts), ["hub"]) == ()


def test_only_the_strongest_come_to_mind() -> None:
    facts = [a_value("hub", str(number), f"p{number}") for number in range(MOST_REACHED + 5)]

    assert len(activated(Graph(facts), ["hub"])) == MOST_REACHED


@given(links, st.sets(st.sampled_from("abcdefg")))
def test_scores_are_bounded_fall_and_do_not_depend_on_the_order_of_the_facts(
    facts: list[Fact], named: set[str]
) -> None:
    found = activated(Graph(facts), named)

    assert found == activated(Graph(reversed(facts)), sorted(named, reverse=True))
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(LEAST <= score <= WEIGHT for score in scores)
