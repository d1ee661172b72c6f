"""Ranking: from what each leg says of a memory and its neighbours to an order and a score."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.calibration import PROBES, unrelated_cosine
from metacortex.domain.neighbours import REACH, with_neighbours
from metacortex.domain.ranking import (
    FLOOR,
    NOISE,
    Candidate,
    Ranked,
    Ranking,
    crowd,
    nearness,
    ranked,
    relevance,
)
from metacortex.domain.words.bm25 import term_share, term_weights, words_share

DAY = 86_400_000
NOW = 20_000 * DAY

SHARES = st.floats(0, 1)
CANDIDATES = st.lists(
    st.builds(
        Candidate,
        id=st.uuids().map(str),
        relevance=SHARES,
        created_at=st.integers(0, NOW + DAY),
        importance=SHARES,
    ),
    max_size=30,
    unique_by=lambda candidate: candidate.id,
)


def share(query: dict[str, float], text: str, average: float = 6.0) -> float:
    """Return the share of a weighed query that a text of plain words holds."""
    words = text.split()
    return words_share(query, {word: words.count(word) for word in words}, len(words), average)


def test_a_text_that_says_the_whole_query_holds_all_of_it() -> None:
    assert share({"valve": 3.0, "frost": 4.0}, "valve frost") == 1.0


def test_a_rare_word_tells_more_than_a_common_one() -> None:
    query = term_weights(["valve", "frost"], {"valve": 900, "frost": 3}, 1_000)
    assert share(query, "the frost came early this year") > share(
        query, "the valve is made of brass"
    )


def test_not_every_word_of_a_query_need_occur() -> None:
    query = term_weights(["valve", "stuck", "freezing"], {"valve": 1}, 1)
    assert 0.2 < share(query, "valve 12 sticks in frost", 5.0) < 0.5


def test_a_word_that_no_memory_holds_lowers_the_share() -> None:
    known = term_weights(["valve"], {"valve": 2}, 10)
    assert share(known | term_weights(["heliotrope"], {}, 10), "valve") < share(known, "valve")


def test_repeats_and_length_count_little() -> None:
    assert term_share(0, 10, 10.0) == 0.0
    once, thrice, in_a_long_text = (
        term_share(1, 10, 10.0),
        term_share(3, 10, 10.0),
        term_share(1, 200, 10.0),
    )
    assert once == thrice == 1.0
    assert 0.5 < in_a_long_text < once


def test_a_query_without_terms_is_held_by_nothing() -> None:
    assert share({}, "valve") == 0.0


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_weight_of_a_term_falls_with_its_frequency(one: int, other: int) -> None:
    low, high = sorted((one, other))
    weights = term_weights(["rare", "common"], {"rare": low, "common": high}, 10_000)
    assert weights["rare"] >= weights["common"] > 0


def test_unrelated_texts_are_not_near_and_equal_ones_wholly() -> None:
    assert [nearness(cosine, 0.75) for cosine in (-1.0, 0.75, 1.0, 1.1)] == [0.0, 0.0, 1.0, 1.0]


def test_a_model_that_finds_all_texts_alike_tells_nothing_and_fails_nothing() -> None:
    assert nearness(0.999, unrelated=1.0) == 0.0


def test_the_zero_of_a_space_is_the_mean_of_what_is_unrelated() -> None:
    assert unrelated_cosine([(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)]) == pytest.approx(1.4 / 3)
    assert len(set(PROBES)) == len(PROBES)


@given(SHARES, SHARES, SHARES, SHARES)
def test_either_leg_alone_can_only_raise_the_relevance(
    near: float, words: float, more: float, dense: float
) -> None:
    own = relevance(near, words, dense)
    assert 0.0 <= own <= 1.0
    assert relevance(max(near, more), words, dense) >= own
    assert relevance(near, max(words, more), dense) >= own


def test_what_stands_out_by_its_meaning_passes_what_shares_a_word() -> None:
    assert relevance(0.5, 0.0, crowd=0.2) > relevance(0.15, 0.4, crowd=0.2)
    assert relevance(0.5, 0.0, crowd=0.5) < relevance(0.45, 0.4, crowd=0.5)


def test_the_crowd_is_the_fifth_nearest_and_among_few_what_noise_comes_to() -> None:
    assert crowd([0.1, 0.6, 0.5, 0.4, 0.3, 0.2]) == 0.2
    assert crowd([0.9, 0.1]) == crowd([]) == NOISE


def test_a_leg_that_was_not_asked_leaves_the_word_to_the_other() -> None:
    assert relevance(None, 0.4, NOISE) == pytest.approx(0.4)
    assert relevance(0.4, None, NOISE) == 0.4
    assert relevance(None, None, NOISE) == 0.0


def test_an_answer_is_found_through_the_question_before_it() -> None:
    own = {"question": 0.8, "answer": 0.1, "elsewhere": 0.2}
    together = with_neighbours(own, [["question", "answer", "thanks"], ["elsewhere"]])
    assert sorted(together, key=lambda one: -together[one]) == [
        "question",
        "answer",
        "thanks",
        "elsewhere",
    ]


def test_what_any_two_texts_share_passes_nothing_on() -> None:
    assert with_neighbours({"one": 0.15, "other": 0.1}, [["one", "other"]]) == pytest.approx(
        {"one": 0.15, "other": 0.1}
    )


def test_a_memory_beyond_reach_passes_nothing_on() -> None:
    run = [str(place) for place in range(2 * REACH + 2)]
    assert set(with_neighbours({"0": 0.9}, [run])) == {str(place) for place in range(REACH + 1)}


def test_runs_that_overlap_count_each_neighbour_once() -> None:
    own = {"a": 0.5, "b": 0.6, "c": 0.7}
    once = with_neighbours(own, [["a", "b", "c"]])
    assert with_neighbours(own, [["b", "c"], ["a", "b", "c"], ["a", "b"]]) == once


@given(st.dictionaries(st.sampled_from("abcdefgh"), SHARES), st.randoms(use_true_random=False))
def test_neighbours_lend_within_bounds_and_in_any_order(
    own: dict[str, float], random: Random
) -> None:
    runs = ["abcd", "efgh"]
    together = with_neighbours(own, runs)
    assert all(own.get(one, 0.0) - 1e-9 <= total <= 1.0 for one, total in together.items())
    shuffled = random.sample([*own.items()], len(own))
    assert with_neighbours(dict(shuffled), runs[::-1]) == together


@given(CANDIDATES, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_how_candidates_came_in(
    candidates: list[Candidate], random: Random
) -> None:
    shuffled = random.sample(candidates, len(candidates))
    assert ranked(shuffled, NOW) == ranked(candidates, NOW)


@pytest.mark.rule("C81")
@given(CANDIDATES)
def test_a_score_never_rises_down_the_list(candidates: list[Candidate]) -> None:
    ranking = ranked(candidates, NOW, floor=0.0)
    scores = [match.score for match in ranking.matches]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 and round(score, 6) == score for score in scores)
    assert {match.id for match in ranking.matches} == {one.id for one in candidates}


@given(CANDIDATES)
def test_nothing_passes_what_is_8_percent_more_relevant(candidates: list[Candidate]) -> None:
    own = {candidate.id: candidate.relevance for candidate in candidates}
    order = [own[match.id] for match in ranked(candidates, NOW, floor=0.0).matches]
    for place, relevance_here in enumerate(order):
        # A billionth is no difference.
        most = 1.08 * relevance_here + 1e-9
        assert all(below <= most for below in order[place + 1 :])


def test_an_old_and_unimportant_answer_stands_before_new_chatter() -> None:
    old = Candidate("old", 0.8, NOW - 60 * DAY, importance=0.1)
    new = [Candidate(f"new {number}", 0.3, NOW, importance=1.0) for number in range(10)]
    assert ranked([*new, old], NOW).matches[0] == Ranked("old", 0.8)


def test_importance_and_recency_decide_between_equals() -> None:
    candidates = [
        Candidate("old", 0.5, NOW - 90 * DAY),
        Candidate("new", 0.5, NOW),
        Candidate("old and important", 0.5, NOW - 90 * DAY, importance=1.0),
        Candidate("old and trivial", 0.5, NOW - 90 * DAY, importance=0.0),
    ]
    assert [match.id for match in ranked(candidates, NOW).matches] == [
        "new",
        "old and important",
        "old",
        "old and trivial",
    ]


def test_what_stays_below_the_floor_is_counted_and_the_best_is_told() -> None:
    weak = [Candidate("a", FLOOR / 2, NOW), Candidate("b", FLOOR / 4, NOW)]
    assert ranked(weak, NOW) == Ranking((), FLOOR / 2, 2)
    assert ranked([], NOW) == Ranking((), None, 0)
    assert ranked([*weak, Candidate("c", 0.7, NOW)], NOW) == Ranking((Ranked("c", 0.7),), 0.7, 2)
