"""What goes into a context bundle, and that its budget holds for all of it."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.adapters.local.tokens import O200kTokenCounter
from metacortex.domain.bundles.bundle import (
    CHARACTER_COUNTER,
    CHARACTERS,
    TOKENS,
    Budget,
    Bundle,
    Format,
)
from metacortex.domain.bundles.bundle_text import as_sent, text_as_sent
from metacortex.domain.bundles.packing import Count, pack
from metacortex.domain.memory import TokenCount
from metacortex.domain.search import Match
from tests.samples import NOW, a_memory

FORMS = list(Format)


def characters(texts: Sequence[str]) -> Sequence[int]:
    return [len(text) for text in texts]


def words(texts: Sequence[str]) -> Sequence[int]:
    """Counts as no tokenizer does: the budget holds all the same."""
    return [len(re.findall(r"\w+", text)) for text in texts]


tokens = O200kTokenCounter().count
tokens(["so that the tables are there"])
COUNTERS: list[tuple[str, int, Count]] = [
    (CHARACTER_COUNTER, CHARACTERS[0], characters),
    ("o200k_base", TOKENS[0], tokens),
    ("words", TOKENS[0], words),
]


def a_match(id_: str, content: str, score: float = 0.5, **varied: Any) -> Match:
    return Match(a_memory(id_, content=content, sha256="ab" * 32, **varied), score)


def empty(most: int = 1_200, form: Format = Format.MARKDOWN, counter: str = "o200k_base") -> Bundle:
    return Bundle(form, Budget(most, counter))


def ids(bundle: Bundle) -> list[str]:
    return [item.memory.id for item in bundle.items]


texts = st.one_of(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=300),
    st.text(alphabet="`~\n #-", min_size=1, max_size=40),
    st.builds(
        lambda piece, times: piece * times,
        st.sampled_from(["deploy", "密码在保险箱里", "🙂", "the auth service ", "``` ", "x\r\n"]),
        st.integers(1, 400),
    ),
).filter(lambda text: bool(text.strip()))
memories = st.fixed_dictionaries(
    {
        "content": texts.map(str.strip),
        "topic": st.sampled_from(["general", "auth", "a\n```\nb", '"quoted"']),
        "tags": st.lists(st.sampled_from(["red", "]: `", "x" * 64]), unique=True).map(tuple),
        "created_at": st.integers(0, NOW),
        "token_count": st.none()
        | st.builds(TokenCount, st.integers(0, 300), st.just("o200k_base")),
        "recalled_from": st.sets(st.sampled_from(["m0", "m3", "gone"])).map(tuple),
    }
)


def numbered(drawn: list[tuple[dict[str, Any], float]]) -> list[Match]:
    return [
        a_match(f"m{number}", score=score, **fields) for number, (fields, score) in enumerate(drawn)
    ]


matches = st.lists(st.tuples(memories, st.floats(0.1, 1.0)), max_size=9).map(numbered)


@pytest.mark.case("K46")
@given(
    matches, st.sampled_from(FORMS), st.sampled_from(COUNTERS), st.integers(0, 600), st.booleans()
)
def test_the_whole_answer_never_passes_its_budget(
    found: list[Match], form: Format, counter: tuple[str, int, Count], more: int, worst: bool
) -> None:
    name, least, count = counter
    asked = empty(least + more, form, name)
    if worst:
        asked = replace(asked, incomplete=True, degraded=("meaning",))
    bundle = pack(found, "deploy the auth service", asked, count)
    assert bundle.used == count([as_sent(bundle)])[0] <= least + more


@given(st.permutations(range(6)), st.sampled_from(FORMS), st.integers(100, 500))
def test_the_order_in_which_memories_come_does_not_matter(
    order: list[int], form: Format, most: int
) -> None:
    found = [
        a_match(f"m{number}", f"Relay {number // 2} is in rack {number}." * (number + 1), 0.5)
        for number in range(6)
    ]
    shuffled = [found[place] for place in order]
    query = "which rack is relay 2 in"
    assert pack(shuffled, query, empty(most, form), tokens) == pack(
        found, query, empty(most, form), tokens
    )


@given(matches, st.sampled_from(FORMS))
def test_every_item_is_cited_by_id_date_and_digest(found: list[Match], form: Format) -> None:
    bundle = pack(found, "deploy", empty(4_000, form), tokens)
    sent = json.loads(as_sent(bundle))
    if form is Format.JSON:
        cited = [(item["id"], item["sha256"], len(item["date"])) for item in sent["items"]]
        assert cited == [(id_, "abababab", 10) for id_ in ids(bundle)]
        return
    for item in bundle.items:
        day = r"\d{4}-\d\d-\d\d"
        assert re.search(rf"{day}.*{item.memory.id} sha256:abababab", sent["context"])


@pytest.mark.case("K47")
def test_what_is_too_big_to_fit_does_not_end_the_packing() -> None:
    big = a_match("big", "The relay is described at length. " * 120, 0.9)
    second = a_match("second", "The relay is in rack C, beside the pump of line four.", 0.8)
    third = a_match("third", "Relay spares are kept in the cellar under the stairs.", 0.7)
    bundle = pack([big, second, third], "where is the relay", empty(250), tokens)
    assert {"second", "third"} <= set(ids(bundle))
    assert bundle.omitted == ("big",)


@pytest.mark.case("K47")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "least", "count"), COUNTERS[:2])
def test_no_room_is_kept_for_what_is_not_told(
    form: Format, name: str, least: int, count: Count
) -> None:
    found = [
        a_match("big", "walrusfish survey " * 50, 0.9),
        a_match("second", "walrusfish survey brief note two.", 0.8),
        a_match("third", "walrusfish brief three.", 0.7),
    ]
    bundles = [pack(found, "walrusfish", empty(n, form, name), count) for n in range(least, 800)]
    both = [each.used for each in bundles if set(ids(each)) == {"second", "third"} and each.omitted]
    one = [each.budget.most for each in bundles if ids(each) in (["second"], ["third"])]
    # What an item costs is told a little more than it is: in compact its topic too.
    assert max(one) < min(both) + 16


@pytest.mark.case("K46", "K47")
def test_of_a_memory_that_is_too_long_its_best_passage_is_shown_as_cut() -> None:
    filler = "Nothing of note happened on that day. "
    long = a_match("long", f"{filler * 200}The vault code is 4711. {filler * 100}", 0.9)
    bundle = pack([long], "what is the vault code", empty(200), tokens)
    (item,) = bundle.items
    assert item.cut
    assert "4711" in item.text
    assert item.text.startswith("[…] ")
    assert item.text.endswith(" […]")
    assert bundle.omitted == ("long",)
    assert ", cut\n" in json.loads(as_sent(bundle))["context"]


def test_a_long_memory_that_answers_goes_before_noise_that_fits() -> None:
    long = a_match("long", "Relay notes. " * 500 + "Relay nine is in rack C.", 0.9)
    noise = [a_match(f"noise{n}", f"Something else, number {n}.", 0.2) for n in range(30)]
    bundle = pack([long, *noise], "where is relay nine", empty(400), tokens)
    assert ids(bundle)[0] == "long"
    assert "rack C" in bundle.items[0].text


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_text_that_stands_whole_in_another_is_left_out_as_repeated(order: Sequence[int]) -> None:
    scores = (0.7, 0.8, 0.9)
    contents = (
        "The relay is in rack C.",
        "the relay   is in rack c.",
        "The relay is in rack C.\nIt was moved there in May.",
    )
    found = [a_match(f"m{n}", contents[n], scores[order[n]]) for n in range(3)]
    bundle = pack(found, "relay", empty(), tokens)
    assert ids(bundle) == ["m2"]
    assert bundle.left_out.repeated == 2
    assert bundle.omitted == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The deadline is 15 October.", "The deadline is 16 October."),
        ("We use Redis", "It is wrong that we use Redis"),
        ("We use Redis", "We use Redis no more"),
        ("We use Redis 7", "We use Redis 71"),
    ],
)
def test_texts_that_only_resemble_each_other_are_both_told(one: str, other: str) -> None:
    bundle = pack([a_match("a", one), a_match("b", other)], "redis deadline", empty(), tokens)
    assert sorted(ids(bundle)) == ["a", "b"]


@pytest.mark.case("K48")
def test_a_memory_is_never_packed_with_its_own_recall() -> None:
    note = a_match("note", "The relay is in rack C.", 0.5)
    recall = a_match("copy", "From memory: the relay sits in C.", 0.9, recalled_from=("note",))
    again = a_match("twice", "Once more: relay, C.", 0.8, recalled_from=("gone",))
    thrice = a_match("thrice", "Relay: C, still.", 0.7, recalled_from=("gone",))
    bundle = pack([recall, note, again, thrice], "relay", empty(), tokens)
    assert ids(bundle) == ["twice", "note"]
    assert bundle.left_out.recalled == 2


def test_what_says_something_new_goes_before_more_of_the_same() -> None:
    same = [
        a_match(f"same{n}", f"The relay of line {n} is in rack C since the move.", 0.6)
        for n in range(8)
    ]
    other = a_match("other", "Spare fuses are in the cellar, ask Ines for a key.", 0.55)
    bundle = pack([*same, other], "relay", empty(330), tokens)
    assert len(bundle.items) < 9
    assert "other" in ids(bundle)


def test_an_empty_bundle_says_whether_anything_was_found() -> None:
    nothing = json.loads(as_sent(pack([], "relay", empty(), tokens)))
    assert nothing["context"] == "Nothing near enough is stored."
    too_much = json.loads(as_sent(pack([a_match("m1", "x " * 2_000)], "x", empty(100), tokens)))
    assert too_much["context"] == "Nothing fits."
    assert too_much["left_out"] == {"over_budget": 1}
    assert too_much["omitted"] == ["m1"]


def test_no_passage_is_sought_where_there_is_no_text() -> None:
    assert all(ids(pack([a_match("m1", "")], "x", empty(n), tokens)) for n in range(100, 115))


def test_a_text_beyond_all_measure_is_not_measured_whole() -> None:
    measured: list[int] = []

    def noting(texts: Sequence[str]) -> Sequence[int]:
        measured.extend(map(len, texts))
        return tokens(texts)

    found = a_match("m1", "Relay nine is in rack C. " * 20_000)
    bundle = pack([found], "relay nine", empty(300), noting)
    assert bundle.items[0].cut
    assert max(measured) < 20_000


@pytest.mark.parametrize(("counter", "again"), [("o200k_base", False), ("another", True)])
def test_what_was_counted_when_it_was_written_is_not_measured_by_itself_again(
    counter: str, again: bool
) -> None:
    measured: list[str] = []

    def noting(texts: Sequence[str]) -> Sequence[int]:
        measured.extend(texts)
        return tokens(texts)

    content = "Relay nine is in rack C."
    (cost,) = tokens([text_as_sent(content)])
    counted = a_match("m1", content, token_count=TokenCount(cost, counter))
    bundle = pack([counted], "relay nine", empty(), noting)
    assert bundle == pack([counted], "relay nine", empty(), tokens)
    assert ids(bundle) == ["m1"]
    whole_answers = [text for text in measured if '"left_out"' in text]
    assert any(content in text for text in set(measured) - {*whole_answers}) is again


def more_than_its_parts(texts: Sequence[str]) -> Sequence[int]:
    """Counts a text as more than its parts together."""
    return [round(len(text) ** 1.1) for text in texts]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("length", [1, 3, 12, 40])
def test_what_measures_more_together_than_in_parts_gives_way_again(
    form: Format, length: int
) -> None:
    found = [
        a_match(f"m{number}", f"Relay {number} restarts in rack {number * 7}. " * length)
        for number in range(12)
    ]
    for most in range(700, 3_000, 130):
        bundle = pack(found, "relay restarts", empty(most, form, "odd"), more_than_its_parts)
        assert bundle.used == more_than_its_parts([as_sent(bundle)])[0] <= most
