"""Windows cover a text, whatever it is, and none is larger than asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.passage import windows


def _covered(text: str, pieces: list[str], overlap: int) -> bool:
    """Tell whether the pieces can lie in `text` one after the other, without a gap, to its end."""
    ends = {len(pieces[0])} if text.startswith(pieces[0]) else set()
    for piece in pieces[1:]:
        ends = {
            at + len(piece)
            for end in ends
            for at in range(max(end - overlap, 0), end + 1)
            if at + len(piece) > end and text.startswith(piece, at)
        }
    return len(text) in ends


@given(
    st.text(alphabet="ab \n.?!,;。日", max_size=300),
    st.integers(min_value=1, max_value=60),
    st.data(),
)
def test_windows_cover_every_character_and_none_is_too_large(
    text: str, size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(min_value=0, max_value=(size - 1) // 2))
    pieces = [*windows(text, size, overlap)]
    assert max(map(len, pieces)) <= size
    assert _covered(text, pieces, overlap)


@pytest.mark.parametrize("text", ["", "short", "x" * 160])
def test_a_text_that_fits_is_one_window(text: str) -> None:
    assert [*windows(text, 160, 20)] == [text]


def test_a_window_ends_at_a_paragraph_before_a_line_before_a_sentence() -> None:
    text = "One two three four.\n\nFive. Six\nseven eight nine ten eleven."
    assert next(windows(text, 38, 0)) == "One two three four.\n\n"


def test_a_window_ends_at_the_last_sentence_that_fits_whatever_its_mark() -> None:
    assert next(windows("One two. Three? Four five six seven", 20, 0)) == "One two. Three? "


def test_the_next_window_begins_at_a_word_before_the_last_one_ended() -> None:
    assert [*windows("alpha beta gamma delta", 16, 6)] == ["alpha beta ", "beta gamma delta"]


@pytest.mark.parametrize("text", ["会議の記録" * 4_000, "x" * 9_000, " " * 5_000, "\n" * 5_000])
def test_a_text_without_words_is_cut_into_full_windows(text: str) -> None:
    pieces = [*windows(text, 160, 20)]
    assert "".join(pieces).count(text[0]) >= text.count(text[0])
    assert len(pieces) < len(text) / 50


def test_the_longest_content_is_cut_in_linear_time() -> None:
    assert sum(1 for _ in windows("a" * 700_000, 160, 20)) == 5_000
