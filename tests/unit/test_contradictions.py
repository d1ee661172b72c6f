"""Contradictions: which facts are compared, by what tables, and which of two would give way."""

from dataclasses import replace

import pytest

from metacortex.domain.errors import Conflict
from metacortex.domain.knowledge.contradictions import ContradictionKind, Severity
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.resolving import as_left_by, check_alone, reopening, resolving
from metacortex.transport.audit_summary import MOST_LINES, summary_of
from tests.samples import NOW
from tests.stated import among, kinds, stated

ANA, BEN = stated("owner", "Ana", id_="ana"), stated("owner", "Ben", id_="ben", recorded_at=NOW + 1)


@pytest.mark.parametrize(
    ("kind", "predicate", "other"),
    [
        ("predicate_alias", "owner", "owned_by"),
        ("predicate_alias", "has_owner", "owning_team"),
        ("predicate_alias", "tokenFormat", "uses_token_format"),
        ("predicate_alias", "db", "database"),
        ("predicate_alias", "conductor", "conducted_by"),
        ("multi_value", "owner", "owner"),
    ],
)
def test_predicates_that_ask_for_the_same_contradict_by_their_values(
    kind: str, predicate: str, other: str
) -> None:
    assert kinds(predicate, "Ana", "Ben", other) == [kind]
    assert kinds(predicate, "Ana", "ana", other) == []


@pytest.mark.parametrize(
    ("predicate", "other"),
    [
        ("supports", "does_not_support"),
        ("allows", "forbids"),
        ("requires", "works_without"),
        ("forbids", "does_not_forbid"),
        ("has", "lacks"),
    ],
)
def test_a_predicate_that_denies_another_contradicts_it_for_the_same_value(
    predicate: str, other: str
) -> None:
    assert kinds(predicate, "TLS 1.0", "tls 1.0", other) == ["negation"]
    assert kinds(predicate, "TLS 1.0", "a GPU", other) == []


@pytest.mark.parametrize(
    ("predicate", "active"),
    [
        ("used_by", "uses"),
        ("required_by", "requires"),
        ("depended_on_by", "depends_on"),
        ("imported_by", "imports"),
        ("implemented_by", "implements"),
        ("included_in", "includes"),
    ],
)
def test_what_is_done_to_one_by_many_has_many_values(predicate: str, active: str) -> None:
    assert kinds(predicate, "web", "billing") == []
    assert kinds(predicate, "web", "billing", active) == []
    assert kinds(predicate, "web", "web", f"not_{predicate}") == ["negation"]


@pytest.mark.parametrize("predicate", ["owned_by", "published_by", "contained_in"])
def test_what_is_done_to_one_by_one_has_one_value(predicate: str) -> None:
    assert kinds(predicate, "web", "billing") == ["multi_value"]


@pytest.mark.parametrize(("predicate", "other"), [("home_phone", "work_phone")])
def test_predicates_that_ask_for_other_things_are_not_compared(predicate: str, other: str) -> None:
    assert kinds(predicate, "Ana", "Ben", other) == []


@pytest.mark.parametrize(
    "other",
    [
        stated("owner", "Ben", id_="ben", subject="web"),
        stated("owner", "Ben", id_="ben", namespace="team"),
        stated("owner", "Ben", id_="ben", start=NOW + 1),
        stated("owner", "Ben", id_="ben", start=NOW - 1, end=NOW - 1),
    ],
)
def test_facts_of_other_subjects_namespaces_and_times_are_not_compared(other: Fact) -> None:
    ended = stated("owner", "Ana", id_="ana", end=NOW + 1)
    assert among(ended, other) == ()
    assert among(other, ended) == ()


@pytest.mark.parametrize(
    ("kept", "given_up", "reason"),
    [
        (BEN, ANA, "older"),
        (stated("owner", "Ben", id_="ben", start=5), ANA, "older"),
        (
            stated("owner", "Ana", id_="ana", confidence=0.9),
            stated("owner", "Ben", id_="ben", start=5, confidence=0.6),
            "less certain",
        ),
        (
            stated("owner", "Ben", id_="ben", start=5, confidence=0.85),
            stated("owner", "Ana", id_="ana", confidence=0.9),
            "older",
        ),
    ],
)
def test_the_older_gives_way_unless_it_is_clearly_surer(
    kept: Fact, given_up: Fact, reason: str
) -> None:
    for pair in ((kept, given_up), (given_up, kept)):
        (found,) = among(*pair)
        assert (found.kept.id, found.given_up.id, found.reason) == (kept.id, given_up.id, reason)


def test_severity_falls_where_both_may_be_meant_and_where_one_is_unsure() -> None:
    unsure = stated("owner", "Ben", id_="ben", confidence=0.3)
    on, off = stated("status", "on", id_="on"), stated("status", "off", id_="off")
    doubted = stated("status", "off", id_="off", confidence=0.3)
    severities = [among(*pair)[0].severity for pair in ((on, off), (on, doubted), (ANA, BEN))]
    assert severities == [Severity.HIGH, Severity.MEDIUM, Severity.MEDIUM]
    assert among(ANA, unsure)[0].severity is Severity.LOW


def test_the_worst_come_first_and_say_what_is_wrong() -> None:
    on, off = stated("status", "on", id_="on"), stated("status", "off", id_="off")
    found = among(ANA, BEN, on, off)
    assert [each.kind for each in found] == ["antonym", "multi_value"]
    assert (
        found[1].sentence == "'api owner Ana' and 'api owner Ben': one value at a time is expected."
    )


def test_a_contradiction_has_one_id_whichever_fact_gives_way() -> None:
    (found,) = among(ANA, BEN)
    (turned,) = among(replace(ANA, memory=replace(ANA.memory, recorded_at=NOW + 2)), BEN)
    assert found.kept.id != turned.kept.id
    assert found.id == turned.id


@pytest.mark.parametrize(
    "predicate", ["warned_about", "vaccinated_against", "friend", "guest", "known_for", "webhook"]
)
def test_people_things_and_what_is_told_about_them_may_be_many(predicate: str) -> None:
    assert kinds(predicate, "Ana", "Ben") == []


def test_of_very_many_values_the_newest_are_compared() -> None:
    many = [stated("owner", f"Ana{'x' * n}", id_=f"f{n}", recorded_at=NOW + n) for n in range(202)]
    named = {fact.id for found in among(*many) for fact in (found.kept, found.given_up)}
    assert named == {f"f{n}" for n in range(2, 202)}


@pytest.mark.parametrize(
    ("told", "pair", "before", "after"),
    [
        (
            ("uses_store", "predicate_alias_of", "database"),
            (("uses_store", "Postgres"), ("database", "MySQL")),
            [],
            ["predicate_alias"],
        ),
        (
            ("crimson", "antonym_of", "teal"),
            (("color", "crimson"), ("color", "teal")),
            ["multi_value"],
            ["antonym"],
        ),
        (
            ("crimson", "synonym_of", "red"),
            (("color", "crimson"), ("color", "red")),
            ["multi_value"],
            [],
        ),
        (
            ("sell_to", "is_multi_valued", "yes"),
            (("sell_to", "France"), ("sell_to", "Spain")),
            ["multi_value"],
            [],
        ),
        (
            ("tags", "is_multi_valued", "no"),
            (("tags", "red"), ("tags", "blue")),
            [],
            ["multi_value"],
        ),
        (
            ("speaks", "is_multi_valued", "no"),
            (("speaks", "French"), ("speaks", "Czech")),
            [],
            ["multi_value"],
        ),
    ],
)
def test_a_tenant_adds_to_the_tables_by_facts(
    told: tuple[str, str, str],
    pair: tuple[tuple[str, str], tuple[str, str]],
    before: list[str],
    after: list[str],
) -> None:
    facts = [stated(*each, id_=f"f{n}") for n, each in enumerate(pair)]
    rule = stated(told[1], told[2], subject=told[0], id_="rule")
    assert [found.kind.value for found in among(*facts)] == before
    assert [found.kind.value for found in among(*facts, rule)] == after


def test_a_summary_has_a_line_for_each_and_stays_short() -> None:
    found = among(*[stated("owner", f"O{'x' * n}", id_=f"f{n}") for n in range(1, 40)])
    lines = summary_of(found, {found[0].id}, 39).splitlines()
    assert lines[0] == f"## Contradictions: {len(found)} among 39 facts"
    assert lines[2].endswith("The first, which is older, has given way.")
    assert lines[-1] == f"- and {len(found) - MOST_LINES} more"
    (long,) = among(stated("owner", f"O{'x' * 900}", id_="a"), stated("owner", "y", id_="b"))
    assert len(summary_of([long], (), 2).splitlines()[2]) < 500


def test_a_fact_holds_again_only_where_no_other_singular_one_does() -> None:
    fact = stated("owner", "Ana", id_="a", singular=True, start=10)
    check_alone(fact, [fact, stated("owner", "Ben", id_="b", singular=True, start=5, end=10)], None)
    check_alone(fact, [stated("owner", "Ben", id_="b", start=10)], None)
    check_alone(fact, [stated("owner", "Ben", id_="b", singular=True, start=20)], "b")
    check_alone(fact, [stated("owner", "Ben", id_="b", singular=True, start=20, end=20)], None)
    with pytest.raises(Conflict):
        check_alone(fact, [stated("owner", "Ben", id_="b", singular=True, start=20)], None)


def test_what_resolved_a_contradiction_is_taken_back_only_from_where_it_left_the_fact() -> None:
    (found,) = among(ANA, BEN)
    change = resolving(found, "cli", NOW + 2)
    gone = found.given_up.memory.after(change)
    back = reopening(change, gone.standing, "cli", NOW + 3)
    assert (gone.after(back).standing, back.cause) == (found.given_up.memory.standing, found.id)
    with pytest.raises(Conflict):
        reopening(change, found.given_up.memory.standing, "cli", NOW + 3)
    known = {each.id: each.memory for each in (ANA, BEN)}
    assert as_left_by(change, known).memory == gone
    for missing in known:
        with pytest.raises(Conflict):
            as_left_by(change, {id_: each for id_, each in known.items() if id_ != missing})


def test_names_of_one_thing_contradict_each_other_and_agree_as_one() -> None:
    facts = (
        stated("owner", "Ana", id_="f1", entity="ana"),
        stated("owner", "Ben", id_="f2", entity="ben", subject="the api"),
    )
    assert among(*facts) == ()
    (found,) = among(*facts, survivors={"the api": "api"})
    assert found.kind is ContradictionKind.MULTI_VALUE
    assert among(*facts, survivors={"the api": "api", "ben": "ana"}) == ()
