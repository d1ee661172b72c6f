"""Terms: what of a text can be found by which words."""

# ruff: noqa: RUF001 - letters that look like others are what is tested

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metacortex.domain.words.folding import folded, plain
from metacortex.domain.words.stemming import stem
from metacortex.domain.words.terms import LONGEST_TERM, MOST_QUERY_TERMS, query_terms, terms_of


def found(query: str, text: str) -> bool:
    """Whether the words leg would bring a text back at all."""
    return not set(query_terms(query)).isdisjoint(terms_of(text))


def found_whole(query: str, text: str) -> bool:
    """Whether a text holds all that a query asks for."""
    return set(query_terms(query)) <= set(terms_of(text))


SPACELESS = {
    "俳句": "昨日は社内勉強会で俳句を詠んだ",
    "发票": "周三下午把发票交给财务部",
    "예산안": "회의에서 예산안을 확정했다",
    "ab-sync": "重新跑ab-sync后多出30行",
}


@pytest.mark.parametrize("query", SPACELESS)
def test_a_word_of_a_script_without_spaces_finds_its_own_text_and_no_other(query: str) -> None:
    assert [text for text in SPACELESS.values() if found(query, text)] == [SPACELESS[query]]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("30行", "重新跑ab-sync后多出30行"),
        ("猫", "黒い猫が寝ている"),
        ("물", "물을 마셨다"),
        ("อากาศ", "วันนี้อากาศดีมาก"),
        ("ຫມາ", "ມີຫມາຢູ່ບ້ານ"),
        ("ဆရာ", "ဆရာမလာပြီ"),
        ("សាលា", "ខ្ញុំទៅសាលារៀន"),
        ("ﾃｽﾄ", "負荷テストを実行する"),
        ("🍺", "Toast🍺🍺 at six"),
        ("👍", "done 👍🏽"),
        ("🇩🇪", "flight to 🇩🇪🇫🇷"),
    ],
)
def test_a_part_of_a_run_without_spaces_is_found(query: str, text: str) -> None:
    assert found_whole(query, text)


def test_the_shade_of_an_emoji_is_no_term() -> None:
    assert terms_of("👍🏽") == ["👍"]


ROW = (
    r"pre-edit don't C:\repo\src --fail-on-warn GB/s a|b * NEAR(x y) "
    '"quoted col:val 50%_off != -> C++ F#'
)


@pytest.mark.parametrize("query", [*ROW.split(), "NEAR(x y)"])
def test_signs_within_a_query_are_text(query: str) -> None:
    assert found_whole(query, f"Seen today: {ROW}.") or query in ("NEAR(x", "y)")


@pytest.mark.parametrize("query", ["(", "--", "...", "", "  ", "\0", "‼️"[1:]])
def test_what_only_punctuates_asks_for_nothing(query: str) -> None:
    assert query_terms(query) == []


def test_of_a_pasted_file_the_first_terms_are_asked_for() -> None:
    pasted = " ".join(f"name{n}" for n in range(100_000))
    asked = query_terms(pasted)
    assert (len(asked), asked[0]) == (MOST_QUERY_TERMS, "name0")


def test_an_operator_is_a_word_among_words() -> None:
    assert query_terms("'; DROP TABLE memories; --") == ["drop", "tabl", "memori"]
    assert query_terms("AND") == ["and"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Zu\u0308rich", "Das B\u00fcro in Z\u00fcrich zieht um"),
        ("Zurich", "Das B\u00fcro in Z\u00fcrich zieht um"),
        ("fa\u00e7ade", "La fac\u0327ade nord est fissure\u0301e"),
        ("facade", "La fac\u0327ade nord est fissure\u0301e"),
        ("STRASSE", "die Straße"),
        ("ΟΔΟΣ", "οδός"),
        ("елка", "ёлка"),
        ("Istanbul", "İSTANBUL"),
        ("lodz", "Łódź"),
        ("shalom", "ｓｈａｌｏｍ"),
        ("שלום", "שָׁלוֹם"),
        ("محمد", "مُحَمَّد"),
        ("می‌خواهم", "میخواهم"),
        ("file", "ﬁle"),
        ("cooperate", "co\u00adoperate"),
        ("दिल्ली", "दिल्ली में"),
    ],
)
def test_two_spellings_of_one_word_meet(query: str, text: str) -> None:
    assert found_whole(query, text)


@pytest.mark.parametrize(
    ("one", "other"),
    [("कि", "की"), ("か", "が"), ("мой", "мои"), ("كتب", "كلب"), ("care", "car"), ("hope", "hop")],
)
def test_marks_that_make_another_word_are_kept(one: str, other: str) -> None:
    assert not found(one, other)


@pytest.mark.parametrize(
    "forms",
    [
        "max_tokens maxTokens MaxTokens max-tokens MAX_TOKENS max.tokens",
        "Wi-Fi WiFi wifi wi_fi",
        "don't don’t dont",
        "U.S.A. USA usa",
        "utf-8 UTF8 utf_8",
        "e-mails email E-Mail",
        "Node.js nodejs NodeJS",
        "2026-03-14 2026/3/14 14.3.2026 14/03/2026 3/14/2026 2026-03-14T09:30:00Z",
        "1,234 1'234 1234",
        "3.14 3,14",
        "9:05 09:05",
        "7th 7",
        "https://www.example.com/docs example.com/docs",
        "v1.2.3 1.2.3",
    ],
)
def test_every_way_to_write_a_name_or_number_finds_every_other(forms: str) -> None:
    ways = forms.split()
    assert [(one, other) for one in ways for other in ways if not found(one, other)] == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("functions/metacortex/terms.py", "metacortex terms.py terms functions"),
        ("HTTPServer", "http server httpserver"),
        ("ORA-00942", "ora-00942 00942 ORA"),
        ("joe.bloggs@example.com", "joe bloggs example.com joe.bloggs@example.com"),
        ("std::vec::Vec", "vec std std::vec::Vec"),
        ("python-3.11.4-slim", "python 3.11.4 3.11 slim"),
        ("2026-03-14", "2026-03 2026"),
        ("logs/2026-03-14/app.log", "2026-03-14 2026-03 logs app.log"),
        ("1.000", "1000 1.000"),
        ("10km", "10 km 10km"),
        ("15:00:30", "15:00 15:00:30"),
        ("l'école", "école"),
        ("O'Brien's", "O'Brien obrien"),
        ("Caroline's", "caroline"),
        ("E0382", "e0382"),
        ("0xDEADBEEF", "0xdeadbeef"),
        ("https://a.example/x?id=7#top", "a.example x id 7 top"),
    ],
)
def test_what_is_written_together_is_found_by_its_parts(text: str, parts: str) -> None:
    assert [part for part in parts.split() if not found_whole(part, f"({text}),")] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("E0382", "0382"),
        ("v2", "2"),
        ("b2a3ee8", "b2a3ee9"),
        ("192.168.1.10", "168"),
    ],
)
def test_a_code_is_not_found_by_a_piece_that_means_something_else(one: str, other: str) -> None:
    assert not found(one, other)


@pytest.mark.parametrize(
    "forms",
    [
        "go goes went gone going",
        "paint paints painted painting",
        "hope hoped hopes hoping",
        "use used uses using",
        "study studies studied studying",
        "box boxes",
        "class classes",
        "house houses",
        "run ran runs running",
        "child children",
        "educate educated educating",
        "happy happily happiness",
        "buy bought buys",
        "agreed agreed",
        "Rechnung Rechnungen",
        "ciudad ciudades",
        "cidade cidades",
        "książka Książka",
        "книга книги книгу книгами",
        "المدينة مدينة",
        "लड़का लड़के लड़कों",
    ],
)
def test_the_forms_of_a_word_share_a_stem(forms: str) -> None:
    assert len({stem(folded(plain(form))) for form in forms.split()}) == 1


def test_a_version_is_not_another_of_its_series() -> None:
    assert found("1.2.4", "1.2.3")
    assert not found_whole("1.2.4", "1.2.3")


def test_terms_stand_in_order_and_repeat() -> None:
    assert terms_of("The cat saw the other cat.") == ["the", "cat", "see", "the", "other", "cat"]


def test_a_query_leaves_out_stop_words_unless_it_has_nothing_else() -> None:
    assert query_terms("When did the cat see Dana?") == ["cat", "see", "dana"]
    assert query_terms("to be or not to be") == ["to", "be", "or", "not"]
    assert query_terms("Wann hatte ich die Rechnung?") == ["die", "rechnung"]


@given(st.text(max_size=300))
@example("'s 's' ''' s's")
@example("/:/ @ \\ - . a--b ..a.. __ _a_ 1,2,3 1:2 99/99/2026 x++ ++ # ://a http://")
@example("\u0e33\u0e33 \u0308 \u1100\u1161\u11a8 \U0001f1e9")
def test_any_text_has_terms_that_find_it(text: str) -> None:
    stored, asked = terms_of(text), query_terms(text)
    assert set(asked) <= set(stored)
    assert bool(asked) == bool(stored)
    assert all(0 < len(term) <= LONGEST_TERM for term in stored)
    assert len(asked) == len(set(asked))


@given(st.text(max_size=60))
@example("\u0345\u1fb3")
@example("İı")
def test_folding_a_folded_word_changes_nothing(word: str) -> None:
    assert folded(folded(word)) == folded(word)


@given(st.text(max_size=80))
def test_letter_case_and_form_make_no_difference_to_plain_words(text: str) -> None:
    words = " ".join("".join(c for c in text if c.isascii() and c.islower()).split())
    assert terms_of(words) == terms_of(words.upper()) == terms_of(words.title())


def test_a_text_of_one_endless_piece_is_read_in_one_go() -> None:
    assert len(terms_of("ab.cd-" * 100_000)) > 100_000
    assert len(terms_of("漢字" * 100_000)) > 100_000
    assert terms_of("x" * 500_000) == ["x" * LONGEST_TERM]
