"""Questions of the present, and what newer memories have overtaken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.moment import Moment
from metacortex.domain.search import Match
from metacortex.domain.updates import asks_for_the_present, newest_first
from tests.samples import NOW, a_memory

OLD = "Starter plan costs 12 euros a month per seat."
NEW = "From 1 April the starter plan is 15 euros a month per seat, existing customers included."
OTHER = "The kiln of the pottery reaches 1240 degrees."


def a_match(content: str, at: int, score: float) -> Match:
    return Match(a_memory(f"m{at}", content=content, created_at=NOW + at), score)


def contents(*matches: Match) -> list[str]:
    return [match.memory.content for match in newest_first(matches)]


@pytest.mark.parametrize(
    "query",
    [
        "What does the starter plan cost now?",
        "CURRENT price",
        "is Mateo still at Saint Brendan's",
        "Wer leitet derzeit das Team?",
        "¿Dónde está ahora la oficina?",
        "Où est le bureau désormais ?",
        "onde fica o escritório agora",
        "Где сейчас офис?",
        "办公室现在在哪里",
        "현재 사무실은 어디",
        "オフィスは現在どこ",
        "दफ़्तर अब कहाँ है",
        "أين المكتب الآن؟",
    ],
)
def test_a_question_of_now_is_recognized(query: str) -> None:
    assert asks_for_the_present(query)


@pytest.mark.parametrize(
    "query",
    ["What did the starter plan cost?", "knowledge of snow", "the currentness", "", "actual"],
)
def test_other_questions_are_none_of_now(query: str) -> None:
    assert not asks_for_the_present(query)


def test_the_newer_of_two_that_speak_of_the_same_comes_first() -> None:
    assert contents(a_match(OLD, 1, 0.9), a_match(NEW, 2, 0.8)) == [NEW, OLD]


def test_what_is_newer_and_much_less_relevant_stays_behind() -> None:
    assert contents(a_match(OLD, 1, 0.9), a_match(NEW, 2, 0.6)) == [OLD, NEW]


def test_what_is_newer_and_about_something_else_stays_behind() -> None:
    assert contents(a_match(OLD, 1, 0.9), a_match(OTHER, 2, 0.9)) == [OLD, OTHER]


def test_what_is_older_stays_behind() -> None:
    assert contents(a_match(NEW, 2, 0.9), a_match(OLD, 1, 0.9)) == [NEW, OLD]


def test_what_is_true_since_earlier_is_older_whenever_it_was_told() -> None:
    late = a_memory("late", content=OLD, created_at=NOW + 5, valid_from=Moment(NOW - 5))
    assert contents(a_match(NEW, 2, 0.9), Match(late, 0.9)) == [NEW, OLD]


def test_texts_without_a_word_are_like_nothing() -> None:
    assert contents(a_match("…", 1, 0.9), a_match("!", 2, 0.9)) == ["…", "!"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([OLD, NEW, OTHER]),
            st.integers(0, 9),
            st.floats(0.1, 1, allow_nan=False),
        ),
        max_size=8,
    )
)
def test_nothing_is_lost_and_scores_stay_with_their_places(
    given_: list[tuple[str, int, float]],
) -> None:
    scores = sorted((score for *_, score in given_), reverse=True)
    matches = [
        Match(a_memory(f"m{n}", content=content, created_at=NOW + at), score)
        for n, ((content, at, _), score) in enumerate(zip(given_, scores, strict=True))
    ]
    ordered = newest_first(matches)
    assert [match.score for match in ordered] == scores
    assert sorted(match.memory.id for match in ordered) == sorted(m.memory.id for m in matches)
