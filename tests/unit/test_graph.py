"""The graph of facts: walks end, are the shortest, and come in one order."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.graph import Direction, Graph, Names, next_to, shortest_path, walk
from tests.samples import NOW
from tests.statements import a_link, a_value

A_CHAIN = (a_link("a", "b"), a_link("b", "c"), a_link("c", "d"), a_link("d", "a"))

links = st.lists(
    st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg"), st.integers(0, 2)).map(
        lambda drawn: a_link(drawn[0], drawn[1], f"p{drawn[2]}")
    ),
    unique_by=lambda fact: fact.id,
)


def _hops(facts: Sequence[Fact], max_hops: int, direction: Direction) -> dict[str, int]:
    steps = walk(Graph(facts), "a", max_hops, direction)
    return {step.entity_id: step.hops for step in steps}


def test_a_walk_follows_facts_from_subject_to_object_and_ends_in_a_cycle() -> None:
    assert _hops(A_CHAIN, 9, Direction.OUT) == {"a": 0, "b": 1, "c": 2, "d": 3}


def test_a_walk_against_the_facts_goes_from_object_to_subject() -> None:
    assert _hops(A_CHAIN, 9, Direction.IN) == {"a": 0, "d": 1, "c": 2, "b": 3}


def test_a_walk_either_way_takes_the_shorter_one() -> None:
    assert _hops(A_CHAIN, 9, Direction.BOTH) == {"a": 0, "b": 1, "d": 1, "c": 2}


def test_a_walk_goes_no_further_than_it_is_told() -> None:
    assert _hops(A_CHAIN, 0, Direction.BOTH) == {"a": 0}
    assert _hops(A_CHAIN, 1, Direction.OUT) == {"a": 0, "b": 1}


def test_equally_near_entities_stand_in_the_order_of_their_names() -> None:
    assert list(_hops([a_link("a", "c"), a_link("b", "a")], 1, Direction.BOTH)) == ["a", "b", "c"]


def test_a_value_hangs_on_its_subject_and_leads_nowhere() -> None:
    port = a_value("a", "443", "port")
    graph = Graph([port])

    assert graph.about("a") == [port]
    assert walk(graph, "a", 3, Direction.BOTH)[1:] == ()


def test_a_fact_of_an_entity_about_itself_is_one_and_leads_nowhere() -> None:
    graph = Graph([a_link("a", "a")])

    assert len(graph.about("a")) == 1
    assert walk(graph, "a", 3, Direction.BOTH)[1:] == ()


def test_an_entity_is_called_what_the_first_recorded_fact_calls_it() -> None:
    later, first = a_value("a", "1", at=NOW + 1), a_value("a", "2")
    renamed = Fact(replace(later.memory, details=replace(later.details, subject="A.")))

    assert Graph([renamed, first]).name("a") == "a"
    assert Graph([]).name("a") is None


def test_a_path_names_every_step_and_the_fact_that_was_followed() -> None:
    steps = walk(Graph(A_CHAIN), "a", 3, Direction.OUT)

    path = shortest_path(steps, "c")

    assert [(step.entity_id, step.by) for step in path] == [
        ("a", None),
        ("b", A_CHAIN[0]),
        ("c", A_CHAIN[1]),
    ]


def test_there_is_no_path_where_the_walk_did_not_come() -> None:
    assert shortest_path(walk(Graph(A_CHAIN), "a", 1, Direction.OUT), "d") == ()


def test_a_merged_entity_stands_for_both() -> None:
    graph = Graph(A_CHAIN, Names({"c": "b"}, {"b": "Both"}))

    steps = walk(graph, "a", 9, Direction.OUT)

    assert [step.entity_id for step in steps] == ["a", "b", "d"]
    assert graph.name("b") == "Both"
    assert [fact.id for fact in graph.about("b")] == [each.id for each in A_CHAIN[:3]]


def test_the_facts_among_entities_are_those_that_have_both_ends_there() -> None:
    among = Graph([*A_CHAIN, a_value("a", "443")]).among(["a", "b", "d"])

    assert [fact.id for fact in among] == [A_CHAIN[0].id, A_CHAIN[3].id]


@given(links, st.sampled_from(Direction), st.integers(0, 7))
def test_a_walk_is_the_same_whatever_order_the_facts_came_in(
    facts: list[Fact], direction: Direction, hops: int
) -> None:
    assert walk(Graph(facts), "a", hops, direction) == walk(
        Graph(reversed(facts)), "a", hops, direction
    )


@given(links, st.sampled_from(Direction))
def test_every_path_is_made_of_facts_and_none_is_shorter(
    facts: list[Fact], direction: Direction
) -> None:
    graph = Graph(facts)
    steps = walk(graph, "a", 7, direction)
    hops = {step.entity_id: step.hops for step in steps}

    for step in steps:
        path = shortest_path(steps, step.entity_id)
        assert len(path) == step.hops + 1
        for one, following in pairwise(path):
            next_to = dict[str, list[Fact | None]]()
            for other, fact in graph.edges(one.entity_id, direction):
                next_to.setdefault(other, []).append(fact)
            assert following.by in next_to[following.entity_id]
    # What is next to something is at most one further away.
    for entity_id, distance in hops.items():
        for other, _ in graph.edges(entity_id, direction):
            assert hops.get(other, 8) <= distance + 1 or distance == 7


def test_what_is_next_stands_by_how_closely_it_is_linked() -> None:
    facts = [
        *(a_link("hub", name) for name in "abc"),
        a_link("hub", "a", "beside"),
        a_link("quiet", "c"),
    ]

    assert next_to(Graph(facts), ["hub", "quiet"], Direction.OUT) == ["c", "a", "b"]
    assert next_to(Graph(facts), ["a"], Direction.OUT) == []
